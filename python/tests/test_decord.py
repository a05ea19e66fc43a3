"""decord's reader."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import spool
from spool import decord


@pytest.fixture(scope="module")
def file(testdata: Path) -> Path:
    """B-frames, 25 of them, 64 x 48."""
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
    """``next`` goes on behind the last frame that was got by its number."""
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
    """They are repeated, and counted where somebody wants to know."""
    file = testdata / "video/damaged.mp4"
    bad = int((spool.decode_video(file, on_damage="repeat").state > 0).sum())
    assert len(decord.VideoReader(file).get_batch(range(25))) == 25
    assert len(decord.VideoReader(file, fault_tol=bad).get_batch(range(25))) == 25
    for tolerated in (bad - 1, (bad - 1) / 25):
        reader = decord.VideoReader(file, fault_tol=tolerated)
        with pytest.raises(spool.DecodeError, match="fault_tol"):
            reader.get_batch(range(25))


def test_context() -> None:
    with pytest.raises(ValueError, match="hwaccel"):
        decord.gpu(0)


def test_bridge(file: Path) -> None:
    """It is a thread's own, and knows what it can make."""
    with pytest.raises(ValueError, match="tensorflow"):
        decord.bridge.set_bridge("tensorflow")
    other: list[str] = []
    decord.bridge.set_bridge("torch")
    try:
        thread = threading.Thread(target=lambda: other.append(decord.bridge.current))
        thread.start()
        thread.join()
    finally:
        decord.bridge.reset_bridge()
    assert other == ["native"]
    assert isinstance(decord.VideoReader(file)[0], decord.NDArray)
