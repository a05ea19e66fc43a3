"""The loaders of the benchmark are at their best: layouts and filters."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pages
import pytest
import spdl.io

SIZE, BATCH = 64, 4


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module of bench/peers with the loaders of images."""
    monkeypatch.syspath_prepend(pages.ROOT / "bench" / "peers")
    return importlib.import_module("loaders.images")


def work(images: Any, photos: list[Path], name: str = "images") -> Any:
    files = [str(path) for path in photos[: 2 * BATCH]]
    return images.Work(name=name, files=files, batch=BATCH, size=SIZE, workers=2, frames=16, rate=16_000)


@pytest.mark.parametrize("name", ["images", "train"])
def test_torchvision_gives_planes(images: Any, photos: list[Path], name: str) -> None:
    shapes = [tuple(batch.shape) for batch in images.torchvision(work(images, photos, name))()]
    assert shapes == 2 * [(BATCH, 3, SIZE, SIZE)]


@pytest.mark.parametrize(
    ("peer", "function", "calls"), [("spdl", "load_image_batch", 2), ("spdl_items", "decode_packets", 2 * BATCH)]
)
def test_spdl_resizes_by_its_faster_filter(
    images: Any, photos: list[Path], monkeypatch: pytest.MonkeyPatch, peer: str, function: str, calls: int
) -> None:
    called = []
    original = getattr(spdl.io, function)

    def recorded(*args: Any, **keywords: Any) -> Any:
        called.append(keywords["filter_desc"])
        return original(*args, **keywords)

    monkeypatch.setattr(spdl.io, function, recorded)
    shapes = [batch.shape for batch in getattr(images, peer)(work(images, photos))()]
    assert shapes == 2 * [(BATCH, SIZE, SIZE, 3)]
    assert called == calls * [f"scale={SIZE}:{SIZE}:flags=bilinear,format=rgb24"]
