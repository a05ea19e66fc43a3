#!/usr/bin/env python3
"""Loads records with spool and with other loaders, in turns, and prints the ratios of their rates.

    bench/peers/records.py [--photos 'bin/bench-media/photos/*.jpg'] [--rounds 5] [--work masks|views|boxes|one]...

masks  image, mask and caption from tar shards, one random crop and flip for image and mask: spool.Loader beside a
       WebDataset pipeline with torchvision's v2 on tv_tensors, in a DataLoader with 2 workers
views  two random crops of each photo: spool.Loader with views=2 beside two spool.ImageLoaders, in seconds a sample
boxes  images with boxes: spool.Loader beside torchvision's CocoDetection with v2 in a DataLoader with 2 workers
one    records of one image field beside spool.ImageLoader

Rates are those of a whole epoch, the start included, on 2 workers. CPU time is that of the process and of its workers,
and depends less on what else runs. Before timing, the first batch is compared: shapes,
and for masks the set of values.
"""

from __future__ import annotations

import argparse
import glob
import io
import json
import statistics
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import PIL.ImageDraw
import torch
import webdataset
from measure import cpu_seconds
from torch.utils.data import DataLoader
from torchvision import tv_tensors
from torchvision.datasets import CocoDetection, wrap_dataset_for_transforms_v2
from torchvision.transforms import v2

import spool

SIZE, BATCH, WORKERS = 224, 32, 2


