from __future__ import annotations

import io
import mmap
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool


def test_array_of_its_own(photo: Path) -> None:
    pixels = spool.decode_image(photo, size=(100, 224))
    assert pixels.shape == (100, 224, 3)
    assert pixels.dtype == np.uint8
    assert pixels.flags.writeable
    assert pixels.flags.c_contiguous


def mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@pytest.mark.parametrize(
    "give",
    [
        str,
        Path,
        Path.read_bytes,
        lambda path: bytearray(path.read_bytes()),
        lambda path: memoryview(b"xx" + path.read_bytes())[2:],
        lambda path: np.fromfile(path, np.uint8),
        lambda path: np.frombuffer(path.read_bytes() + b"xxx", np.uint32, path.stat().st_size // 4 + 1),
        lambda path: io.BytesIO(path.read_bytes()),
        mapped,
    ],
    ids="str path bytes bytearray memoryview array words file mmap".split(),
)
def test_sources(photo: Path, give: Callable[[Path], Any]) -> None:
    np.testing.assert_array_equal(spool.decode_image(give(photo)), spool.decode_image(photo))


@pytest.mark.parametrize(
    ("options", "shape", "dtype"),
    [
        ({}, (300, 451, 3), np.uint8),
        ({"size": 64}, (64, 64, 3), np.uint8),
        ({"size": (32, 64)}, (32, 64, 3), np.uint8),
        ({"size": "64x32"}, (32, 64, 3), np.uint8),
        ({"resize_shorter": 150}, (150, 225, 3), np.uint8),
        ({"resize_shorter": 256, "crop": 224}, (224, 224, 3), np.uint8),
        ({"resize_shorter": 150, "max_size": 200}, (133, 200, 3), np.uint8),
        ({"max_size": 100}, (66, 100, 3), np.uint8),
        ({"size": 64, "layout": "nchw"}, (3, 64, 64), np.uint8),
        ({"size": 64, "color": "gray"}, (64, 64, 1), np.uint8),
        ({"size": 64, "color": "rgba"}, (64, 64, 4), np.uint8),
        ({"size": 64, "dtype": "float32"}, (64, 64, 3), np.float32),
        ({"size": 64, "dtype": np.float16}, (64, 64, 3), np.float16),
        ({"size": 64, "dtype": np.dtype("uint16")}, (64, 64, 3), np.uint16),
        ({"box": (10, 20, 30, 40)}, (40, 30, 3), np.uint8),
    ],
)
def test_options(photo: Path, options: dict[str, Any], shape: tuple[int, ...], dtype: Any) -> None:
    pixels = spool.decode_image(photo, **options)
    assert (pixels.shape, pixels.dtype) == (shape, dtype)
    out = np.zeros(shape, dtype)
    assert spool.decode_image(photo, out=out, **options) is out
    np.testing.assert_array_equal(out, pixels)
    spec = pickle.loads(pickle.dumps(spool.ImageSpec(**options)))
    np.testing.assert_array_equal(spool.decode_image(photo, spec), pixels)


def test_floats_are_normalized(photo: Path) -> None:
    mean, std = [0.485, 0.456, 0.406], (0.229, 0.224, 0.225)
    plain = spool.decode_image(photo, size=64)
    floats = spool.decode_image(photo, size=64, dtype="float32", mean=mean, std=std)
    np.testing.assert_allclose(floats, (plain / 255 - mean) / std, atol=2e-6)


def test_all_frames(testdata: Path) -> None:
    frames = spool.decode_image(testdata / "hard/good/anim.gif", frame="all")
    assert frames.shape == (5, 83, 125, 3)
    for i, frame in enumerate(frames):
        np.testing.assert_array_equal(spool.decode_image(testdata / "hard/good/anim.gif", frame=i), frame)


@pytest.mark.parametrize(
    ("wrong", "error", "named"),
    [
        ({"sise": 224}, TypeError, "sise"),
        ({"size": 2.5}, TypeError, "size"),
        ({"size": (1, 2, 3)}, TypeError, "size"),
        ({"size": "large"}, ValueError, "size"),
        ({"size": 0}, ValueError, "size"),
        ({"mode": 3}, TypeError, "mode"),
        ({"mode": "tile"}, ValueError, "mode"),
        ({"frame": -1}, ValueError, "frame"),
        ({"frame": True}, TypeError, "frame"),
        ({"orient": "yes"}, TypeError, "orient"),
        ({"dtype": "int8"}, ValueError, "dtype"),
        ({"dtype": object()}, TypeError, "dtype"),
        ({"mean": "0.5", "dtype": "float32"}, TypeError, "mean"),
        ({"mean": (1, 2), "dtype": "float32"}, ValueError, "mean"),
        ({"max_pixels": 1.5}, TypeError, "max_pixels"),
        ({"max_bytes": "much"}, ValueError, "max.bytes"),
        ({"src": 3}, TypeError, "src"),
        ({"src": "a\0b"}, ValueError, "src"),
        ({"src": np.zeros((4, 4), np.uint8)[:, ::2]}, ValueError, "src"),
        ({"out": 3}, TypeError, "out"),
        ({"out": np.zeros((5, 5, 3), np.float32)}, ValueError, "out"),
        ({"out": np.zeros((300, 451, 3), np.uint8)[::-1]}, ValueError, "out"),
        ({"out": bytes(300 * 451 * 3)}, ValueError, "out"),
        ({"spec": "224x224"}, TypeError, "spec"),
        ({"spec": spool.ImageSpec(), "size": 3}, TypeError, "spec"),
    ],
)
def test_wrong_arguments(photo: Path, wrong: dict[str, Any], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        spool.decode_image(**{"src": photo, **wrong})


def test_all_problems_at_once(photo: Path) -> None:
    with pytest.raises(ValueError, match=r"(?s)mode.*profile") as e:
        spool.decode_image(photo, mode="tile", profile="best")  # type: ignore[arg-type]
    assert len(str(e.value).splitlines()) == 2


@pytest.mark.parametrize("shape", [(451, 300, 3), (300, 451, 1), (300 * 451 * 3,), (300, 450, 3)])
@pytest.mark.parametrize("size", [{}, {"size": (300, 451)}])
def test_out_of_another_shape(photo: Path, shape: tuple[int, ...], size: Any) -> None:
    with pytest.raises(ValueError, match="out"):
        spool.decode_image(photo, out=np.zeros(shape, np.uint8), **size)


def test_out_read_only(photo: Path) -> None:
    out = np.zeros((64, 64, 3), np.uint8)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out: the array is read-only"):
        spool.decode_image(photo, size=64, out=out)


def test_out_is_a_part(photo: Path) -> None:
    batch = np.full((3, 64, 64, 3), 7, np.uint8)
    spool.decode_image(photo, size=64, out=batch[1])
    np.testing.assert_array_equal(batch[1], spool.decode_image(photo, size=64))
    assert (batch[::2] == 7).all()


def test_out_is_a_buffer(photo: Path) -> None:
    memory = bytearray(64 * 64 * 3)
    spool.decode_image(photo, size=64, out=memoryview(memory).cast("B", (64, 64, 3)))
    assert bytes(memory) == spool.decode_image(photo, size=64).tobytes()


def test_specs() -> None:
    spec = spool.ImageSpec(size=224, mean=[0.5], dtype="float32")
    assert spec == spool.ImageSpec(size=224, mean=[0.5], dtype="float32")
    assert spec != spool.ImageSpec(size=225, mean=[0.5], dtype="float32")
    assert len({spec, pickle.loads(pickle.dumps(spec))}) == 1
    assert "224x224" in repr(spec)
    with pytest.raises(TypeError, match="sise"):
        spool.ImageSpec(sise=3)  # type: ignore[call-arg]
