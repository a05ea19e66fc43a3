#!/usr/bin/env python3
"""Records pycocotools' masks for random annotations: masks.json.gz.

An image has annotations as COCO writes them. The mask of each is recorded as compressed run lengths. Two hashes are
recorded of each image: of all instance masks, and of the semantic mask by torchvision's segmentation reference.
Needs pycocotools (2.0.11 wrote the file) and NumPy.
"""
import gzip
import hashlib
import json
import os
import random

import numpy
from pycocotools import mask

IMAGES = 200


def number(r, size):
    low, high = r.choice([(0, size), (0, size), (0, size), (-size / 2, 1.5 * size)])
    n = r.uniform(low, high)
    return r.choice([round(n, 2), round(n * 2) / 2, round(n), n])


def polygon(r, width, height):
    corners = []
    for _ in range(r.choice([3, 4, 4, r.randint(3, 30)])):
        corners += [number(r, width), number(r, height)]
        if r.random() < 0.05:
            corners += corners[-2:]
        if r.random() < 0.05:
            corners += [corners[-2], number(r, height)]
    return corners


def segmentation(r, width, height):
    kind = r.choice(["polygons", "polygons", "polygons", "compressed", "counts"])
    if kind == "polygons":
        lines = [polygon(r, width, height)[:4] for _ in range(r.choice([0, 0, 0, 1]))]
        return [polygon(r, width, height) for _ in range(r.choice([1, 1, 2, 3]))] + lines
    pixels = numpy.zeros((height, width), dtype=numpy.uint8, order="F")
    for _ in range(r.randint(0, 3)):
        x, y = r.randint(0, width), r.randint(0, height)
        pixels[y:y + r.randint(0, height), x:x + r.randint(0, width)] ^= 1
    rle = mask.encode(pixels)
    if kind == "compressed":
        return {"size": [height, width], "counts": rle["counts"].decode()}
    changes = numpy.flatnonzero(numpy.diff(pixels.flatten("F"), prepend=0))
    counts = numpy.diff(numpy.concatenate([[0], changes, [width * height]])).tolist()
    return {"size": [height, width], "counts": counts}


def to_rle(s, width, height):
    """pycocotools' COCO.annToRLE."""
    if isinstance(s, list):
        return mask.merge(mask.frPyObjects(s, height, width))
    if isinstance(s["counts"], list):
        return mask.frPyObjects(s, height, width)
    return s


def image(seed):
    r = random.Random(seed)
    width, height = r.choice([(64, 48), (r.randint(1, 200), r.randint(1, 200)), (r.randint(1, 5), r.randint(1, 5))])
    annotations = [{"category_id": r.randint(0, 90), "segmentation": segmentation(r, width, height)}
                   for _ in range(r.randint(1, 3))]
    rles = [to_rle(a["segmentation"], width, height) for a in annotations]
    masks = mask.decode(rles).transpose(2, 0, 1)
    categories = numpy.array([a["category_id"] for a in annotations], dtype=numpy.uint8)
    semantic = (masks * categories[:, None, None]).max(axis=0)
    semantic[masks.sum(axis=0) > 1] = 255
    counts = [rle["counts"] if isinstance(rle["counts"], str) else rle["counts"].decode() for rle in rles]
    return {"Width": width, "Height": height, "Annotations": annotations, "Counts": counts,
            "Instances": hashlib.sha256(masks.tobytes()).hexdigest(),
            "Semantic": hashlib.sha256(semantic.tobytes()).hexdigest()}


images = (json.dumps(image(seed), separators=(",", ":")) for seed in range(IMAGES))
text = "[\n" + ",\n".join(images) + "\n]\n"
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "masks.json.gz")
with open(path, "wb") as f:
    f.write(gzip.compress(text.encode(), 9, mtime=0))
