#!/usr/bin/env python3
"""Generates draws.json: what torchvision's transforms v2 draw from given random numbers, as steps.

torch's generators are replaced by one that gives the recorded numbers. It needs torchvision. The tests need only the
generated file.
"""

import json
import random
from pathlib import Path

import numpy as np
import torch
import torchvision
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F
from torchvision.transforms.v2.functional._geometry import _get_inverse_affine_matrix

KINDS = (
    "brightness contrast saturation hue grayscale solarize posterize invert autocontrast equalize sharpness blur erase"
    " affine"
).split()


class Numbers:
    """A source of random numbers that remembers them."""

    def __init__(self, seed):
        self.random, self.taken = random.Random(seed), []

    def rand(self, *_):
        self.taken.append(self.random.random())
        return torch.tensor(self.taken[-1], dtype=torch.float64)

    def below(self, n):
        return int(float(self.rand()) * n)

    def randint(self, low, high=None, size=()):
        low, high = (0, low) if isinstance(high, (tuple, type(None))) else (low, high)
        return torch.full(size if isinstance(size, tuple) else (), low + self.below(high - low))

    def uniform(self, tensor, low, high):
        low, high = np.float32(float(low)), np.float32(float(high))
        return tensor.fill_(float(np.float32(float(self.rand()) * float(high - low) + float(low))))

    def randperm(self, n):
        places = [0] * n
        for i in range(n):
            k = self.below(i + 1)
            places[i], places[k] = places[k], i
        return torch.tensor(places)


def recorders(steps, width, height):
    """Functions in place of torchvision's functional ops, which record steps."""

    def record(kind, **values):
        steps.append({"Kind": KINDS.index(kind), **{key.capitalize(): value for key, value in values.items()}})

    def affine(image, angle, translate, scale, shear, center=None, **_):
        place = [0.0, 0.0] if center is None else [center[0] - width * 0.5, center[1] - height * 0.5]
        record("affine", matrix=_get_inverse_affine_matrix(place, angle, [float(t) for t in translate], scale, shear))
        return image

    def rotate(image, angle, **_):
        record("affine", matrix=_get_inverse_affine_matrix([0.0, 0.0], -(angle % 360), [0.0, 0.0], 1.0, [0.0, 0.0]))
        return image

    def plain(kind):
        def call(image, **keys):
            for value in keys.values():
                record(kind, **({"size": value} if kind == "posterize" else {"value": value}))
            if not keys:
                record(kind)
            return image

        return call

    def blur(image, kernel_size, sigma):
        record("blur", size=kernel_size[0], value=sigma[0])
        return image

    def erase(image, i, j, h, w, v, inplace):
        record("erase", box=(j, i, w, h))
        return image

    kinds = {"adjust_brightness": "brightness", "adjust_contrast": "contrast", "adjust_saturation": "saturation",
             "adjust_hue": "hue", "adjust_sharpness": "sharpness", "rgb_to_grayscale": "grayscale",
             "solarize": "solarize", "posterize": "posterize", "invert": "invert", "autocontrast": "autocontrast",
             "equalize": "equalize"}  # fmt: skip
    made = {name: plain(kind) for name, kind in kinds.items()}
    return {**made, "affine": affine, "rotate": rotate, "gaussian_blur": blur, "erase": erase}


TRANSFORMS = {
    "jitter": lambda: v2.ColorJitter(0.4, (0.5, 2.0), 0.3, 0.1),
    "partial": lambda: v2.ColorJitter(saturation=0.7),
    "blur": lambda: v2.GaussianBlur(5, (0.2, 3.0)),
    "erasing": lambda: v2.RandomErasing(p=1),
    "large": lambda: v2.RandomErasing(p=1, scale=(0.9, 1.0), ratio=(0.1, 4.0)),
    "randaugment": lambda: v2.RandAugment(2, 9),
    "strong": lambda: v2.RandAugment(3, 13, num_magnitude_bins=17),
    "trivial": lambda: v2.TrivialAugmentWide(),
}


def main():
    """Write the file."""
    cases, real = [], {name: getattr(F, name) for name in recorders([], 1, 1)}
    generators = torch.rand, torch.randint, torch.randperm, torch.Tensor.uniform_
    for seed in range(48):
        for name, transform in TRANSFORMS.items():
            height, width = [(224, 224), (96, 131)][seed % 2]
            image, numbers, steps = torch.zeros(3, height, width, dtype=torch.uint8), Numbers(f"{seed} {name}"), []
            made = transform()
            made._call_kernel = lambda functional, image, *args, **keys: functional(image, *args, **keys)
            if name in ("erasing", "large"):  # the number that decides with p
                made.p = 2.0
            torch.rand, torch.randint, torch.randperm = numbers.rand, numbers.randint, numbers.randperm
            torch.Tensor.uniform_ = lambda t, low, high, n=numbers: n.uniform(t, low, high)
            for key, function in recorders(steps, width, height).items():
                setattr(F, key, function)
            made(image)
            torch.rand, torch.randint, torch.randperm, torch.Tensor.uniform_ = generators
            for key, function in real.items():
                setattr(F, key, function)
            cases.append(
                {"name": name, "width": width, "height": height, "numbers": numbers.taken, "steps": steps}
            )
    out = {"versions": {"torch": torch.__version__, "torchvision": torchvision.__version__}, "cases": cases}
    (Path(__file__).parent / "draws.json").write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
