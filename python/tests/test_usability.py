"""What every public class has: a repr of its own, a context manager where it is closed, a length where it is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

CLASSES = {name: value for name in sorted(spool._names) if isinstance(value := getattr(spool, name), type)}
VALUES = {name: value for name, value in CLASSES.items() if not issubclass(value, Exception)}

# Classes that read or decode while they are iterated over.
LAZY = {"AudioLoader", "FilterGraph", "ImageLoader", "Loader", "VideoDecoder", "VideoLoader"}

# Iterators, whose length is not known before their end.
ENDLESS = {"FilterGraph"}


@pytest.mark.parametrize("name", VALUES)
def test_classes(name: str) -> None:
    """A class says what it is, and has the methods that go together."""
    kind = VALUES[name]
    assert kind.__repr__ is not object.__repr__, "no repr"
    if hasattr(kind, "close"):
        assert {"__enter__", "__exit__"} <= set(dir(kind)), "closed by hand only"
    if hasattr(kind, "__iter__") and name not in ENDLESS:
        assert hasattr(kind, "__len__"), "no length"
    if name in LAZY:
        assert hasattr(kind, "__aiter__"), "no async for"


REPRS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "loader": (
        lambda root: spool.ImageLoader(root / "photos", size=64, batch=8),
        "spool.ImageLoader('{root}/photos', batch=8, size=64)",
    ),
    "several sources": (
        lambda root: spool.VideoLoader([root / "video/vfr.mp4"] * 4, frames=2),
        "spool.VideoLoader(['{root}/video/vfr.mp4', '{root}/video/vfr.mp4', '{root}/video/vfr.mp4'], of 4 sources, "
        "frames=2)",
    ),
    "records": (
        lambda root: spool.Loader(root / "photos", fields={"image": spool.Image("path", size=8)}, batch=4),
        "spool.Loader('{root}/photos', batch=4, fields={'image': spool.Image(input='path', size=8)})",
    ),
    "graph": (
        lambda root: spool.FilterGraph("hflip", root / "video/vfr.mp4"),
        "<spool.FilterGraph 'hflip', outputs ['']>",
    ),
    "writer": (lambda root: spool.MediaWriter(format="mp4", size=16, fps=5), "<spool.MediaWriter to memory>"),
}


@pytest.mark.parametrize("case", REPRS)
def test_reprs(testdata: Path, case: str) -> None:
    """A repr has the arguments, and needs nothing else of the object."""
    make, text = REPRS[case]
    assert repr(make(testdata)) == text.replace("{root}", str(testdata))


def test_a_signed_url_is_not_shown() -> None:
    loader = spool.ImageLoader("https://example.com/a.jpg?X-Amz-Signature=secret", size=8, streaming=True)
    assert "secret" not in repr(loader)
    assert "https://example.com/a.jpg" in repr(loader)


def test_a_loop(testdata: Path) -> None:
    with spool.ImageLoader(testdata / "photos", size=8, batch=64) as loader:
        loop = iter(loader)
        assert repr(loop).startswith("<spool.Loop ")
        assert len(list(loop)) == 1
        assert repr(loop).endswith("at its end>")


async def _all(values: AsyncIterable[Any]) -> list[Any]:
    return [value async for value in values]


def test_frames_for_async_loops(testdata: Path) -> None:
    """``async for`` gives the frames of ``for``, and several loops over one decoder are independent."""
    with spool.VideoDecoder(testdata / "video/vfr.mp4", size=16) as decoder:

        async def loops() -> list[list[Any]]:
            return await asyncio.gather(*(_all(decoder) for _ in range(3)))

        want = decoder.get_all_frames().data
        for got in asyncio.run(loops()):
            np.testing.assert_array_equal(np.stack(got), want)
        np.testing.assert_array_equal(np.stack(list(decoder)), want)


def test_a_graph_for_async_loops(testdata: Path) -> None:
    file = testdata / "video/vfr.mp4"
    want = [output.data for output in spool.FilterGraph("hflip", file)]
    got = asyncio.run(_all(spool.FilterGraph("hflip", file)))
    np.testing.assert_array_equal(np.stack([output.data for output in got]), np.stack(want))


def test_errors_of_async_loops(testdata: Path) -> None:
    decoder = spool.VideoDecoder(testdata / "video/vfr.mp4")
    frames = aiter(decoder)
    decoder.close()
    with pytest.raises(spool.ClosedError):
        asyncio.run(_all(frames))


def test_a_canceled_wait_loses_no_frame(testdata: Path) -> None:
    """The frame that a canceled task waited for goes to the next loop over the iterator."""
    decoder = spool.VideoDecoder(testdata / "video/vfr.mp4", size=16)

    async def frames() -> list[Any]:
        frames = aiter(decoder)
        task = asyncio.ensure_future(anext(frames))
        await asyncio.sleep(0)  # the task has begun, and waits
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await _all(frames)

    np.testing.assert_array_equal(np.stack(asyncio.run(frames())), decoder.get_all_frames().data)
