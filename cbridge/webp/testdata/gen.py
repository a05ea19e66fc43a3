#!/usr/bin/env python3
"""Makes the small images of this folder, and golden.json with torchvision's and Pillow's pixels of them.

Needs numpy, Pillow and torchvision (golden.json names the versions). Images that Pillow cannot write need a C compiler
and libwebp's headers. Run it in this folder; it overwrites the images.
"""

import hashlib
import io
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image, ImageCms, features
from torchvision.io import ImageReadMode, decode_webp

# An encoder with the settings that Pillow does not have: loop filter, its kind, and token partitions.
ENCODER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <webp/encode.h>
int main(int argc, char **argv)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    int width = atoi(argv[1]), height = atoi(argv[2]);
    unsigned char *rgb = malloc(3 * width * height);
    if (argc != 6 || fread(rgb, 3 * width, height, stdin) != (size_t)height) return 1;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return 1;
    config.filter_type = atoi(argv[3]);
    config.filter_strength = atoi(argv[4]);
    config.partitions = atoi(argv[5]);
    config.quality = 40;
    picture.width = width;
    picture.height = height;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    if (!WebPPictureImportRGB(&picture, rgb, 3 * width) || !WebPEncode(&config, &picture)) return 1;
    fwrite(writer.mem, 1, writer.size, stdout);
    return 0;
}
"""


def pixels(width, height, channels=3, phase=0):
    """Waves, edges and a little noise: something in every frequency and both chroma planes."""
    rng = np.random.RandomState(width * 1000 + height + phase)
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for c in range(channels):
        wave = 127 + 90 * np.sin((x + 3 * phase) / (3.0 + 2 * c) + c) * np.cos(y / (5.0 - c))
        edge = 60 * (((x + 2 * y + phase) // 11 + c) % 2)
        planes.append(wave + edge - 30 + rng.normal(0, 6, (height, width)))
    planes = np.clip(np.stack(planes, -1), 0, 255)
    if channels == 4:  # holes and opaque parts as well
        planes[..., 3] = np.clip(planes[..., 3] * 3 - 200, 0, 255)
    return planes.astype(np.uint8)


def picture(*args, **how):
    return Image.fromarray(pixels(*args, **how))


def pillow(image, **how):
    out = io.BytesIO()
    image.save(out, "WEBP", **{"quality": 60, **how})
    return out.getvalue()


def animation(frames, **how):
    return pillow(frames[0], save_all=True, append_images=frames[1:], **how)


def blocks(width, height, count):
    """Frames that differ in a block, of which some is transparent."""
    base = pixels(width, height, 4)
    for i in range(count):
        frame = base.copy()
        at = 3 * i
        frame[at : at + 9, at : at + 13] = pixels(13, 9, 4, phase=i + 1)
        frame[at : at + 3, at : at + 3, 3] = 0
        yield Image.fromarray(frame)


def make(encode):
    tall = picture(41, 93)
    yield "lossy.webp", pillow(tall)
    yield "coarse.webp", pillow(tall, quality=1)
    yield "fine.webp", pillow(tall, quality=100)
    yield "lossless.webp", pillow(tall, lossless=True)
    yield "palette.webp", pillow(tall.quantize(20).convert("RGB"), lossless=True)
    yield "gray.webp", pillow(tall.convert("L").convert("RGB"), lossless=True)
    yield "alpha.webp", pillow(picture(41, 50, 4))
    yield "alpha_coarse.webp", pillow(picture(41, 50, 4), alpha_quality=20)
    yield "alpha_lossless.webp", pillow(picture(41, 50, 4), lossless=True, exact=True)
    yield "unfiltered.webp", encode(pixels(41, 93), 1, 0, 0)
    yield "simple.webp", encode(pixels(41, 93), 0, 60, 0)
    yield "strong.webp", encode(pixels(41, 93), 1, 100, 0)
    yield "partitions.webp", encode(pixels(70, 150), 1, 60, 3)
    yield "simple_partitions.webp", encode(pixels(70, 150), 0, 60, 2)
    yield "large.webp", pillow(picture(300, 400), quality=50)
    exif = Image.Exif()
    exif[0x0112] = 6
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    yield "metadata.webp", pillow(picture(24, 16), exif=exif, icc_profile=profile)
    yield "animated_lossless.webp", animation(list(blocks(40, 30, 4)), lossless=True, duration=50, loop=3)
    yield "animated.webp", animation([picture(40, 30, phase=i) for i in range(3)], duration=40)
    yield (
        "animated_alpha.webp",
        animation(list(blocks(33, 21, 5)), allow_mixed=True, duration=20, background=(9, 8, 7, 6), minimize_size=True),
    )
    for width, height in [(1, 1), (2, 2), (3, 3), (16, 16), (17, 17), (1, 40), (40, 1), (3, 50), (50, 3), (15, 33)]:
        yield f"{width}x{height}.webp", pillow(picture(width, height))
        yield f"{width}x{height}_lossless.webp", pillow(picture(width, height), lossless=True)


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def decoded(data):
    image = Image.open(io.BytesIO(data))
    facts = {"width": image.width, "height": image.height, "mode": image.mode}
    if image.n_frames > 1:
        facts["frames"] = []
        for frame in range(image.n_frames):
            image.seek(frame)
            facts["frames"].append(digest(np.asarray(image.convert("RGBA"))))
        return facts
    raw = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    rgb = decode_webp(raw, ImageReadMode.RGB).permute(1, 2, 0).numpy()
    if not np.array_equal(rgb, np.asarray(image.convert("RGB"))):
        raise SystemExit("torchvision and Pillow differ")
    facts["rgb"] = digest(rgb)
    facts["rgba"] = digest(np.asarray(image.convert("RGBA")))
    return facts


def main():
    for old in Path(".").glob("*.webp"):
        old.unlink()
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "encode.c").write_text(ENCODER)
        program = folder + "/encode"
        subprocess.run(["cc", "-o", program, program + ".c", "-lwebp"], check=True)

        def encode(rgb, kind, strength, partitions):
            command = [program, str(rgb.shape[1]), str(rgb.shape[0]), str(kind), str(strength), str(partitions)]
            return subprocess.run(command, input=rgb.tobytes(), stdout=subprocess.PIPE, check=True).stdout

        for name, data in make(encode):
            Path(name).write_bytes(data)
            files[name] = decoded(data)
    golden = {
        "torchvision": torchvision.__version__,
        "pillow": PIL.__version__,
        "numpy": np.__version__,
        "pillow_libwebp": features.version("webp"),
        "files": files,
    }
    Path("golden.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
