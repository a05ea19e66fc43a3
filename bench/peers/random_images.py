"""Writes random images to compare decoders and resizes: random_images.py FOLDER --seed N [--count N]

Sizes are from 1 to 700. Contents smooth, ring, saturate and alias. Files are of every kind that Pillow writes and
torchvision or Pillow reads. The same seed and releases write the same files.
"""

import argparse
import pathlib
import random

import numpy
from PIL import Image, ImageFile

LARGEST = 700


def edge(rng):
    """Return a width or height. Small ones, where windows are cut off at both ends, are as likely as large ones."""
    return rng.choice([rng.randint(1, 8), rng.randint(9, 100), rng.randint(100, LARGEST)])


def noise(rng, width, height):
    return numpy.random.default_rng(rng.getrandbits(32)).integers(0, 256, (height, width, 3), "u1")


def extremes(rng, width, height):
    return (noise(rng, width, height) >> 7) * numpy.uint8(255)


def gradient(rng, width, height):
    y, x = numpy.mgrid[0:height, 0:width]
    slopes = [(rng.uniform(-3, 3), rng.uniform(-3, 3)) for _ in range(3)]
    return numpy.stack([x * a + y * b for a, b in slopes], axis=-1).astype("i8").astype("u1")


def stripes(rng, width, height):
    y, x = numpy.mgrid[0:height, 0:width]
    period, along = rng.randint(2, 20), rng.choice([x, y, x + y])
    colors = numpy.array([[rng.randrange(256) for _ in range(3)] for _ in range(2)], "u1")
    return colors[along % period * 2 // period]


def shapes(rng, width, height):
    pixels = numpy.full((height, width, 3), rng.randrange(256), "u1")
    for _ in range(rng.randint(1, 30)):
        left, top = rng.randrange(width), rng.randrange(height)
        color = [rng.randrange(256) for _ in range(3)]
        bottom, right = top + rng.randint(1, height), left + rng.randint(1, width)
        pixels[top:bottom, left:right] = color
    return pixels


def clouds(rng, width, height):
    """Return noise at every scale, which resembles a photo."""
    total = numpy.zeros((height, width, 3))
    for scale in 2, 5, 11, 40, 200:
        small = noise(rng, width // scale + 2, height // scale + 2)
        total += numpy.asarray(Image.fromarray(small).resize((width, height), Image.BICUBIC)) * float(scale)
    return (total / total.max() * 255).astype("u1")


CONTENTS = [noise, extremes, gradient, stripes, shapes, clouds]


def alpha(rng, pixels):
    opacity = noise(rng, pixels.shape[1], pixels.shape[0])[..., :1]
    return Image.fromarray(numpy.concatenate([pixels, opacity], axis=-1))


def deep(rng, pixels):
    return Image.fromarray(pixels[..., 0].astype("<u2") * 256 + pixels[..., 1])


# By name: the relative frequency, a function that makes an image from pixels, and one that gives the options of saving.
KINDS = {
    "jpg": (8, lambda rng, p: Image.fromarray(p),
            lambda rng: dict(
                quality=rng.randint(30, 97), subsampling=rng.randint(0, 2), progressive=rng.random() < 0.3
            )),
    "gray.jpg": (1, lambda rng, p: Image.fromarray(p).convert("L"), lambda rng: dict(quality=rng.randint(30, 97))),
    "cmyk.jpg": (1, lambda rng, p: Image.fromarray(p).convert("CMYK"), lambda rng: dict(quality=rng.randint(30, 97))),
    "turned.jpg": (2, lambda rng, p: Image.fromarray(p),
                   lambda rng: dict(quality=90, exif=oriented(rng.randint(1, 8)))),
    "png": (4, lambda rng, p: Image.fromarray(p), lambda rng: dict(compress_level=rng.randint(0, 9))),
    "gray.png": (1, lambda rng, p: Image.fromarray(p).convert("L"), lambda rng: {}),
    "palette.png": (1, lambda rng, p: Image.fromarray(p).quantize(rng.choice([2, 4, 16, 200])), lambda rng: {}),
    "bilevel.png": (1, lambda rng, p: Image.fromarray(p).convert("1"), lambda rng: {}),
    "alpha.png": (1, alpha, lambda rng: {}),
    "deep.png": (1, deep, lambda rng: {}),
    "webp": (3, lambda rng, p: Image.fromarray(p), lambda rng: dict(quality=rng.randint(30, 97))),
    "lossless.webp": (1, lambda rng, p: Image.fromarray(p), lambda rng: dict(lossless=True, quality=0)),
    "alpha.webp": (1, alpha, lambda rng: dict(quality=80)),
    "gif": (1, lambda rng, p: Image.fromarray(p).quantize(rng.choice([2, 16, 256])),
            lambda rng: dict(interlace=rng.randint(0, 1))),
    "bmp": (1, lambda rng, p: Image.fromarray(p), lambda rng: {}),
    "ppm": (1, lambda rng, p: Image.fromarray(p), lambda rng: {}),
    "tga": (1, lambda rng, p: Image.fromarray(p), lambda rng: dict(compression=rng.choice([None, "tga_rle"]))),
    "tiff": (1, lambda rng, p: Image.fromarray(p),
             lambda rng: dict(compression=rng.choice(["raw", "tiff_lzw", "tiff_adobe_deflate"]))),
}


def oriented(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=450)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    ImageFile.MAXBLOCK = 1 << 22  # a progressive file is written at once
    rng = random.Random(arguments.seed)
    for n in range(arguments.count):
        kind = rng.choices(list(KINDS), [often for often, _, _ in KINDS.values()])[0]
        _, make, options = KINDS[kind]
        content = rng.choice(CONTENTS)
        pixels = content(rng, edge(rng), edge(rng))
        make(rng, pixels).save(arguments.folder / f"{n:04}.{content.__name__}.{kind}", **options(rng))


if __name__ == "__main__":
    main()
