from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool


@pytest.fixture
def mixed(photos: list[Path], testdata: Path) -> tuple[list[Any], list[bool]]:
    """Sources, some of them bad, and which of them are good."""
    good = photos[:4]
    bad = [testdata / "hard/bad/truncated.png", b"", "nothing-here.jpg", b"no image at all"]
    order = [bad[0], good[0], good[1].read_bytes(), bad[1], bad[2], good[2], good[3], bad[3]]
    return order, [src not in bad for src in order]


@pytest.mark.parametrize("threads", [None, 1, 3, 100])
def test_batch(photos: list[Path], threads: int | None) -> None:
    batch = spool.decode_images(photos[:7], size=(48, 64), threads=threads)
    assert batch.shape == (7, 48, 64, 3)
    assert batch.dtype == np.uint8
    assert len(batch) == 7
    assert batch.valid.tolist() == [True] * 7
    assert batch.errors == {}
    for row, path in zip(np.asarray(batch), photos, strict=False):
        np.testing.assert_array_equal(row, spool.decode_image(path, size=(48, 64)))


def test_mask(mixed: Any) -> None:
    sources, good = mixed
    batch = spool.decode_images(sources, size=64, on_error="placeholder")
    assert batch.shape == (8, 64, 64, 3)
    assert batch.valid.dtype == np.bool_
    assert batch.valid.tolist() == good
    assert [i not in batch.errors for i in range(8)] == good
    for row, src, whole in zip(batch.data, sources, good, strict=True):
        np.testing.assert_array_equal(row, spool.decode_image(src, size=64) if whole else np.zeros_like(row))
    assert [e.error_class for e in batch.errors.values()] == ["truncated", "empty", "not-found", "not-media"]
    assert batch.errors[0].library == "libpng"
    assert batch.errors[4].file == "nothing-here.jpg"
    assert isinstance(batch.errors[4], FileNotFoundError)


def test_masked_rows_are_zero_in_memory_used_before(mixed: Any) -> None:
    sources, good = mixed
    for _ in range(5):
        spool.decode_images([sources[1]] * 8, size=64).data[:] = 7
        batch = spool.decode_images(sources, size=64, on_error="placeholder")
        assert not batch.data[~np.array(good)].any()


def test_skip(mixed: Any) -> None:
    sources, good = mixed
    masked = spool.decode_images(sources, size=64, on_error="placeholder")
    batch = spool.decode_images(sources, size=64, on_error="skip")
    assert batch.valid.tolist() == good
    np.testing.assert_array_equal(batch.data, masked.data[masked.valid])
    out = np.full((8, 64, 64, 3), 9, np.uint8)
    into = spool.decode_images(sources, size=64, on_error="skip", out=out)
    np.testing.assert_array_equal(into.data, batch.data)
    assert np.shares_memory(into.data, out)


def test_raise(mixed: Any, photo: Path) -> None:
    with pytest.raises(spool.DecodeError) as e:
        spool.decode_images(mixed[0], size=64)
    assert e.value.error_class == "truncated"
    with pytest.raises(FileNotFoundError):
        spool.decode_images([photo, "nothing-here.jpg", b""], size=64)


def test_nothing() -> None:
    assert spool.decode_images([], size=64).shape == (0, 64, 64, 3)


def test_all_bad() -> None:
    assert spool.decode_images([b"", b""], size=4, on_error="skip").shape == (0, 4, 4, 3)
    assert not spool.decode_images([b"", b""], size=4, on_error="placeholder").valid.any()


def test_out(photos: list[Path]) -> None:
    out = np.zeros((4, 3, 32, 32), np.float32)
    batch = spool.decode_images(photos[:4], size=32, layout="nchw", dtype="float32", out=out)
    assert batch.data.__array_interface__["data"] == out.__array_interface__["data"]
    expected = spool.decode_images(photos[:4], size=32, layout="nchw", dtype="float32")
    np.testing.assert_array_equal(out, expected)


def test_draws_follow_their_keys(photos: list[Path]) -> None:
    def draw(**keys: Any) -> spool.DecodedImages:
        spec = {"size": 32, "random_scale": (0.1, 1), "flip_x": 0.5}
        return spool.decode_images([photos[0]] * 8, regions=True, **spec, **keys)  # type: ignore[arg-type]

    first = draw(seed=1, epoch=2)
    assert len(np.unique(first.regions)) > 4
    again = draw(seed=1, epoch=2, ids=range(8), threads=1)
    np.testing.assert_array_equal(first.data, again.data)
    np.testing.assert_array_equal(first.regions, again.regions)
    other = draw(seed=1, epoch=3)
    assert not np.array_equal(first.regions, other.regions)
    moved = draw(seed=1, epoch=2, ids=range(1, 9))
    np.testing.assert_array_equal(moved.regions[:-1], first.regions[1:])


def test_regions_are_what_is_seen(photo: Path) -> None:
    batch = spool.decode_images([photo] * 4, size=(30, 40), random_scale=(0.2, 0.8), regions=True)
    whole = spool.decode_image(photo)
    assert batch.regions is not None
    for row, r in zip(batch.data, batch.regions, strict=True):
        box = [int(r[k]) for k in ("left", "top", "width", "height")]
        assert 0 <= box[0] <= box[0] + box[2] <= whole.shape[1]
        np.testing.assert_array_equal(row, spool.decode_image(photo, box=box, size=(30, 40)))


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        ({"on_error": "ignore"}, ValueError, "on_error"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": 1.5}, TypeError, "threads"),
        ({"ids": [1]}, ValueError, "ids"),
        ({"seed": "one"}, TypeError, "seed"),
        ({"size": None}, ValueError, "size"),
        ({"out": np.zeros((1, 64, 64, 3), np.uint8)}, ValueError, "out"),
        ({"sources": "one.jpg"}, TypeError, "sources"),
        ({"sources": [3]}, TypeError, "src"),
        ({"sice": 3}, TypeError, "sice"),
    ],
)
def test_wrong_arguments(photos: list[Path], wrong: dict[str, Any], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        spool.decode_images(**{"sources": photos[:2], "size": 64, **wrong})
