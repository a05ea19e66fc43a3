#!/usr/bin/env python3
"""Prints what operations on a uint8 image of 224x224 cost in torchvision, in microseconds of CPU time, with one thread.

``go test -run - -bench Step ./cbridge/imageops`` prints the same for spool. docs/augmentation.md has both.
"""

import time

import torch
from torchvision.transforms.v2 import functional as F

torch.set_num_threads(1)
torch.manual_seed(0)
IMAGE = torch.randint(0, 256, (3, 224, 224), dtype=torch.uint8)
ZERO = torch.zeros(3, 1, 1, dtype=torch.uint8)
OPERATIONS = {
    "brightness": lambda x: F.adjust_brightness(x, 1.2),
    "contrast": lambda x: F.adjust_contrast(x, 1.2),
    "saturation": lambda x: F.adjust_saturation(x, 1.2),
    "hue": lambda x: F.adjust_hue(x, 0.1),
    "grayscale": lambda x: F.rgb_to_grayscale(x, 3),
    "solarize": lambda x: F.solarize(x, 128),
    "posterize": lambda x: F.posterize(x, 4),
    "invert": F.invert,
    "autocontrast": F.autocontrast,
    "equalize": F.equalize,
    "sharpness": lambda x: F.adjust_sharpness(x, 2),
    "blur9": lambda x: F.gaussian_blur(x, [9, 9], [1.5, 1.5]),
    "blur23": lambda x: F.gaussian_blur(x, [23, 23], [1.5, 1.5]),
    "erase": lambda x: F.erase(x, 40, 40, 80, 80, ZERO),
    "noise": lambda x: F.erase(x, 40, 40, 80, 80, torch.empty(3, 80, 80).normal_()),
    "rotate": lambda x: F.rotate(x, 10.0),
}


def cost(operation) -> float:
    """Return the least mean of several rounds, in seconds."""
    best = float("inf")
    for _ in range(5):
        calls, begun = 0, time.thread_time()
        while (spent := time.thread_time() - begun) < 0.1:
            operation(IMAGE)
            calls += 1
        best = min(best, spent / calls)
    return best


if __name__ == "__main__":
    for name, operation in OPERATIONS.items():
        print(f"{name:12} {cost(operation) * 1e6:8.0f}")
