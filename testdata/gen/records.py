#!/usr/bin/env python3
"""Writes shards of records, as WebDataset has them: records.py PHOTOS FOLDER

Each of 12 samples has an image, a mask of labels with a palette, boxes of the things in the mask, a caption, a class
and a number. One sample lacks its caption, and one has no box.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tarfile
from pathlib import Path

from PIL import Image, ImageDraw


def member(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def saved(image: Image.Image, **options: object) -> bytes:
    data = io.BytesIO()
    image.save(data, **options)
    return data.getvalue()


def main() -> None:
    photos, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    draw = random.Random(23)
    files = sorted(photos.glob("*/*.jpg"))[:12]
    for shard in range(2):
        with tarfile.open(folder / f"{shard:03}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
            for i, file in enumerate(files[6 * shard : 6 * shard + 6], 6 * shard):
                image = Image.open(file).convert("RGB")
                image.thumbnail((160, 160))
                width, height = image.size
                mask = Image.new("P", image.size)
                colors = [(label * 37 % 256, label * 91 % 256, label * 53 % 256) for label in range(256)]
                mask.putpalette([value for color in colors for value in color])
                boxes, labels = [], []
                for label in range(1, 1 if i == 7 else 4):
                    w, h = draw.randrange(8, width // 2), draw.randrange(8, height // 2)
                    x, y = draw.randrange(width - w), draw.randrange(height - h)
                    ImageDraw.Draw(mask).ellipse((x, y, x + w - 1, y + h - 1), fill=label)
                    boxes.append([x, y, x + w, y + h])
                    labels.append(label)
                key = f"{file.parent.name}/{i:04}"
                member(tar, f"{key}.jpg", saved(image, format="JPEG", quality=80))
                member(tar, f"{key}.seg.png", saved(mask, format="PNG"))
                member(tar, f"{key}.boxes.json", json.dumps({"boxes": boxes, "labels": labels}).encode())
                if i != 3:
                    member(tar, f"{key}.txt", f"{file.parent.name} number {i}".encode())
                member(tar, f"{key}.cls", str(i % 4).encode())
                member(tar, f"{key}.score.txt", str(i / 8).encode())


if __name__ == "__main__":
    main()
