"""Digests of images that torchvision has decoded.

reference.py versions                 JSON: the versions of the installed loaders
reference.py batches --batch N --size S [--train] FILE...
                                      lines like those of `spool run images --digest`; with --train of the crops that
                                      spool's loader draws with seed 0
reference.py record [NAME=GLOB ...]   JSON for bench/testdata/pixels.json or other sets, from the repository's root
"""

import argparse
import glob
import hashlib
import importlib.metadata
import json

import numpy
import torch
from torchvision.io import ImageReadMode, decode_image, read_file
from torchvision.transforms import InterpolationMode, v2

PACKAGES = ["torchvision", "torch", "pillow", "spdl", "nvidia-dali-cuda120", "opencv-python-headless", "numpy",
            "torchcodec", "decord", "av", "pyvips"]
SETS = {
    "testdata/photos": "testdata/photos/*/*.jpg",
    "shared/media/photos": "../shared/media/photos/*.jpg",
}


def versions():
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def decode(path):
    """Return the first frame as a tensor (3, H, W), with EXIF orientation applied."""
    image = decode_image(read_file(str(path)), mode=ImageReadMode.RGB, apply_exif_orientation=True)
    return image[0] if image.ndim == 4 else image


def resize(image, width, height, filter="bilinear"):
    return v2.Resize((height, width), InterpolationMode(filter), antialias=True)(image)


def interleaved(image):
    """Convert a tensor (C, H, W) to an array H x W x C."""
    return image.permute(1, 2, 0).contiguous().numpy()


def cropped(path, region, size):
    """Decode a region of an upright image, resize it and flip it, as a tensor."""
    crop = [int(region[name]) for name in ("top", "left", "height", "width")]
    image = v2.functional.resized_crop(decode(path), *crop, size=[size, size], antialias=True)
    return v2.functional.horizontal_flip(image) if region["flip_x"] else image


def regions(files, size):
    """Return what spool's loader draws in training with seed 0."""
    import spool

    with spool.ImageLoader(files, batch=len(files), size=size, train=True, seed=0) as loader:
        return next(iter(loader)).regions.copy()


def batches(files, batch, size, train):
    drawn = dict(zip(files, regions(files, size), strict=True)) if train else {}
    for n, first in enumerate(range(0, len(files), batch)):
        chosen = files[first : first + batch]
        digest = hashlib.sha256()
        for path in chosen:
            image = cropped(path, drawn[path], size) if train else resize(decode(path), size, size)
            digest.update(interleaved(image))
        digest.update(numpy.full(len(chosen), -1, "<i8"))  # single files have no labels
        print(0, n, digest.hexdigest(), flush=True)


def record(pattern):
    own, resized = hashlib.sha256(), hashlib.sha256()
    files = sorted(glob.glob(pattern))
    for path in files:
        image = decode(path)
        own.update(interleaved(image))
        resized.update(interleaved(resize(image, 224, 224)))
    return {"pictures": len(files), "own": own.hexdigest(), "resized": resized.hexdigest()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("versions")
    recorder = commands.add_parser("record")
    sets = [f"{name}={pattern}" for name, pattern in SETS.items()]
    recorder.add_argument("sets", nargs="*", default=sets, metavar="NAME=GLOB")
    several = commands.add_parser("batches")
    several.add_argument("--batch", type=int, default=32)
    several.add_argument("--size", type=int, default=224)
    several.add_argument("--train", action="store_true")
    several.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.command == "versions":
        print(json.dumps(versions()))
    elif arguments.command == "batches":
        batches(arguments.files, arguments.batch, arguments.size, arguments.train)
    else:
        sets = {name: record(pattern) for name, _, pattern in (one.partition("=") for one in arguments.sets)}
        print(json.dumps({"versions": versions(), "sets": sets}, indent=1))


if __name__ == "__main__":
    main()
