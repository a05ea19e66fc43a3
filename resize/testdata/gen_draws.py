#!/usr/bin/env python3
"""Records what torchvision draws from given uniform numbers: draws.json.

The numbers of case i are those of SplitMix64 with seed i: u = (x >> 40) / 2^24, as many bits as torch draws.
uniform_(a, b) is float32(u * (b - a) + a) and randint(a, b) is a + floor(u * (b - a)) here.
Needs torchvision (0.29 wrote the file).
"""
import json
import math
import os
import random
from unittest import mock

import numpy
import torch
import torchvision
from torchvision.transforms import v2

MASK = (1 << 64) - 1


class Uniform:
    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return ((z ^ z >> 31) >> 40) / (1 << 24)


def params(transform, width, height, seed):
    u = Uniform(seed)

    def uniform(self, low, high):
        low, high = numpy.float32(low), numpy.float32(high)
        return self.fill_(float(numpy.float32(u() * float(high - low) + float(low))))

    def randint(low, high, size):
        return torch.tensor(low + math.floor(u() * (high - low)))

    with mock.patch.object(torch.Tensor, "uniform_", uniform), mock.patch.object(torch, "randint", randint):
        return transform.make_params([torch.empty(3, height, width, device="meta")])


def resized(seed, r):
    width, height = r.choice([(500, 375), (r.randint(1, 700), r.randint(1, 700)), (r.randint(1, 4), r.randint(1, 4000)),
                              (r.randint(1, 4000), r.randint(1, 4))])
    scale, ratio = r.choice([((0.08, 1.0), (3 / 4, 4 / 3)), ((0.5, 1.0), (1.0, 1.0)), ((0.9, 1.0), (2.0, 3.0)),
                             ((0.01, 0.02), (0.1, 10.0)), ((1.0, 1.0), (0.5, 0.75))])
    p = params(v2.RandomResizedCrop(1, scale=scale, ratio=ratio), width, height, seed)
    return [width, height, *scale, *ratio, p["left"], p["top"], p["width"], p["height"]]


def cropped(seed, r):
    width, height, w, h = (r.randint(1, 60) for _ in range(4))
    padding, needed = [r.randint(0, 8) * r.randint(0, 1) for _ in range(4)], r.random() < 0.8
    padding = [min(n, edge - 1) for n, edge in zip(padding, (w, h, w, h))]
    crop = v2.RandomCrop((h, w), padding=padding if any(padding) else None, pad_if_needed=needed)
    try:
        p = params(crop, width, height, seed)
    except ValueError:  # too small: no place
        return [width, height, w, h, *padding, int(needed)]
    left, top = p["left"] - p["padding"][0], p["top"] - p["padding"][1]
    return [width, height, w, h, *padding, int(needed), left, top]


def main():
    r = random.Random(1)
    rows = {"RandomResizedCrop": [resized(i, r) for i in range(500)], "RandomCrop": [cropped(i, r) for i in range(200)]}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "draws.json"), "w") as f:
        f.write('{"torchvision": "%s"' % torchvision.__version__)
        for name, list_ in rows.items():
            f.write(',\n"%s": [\n%s]' % (name, ",\n".join(json.dumps(row, separators=(",", ":")) for row in list_)))
        f.write("}\n")


if __name__ == "__main__":
    main()
