#!/usr/bin/env python3
"""Makes the small images in this folder, and golden.json with the results of torchvision and Pillow for them.

Needs numpy, Pillow and torchvision (golden.json has the versions), and Debian's libjpeg-turbo-progs for files that
Pillow cannot write. Run it in this folder; it overwrites the images.
"""

import hashlib
import io
import json
import subprocess
from pathlib import Path

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image, features
from torchvision.io import ImageReadMode, decode_image


def picture(width, height, channels=3):
    """Waves, edges and a little noise: content in every frequency and both chroma planes."""
    rng = np.random.RandomState(width * 1000 + height)
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for c in range(channels):
        wave = 127 + 90 * np.sin(x / (3.0 + 2 * c) + c) * np.cos(y / (5.0 - c))
        edge = 60 * (((x + 2 * y) // 11 + c) % 2)
        planes.append(wave + edge - 30 + rng.normal(0, 6, (height, width)))
    pixels = np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)
    return Image.fromarray(pixels[..., 0] if channels == 1 else pixels, {1: "L", 3: "RGB", 4: "CMYK"}[channels])


def pillow(image, **how):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=how.pop("quality", 75), **how)
    return out.getvalue()


def run(data, *command):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def cjpeg(image, *flags):
    ppm = io.BytesIO()
    image.save(ppm, "PPM")
    return run(ppm.getvalue(), "cjpeg", "-quality", "75", *flags)


def as_ycck(data):
    """Marks a CMYK file as YCCK, by the transform byte of its Adobe marker."""
    at = data.index(b"Adobe") + 11
    return data[:at] + b"\2" + data[at + 1 :]


def without_adobe(data):
    at = data.index(b"\xff\xee")
    return data[:at] + data[at + 2 + int.from_bytes(data[at + 2 : at + 4], "big") :]


def make():
    tall = picture(41, 93)
    for name, flags in {
        "444": "1x1",
        "422": "2x1",
        "420": "2x2",
        "440": "1x2",
        "411": "4x1",
        "410": "4x2",
        "441": "1x4",
    }.items():
        yield f"s{name}.jpg", cjpeg(tall, "-sample", flags)
        yield f"p{name}.jpg", cjpeg(tall, "-sample", flags, "-progressive")
    yield "gray.jpg", pillow(picture(41, 93, 1))
    yield "gray_progressive.jpg", pillow(picture(41, 93, 1), progressive=True)
    yield "rgb.jpg", cjpeg(tall, "-rgb")
    cmyk = pillow(picture(37, 50, 4))
    yield "cmyk.jpg", cmyk
    yield "cmyk_plain.jpg", without_adobe(cmyk)
    yield "cmyk_progressive.jpg", pillow(picture(37, 50, 4), progressive=True)
    yield "ycck.jpg", as_ycck(cmyk)
    yield "restart_rows.jpg", pillow(tall, restart_marker_rows=1)
    yield "restart_blocks.jpg", pillow(tall, restart_marker_blocks=2)
    yield "optimized.jpg", pillow(tall, optimize=True, quality=90)
    yield "coarse.jpg", pillow(tall, quality=3)
    s420 = cjpeg(tall, "-sample", "2x2")
    yield "arithmetic.jpg", run(s420, "jpegtran", "-arithmetic")
    yield "arithmetic_progressive.jpg", run(s420, "jpegtran", "-arithmetic", "-progressive")
    Path("scans.txt").write_text("0;\n1;\n2;\n")
    yield "scans.jpg", cjpeg(tall, "-sample", "2x2", "-scans", "scans.txt")
    Path("scans.txt").unlink()
    yield "tall.jpg", cjpeg(picture(5, 1300), "-sample", "2x2", "-quality", "40")
    yield "tall_422.jpg", cjpeg(picture(9, 1300), "-sample", "2x1", "-quality", "40")
    wide = picture(170, 45)  # wide enough for crops between MCU columns, which are at most 32 wide
    for name, flags in {"444": "1x1", "422": "2x1", "420": "2x2", "440": "1x2", "411": "4x1", "410": "4x2"}.items():
        yield f"wide_{name}.jpg", cjpeg(wide, "-sample", flags, "-quality", "50")
    wide420 = cjpeg(wide, "-sample", "2x2", "-quality", "50")
    yield "wide_progressive.jpg", run(wide420, "jpegtran", "-progressive")
    yield "arithmetic_wide.jpg", run(wide420, "jpegtran", "-arithmetic")
    yield "wide_restart.jpg", run(wide420, "jpegtran", "-restart", "3B")
    yield "wide_cmyk.jpg", pillow(picture(170, 45, 4), quality=50)
    exif = Image.Exif()
    exif[0x0112] = 6
    yield "exif.jpg", pillow(picture(24, 16), exif=exif)
    for width, height in [
        (1, 1),
        (2, 2),
        (3, 3),
        (8, 8),
        (16, 16),
        (17, 17),
        (1, 40),
        (40, 1),
        (3, 50),
        (50, 3),
        (15, 33),
    ]:
        yield f"{width}x{height}.jpg", cjpeg(picture(width, height), "-sample", "2x2")
        yield f"{width}x{height}_422.jpg", cjpeg(picture(width, height), "-sample", "2x1")


def digest(pixels):
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()


def decoded(data):
    raw = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    rgb = decode_image(raw, ImageReadMode.RGB).permute(1, 2, 0).numpy()
    gray = decode_image(raw, ImageReadMode.GRAY).permute(1, 2, 0).numpy()
    image = Image.open(io.BytesIO(data))
    if not np.array_equal(rgb, np.asarray(image.convert("RGB"))):
        raise SystemExit("torchvision and Pillow differ")
    return {"width": rgb.shape[1], "height": rgb.shape[0], "mode": image.mode, "rgb": digest(rgb), "gray": digest(gray)}


def main():
    for old in Path(".").glob("*.jpg"):
        old.unlink()
    files = {}
    for name, data in make():
        Path(name).write_bytes(data)
        files[name] = decoded(data)
    version = subprocess.run(["cjpeg", "-version"], stderr=subprocess.PIPE, check=True).stderr.decode()
    golden = {
        "torchvision": torchvision.__version__,
        "pillow": PIL.__version__,
        "numpy": np.__version__,
        "pillow_libjpeg_turbo": features.version_feature("libjpeg_turbo"),
        "cjpeg": version.split("\n")[0],
        "files": files,
    }
    Path("golden.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
