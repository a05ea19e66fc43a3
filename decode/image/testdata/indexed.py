"""Makes the images of indexed/ and indexed.json: python indexed.py (with Pillow 13.0.0 and NumPy, in this folder)

indexed/ has small images: with palettes of 2 to 256 colors, with transparency, and gray. indexed.json has their modes,
their sizes and the SHA-256 of np.array(Image.open(file)), which has the indices, or the samples of a gray image.
"""

import hashlib
import json
import pathlib

import numpy as np
from PIL import Image

FOLDER = pathlib.Path("indexed")
WIDTH, HEIGHT = 19, 11
rng = np.random.default_rng(18)
palette = [int(c) for c in rng.integers(0, 256, 768)]
entries = {}


def keep(image, name, **options):
    image.save(FOLDER / name, **options)
    with Image.open(FOLDER / name) as kept:
        pixels = np.array(kept)
        entries[name] = {"mode": kept.mode, "size": kept.size, "sha256": hashlib.sha256(pixels.tobytes()).hexdigest()}


def indexed(indices, colors):
    image = Image.fromarray(indices.astype(np.uint8), "P")
    image.putpalette(colors)
    return image


def main():
    FOLDER.mkdir(exist_ok=True)
    for n in (2, 4, 16, 256):
        image = indexed(rng.integers(0, n, (HEIGHT, WIDTH)), palette[: 3 * n])
        for ending in ("png", "gif", "bmp", "tiff"):
            keep(image, f"{n}.{ending}")
        keep(image, f"transparent{n}.png", transparency=1)
        keep(image, f"transparent{n}.gif", transparency=1)
    keep(image, "lzw.tiff", compression="tiff_lzw")
    mask = rng.integers(0, 21, (HEIGHT, WIDTH))
    mask[:2] = 255  # as the masks of Pascal VOC have borders
    keep(indexed(mask, palette), "mask.png")
    keep(indexed(mask, palette), "mask.bmp")
    keep(indexed(mask, [i for i in range(256) for _ in range(3)]), "ramp.png")
    keep(Image.fromarray(mask.astype(np.uint8)), "gray.png")
    keep(Image.fromarray(mask.astype(np.uint8)), "gray.tiff")
    still, moved = indexed(mask, palette), indexed(mask[::-1], palette)
    keep(still, "animated.gif", save_all=True, append_images=[moved])
    keep(still, "pages.tiff", save_all=True, append_images=[moved])
    pathlib.Path("indexed.json").write_text(json.dumps(entries, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
