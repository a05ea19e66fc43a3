#!/usr/bin/env python3
"""Compares patches of photos with those of transformers' image processor of Qwen2-VL: grids, and each value.

    bench/peers/qwen.py [--photos 'bin/bench-media/photos/*.jpg']

The photos must be upright, since the processor does not read EXIF. It needs transformers, which requirements.txt does
not have: pip install transformers.
"""

from __future__ import annotations

import argparse
import glob

import numpy as np
import PIL.Image
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

import spool

LEAST, MOST = 56 * 56, 28 * 28 * 1280  # pixels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", default="bin/bench-media/photos/*.jpg")
    photos = sorted(glob.glob(parser.parse_args().photos))
    processor = Qwen2VLImageProcessorPil(size={"shortest_edge": LEAST, "longest_edge": MOST})
    image = spool.Image(
        "path",
        resize_multiple=28,
        resize_min_pixels=LEAST,
        resize_max_pixels=MOST,
        filter="bicubic",
        profile="pillow",
        dtype="float32",
        mean=tuple(processor.image_mean),
        std=tuple(processor.image_std),
        layout="nchw",
    )
    form = {"form": "patches", "patch": 14, "patch_merge": 2, "patch_frames": 2}
    seen, most = 0, 0.0
    for batch in spool.Loader(photos, {"image": image}, batch=4, epochs=1, **form):
        images = [PIL.Image.open(name).convert("RGB") for name in batch.names]
        want = processor(images=images, return_tensors="np")
        grids = np.asarray(want["image_grid_thw"])
        assert (grids[:, 0] == 1).all() and (grids[:, 1:] == batch.grids["image"]).all()
        most = max(most, float(np.abs(np.asarray(want["pixel_values"]) - batch["image"]).max()))
        seen += len(images)
    assert seen == len(photos) > 0
    print(f"{seen} images: grids are equal, and patches differ by at most {most}")


if __name__ == "__main__":
    main()
