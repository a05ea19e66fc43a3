"""What notebooks and asyncio use: contact sheets, and ``async for``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool


def sheet(value: Any) -> Any:
    return spool.decode_image(value._repr_png_())


@pytest.mark.parametrize("options", [{}, {"layout": "nchw"}, {"dtype": "float32"}, {"dtype": "uint16"}])
def test_sheet_of_a_batch(testdata: Path, options: Any) -> None:
    plain = next(iter(spool.ImageLoader(testdata / "photos", batch=10, size=32))).data
    batch = next(iter(spool.ImageLoader(testdata / "photos", batch=10, size=32, **options)))
    shown = sheet(batch)
    assert shown.shape == (64, 8 * 32, 3)
    for i in range(10):
        tile = shown[i // 8 * 32 :][:32, i % 8 * 32 :][:, :32]
        np.testing.assert_array_equal(tile, plain[i])
    assert not shown[32:, 64:].any()


def test_sheet_of_clips(testdata: Path) -> None:
    clip = spool.decode_video(testdata / "video/bframes.mp4", frames=[0, 9, 3])
    np.testing.assert_array_equal(sheet(clip), np.concatenate(list(clip.data), axis=1))
    frame = spool.VideoDecoder(testdata / "video/bframes.mp4").get_frame_at(9)
    np.testing.assert_array_equal(sheet(frame), clip.data[1])
    loader = spool.VideoLoader(testdata / "video/bframes.mp4", batch=2, frames=3, size=16)
    shown = sheet(next(iter(loader)))
    assert shown.shape[1] == 3 * 16
    crops = spool.VideoLoader(testdata / "video/bframes.mp4", batch=2, frames=3, size=20, crop=16, crops="five")
    assert sheet(next(iter(crops))).shape == (5 * 16, 3 * 16, 3)


def test_large_images_are_thinned() -> None:
    batch = spool.FrameBatch(np.full((70, 300, 200, 1), 0.5, np.float32), np.zeros(70), np.zeros(70))
    assert sheet(batch).shape[:2] == (8 * 100, 8 * 67)
    assert spool.FrameBatch(np.zeros((2, 5, 5, 7)), np.zeros(2), np.zeros(2))._repr_png_() is None


def test_async_for(testdata: Path) -> None:
    """Batches are those of a loop. Other tasks run while one waits."""
    want = [b.ids.tolist() for b in spool.ImageLoader(testdata / "photos", batch=8, size=16)]

    async def loaded() -> tuple[list[Any], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(tick())
        got = [b.ids.tolist() async for b in spool.ImageLoader(testdata / "photos", batch=8, size=16)]
        other.cancel()
        return got, ticks

    got, ticks = asyncio.run(loaded())
    assert got == want
    assert ticks > 0


def test_a_canceled_wait_loses_no_batch(testdata: Path) -> None:
    want = [b.ids.tolist() for b in spool.ImageLoader(testdata / "photos", batch=8, size=16)]

    async def loaded() -> list[Any]:
        loop = iter(spool.ImageLoader(testdata / "photos", batch=8, size=16))
        waiting = asyncio.ensure_future(loop.__anext__())
        await asyncio.sleep(0)  # it has begun to wait
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return [b.ids.tolist() async for b in loop]

    assert asyncio.run(loaded()) == want


def test_async_errors() -> None:
    async def loaded() -> None:
        async for _ in spool.ImageLoader("testdata/none", size=8):
            pass

    with pytest.raises(FileNotFoundError):
        asyncio.run(loaded())
