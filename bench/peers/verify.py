"""Compares outputs before they are timed: verify.py WORK --files GLOB...

Prints a JSON line for each comparison: what was compared, the number of files, the largest difference, its bound, and
the file with this difference. Exits with code 1 if a bound is exceeded. Differences are means over an image, of uint8
samples; for audio they are the root mean square.

spool's exact and pillow profiles, random crops, and video frames have to equal the reference. The other bounds show
that the peers do the same work: peers differ in their filters, and in how they decode at a lower resolution.
"""

from __future__ import annotations

import argparse
import glob
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from loaders import find, names
from loaders.own import AUGMENTATION
from loaders.work import Work
from PIL import Image
from reference import cropped, decode, interleaved, resize
from torchvision.transforms import v2

import spool
import spool.torch

# Bounds of the mean difference of an image from torchvision's antialiased resize.
NEAR = {"torchvision": 0, "pil": 0.3, "pil_draft": 4, "spdl": 6, "spdl_items": 6, "cv2": 12, "cv2_area": 6,
        "cv2_reduced": 6, "vips": 6, "dali": 6,
        "spool_loader": 0, "spool_dataloader": 0, "spool_threads": 0,
        "spool_transform": 0}  # fmt: skip
FAST = 1.0
# The same for frames, whose color conversion and filter may differ as well.
FRAMES = {"torchcodec": 0.5, "decord": 6, "spdl": 6, "pyav": 6, "spool_loader": 0}
AUDIO = {"torchcodec": 1e-4, "spdl": 1e-3}

Comparison = tuple[str, float, float, str]  # what was compared, difference, bound, file


def apart(a: Any, b: Any) -> float:
    """Return the mean difference of two arrays of uint8."""
    return float(np.abs(np.asarray(a).astype(int) - np.asarray(b).astype(int)).mean())


