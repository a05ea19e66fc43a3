#!/usr/bin/env python3
"""Embeds a folder of videos: embed_videos.py FOLDER --out embeddings.npz

Each video gives some frames, evenly spread, already of the size that the model wants, and becomes the mean of
their features. Videos are decoded in threads, ahead of the model. One that is damaged is named, and left out.
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
    """Decode some frames of a video, normalised: [frames, 3, size, size]."""
    batch = spool.decode_video(
        path, sample=frames, size=size, mode="cover", layout="nchw", dtype="float32", mean=MEAN, std=STD
    )
    data: torch.Tensor = batch.to_torch().data
    return data


def clips(paths: list[Path], frames: int, size: int, threads: int) -> Iterator[tuple[Path, torch.Tensor]]:
    """Decode the videos in their order, a few ahead of who asks for them."""
    waiting: deque[tuple[Path, Future[torch.Tensor]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for path in paths:
            waiting.append((path, pool.submit(clip, path, frames, size)))
            if len(waiting) > 2 * threads:
                yield from good(*waiting.popleft())
        while waiting:
            yield from good(*waiting.popleft())


def good(path: Path, decoded: Future[torch.Tensor]) -> Iterator[tuple[Path, torch.Tensor]]:
    """Give a clip, or say why there is none."""
    try:
        yield path, decoded.result()
    except spool.DecodeError as e:
        print(e, file=sys.stderr)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="names and embeddings, as NumPy's npz")
    parser.add_argument("--frames", type=int, default=8, help="of each video")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--threads", type=int, default=2, help="that decode")
    parser.add_argument("--weights", default="DEFAULT", help="of torchvision's resnet18; none: random ones")
    options = parser.parse_args()

    model = models.resnet18(weights=None if options.weights == "none" else options.weights)
    model.fc = torch.nn.Identity()
    model.eval()
    names: list[str] = []
    embeddings: list[np.ndarray] = []
    paths = sorted(p for p in options.folder.rglob("*") if p.is_file())
    with torch.inference_mode():
        for path, frames in clips(paths, options.frames, options.size, options.threads):
            names.append(str(path.relative_to(options.folder)))
            embeddings.append(model(frames).mean(0).numpy())
    if not names:
        sys.exit(f"{options.folder}: no video in it")
    np.savez(options.out, names=names, embeddings=np.stack(embeddings))
    print(f"{len(names)} of {len(paths)} files: {options.out}")


if __name__ == "__main__":
    main()
