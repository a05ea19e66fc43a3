"""Writes Pillow's result for each test image: python expected.py ROOT > expected.json

A good image gets the SHA-256 of its pixels as 8-bit RGB, height x width x 3: first frame, EXIF orientation applied,
alpha dropped, 16 bits reduced to their high byte. An image of several frames or pages gets the list of their digests as
RGBA. An image of 16 bits gets the digest of its samples from OpenCV, with channels as stored. For an image with a color
profile, ImageCms' sRGB pixels are written to expected/. An image in a folder named bad gets the error classes with
which a decoder may refuse it, and whether Pillow refuses it too.
"""

import hashlib
import io
import json
import pathlib
import sys
import warnings

import cv2
import numpy
from PIL import Image, ImageCms, ImageOps

DAMAGED = ["truncated", "corrupt"]  # a library reports either, depending on where it stops
CLASSES = {
    "empty.jpg": ["empty"],
    "text.jpg": ["not-media"],
    "zeros.jpg": ["not-media"],
    "header_only.jpg": ["truncated"],
    "truncated60.jpg": ["truncated"],
    "truncated99.jpg": ["truncated"],
    "bomb.png": ["too-large"],
    "lossless.jpg": ["unsupported"],
    "twelve_bit.jpg": ["unsupported"],
    "no_size.jpg": ["corrupt", "unsupported"],
    "no_table.jpg": ["corrupt"],
    "checksum.png": ["corrupt"],
    "truncated.png": DAMAGED,
    "truncated.webp": DAMAGED,
    "truncated.gif": DAMAGED,
    "truncated.tiff": DAMAGED,
    "truncated.bmp": DAMAGED,
    "truncated.ppm": DAMAGED,
    "truncated.tga": DAMAGED,
}


def rgb(image):
    image = ImageOps.exif_transpose(image)
    if image.mode in ("I;16", "I;16B"):
        high = image.tobytes()[1 if image.mode == "I;16" else 0::2]
        image = Image.frombytes("L", image.size, high)
    if image.mode == "I":  # 16-bit PGM
        image = Image.fromarray((numpy.asarray(image) >> 8).astype(numpy.uint8))
    return image.convert("RGB")


def digest(pixels):
    return hashlib.sha256(pixels).hexdigest()


def frames(image):
    """The frames as rendered by Pillow, with transparency."""
    for frame in range(image.n_frames):
        image.seek(frame)
        yield digest(image.convert("RGBA").tobytes())


def deep(path):
    """The samples of an image of 16 bits, else None."""
    if path.suffix not in (".png", ".tiff", ".ppm", ".pgm"):
        return None
    samples = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if samples is None or samples.dtype != numpy.uint16:
        return None
    return samples if samples.ndim == 2 else samples[:, :, ::-1]


def srgb(image):
    profile = ImageCms.ImageCmsProfile(io.BytesIO(image.info["icc_profile"]))
    return ImageCms.profileToProfile(image, profile, ImageCms.createProfile("sRGB"), outputMode="RGB")


def describe(path):
    entry = {"bytes": path.stat().st_size}
    if path.parent.name == "bad":
        entry["classes"] = CLASSES[path.name]
    try:
        with Image.open(path) as image:
            entry.update(format=image.format.lower(), mode=image.mode, frames=getattr(image, "n_frames", 1))
            pixels = rgb(image)
            if entry["frames"] > 1 and "classes" not in entry:
                entry["frames_rgba"] = list(frames(image))
            if path.stem == "icc":
                entry["srgb"] = f"expected/{path.name}.rgb"
                (path.parents[2] / entry["srgb"]).write_bytes(srgb(image).tobytes())
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as failure:
        entry["pillow"] = type(failure).__name__
        return entry
    if "classes" not in entry:
        entry["shape"] = [pixels.height, pixels.width, 3]
        entry["rgb_sha256"] = digest(pixels.tobytes())
        samples = deep(path)
        if samples is not None:
            entry["samples_sha256"] = digest(samples.tobytes())
    return entry


def main(root):
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    paths = sorted(path for folder in ("photos", "hard") for path in (root / folder).rglob("*") if path.is_file())
    entries = {path.relative_to(root).as_posix(): describe(path) for path in paths}
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
