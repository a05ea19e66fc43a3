#!/usr/bin/env python3
"""Embeds a folder of videos: embed_videos.py FOLDER --out embeddings.npz

Each video gives some evenly spread frames, decoded at the size of the model's input. The embedding of a video is the
mean of their features. Threads decode the videos in advance. Damaged videos are named and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from torchvision import models

import spool

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def clip(path: Path, frames: int, size: int) -> torch.Tensor:
    """Decode some frames of a video, normalized: [frames, 3, size, size]."""
    batch = spool.decode_video(
        path, sample=frames, size=size, mode="cover", layout="nchw", dtype="float32", mean=MEAN, std=STD
    )
    data: torch.Tensor = batch.to_torch().data
    return data


def clips(paths: list[Path], frames: int, size: int, threads: int) -> Iterator[tuple[Path, torch.Tensor]]:
    """Decode the videos in their order, a few in advance."""
    waiting: deque[tuple[Path, Future[torch.Tensor]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for path in paths:
            waiting.append((path, pool.submit(clip, path, frames, size)))
            if len(waiting) > 2 * threads:
                yield from good(*waiting.popleft())
        while waiting:
            yield from good(*waiting.popleft())


def good(path: Path, decoded: Future[torch.Tensor]) -> Iterator[tuple[Path, torch.Tensor]]:
    """Yield a clip, or report its error."""
    try:
        yield path, decoded.result()
    except spool.DecodeError as e:
        print(e, file=sys.stderr)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="npz file of names and embeddings")
    parser.add_argument("--frames", type=int, default=8, help="frames of each video")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--threads", type=int, default=2, help="decoding threads")
    parser.add_argument("--weights", default="DEFAULT", help="weights of torchvision's resnet18; none: random weights")
    options = parser.parse_args()

    model = models.resnet18(weights=None if options.weights == "none" else options.weights)
    model.fc = torch.nn.Identity()  # pyright: ignore[reportAttributeAccessIssue]
    model.eval()
    names: list[str] = []
    embeddings: list[np.ndarray] = []
    paths = sorted(p for p in options.folder.rglob("*") if p.is_file())
    with torch.inference_mode():
        for path, frames in clips(paths, options.frames, options.size, options.threads):
            names.append(str(path.relative_to(options.folder)))
            embeddings.append(model(frames).mean(0).numpy())
    if not names:
        sys.exit(f"{options.folder}: no video found")
    np.savez(options.out, names=names, embeddings=np.stack(embeddings))
    print(f"{len(names)} of {len(paths)} files: {options.out}")


if __name__ == "__main__":
    main()
