#!/usr/bin/env python3
"""Writes JPEG files of a Python package's encoder to stdout, each after its length (4 bytes, the lowest first).

encode.py pillow|jpegli COUNT SEED PHOTO...
"""

import io
import random
import struct
import sys

import numpy
from PIL import Image, ImageFile

ImageFile.MAXBLOCK = 1 << 24  # Pillow's guess is too small for optimized tables


def side():
    return random.randint(1, random.choice((64, 64, 200, 600)))


def pixels(photos):
    """A crop of a photo, possibly enlarged, or a pattern with noise."""
    width, height = side(), side()
    if random.random() < 0.5:
        photo = random.choice(photos)
        left, top = random.randrange(photo.width), random.randrange(photo.height)
        box = (left, top, random.randint(left, photo.width) + 1, random.randint(top, photo.height) + 1)
        return numpy.asarray(photo.resize((width, height), random.choice((0, 2)), box=box_within(box, photo)))
    generator = numpy.random.default_rng(random.getrandbits(32))
    y, x = numpy.mgrid[:height, :width]
    planes = [
        (x * random.randint(0, 9) + y * random.randint(0, 9) + x * y // random.randint(1, 99)) % 256 for _ in range(3)
    ]
    noise = generator.integers(0, random.choice((1, 16, 256)), (height, width, 3))
    return ((numpy.stack(planes, 2) + noise) % 256).astype(numpy.uint8)


def box_within(box, photo):
    left, top, right, bottom = box
    return left, top, min(max(right, left + 1), photo.width), min(max(bottom, top + 1), photo.height)


def pillow(array):
    image = Image.fromarray(array)
    options = {
        "quality": random.randint(1, 100),
        "subsampling": random.randint(0, 2),
        "optimize": random.random() < 0.5,
    }
    kind = random.random()
    if kind < 0.2:
        image = image.convert("L")
    elif kind < 0.25:
        image = image.convert("CMYK")
    elif kind < 0.3:
        options |= {"keep_rgb": True, "subsampling": 0}
    elif kind < 0.4:
        options["progressive"] = True
    if random.random() < 0.3:
        options[random.choice(("restart_marker_blocks", "restart_marker_rows"))] = random.randint(1, 12)
    if random.random() < 0.2:
        options["qtables"] = [[random.randint(1, 255) for _ in range(64)] for _ in range(2)]
        del options["quality"]
    if random.random() < 0.2:
        options["exif"] = Image.Exif()
    file = io.BytesIO()
    image.save(file, "JPEG", **options)
    return file.getvalue()


def jpegli(array):
    import pyjpegli

    height, width, _ = array.shape
    return pyjpegli.encode(array.tobytes(), width, height, random.randint(1, 100))


def main():
    encoder, count, seed, *files = sys.argv[1:]
    random.seed(int(seed))
    photos = [Image.open(file).convert("RGB") for file in files]
    for _ in range(int(count)):
        data = {"pillow": pillow, "jpegli": jpegli}[encoder](pixels(photos))
        sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)


main()
