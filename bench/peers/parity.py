"""Compares `spool decode image` with the installed torchvision and Pillow, picture by picture.

    parity.py --spool bin/spool FILE...

What torchvision reads has to give the same bytes, at its own size and resized, up and down, bilinear and
bicubic. What only Pillow reads has to give the bytes of convert("RGB"), and resized what torchvision's resize
makes of these. AVIF and HEIC depend on the installed libheif: a mean difference above 0.5 is told, and does not
count. Pictures that neither reads are refused by spool, too. Sizes are drawn at random, from a seed that is
printed.
"""

import argparse
import collections
import concurrent.futures
import io
import pathlib
import random
import subprocess
import sys
import warnings

import numpy
import PIL.Image
import PIL.ImageOps
import torch

import reference

LOSSY = {"AVIF", "HEIF"}  # by libheif, whose version decides on the pixels
LOSSY_MEAN = 0.5
PILLOW_MEAN = 0.3  # of resized pictures: Pillow rounds differently and may begin with the columns


def is_bomb(path):
    """torchvision has no limits and takes memory for every pixel that a header claims."""
    try:
        PIL.Image.open(path).close()
    except (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning):
        return True
    except OSError:
        pass
    return False


def by_torchvision(path):
    picture = reference.decode(path)
    return picture if picture.dtype == torch.uint8 else None


def by_pillow(path):
    with PIL.Image.open(path) as file:
        picture = PIL.ImageOps.exif_transpose(file)
        if picture.mode.startswith("I;16"):
            high = numpy.asarray(picture).astype("<u2") >> 8
            picture = PIL.Image.fromarray(high.astype("u1"))
        return torch.from_numpy(numpy.array(picture.convert("RGB"))).permute(2, 0, 1), file.format


def expected(path):
    """The picture's pixels, who gave them, and whether they are exact; None when nobody reads it."""
    if is_bomb(path):
        return None
    try:
        picture = by_torchvision(path)
        if picture is not None:
            return picture, "torchvision", True
    except RuntimeError:
        pass
    try:
        picture, format = by_pillow(path)
        return picture, "Pillow", format not in LOSSY
    except (OSError, SyntaxError, ValueError):
        return None


def by_spool(spool, path, *flags):
    done = subprocess.run([spool, "decode", "image", path, *flags, "--out", "-"], capture_output=True)
    if done.returncode:
        raise ValueError(done.stderr.decode().strip() or f"exit code {done.returncode}")
    return numpy.load(io.BytesIO(done.stdout))


def difference(want, got):
    if want.shape != got.shape:
        return f"shape {got.shape} instead of {want.shape}", numpy.inf
    apart = numpy.abs(want.astype(int) - got)
    return f"max {apart.max()}, mean {apart.mean():.4f}", apart.mean()


def check(spool, path, seed):
    """The problems with one picture, who was compared with, and whether problems count."""
    found = expected(path)
    if found is None:
        try:
            by_spool(spool, path)
        except ValueError:
            return [], "nobody", True
        return [f"{path}: spool reads what neither torchvision nor Pillow reads"], "nobody", True
    picture, source, exact = found
    problems = []

    def compare(what, want, *flags, allowed=0.0):
        try:
            text, mean = difference(want, by_spool(spool, path, *flags))
        except ValueError as refusal:
            text, mean = str(refusal), numpy.inf
        if mean > allowed:
            problems.append(f"{path}: {what}: {text}")

    allowed = 0.0 if exact else LOSSY_MEAN
    compare("own size", reference.interleaved(picture), allowed=allowed)
    rng = random.Random(f"{seed} {path}")
    sizes = [(224, 224), (rng.randint(1, 700), rng.randint(1, 700))]
    for (width, height), filter in [(sizes[0], "bilinear"), (sizes[1], "bilinear"), (sizes[1], "bicubic")]:
        want = reference.interleaved(reference.resize(picture, width, height, filter))
        flags = ["--size", f"{width}x{height}", "--filter", filter]
        compare(f"{filter} to {width}x{height}", want, *flags, allowed=allowed)
    whole = PIL.Image.fromarray(reference.interleaved(picture))
    want = numpy.asarray(whole.resize((224, 224), PIL.Image.BILINEAR))
    compare("Pillow's resize", want, "--size", "224x224", allowed=allowed + PILLOW_MEAN)
    return problems, source, exact


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spool", default="bin/spool")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    print(f"parity: {len(arguments.files)} files, seed {arguments.seed}")
    warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
    torch.set_num_threads(1)

    different, sources = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for problems, source, counts in pool.map(lambda path: check(arguments.spool, path, arguments.seed), arguments.files):
            for problem in problems:
                print(problem if counts else f"{problem} (depends on libheif)", flush=True)
            different += bool(problems and counts)
            sources[source] += 1
    print("parity:", ", ".join(f"{n} files read by {source}" for source, n in sources.items()) + f"; {different} differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
