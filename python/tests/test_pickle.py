"""Objects that can be sent to another process: batches, arrays, frames and loaders."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

Python = Callable[..., Any]


def through_pickle(what: Any) -> Any:
    return pickle.loads(pickle.dumps(what))


WAYS = [through_pickle, copy.copy, copy.deepcopy]


def same(a: Any, b: Any) -> None:
    """Compare two batches field by field."""
    assert type(a) is type(b)
    assert type(a.data) is type(b.data)
    for name in ("epoch", "index", "padded", "names", "keys", "shape", "dtype"):
        assert getattr(a, name) == getattr(b, name), name
    for name in (
        "data",
        "labels",
        "ids",
        "valid",
        "padding",
        "occurrences",
        "warnings",
        "regions",
        "frames",
        "lengths",
        "starts",
    ):
        if hasattr(a, name):
            np.testing.assert_array_equal(np.asarray(getattr(a, name)), np.asarray(getattr(b, name)), name)


@pytest.mark.parametrize("way", WAYS)
def test_batches(testdata: Path, way: Any) -> None:
    images = spool.ImageLoader(testdata / "photos", batch=8, size=16, train=True, last="pad")
    clips = spool.VideoLoader([testdata / "video/bframes.mp4"] * 2, batch=2, frames=3, size=16)
    audio = spool.AudioLoader([testdata / "audio/s16.wav"] * 2, batch=2, duration=0.1)
    for loader in images, clips, audio:
        *_, batch = loader
        again = way(batch)
        same(batch, again)
        same(batch, way(again))
        data, labels = again
        assert data is again.data
        assert labels is again.labels
        assert repr(again) == repr(batch)


def test_a_pickled_batch_has_memory_of_its_own(testdata: Path) -> None:
    batch = next(iter(spool.ImageLoader(testdata / "photos", batch=8, size=16)))
    want = batch.images.copy()
    again = through_pickle(batch)
    batch.images[:] = 0
    np.testing.assert_array_equal(again.images, want)
    again.images[:] = 1  # it is writable


@pytest.mark.parametrize("way", WAYS)
def test_arrays(testdata: Path, photo: Path, way: Any) -> None:
    array = next(iter(spool.ImageLoader(testdata / "photos", batch=8, size=16, output="dlpack"))).data
    again = way(array)
    assert type(again) is spool.Array
    np.testing.assert_array_equal(np.asarray(again), np.asarray(array))
    np.testing.assert_array_equal(np.from_dlpack(again), np.asarray(array))
    images = spool.decode_images([photo, "none.jpg"], size=8, on_error="placeholder", regions=True)
    again = way(images)
    np.testing.assert_array_equal(again.data, images.data)
    np.testing.assert_array_equal(again.regions, images.regions)
    assert again.valid.tolist() == [True, False]
    assert str(again.errors[1]) == str(images.errors[1])
    assert isinstance(again.errors[1], FileNotFoundError)


@pytest.mark.parametrize("way", WAYS)
def test_frames_and_samples(testdata: Path, way: Any) -> None:
    frames = spool.decode_video(testdata / "video/vfr.mp4", sample=3, size=16)
    again = way(frames)
    for a, b in zip(frames._parts(), again._parts(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert way(frames.frame(1)).pts_seconds == frames.frame(1).pts_seconds
    audio = spool.decode_audio(testdata / "audio/s16.wav")
    np.testing.assert_array_equal(way(audio).data, audio.data)
    assert way(audio).sample_rate == audio.sample_rate


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source", [str, Path, Path.read_bytes, lambda path: io.BytesIO(path.read_bytes())])
def test_decoders_open_their_source_anew(testdata: Path, way: Any, source: Any) -> None:
    video = spool.VideoDecoder(
        source(testdata / "video/vfr.mp4"), size=16, dimension_order="NHWC", output_dtype="float32"
    )
    again = way(video)
    np.testing.assert_array_equal(again[3], video[3])
    assert repr(again) == repr(video)
    audio = spool.AudioDecoder(source(testdata / "audio/s16.wav"), sample_rate=4000)
    np.testing.assert_array_equal(way(audio).get_all_samples().data, audio.get_all_samples().data)
    reader = spool.decord.VideoReader(source(testdata / "video/vfr.mp4"), width=24)
    np.testing.assert_array_equal(way(reader)[5], reader[5])
    audio.close()
    with pytest.raises(spool.ClosedError):
        way(audio)


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_cannot_be_pickled_says_so(testdata: Path, way: Any) -> None:
    loader = spool.ImageLoader(testdata / "photos")
    for what, text in (
        (iter(loader), "a loop cannot be pickled"),
        (loader._open(), "an open object of the library cannot be pickled"),
    ):
        with pytest.raises(TypeError, match=text):
            way(what)


@pytest.mark.parametrize("way", WAYS)
def test_loaders(testdata: Path, way: Any) -> None:
    """A copy continues at the loader's position, independently of it."""

    def made(**options: Any) -> Any:
        return spool.ImageLoader(
            [testdata / "photos"], batch=8, size=8, shuffle=True, train=True, seed=3, output="dlpack", **options
        )

    want = [b.ids.tolist() for b in made()]
    for taken in 0, 1, 4, 6:
        loader = made(workers=1)
        loop = iter(loader)
        for _ in range(taken):
            next(loop)
        again = way(loader)
        rest = list(again)
        assert [b.ids.tolist() for b in rest] == want[taken:] or (taken == 6 and rest[0].epoch == 1)
        assert all(type(b.data) is spool.Array for b in rest)
        assert [b.ids.tolist() for b in loop] == want[taken:], "the loader itself does not continue"
    unused = way(made())
    assert [b.ids.tolist() for b in unused] == want


