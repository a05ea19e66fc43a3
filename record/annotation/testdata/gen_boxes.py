#!/usr/bin/env python3
"""Records the results of torchvision's transforms v2 for boxes and points: boxes.json.gz.

A case is a decoder's geometry: a crop, a resize, a crop or padding, and flips, each drawn or left out. Among the boxes
are degenerate ones, and boxes partly and wholly outside the image.
Needs torchvision (0.29 wrote the file) and Pillow.
"""
import gzip
import json
import os
import random

import numpy
import torch
from PIL import Image, ImageOps
from torchvision import tv_tensors
from torchvision.transforms.v2 import functional as F

CASES = 1000


def middle(side, canvas):
    """The position at which an image is center-cropped, which is not that of its boxes: see doc.go."""
    return -((canvas - side) // 2) if canvas > side else round((side - canvas) / 2)


class Sample:
    def __init__(self, r):
        self.width, self.height = r.choice(
            [(640, 480), (r.randint(1, 900), r.randint(1, 900)), (r.randint(1, 9), r.randint(1, 9))])
        self.format = r.choice(["XYXY", "XYWH", "CXCYWH"])
        self.integer = r.random() < 0.3
        self.clamped = r.random() < 0.9
        boxes = [self.box(r) for _ in range(r.randint(0, 6))]
        points = [[self.number(r, self.width), self.number(r, self.height)] for _ in range(r.randint(0, 3))]
        dtype = torch.int64 if self.integer else torch.float32
        size = (self.height, self.width)
        self.boxes = tv_tensors.BoundingBoxes(
            torch.tensor(boxes, dtype=dtype).reshape(-1, 4), format=self.format, canvas_size=size,
            clamping_mode="soft" if self.clamped else None)
        self.points = tv_tensors.KeyPoints(torch.tensor(points, dtype=dtype).reshape(-1, 2), canvas_size=size)

    def number(self, r, size):
        low, high = r.choice([(0, size), (0, size), (-size, 2 * size)])
        return r.randint(low, high) if self.integer else round(r.uniform(low, high), r.choice([0, 2]))

    def box(self, r):
        left, right = sorted(self.number(r, self.width) for _ in range(2))
        top, bottom = sorted(self.number(r, self.height) for _ in range(2))
        if r.random() < 0.1:
            right = left
        if r.random() < 0.05:
            left, right = right, left
        w, h = right - left, bottom - top
        if self.format == "XYXY":
            return [left, top, right, bottom]
        if self.format == "XYWH":
            return [left, top, w, h]
        return [(left + right) // 2, (top + bottom) // 2, w, h] if self.integer else [left + w / 2, top + h / 2, w, h]

    def apply(self, function, *args):
        self.boxes, self.points = (function(x, *args) for x in (self.boxes, self.points))
        self.height, self.width = self.boxes.canvas_size


def geometry(s, r):
    """Applies a random geometry to a sample, and returns it as fields of resize.Spec."""
    spec = {}
    if r.random() < 0.5:
        w, h = r.randint(1, s.width), r.randint(1, s.height)
        left, top = r.randint(0, s.width - w), r.randint(0, s.height - h)
        spec["Box"] = {"Left": left, "Top": top, "Width": w, "Height": h}
    kind = r.choice(["none", "stretch", "stretch", "shorter", "fit"])
    size = r.choice([(224, 224), (r.randint(1, 700), r.randint(1, 700))])
    if kind in ("stretch", "fit"):
        spec["Width"], spec["Height"] = size
    if kind == "stretch" and "Box" in spec and r.random() < 0.5:
        s.apply(F.resized_crop, top, left, h, w, size[::-1])
    else:
        if "Box" in spec:
            s.apply(F.crop, top, left, h, w)
        if kind == "stretch":
            s.apply(F.resize, size[::-1])
        elif kind == "shorter":
            spec["Shorter"] = r.randint(1, 400)
            s.apply(F.resize, [spec["Shorter"]])
        elif kind == "fit":
            spec["Mode"] = "fit"
            inside = [max(n, 1) for n in ImageOps.contain(Image.new("L", (s.width, s.height)), size).size]
            s.apply(F.resize, inside[::-1])
            left, top = (round((out - n) * 0.5) for out, n in zip(size, inside))
            s.apply(F.pad, [left, top, size[0] - inside[0] - left, size[1] - inside[1] - top])
    if kind != "fit" and r.random() < 0.5:
        w, h = r.choice([(s.width, s.height), (r.randint(1, 400), r.randint(1, 400))])
        spec["CropWidth"], spec["CropHeight"] = w, h
        left, top = middle(s.width, w), middle(s.height, h)
        drawn = r.random()
        if drawn < 0.5:
            s.apply(F.center_crop, [h, w])
        else:
            spec["RandomCrop"] = True
            if drawn < 0.9:
                shifted = r.randint(1 - w, s.width - 1), r.randint(1 - h, s.height - 1)
                spec["CropRight"], spec["CropDown"] = shifted[0] - left, shifted[1] - top
                left, top = shifted
            s.apply(F.crop, top, left, h, w)
    if r.random() < 0.5:
        spec["FlipX"] = True
        s.apply(F.horizontal_flip)
    if r.random() < 0.3:
        spec["FlipY"] = True
        s.apply(F.vertical_flip)
    return spec


def numbers(tensor):
    if tensor.dtype == torch.float32:
        return [json.loads(numpy.format_float_positional(x, trim="-")) for x in tensor.flatten().numpy()]
    return tensor.flatten().tolist()


def case(seed):
    r = random.Random(seed)
    s = Sample(r)
    c = {"Width": s.width, "Height": s.height, "Format": s.format}
    c |= {"Boxes": numbers(s.boxes), "Points": numbers(s.points)}
    c |= {"Integer": True} if s.integer else {}
    c |= {} if s.clamped else {"Unclamped": True}
    c["Spec"] = geometry(s, r)
    c["OutWidth"], c["OutHeight"] = s.width, s.height
    c["OutBoxes"], c["OutPoints"] = numbers(s.boxes), numbers(s.points)
    least = r.choice([(1, 1), (1, 1), (r.randint(1, 20), r.randint(1, 200))])
    valid = F.sanitize_bounding_boxes(s.boxes, min_size=least[0], min_area=least[1])[1]
    c["Least"], c["Valid"] = least, valid.int().tolist()
    for name in ("XYXY", "XYWH", "CXCYWH"):
        c[name] = numbers(F.convert_bounding_box_format(s.boxes, new_format=name))
    return c


cases = (json.dumps(case(seed), separators=(",", ":")) for seed in range(CASES))
text = "[\n" + ",\n".join(cases) + "\n]\n"
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boxes.json.gz")
with open(path, "wb") as f:
    f.write(gzip.compress(text.encode(), 9, mtime=0))
