#!/usr/bin/env python3
"""Records torchvision's pixels of random crops and flips in crops.json. The images are those of ../../../testdata.

Each row has: the file; left, top, width and height of the crop; width and height of the result; whether
it is mirrored left to right and top to bottom; the filter. The last is the SHA-256 of the pixels (RGB,
row by row). Needs torchvision (0.29 wrote the file).
"""
import glob
import hashlib
import json
import os
import random

import torchvision
from torchvision.io import ImageReadMode, decode_image, read_file
from torchvision.transforms.v2 import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
MEDIA = os.path.join(HERE, "..", "..", "testdata")


def crop(path, r):
    image = decode_image(read_file(os.path.join(MEDIA, path)), mode=ImageReadMode.RGB, apply_exif_orientation=True)
    height, width = image.shape[1:]
    w, h = r.randint(1, width), r.randint(1, height)
    left, top = r.randint(0, width - w), r.randint(0, height - h)
    out_w, out_h = r.choice([(32, 32), (r.randint(1, 90), r.randint(1, 90))])
    flip_x, flip_y, name = r.random() < 0.5, r.random() < 0.3, r.choice(["bilinear", "bilinear", "bicubic"])
    out = F.resized_crop(image, top, left, h, w, [out_h, out_w], interpolation=name, antialias=True)
    if flip_x:
        out = F.horizontal_flip(out)
    if flip_y:
        out = F.vertical_flip(out)
    digest = hashlib.sha256(out.permute(1, 2, 0).contiguous().numpy().tobytes()).hexdigest()
    return [path, left, top, w, h, out_w, out_h, int(flip_x), int(flip_y), name, digest]


def main():
    r = random.Random(1)
    names = sorted(glob.glob("hard/good/*.jpg", root_dir=MEDIA) + glob.glob("photos/**/*.jpg", root_dir=MEDIA, recursive=True))
    names += ["hard/good/rgb.png", "hard/good/interlaced.png", "hard/good/lossless.webp", "hard/good/lossy.webp"]
    rows = [crop(name, r) for name in names for _ in range(2 if "hard" in name else 1)]
    with open(os.path.join(HERE, "crops.json"), "w") as f:
        f.write('{"torchvision": "%s",\n"crops": [\n%s]}\n' % (
            torchvision.__version__, ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)))


if __name__ == "__main__":
    main()