def member(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def labels(width: int, height: int, seed: int) -> tuple[bytes, list[list[int]]]:
    """Return a mask of four ellipses as PNG, and their boxes as left, top, width, height."""
    draw = np.random.default_rng(seed)
    mask = PIL.Image.new("P", (width, height))
    mask.putpalette(bytes(range(256)) * 3)
    boxes = []
    for label in range(1, 5):
        w, h = int(draw.integers(8, width // 2)), int(draw.integers(8, height // 2))
        x, y = int(draw.integers(width - w)), int(draw.integers(height - h))
        PIL.ImageDraw.Draw(mask).ellipse((x, y, x + w - 1, y + h - 1), fill=label)
        boxes.append([x, y, w, h])
    data = io.BytesIO()
    mask.save(data, "PNG")
    return data.getvalue(), boxes


def write(photos: list[str], folder: Path) -> None:
    """Write shards of 100 records, and COCO's annotations of the photos."""
    categories = [{"id": i, "name": str(i)} for i in range(1, 5)]
    coco: dict[str, list[Any]] = {"images": [], "annotations": [], "categories": categories}
    for first in range(0, len(photos), 100):
        with tarfile.open(folder / f"{first // 100:03}.tar", "w") as tar:
            for i, photo in enumerate(photos[first : first + 100], first):
                with PIL.Image.open(photo) as image:
                    width, height = image.size
                mask, boxes = labels(width, height, i)
                member(tar, f"{i:06}.jpg", Path(photo).read_bytes())
                member(tar, f"{i:06}.seg.png", mask)
                member(tar, f"{i:06}.txt", f"photo {i}".encode())
                xyxy = [[x, y, x + w, y + h] for x, y, w, h in boxes]
                member(tar, f"{i:06}.boxes.json", json.dumps({"boxes": xyxy, "labels": [1, 2, 3, 4]}).encode())
                size = {"width": width, "height": height}
                coco["images"].append({"id": i, "file_name": str(Path(photo).resolve()), **size})
                for label, (x, y, w, h) in enumerate(boxes, 1):
                    annotation = {"id": 4 * i + label, "image_id": i, "category_id": label, "bbox": [x, y, w, h]}
                    coco["annotations"].append({**annotation, "iscrowd": 0, "area": w * h})
    (folder / "coco.json").write_text(json.dumps(coco))


TRAIN = v2.Compose([v2.RandomResizedCrop(SIZE, antialias=True), v2.RandomHorizontalFlip()])


def of_webdataset(sample: tuple[bytes, bytes, bytes]) -> tuple[torch.Tensor, torch.Tensor, str]:
    """Decode and transform a sample. WebDataset's own decode("pil") would make RGB of the mask."""
    image = v2.functional.to_image(PIL.Image.open(io.BytesIO(sample[0])).convert("RGB"))
    mask = tv_tensors.Mask(np.array(PIL.Image.open(io.BytesIO(sample[1]))))
    image, mask = TRAIN(image, mask)
    return image, mask, sample[2].decode()


def of_coco(image: PIL.Image.Image, target: dict[str, Any]) -> tuple[torch.Tensor, dict[str, Any]]:
    image, target = TRAIN(v2.functional.to_image(image), target)
    return v2.SanitizeBoundingBoxes()(image, target)


def listed(samples: list[Any]) -> tuple[torch.Tensor, list[Any]]:
    return torch.stack([s[0] for s in samples]), [s[1] for s in samples]


def shards(folder: Path) -> str:
    return str(folder / f"{{000..{len(list(folder.glob('*.tar'))) - 1:03}}}.tar")


def contestants(work: str, folder: Path, photos: list[str]) -> dict[str, Callable[[], Iterator[Any]]]:
    """Return what loads an epoch, by name: spool first."""
    common = {"batch": BATCH, "workers": WORKERS, "epochs": 1, "ignore_columns": "*"}
    image = spool.Image("jpg", size=SIZE, train=True)
    if work == "masks":
        fields = {"image": image, "mask": spool.Mask("seg.png"), "caption": spool.Text("txt")}

        def pipeline() -> Iterator[Any]:
            data = webdataset.WebDataset(shards(folder), shardshuffle=False)
            data = data.to_tuple("jpg", "seg.png", "txt").map(of_webdataset).batched(BATCH)
            yield from DataLoader(data, batch_size=None, num_workers=WORKERS)

        ours = lambda: iter(spool.Loader(shards(folder), fields, **common))  # noqa: E731
        return {"spool.Loader": ours, "WebDataset and v2": pipeline}
    if work == "boxes":
        fields = {"image": image, "boxes": spool.Boxes("boxes.json")}

        def detection() -> Iterator[Any]:
            data = CocoDetection("/", str(folder / "coco.json"), transforms=of_coco)
            data = wrap_dataset_for_transforms_v2(data, target_keys=("boxes", "labels"))
            yield from DataLoader(data, batch_size=BATCH, num_workers=WORKERS, collate_fn=listed)

        ours = lambda: iter(spool.Loader(shards(folder), fields, **common))  # noqa: E731
        return {"spool.Loader": ours, "CocoDetection and v2": detection}
    one = {"image": spool.Image("path", size=SIZE, train=True)}
    if work == "one":
        return {
            "spool.Loader": lambda: iter(spool.Loader(photos, one, **common)),
            "spool.ImageLoader": lambda: iter(spool.ImageLoader(photos, size=SIZE, train=True, **common)),
        }
    two = {"image": spool.Image("path", size=SIZE, train=True, views=2)}

    def twice() -> Iterator[Any]:
        for seed in (0, 1):
            yield from spool.ImageLoader(photos, size=SIZE, train=True, seed=seed, **common)

    return {"views=2": lambda: iter(spool.Loader(photos, two, **common)), "two ImageLoaders": twice}


def check(work: str, loaders: dict[str, Callable[[], Iterator[Any]]]) -> None:
    """Compare the shapes of first batches."""
    ours, theirs = (next(iter(load())) for load in loaders.values())
    if work in ("masks", "boxes"):
        assert ours["image"].shape == (BATCH, SIZE, SIZE, 3) and tuple(theirs[0].shape) == (BATCH, 3, SIZE, SIZE)
    if work == "masks":
        assert ours["mask"].shape == tuple(theirs[1].shape) == (BATCH, SIZE, SIZE)
        assert set(np.unique(ours["mask"])) == set(np.unique(theirs[1].numpy())) == set(range(5))
        assert ours["caption"] == list(theirs[2])
    if work == "boxes":
        assert all(b.shape[1] == 4 for b in ours["boxes"]) and len(theirs[1]) == BATCH


def epoch(load: Callable[[], Iterator[Any]]) -> tuple[float, float]:
    """Return the seconds and the CPU seconds of an epoch."""
    begun, cpu = time.perf_counter(), cpu_seconds()
    for _ in load():
        pass
    return time.perf_counter() - begun, cpu_seconds() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", default="bin/bench-media/photos/*.jpg")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=4, help="how often each photo is written")
    parser.add_argument("--work", action="append", choices=["masks", "views", "boxes", "one"])
    o = parser.parse_args()
    torch.set_num_threads(1)
    photos = sorted(glob.glob(o.photos)) * o.repeat
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(photos, folder)
        for work in o.work or ["masks", "views", "boxes", "one"]:
            loaders = contestants(work, folder, photos)
            check(work, loaders)
            spent: dict[str, list[tuple[float, float]]] = {k: [] for k in loaders}
            for turn in range(o.rounds):
                for k in list(loaders) if turn % 2 == 0 else reversed(list(loaders)):
                    spent[k].append(epoch(loaders[k]))
            ours, theirs = spent
            pairs = list(zip(spent[ours], spent[theirs], strict=True))
            ratios = [b[0] / a[0] for a, b in pairs]
            shares = [a[1] / b[1] for a, b in pairs]
            rate = len(photos) / statistics.median(s for s, _ in spent[ours])
            cpu = statistics.median(c for _, c in spent[ours]) / len(photos) * 1000
            print(
                f"{work}: {ours} {rate:.0f} samples/s, {statistics.median(ratios):.2f} times the rate of {theirs} "
                f"({min(ratios):.2f} to {max(ratios):.2f}, {o.rounds} rounds); {cpu:.3f} ms of CPU time a sample, "
                f"{statistics.median(shares):.3f} of theirs ({min(shares):.3f} to {max(shares):.3f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