def nhwc(batch: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(batch)
    return array.transpose(0, 2, 3, 1) if array.shape[1] == 3 else array


def in_order(batch: Any, exact: list[Any], files: list[str]) -> Iterator[tuple[Any, Any, str]]:
    yield from zip(batch, exact, files, strict=False)


def closest(batch: Any, exact: list[Any], files: list[str]) -> Iterator[tuple[Any, Any, str]]:
    """Pair each image with the most similar reference, since SPDL returns images in the order of completion."""
    for image in batch:
        i = min(range(len(exact)), key=lambda i: apart(image[::4, ::4], exact[i][::4, ::4]))
        yield image, exact[i], files[i]


def images(work: Work) -> Iterator[Comparison]:
    exact = [interleaved(resize(decode(path), work.size, work.size)) for path in work.files]
    for peer in names("images"):  # before this process uses spool, since a peer uses spool in forked workers
        match = closest if peer.startswith("spdl") else in_order
        yield from first_batch(work, peer, NEAR[peer], lambda batch, match=match: match(nhwc(batch), exact, work.files))
    for path, want in zip(work.files, exact, strict=True):
        yield "exact, torchvision's bytes", apart(spool.decode_image(path, size=work.size), want), 0, path
        own = np.asarray(Image.open(path).convert("RGB").resize((work.size, work.size), Image.Resampling.BILINEAR))
        yield "pillow, Pillow's bytes", apart(spool.decode_image(path, size=work.size, profile="pillow"), own), 0, path
        yield "fast, beside exact", apart(spool.decode_image(path, size=work.size, profile="fast"), want), FAST, path


def train(work: Work) -> Iterator[Comparison]:
    """Check random crops and flips: the pixels are those of torchvision for the reported region."""
    with spool.ImageLoader(
        work.files, batch=len(work.files), size=work.size, workers=work.workers, train=True
    ) as loader:
        batch = next(iter(loader))
        for path, image, region in zip(work.files, batch.data, batch.regions, strict=True):
            want = interleaved(cropped(path, region, work.size))
            yield "random crops, torchvision's bytes", apart(image, want), 0, path
    torch.manual_seed(1)
    collated, _ = spool.torch.collate(size=work.size, **AUGMENTATION)([(path, 0) for path in work.files])
    drawn = spool.decode_images(work.files, size=work.size, seed=1, regions=True, **AUGMENTATION).regions
    for path, image, region in zip(work.files, nhwc(collated), drawn, strict=True):
        want = interleaved(cropped(path, region, work.size))
        yield "collate's random crops, torchvision's bytes", apart(image, want), 0, path


def video(work: Work) -> Iterator[Comparison]:
    from torchcodec.decoders import VideoDecoder

    for path in work.files:
        decoder = VideoDecoder(path, num_ffmpeg_threads=1)
        frames = decoder.get_frames_at(work.sample(len(decoder))).data
        own = spool.decode_video(path, sample=work.frames).data
        yield "frames, torchcodec's bytes", apart(own, frames.permute(0, 2, 3, 1)), 0, path
        want = v2.functional.resize(frames, [work.size, work.size], antialias=True).permute(0, 2, 3, 1).numpy()
        small = spool.decode_video(path, sample=work.frames, size=work.size).data
        yield "resized frames, torchvision's bytes", apart(small, want), 0, path
        fast = spool.decode_video(path, sample=work.frames, size=work.size, profile="fast").data
        yield "fast, beside exact", apart(fast, want), FRAMES["decord"], path
        if path == work.files[0]:
            for peer in names("video"):

                def pairs(batch: Any, want: Any = want, path: str = path) -> list[tuple[Any, Any, str]]:
                    return [(batch, want, path)]

                yield from first_batch(work, peer, FRAMES[peer], pairs)


def audio(work: Work) -> Iterator[Comparison]:
    for path in work.files:
        own = spool.decode_audio(path, rate=work.rate, channels=1).data[0]
        alone = Work(work.name, [path], work.batch, work.size, work.workers, work.frames, work.rate)
        for peer in names("audio"):
            other = np.asarray(next(iter(find("audio", peer)(alone)()))).reshape(-1)
            n = min(len(own), len(other))  # some peers end a frame of the codec later
            if max(len(own), len(other)) - n > work.rate // 10:
                raise SystemExit(f"{path}: spool has {len(own)} samples, {peer} has {len(other)}")
            # SPDL's mix of integer samples to mono is 3 dB lower.
            gain = float(np.dot(own[:n], other[:n]) / np.dot(other[:n], other[:n])) if peer == "spdl" else 1
            yield f"audio, beside {peer}", float(np.sqrt(np.mean((own[:n] - gain * other[:n]) ** 2))), AUDIO[peer], path


def first_batch(work: Work, peer: str, bound: float, pairs: Callable[[Any], Any]) -> Iterator[Comparison]:
    """Check the first delivery of a peer. A peer that is not installed is left out here and in the table."""
    try:
        batch = next(iter(find(work.name, peer)(work)()))
    except ImportError:
        return
    for own, want, path in pairs(batch):
        yield f"{peer}, beside torchvision", apart(own, want), bound, path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    works = {"images": images, "train": train, "video": video, "videofull": video, "audio": audio}
    parser.add_argument("work", choices=works)
    parser.add_argument("--files", nargs="+", required=True, metavar="GLOB")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--workers", type=int, default=2)
    a = parser.parse_args()
    torch.set_num_threads(1)
    files = sorted(name for pattern in a.files for name in glob.glob(pattern))
    name = "video" if a.work == "videofull" else a.work
    batch = min(a.batch, len(files))  # DALI loads only complete batches
    work = Work(name, files, batch, a.size, a.workers, 16, 16_000)
    found: dict[str, list[Comparison]] = {}
    for comparison in works[a.work](work):
        found.setdefault(comparison[0], []).append(comparison)
    wrong = False
    for what, comparisons in found.items():
        _, worst, bound, file = max(comparisons, key=lambda c: c[1])
        wrong |= worst > bound
        line = {"what": what, "files": len(comparisons), "worst": worst, "bound": bound, "file": file}
        print(json.dumps(line), flush=True)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
