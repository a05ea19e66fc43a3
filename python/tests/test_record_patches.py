"""spool.Loader with batches of patches, for vision transformers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

PHOTOS = str(Path(__file__).resolve().parents[2] / "testdata/photos")
MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)


def smart_resize(height: int, width: int, factor: int, least: int, most: int) -> tuple[int, int]:
    """The size of transformers' image processor of Qwen2-VL."""
    h, w = round(height / factor) * factor, round(width / factor) * factor
    if h * w > most:
        beta = math.sqrt(height * width / most)
        h = max(factor, math.floor(height / beta / factor) * factor)
        w = max(factor, math.floor(width / beta / factor) * factor)
    elif h * w < least:
        beta = math.sqrt(least / (height * width))
        h, w = math.ceil(height * beta / factor) * factor, math.ceil(width * beta / factor) * factor
    return h, w


def qwen(image: Any, patch: int, merge: int, frames: int) -> Any:
    """The patches of an image (C, H, W), as that processor reshapes and transposes them."""
    channels, height, width = image.shape
    rows, columns = height // patch, width // patch
    x = np.tile(image[None], (frames, 1, 1, 1)).reshape(
        1, frames, channels, rows // merge, merge, patch, columns // merge, merge, patch
    )
    return x.transpose(0, 3, 6, 4, 7, 2, 1, 5, 8).reshape(rows * columns, channels * frames * patch * patch)


def test_qwen() -> None:
    options: dict[str, Any] = {"filter": "bicubic", "dtype": "float32", "mean": MEAN, "std": STD, "layout": "nchw"}
    fields = {
        "image": spool.Image(
            "path", resize_multiple=28, resize_min_pixels=56 * 56, resize_max_pixels=28 * 28 * 100, **options
        )
    }
    form: dict[str, Any] = {"form": "patches", "patch": 14, "patch_merge": 2, "patch_frames": 2}
    seen = 0
    for batch in spool.Loader(PHOTOS, fields, batch=5, epochs=1, **form):
        patches, grids = batch["image"], batch.grids["image"]
        assert patches.shape == (grids.prod(axis=1).sum(), 3 * 2 * 14 * 14)
        assert np.array_equal(batch.shapes["image"][:, 0], grids.prod(axis=1))
        begin = 0
        for name, (rows, columns) in zip(batch.names, grids, strict=True):
            seen += 1
            own = spool.decode_image(name).shape
            height, width = smart_resize(own[0], own[1], 28, 56 * 56, 28 * 28 * 100)
            assert (rows, columns) == (height // 14, width // 14)
            image = spool.decode_image(name, size=(height, width), **options)
            assert np.array_equal(patches[begin : begin + rows * columns], qwen(image, 14, 2, 2))
            begin += rows * columns
    assert seen == len(list(Path(PHOTOS).rglob("*.jpg")))


def test_navit() -> None:
    """Patches of pixels, row by row, within a budget of tokens."""
    for batch in spool.Loader(PHOTOS, {"image": spool.Image("path")}, form="patches", budget_tokens=2000, epochs=1):
        patches = batch["image"]
        assert len(patches) <= 2000
        begin = 0
        for name, (rows, columns) in zip(batch.names, batch.grids["image"], strict=True):
            image = spool.decode_image(name, size=(int(rows) * 16, int(columns) * 16))
            want = image.reshape(rows, 16, columns, 16, 3).transpose(0, 2, 1, 3, 4).reshape(rows * columns, -1)
            assert np.array_equal(patches[begin : begin + len(want)], want)
            begin += len(want)
        assert begin == len(patches)


def test_sides() -> None:
    fields = {"image": spool.Image("path", size=100)}
    with pytest.raises(ValueError, match="patches need sides that are multiples of 16"):
        len(spool.Loader(PHOTOS, fields, form="patches"))
    batch = next(iter(spool.Loader(PHOTOS, {"image": spool.Image("path", size=64)}, form="patches", batch=2)))
    assert batch["image"].shape == (2 * 16, 3 * 16 * 16)