def test_loaders_of_other_kinds(testdata: Path) -> None:
    clips = spool.VideoLoader([testdata / "video/bframes.mp4"] * 3, batch=1, frames=2, size=8)
    next(iter(clips))
    assert [b.index for b in through_pickle(clips)] == [1, 2]
    audio = spool.AudioLoader([testdata / "audio/s16.wav"] * 3, batch=1, duration=0.1)
    assert [b.index for b in through_pickle(audio)] == [0, 1, 2]
    drawn = spool.ImageLoader(testdata / "photos", sampler=[3, 1, 2], batch=1, size=8)
    next(iter(drawn))
    assert [b.ids.tolist() for b in through_pickle(drawn)] == [[1], [2]]
    weighed = spool.ImageLoader(testdata / "photos", weights=np.arange(44), draws=5, batch=5, size=8)
    assert next(iter(through_pickle(weighed))).ids.tolist() == next(iter(weighed)).ids.tolist()
    shared = spool.ImageLoader(testdata / "photos", rank=1, world=2, batch=5, size=8)
    assert through_pickle(shared).rank == (1, 2)


def test_loaders_without_a_state(testdata: Path) -> None:
    loader = spool.ImageLoader(testdata / "photos", order="any", batch=8, size=8)
    assert len(list(through_pickle(loader))) == 6
    list(loader)
    with pytest.raises(ValueError, match="order=any: a state needs exact order"):
        pickle.dumps(loader)
    loader.close()
    with pytest.raises(spool.ClosedError):
        pickle.dumps(loader)


WORKERS = """
import json, multiprocessing, queue, sys
import spool

folder = sys.argv[2]

def batches(loader, answers):
    for batch in loader:
        answers.put(batch)
    answers.put(None)

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    loader = spool.ImageLoader(folder, batch=16, size=8, seed=1, shuffle=True)
    answers = context.Queue()
    worker = context.Process(target=batches, args=(loader, answers))
    worker.start()
    got = list(iter(lambda: answers.get(timeout=50), None))
    worker.join()
    assert worker.exitcode == 0
    want = list(loader)  # the parent's first use
    assert all((a.images == b.images).all() and a.names == b.names for a, b in zip(got, want, strict=True))
    print(json.dumps([b.index for b in got]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_batches_of_workers(python: Python, testdata: Path, way: str) -> None:
    """A loader is sent to a worker, its batches are sent back, and then the parent uses its own."""
    filters = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
    assert python(WORKERS, way, str(testdata / "photos"), **filters) == [0, 1, 2]
