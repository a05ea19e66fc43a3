"""The reader with decord's names."""

from __future__ import annotations

import math
import pickle
import sys
import threading
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool
from spool import decord


@pytest.fixture(scope="module")
def file(testdata: Path) -> Path:
    """25 frames with B-frames, 64 x 48."""
    return testdata / "video/bframes.mp4"


def test_reader(file: Path) -> None:
    reader = decord.VideoReader(str(file), ctx=decord.cpu(0))
    whole = spool.decode_video(file).data
    assert len(reader) == 25
    np.testing.assert_array_equal(reader.get_batch([3, 1, -1]).asnumpy(), whole[[3, 1, 24]])
    np.testing.assert_array_equal(reader[::7].asnumpy(), whole[::7])
    np.testing.assert_array_equal(list(reader), whole)
    assert type(reader[0]) is decord.NDArray
    assert type(reader[0].asnumpy()) is np.ndarray
    assert reader[0].base is not None
    assert reader.get_key_indices()[0] == 0
    assert reader.get_avg_fps() == pytest.approx(25)
    assert reader.get_frame_timestamp(range(4)).shape == (4, 2)
    with pytest.raises(IndexError, match="25"):
        reader[25]


def test_going_through(file: Path) -> None:
    """``next`` continues after the last frame that was requested by its index."""
    reader = decord.VideoReader(file)
    whole = spool.decode_video(file).data
    np.testing.assert_array_equal(reader.next(), whole[0])
    np.testing.assert_array_equal(reader.next(), whole[1])
    reader.skip_frames(3)
    np.testing.assert_array_equal(reader.next(), whole[5])
    _ = reader[-3]
    np.testing.assert_array_equal(reader.next(), whole[23])
    reader.seek(13)
    np.testing.assert_array_equal(reader.next(), whole[13])
    reader.seek_accurate(24)
    np.testing.assert_array_equal(reader.next(), whole[24])
    with pytest.raises(StopIteration):
        reader.next()
    with pytest.raises(IndexError):
        reader.seek(25)


def test_sizes(file: Path) -> None:
    for width, height, shape in (
        (32, 20, (20, 32, 3)),
        (32, -1, (48, 32, 3)),
        (-1, 20, (20, 64, 3)),
        (-1, -1, (48, 64, 3)),
    ):
        reader = decord.VideoReader(file, width=width, height=height, num_threads=1)
        assert reader[0].shape == shape
    np.testing.assert_array_equal(
        decord.VideoReader(file, width=32, height=20)[4], spool.decode_video(file, frames=[4], size=(20, 32))[0]
    )


def test_damaged_frames(testdata: Path) -> None:
    """A call that requests a damaged frame raises, as in decord. Good frames of the same file are returned."""
    file = testdata / "video/damaged.mp4"
    state = spool.decode_video(file, on_damage="repeat").state
    bad = np.flatnonzero(state > 0).tolist()
    assert bad
    reader = decord.VideoReader(file)
    with pytest.raises(decord.DECORDError, match="damaged") as error:
        reader.get_batch(range(25))
    assert error.value.error_class == "corrupt"
    assert error.value.file == str(file)
    assert isinstance(error.value, spool.DecodeError)
    for i in range(25):
        if i in bad:
            with pytest.raises(decord.DECORDError):
                reader[i]
            reader.seek(i)
            with pytest.raises(decord.DECORDError):
                reader.next()
        else:
            assert reader[i].shape == (48, 64, 3)


def test_tolerated_damage(testdata: Path) -> None:
    """Damaged frames are replaced, up to the tolerated number."""
    file = testdata / "video/damaged.mp4"
    batch = spool.decode_video(file, on_damage="repeat")
    bad = int((batch.state > 0).sum())
    for tolerated in (bad, bad / 25 + 0.01, math.inf):
        frames = decord.VideoReader(file, fault_tol=tolerated).get_batch(range(25))
        assert len(frames) == 25
        assert (frames[np.flatnonzero(batch.state > 0)[0]] == frames[np.flatnonzero(batch.state > 0)[0] - 1]).all()
    for tolerated in (0, bad - 1, (bad - 1) / 25):
        reader = decord.VideoReader(file, fault_tol=tolerated)
        with pytest.raises(decord.DECORDLimitReachedError, match="fault_tol"):
            reader.get_batch(range(25))


def test_bad_files(testdata: Path, tmp_path: Path) -> None:
    for name in ("hard/bad/text.jpg", "audio/s16.wav", "video/noindex.mp4"):
        with pytest.raises(decord.DECORDError) as error:
            decord.VideoReader(testdata / name)
        assert error.value.file == str(testdata / name)
        assert type(pickle.loads(pickle.dumps(error.value))) is decord.DECORDError
    with pytest.raises(FileNotFoundError):
        decord.VideoReader(tmp_path / "none.mp4")


def test_context() -> None:
    with pytest.raises(ValueError, match="hwaccel"):
        decord.gpu(0)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> type:
    """Replace the package by the parts that the bridge uses. The tests in peers use the real package."""

    class Tensor:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __getitem__(self, key: Any) -> Any:
            return Tensor(self.array[key])

        def __dlpack__(self, **options: Any) -> Any:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    module = types.ModuleType("torch")
    module.Tensor, module.from_numpy = Tensor, Tensor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", module)
    return Tensor


def test_bridge_is_a_threads_own(torch: type) -> None:
    other: list[str] = []
    decord.bridge.set_bridge("torch")
    try:
        thread = threading.Thread(target=lambda: other.append(decord.bridge.current()))
        thread.start()
        thread.join()
        assert decord.bridge.current() == "torch"
    finally:
        decord.bridge.reset_bridge()
    assert other == ["native"]


def test_bridge_in_a_block(file: Path, torch: type) -> None:
    """Blocks can be nested, and are left by an exception."""
    reader = decord.VideoReader(file)
    with pytest.raises(KeyError), decord.bridge.use_torch():
        assert type(reader[0]) is torch
        assert type(reader.get_batch([0, 1])) is torch
        with decord.bridge.use_torch():
            assert type(reader.next()) is torch
        assert type(reader[::5]) is torch
        raise KeyError
    assert type(reader[0]) is decord.NDArray
    frame = reader[3]
    assert decord.bridge.bridge_in(frame) is frame
    with decord.bridge.use_torch():
        np.testing.assert_array_equal(decord.bridge.bridge_in(reader[3]).asnumpy(), frame)


@pytest.mark.parametrize("name", ["mxnet", "tensorflow", "tvm"])
def test_bridges_that_are_not_there(file: Path, name: str) -> None:
    for use in (lambda: decord.bridge.set_bridge(name), getattr(decord.bridge, f"use_{name}")):
        with pytest.raises(ValueError, match=f"{name} is not supported, only native and torch"):
            use()
    with pytest.raises(ValueError, match="'none' is not one of native, torch"):
        decord.bridge.set_bridge("none")
    with pytest.raises(TypeError, match="new_bridge"):
        decord.bridge.set_bridge(None)  # type: ignore[arg-type]
    assert isinstance(decord.VideoReader(file)[0], decord.NDArray)


def test_import_of_the_bridge(python: Any) -> None:
    """Programs import the bridge in each of these ways."""
    assert python("""
import json
import spool.decord as decord
import spool.decord.bridge
from spool.decord import bridge
from spool.decord.bridge import set_bridge, use_torch

print(json.dumps(decord.bridge is bridge is spool.decord.bridge))
""")
