"""Threads that share a loader, or a loop over a loader."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

THREADS = 8


@pytest.fixture(autouse=True)
def _interleaved() -> Iterator[None]:
    """Switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


Made = Callable[[], Any]


def images(testdata: Path) -> Any:
    return spool.ImageLoader(testdata / "photos", batch=2, size=8, shuffle=True)


def clips(testdata: Path) -> Any:
    files = [testdata / "video" / name for name in ("bframes.mp4", "vfr.mp4")] * 6
    return spool.VideoLoader(files, batch=1, size=8, frames=2)


def audio(testdata: Path) -> Any:
    return spool.AudioLoader([testdata / "audio" / "s16.wav"] * 24, batch=2, duration=0.1)


@pytest.fixture(params=[images, clips, audio])
def made(request: pytest.FixtureRequest, testdata: Path) -> Made:
    return lambda: request.param(testdata)


def together(work: Callable[[], Any]) -> list[Any]:
    """Run some work in threads that start at the same time, and return their results."""
    ready = threading.Barrier(THREADS)

    def one() -> Any:
        ready.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as threads:
        return [f.result() for f in [threads.submit(one) for _ in range(THREADS)]]


def test_a_shared_loop(made: Made) -> None:
    """Each batch of the epoch is delivered once, and every thread gets the end."""
    loader = made()
    for epoch in range(5):
        loop = iter(loader)
        batches = [batch for got in together(lambda loop=loop: list(loop)) for batch in got]
        assert sorted(b.index for b in batches) == list(range(len(loader)))
        assert {b.epoch for b in batches} == {epoch}
        assert sorted(i for b in batches for i in b.ids.tolist()) == list(range(loader.samples))
        assert next(loop, None) is None


def test_a_shared_loop_that_is_short(testdata: Path) -> None:
    """With more threads than batches, most threads get only the end."""
    loader = spool.ImageLoader([testdata / "photos/plant/00.jpg"] * 3, batch=1, size=8)
    for epoch in range(20):
        loop = iter(loader)
        got = together(lambda loop=loop: list(loop))
        assert [b.epoch for batches in got for b in batches] == [epoch] * 3


def test_a_failure_comes_to_all(testdata: Path) -> None:
    loader = spool.ImageLoader([testdata / "hard/bad/text.jpg"] * 4, on_error="fail", batch=2, size=8)
    loop = iter(loader)

    def caught() -> str:
        with pytest.raises(spool.DecodeError) as error:
            next(loop)
        return error.value.error_class

    assert together(caught) == ["not-media"] * THREADS


def test_a_new_loop_ends_the_others(testdata: Path) -> None:
    """A loop gets batches of its own epoch, in order, and ends with a RuntimeError when another loop begins."""
    loader = images(testdata)

    def whole() -> list[Any]:
        got = []
        try:
            for b in loader:
                got.append((b.epoch, b.index))
        except RuntimeError:
            got.append(None)
        return got

    for _ in range(5):
        loops = together(whole)
        assert any(None not in got for got in loops)
        for got in loops:
            batches = [pair for pair in got if pair is not None]
            assert batches == [(batches[0][0], i) for i in range(len(batches))] if batches else True
            assert None in got or len(batches) == len(loader)
        taken = [pair for got in loops for pair in got if pair is not None]
        assert any(epoch == max(taken)[0] and index == 0 for epoch, index in taken)


def test_set_epoch_ends_a_loop(testdata: Path) -> None:
    """The loop ends, unless the next loop would be that epoch anyway."""
    loader = spool.ImageLoader(testdata / "photos", batch=8, size=8)
    loop = iter(loader)
    loader.set_epoch(0)
    assert next(loop).epoch == 0
    loader.set_epoch(5)
    with pytest.raises(RuntimeError, match="set_epoch"):
        next(loop)
    assert [b.epoch for b in loader] == [5] * len(loader)


def test_first_use_in_threads(made: Made) -> None:
    """Threads that use a loader first open it only once."""
    loader = made()
    assert len(set(together(loader.__len__))) == 1


def test_a_generator_over_a_loader(testdata: Path) -> None:
    """After a generator was closed or raised an error in the middle, the next loop works."""
    loader = spool.ImageLoader(testdata / "photos", batch=8, size=8)

    def pixels() -> Iterator[Any]:
        for batch in loader:
            yield batch.images

    for epoch in range(3):
        generator: Any = pixels()
        next(generator)
        if epoch == 1:
            with pytest.raises(KeyError):
                generator.throw(KeyError)
        else:
            generator.close()
        assert next(generator, None) is None
    assert [b.epoch for b in loader] == [3] * len(loader)


def test_decoders_in_threads(testdata: Path) -> None:
    """A decoder runs the calls of several threads one at a time."""
    video = spool.VideoDecoder(testdata / "video/bframes.mp4")
    whole = video.get_all_frames().data
    for got in together(lambda: [video[i] for i in (20, 3, 11)]):
        np.testing.assert_array_equal(got, whole[[20, 3, 11]])
    decoder = spool.AudioDecoder(testdata / "audio/s16.wav")
    samples = decoder.get_all_samples().data
    for got in together(lambda: decoder.get_samples_played_in_range(0, 0.1).data):
        np.testing.assert_array_equal(got, samples[:, : got.shape[1]])
