"""Memory of arrays: no copies, and release with the last view."""

from __future__ import annotations

import gc
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import within

import spool


def held() -> int:
    gc.collect()
    return spool.stats()["arrays"]


def place(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def test_no_copy(photo: Path) -> None:
    pixels = spool.decode_image(photo)
    array = pixels.base
    assert isinstance(array, spool.Array)
    assert array.shape == pixels.shape == (300, 451, 3)
    assert array.dtype == np.uint8
    assert len(array) == 300
    views = [np.asarray(array), array.data, np.from_dlpack(array), np.asarray(memoryview(pixels)), pixels[:]]
    assert {place(v) for v in views} == {place(pixels)}
    pixels[0, 0] = 1, 2, 3
    assert all(v[0, 0].tolist() == [1, 2, 3] for v in views[:3])
    assert array.__dlpack_device__() == (1, 0)
    assert place(pixels) % 64 == 0


def test_memory_goes_back_with_the_last_view(photo: Path) -> None:
    before = held()
    pixels = spool.decode_image(photo)
    assert held() == before + 1
    view = np.from_dlpack(pixels[10:20])
    last = view[::2, ::2]
    expected = pixels[10:20:2, ::2].copy()
    del pixels, view
    assert held() == before + 1
    np.testing.assert_array_equal(last, expected)
    del last
    assert held() == before


def test_batches_are_arrays(photos: list[Path]) -> None:
    before = held()
    batch = spool.decode_images(photos[:4], size=32)
    assert np.asarray(batch) is batch.data
    assert place(np.from_dlpack(batch)) == place(batch.data)
    assert (batch.shape, batch.ndim, batch.dtype, len(batch)) == ((4, 32, 32, 3), 4, np.uint8, 4)
    np.testing.assert_array_equal(np.array(batch, dtype="float32"), batch.data.astype("float32"))
    copy = np.array(batch, copy=True)
    assert place(copy) != place(batch.data)
    assert "(4, 32, 32, 3)" in repr(batch)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="cop"):
            np.array(batch, dtype="float32", copy=False)
    del batch
    assert held() == before


def test_failures_leave_nothing(photo: Path) -> None:
    before, handles = held(), spool.stats()["handles"]
    for _ in range(50):
        with pytest.raises(spool.DecodeError):
            spool.decode_image(b"nothing of the kind")
        with pytest.raises(spool.DecodeError):
            spool.decode_images([photo, b""], size=8)
        with pytest.raises(ValueError, match="out"):
            spool.decode_image(photo, out=np.zeros((3, 3, 3), np.uint8))
    assert held() == before
    assert spool.stats()["handles"] <= handles + 2  # the cached specs of these calls


def test_specs_are_kept_within_bounds(photo: Path) -> None:
    for size in range(1, 400):
        spool.decode_image(photo, size=(1, size))
    assert spool.stats()["handles"] < 300


def test_references(photo: Path) -> None:
    """Calls keep no references to their arguments."""
    data, out = photo.read_bytes(), np.zeros((8, 8, 3), np.uint8)
    counts = sys.getrefcount(data), sys.getrefcount(out)
    for _ in range(10):
        spool.decode_image(data, size=8, out=out)
        spool.decode_images([data], size=8, out=out[None])
    gc.collect()
    assert (sys.getrefcount(data), sys.getrefcount(out)) == counts


def test_hand_off_is_quick(photos: list[Path]) -> None:
    """Wrapping a batch of 32 as a NumPy array and releasing it takes 20 us, since nothing is copied."""
    from spool import _header, _native
    from spool.array import numpy_of

    batch = spool.decode_images([photos[0]] * 32, size=224)
    array = batch.data.base
    assert isinstance(array, spool.Array)
    times = []
    for _ in range(200):
        pointer = _header.Pointer(_native.library().spool_array_retain(array._handle))
        began = time.perf_counter()
        view = numpy_of(_native.array(pointer))
        del view
        times.append(time.perf_counter() - began)
    within(statistics.median(times), 20e-6)
