#!/usr/bin/env python3
"""Generates golden.json and golden.bin.gz: images, steps, and the results of torchvision's functional ops v2.

It needs torchvision and NumPy. The tests need only the generated files.
"""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import torch
import torchvision
from torchvision.io import decode_image
from torchvision.transforms.v2 import functional as F
from torchvision.transforms.v2.functional._geometry import _get_inverse_affine_matrix

HERE = Path(__file__).parent
PHOTO = HERE.parents[2] / "testdata/photos/animal"
KINDS = (
    "brightness contrast saturation hue grayscale solarize posterize invert autocontrast equalize sharpness blur erase"
    " affine"
).split()


def images():
    """Noise, a photo, one of few colors, gray noise, and one pixel."""
    rng = np.random.default_rng(1)
    photo = F.resize(decode_image(str(sorted(PHOTO.glob("*.jpg"))[0])), [28, 36], antialias=True)
    flat = np.full((14, 12, 3), 77, np.uint8)
    flat[:, :5] = (200, 10, 90)
    return {
        "noise": torch.from_numpy(rng.integers(0, 256, (17, 22, 3), dtype=np.uint8)).permute(2, 0, 1),
        "photo": photo,
        "flat": torch.from_numpy(flat).permute(2, 0, 1),
        "gray": torch.from_numpy(rng.integers(30, 200, (1, 13, 29), dtype=np.uint8)),
        "dot": torch.tensor([9, 90, 200], dtype=torch.uint8).reshape(3, 1, 1),
    }


def affine(image, shear=(0.0, 0.0), translate=(0.0, 0.0), center=None):
    """An affine step, and its result."""
    h, w = image.shape[-2:]
    place = [0.0, 0.0] if center is None else [center[0] - w * 0.5, center[1] - h * 0.5]
    matrix = _get_inverse_affine_matrix(place, 0.0, list(translate), 1.0, list(shear))
    done = F.affine(image, angle=0.0, translate=list(translate), scale=1.0, shear=list(shear), center=center)
    return {"Kind": KINDS.index("affine"), "Matrix": matrix}, done


def rotated(image, angle):
    """A rotation, and its result."""
    matrix = _get_inverse_affine_matrix([0.0, 0.0], -(angle % 360), [0.0, 0.0], 1.0, [0.0, 0.0])
    return {"Kind": KINDS.index("affine"), "Matrix": matrix, "Color": [7, 8, 9]}, F.rotate(
        image, angle, fill=[7, 8, 9][: image.shape[0]]
    )


def cases(image):
    """Steps with torchvision's results."""
    kind = KINDS.index
    h, w = image.shape[-2:]
    for f in (0.0, 0.1, 0.73, 1.0, 1.9, 3.5):
        yield {"Kind": kind("brightness"), "Value": f}, F.adjust_brightness(image, f)
        yield {"Kind": kind("contrast"), "Value": f}, F.adjust_contrast(image, f)
        yield {"Kind": kind("saturation"), "Value": f}, F.adjust_saturation(image, f)
        yield {"Kind": kind("sharpness"), "Value": f}, F.adjust_sharpness(image, f)
    for f in (-0.5, -0.21, 0.0, 0.04, 0.37, 0.5):
        yield {"Kind": kind("hue"), "Value": f}, F.adjust_hue(image, f)
    yield {"Kind": kind("grayscale")}, F.rgb_to_grayscale(image, image.shape[0])
    for t in (0.0, 127.5, 128.0, 255.0):
        yield {"Kind": kind("solarize"), "Value": t}, F.solarize(image, t)
    for bits in (0, 1, 4, 8):
        yield {"Kind": kind("posterize"), "Size": bits}, F.posterize(image, bits)
    yield {"Kind": kind("invert")}, F.invert(image)
    yield {"Kind": kind("autocontrast")}, F.autocontrast(image)
    yield {"Kind": kind("equalize")}, F.equalize(image)
    if min(h, w) > 10:
        for n, sigma in ((3, 0.1), (5, 1.3), (21, 2.0)):
            yield {"Kind": kind("blur"), "Size": n, "Value": sigma}, F.gaussian_blur(image, [n, n], [sigma, sigma])
        color = [40, 50, 60][: image.shape[0]]
        box = [3, 2, w - 5, h - 9]
        value = torch.tensor(color)[:, None, None]
        yield {"Kind": kind("erase"), "Box": box, "Color": [40, 50, 60]}, F.erase(image, 2, 3, h - 9, w - 5, value)
        for m in (-0.99, -0.3, 0.09, 0.1, 0.31):
            angle = math.degrees(math.atan(m))
            yield affine(image, shear=(angle, 0.0), center=[0.0, 0.0])
            yield affine(image, shear=(0.0, angle), center=[0.0, 0.0])
        yield affine(image, translate=(-7.0, 0.0))
        yield affine(image, translate=(0.0, 5.0))
        for angle in (-30.0, 8.7, 45.0, 135.0):
            yield rotated(image, angle)


def main():
    """Write the files."""
    data, index = bytearray(), []
    for name, image in images().items():
        start = len(data)
        data += image.permute(1, 2, 0).contiguous().numpy().tobytes()
        own = []
        for step, done in cases(image):
            assert done.shape == image.shape and done.dtype == torch.uint8, step
            own.append({"step": step, "at": len(data)})
            data += done.permute(1, 2, 0).contiguous().numpy().tobytes()
        shape = image.shape
        index.append(
            {"name": name, "width": shape[2], "height": shape[1], "channels": shape[0], "at": start, "cases": own}
        )
    versions = {"torch": torch.__version__, "torchvision": torchvision.__version__}
    (HERE / "golden.json").write_text(json.dumps({"versions": versions, "images": index}) + "\n")
    (HERE / "golden.bin.gz").write_bytes(gzip.compress(bytes(data), mtime=0))


if __name__ == "__main__":
    main()
