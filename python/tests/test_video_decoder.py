"""Videos that stay open: torchcodec's and decord's methods, by the documented rules of both, and like lists."""

from __future__ import annotations

import gc
import json
import subprocess
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest
from conftest import within

import spool
from spool import VideoDecoder


@pytest.fixture(scope="module")
def file(testdata: Path) -> Path:
    """22 frames of variable frame rate, 64 x 48."""
    return testdata / "video/vfr.mp4"


@pytest.fixture
def decoder(file: Path) -> VideoDecoder:
    return VideoDecoder(file)


@pytest.fixture(scope="module")
def whole(file: Path) -> spool.FrameBatch:
    return spool.decode_video(file, layout="nchw")


def test_as_a_sequence(decoder: VideoDecoder, whole: spool.FrameBatch) -> None:
    """Indices and slices work like those of a list of the frames."""
    frames = list(whole.data)
    assert len(decoder) == len(frames) == 22
    for i in (0, 21, -1, -22, 7, np.int32(3), True):
        np.testing.assert_array_equal(decoder[i], frames[i])  # type: ignore[index]
    for key in (
        slice(None),
        slice(3, 9),
        slice(-3, None),
        slice(None, None, 5),
        slice(9, 3, -2),
        slice(0, 99),
        slice(5, 5),
    ):
        np.testing.assert_array_equal(decoder[key], np.asarray(frames[key]).reshape(-1, 3, 48, 64))
    for got, want in zip(decoder, frames, strict=True):
        np.testing.assert_array_equal(got, want)
    for i in (22, -23, 10**12):
        with pytest.raises(IndexError, match="the video's frame count is 22"):
            decoder[i]
    for key in ("1", 1.0, None):
        with pytest.raises(TypeError):
            decoder[key]  # type: ignore[index]


def test_frames_by_number(decoder: VideoDecoder, whole: spool.FrameBatch) -> None:
    for indices in ([4, 0, 4, -1], (2,), range(5), np.array([9, 8], np.uint8), []):
        want = np.asarray(indices, int)
        batch = decoder.get_frames_at(indices)
        np.testing.assert_array_equal(batch.data, whole.data[want])
        np.testing.assert_array_equal(batch.pts_seconds, whole.pts_seconds[want])
        np.testing.assert_array_equal(batch.index, whole.index[want])
        np.testing.assert_array_equal(decoder.get_batch(indices), batch.data)
    np.testing.assert_array_equal(decoder.get_frames_in_range(2, 20, 7).index, [2, 9, 16])
    np.testing.assert_array_equal(decoder.get_frames_in_range(-3, 99).index, [19, 20, 21])
    for bad in ([0, 22], [-23]):
        with pytest.raises(IndexError, match="22"):
            decoder.get_frames_at(bad)
    with pytest.raises(TypeError, match="integers"):
        decoder.get_frames_at([0.5])
    with pytest.raises(ValueError, match="one dimension"):
        decoder.get_frames_at([[0]])


def test_frame(decoder: VideoDecoder, whole: spool.FrameBatch) -> None:
    frame = decoder.get_frame_at(-1)
    data, pts, duration = frame
    assert (frame.index, frame.state, frame.shape) == (21, 0, (3, 48, 64))
    assert (pts, duration) == (whole.pts_seconds[-1], whole.duration_seconds[-1])
    np.testing.assert_array_equal(data, whole.data[-1])
    assert "data (shape): (3, 48, 64)" in repr(frame)


def test_batch(whole: spool.FrameBatch) -> None:
    """A batch is accepted where arrays are, without a copy."""
    assert np.shares_memory(np.asarray(whole), whole.data)
    assert np.shares_memory(np.from_dlpack(whole), whole.data)
    assert not np.shares_memory(np.array(whole, copy=True), whole.data)
    assert np.asarray(whole, np.float32).dtype == np.float32
    part = whole[2:5]
    assert isinstance(part, spool.FrameBatch)
    assert part.index.tolist() == [2, 3, 4]
    assert [b.index for b in whole] == list(range(22))
    assert "data (shape): (22, 3, 48, 64)" in repr(whole)


def test_played_at(decoder: VideoDecoder, whole: spool.FrameBatch) -> None:
    """A frame is shown from its begin until the next frame begins."""
    begin, end = decoder.metadata.begin_stream_seconds, decoder.metadata.end_stream_seconds
    for i, (pts, then) in enumerate(zip(whole.pts_seconds, [*whole.pts_seconds[1:], end], strict=True)):
        for t in (pts, (pts + then) / 2, np.nextafter(then, 0)):
            assert decoder.get_frame_played_at(t).index == i
    for outside in (end, begin - 1e-9, float("nan"), float("inf")):
        with pytest.raises(IndexError, match="no frame is shown at"):
            decoder.get_frame_played_at(outside)
    batch = decoder.get_frames_played_at([0.5, 0.0, 0.5])
    np.testing.assert_array_equal(batch.data, [decoder.get_frame_played_at(t).data for t in (0.5, 0.0, 0.5)])


def test_played_in_range(decoder: VideoDecoder, whole: spool.FrameBatch) -> None:
    """By definition, these are the frames that are shown during a part of the window."""
    begin, end = whole.pts_seconds, whole.pts_seconds + whole.duration_seconds
    last = decoder.metadata.end_stream_seconds
    rng = np.random.default_rng(1)
    windows = [
        (0, 0.1),
        (begin[3], begin[7]),
        (begin[3], begin[4]),
        (0.0, last),
        *np.sort(rng.uniform(0, last, (20, 2))),
    ]
    for start, stop in windows:
        want = np.flatnonzero((begin < stop) & (end > start))
        assert decoder.get_frames_played_in_range(start, stop).index.tolist() == want.tolist(), (start, stop)
    empty = decoder.get_frames_played_in_range(0.3, 0.3)
    assert empty.shape == (0, 3, 48, 64)
    for start, stop in ((1, 0.5), (-0.1, 1), (last, last), (0, last + 0.01)):
        with pytest.raises(ValueError, match="_seconds"):
            decoder.get_frames_played_in_range(start, stop)


def test_resampled(decoder: VideoDecoder) -> None:
    """Frame k is the frame that is shown at start + k / fps."""
    for fps in (3.0, 10, 60):
        batch = decoder.get_frames_played_in_range(0.2, 0.8, fps=fps)
        times = 0.2 + np.arange(np.floor(0.6 * fps + 0.5)) / fps
        np.testing.assert_allclose(batch.pts_seconds, times)
        np.testing.assert_allclose(batch.duration_seconds, 1 / fps)
        assert batch.index.tolist() == [decoder.get_frame_played_at(t).index for t in batch.pts_seconds]
    assert len(decoder.get_all_frames()) == 22
    seconds: Any = decoder.metadata.duration_seconds
    assert len(decoder.get_all_frames(fps=10)) == round(seconds * 10)
    for fps in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="fps"):
            decoder.get_all_frames(fps=fps)


def test_metadata(testdata: Path) -> None:
    m = VideoDecoder(testdata / "video/turned.mp4").metadata
    assert (m.width, m.height, abs(m.rotation or 0), m.codec, m.pixel_format) == (48, 64, 90, "h264", "yuv420p")
    assert (m.num_frames, m.num_frames_from_content, m.stream_index, m.media_type) == (25, 25, 0, "video")
    assert m.average_fps == pytest.approx(25)
    assert m.duration_seconds == m.end_stream_seconds - m.begin_stream_seconds
    assert "num_frames: 25" in repr(m)
    late = VideoDecoder(testdata / "video/late.mkv")
    assert late.metadata.begin_stream_seconds > 0
    assert late[0].shape == late.get_frame_played_at(late.metadata.begin_stream_seconds).shape
    with pytest.raises(IndexError):
        late.get_frame_played_at(0.0)


@pytest.mark.parametrize("name", ["hdr.mp4", "full.mp4", "bframes.mp4", "mpeg2.mpg", "mjpeg.mov"])
def test_metadata_is_ffprobes(testdata: Path, name: str) -> None:
    keys = "color_primaries,color_space,color_transfer,sample_aspect_ratio,avg_frame_rate"
    command = [need.command("ffprobe"), "-v", "error", "-of", "json", "-select_streams", "v:0"]
    out = subprocess.check_output([*command, "-show_entries", f"stream={keys}", testdata / "video" / name])
    want = json.loads(out)["streams"][0]
    m = VideoDecoder(testdata / "video" / name).metadata
    assert m.color_primaries == want.get("color_primaries")
    assert m.color_space == want.get("color_space")
    assert m.color_transfer_characteristic == want.get("color_transfer")
    aspect = want.get("sample_aspect_ratio", "0:1").replace(":", "/")
    assert m.pixel_aspect_ratio == (Fraction(aspect) or None)
    assert m.average_fps_from_header == pytest.approx(float(Fraction(want["avg_frame_rate"])))


def test_streams(testdata: Path) -> None:
    first, second = (VideoDecoder(testdata / "video/languages.mkv", stream_index=i) for i in (0, 1))
    assert (first.stream_index, first[0].shape, second.stream_index, second[0].shape) == (
        0,
        (3, 32, 48),
        1,
        (3, 48, 64),
    )
    with pytest.raises(IndexError):
        VideoDecoder(testdata / "video/languages.mkv", stream_index=9)


def test_decords_names(decoder: VideoDecoder, whole: spool.FrameBatch) -> None:
    assert decoder.get_avg_fps() == decoder.metadata.average_fps
    assert decoder.get_key_indices()[0] == 0
    begin, duration = whole.pts_seconds, whole.duration_seconds
    np.testing.assert_array_equal(decoder.get_frame_timestamp(3), [begin[3], begin[3] + duration[3]])
    np.testing.assert_array_equal(decoder.get_frame_timestamp([0, -1])[1], [begin[-1], begin[-1] + duration[-1]])
    assert decoder.get_frame_timestamp(slice(None)).shape == (22, 2)
    with pytest.raises(IndexError, match="22"):
        decoder.get_frame_timestamp([22])


def test_key_frames_are_where_packets_say(testdata: Path) -> None:
    keys = VideoDecoder(testdata / "video/mjpeg.mov").get_key_indices()
    assert keys == list(range(10))


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"dimension_order": "HWC"}, ValueError, "dimension_order"),
        ({"seek_mode": "fast"}, ValueError, "seek_mode"),
        ({"output": "jax"}, ValueError, "output"),
        ({"device": "cuda"}, ValueError, "output=.torch."),
        ({"num_ffmpeg_threads": 1.5}, TypeError, "num_ffmpeg_threads"),
        ({"num_ffmpeg_threads": -1}, ValueError, "threads"),
        ({"transforms": []}, TypeError, "transforms"),
        ({"layout": "nhwc"}, TypeError, "layout"),
        ({"output_dtype": "int8"}, ValueError, "dtype"),
        ({"stream_index": "x"}, TypeError, "stream"),
    ],
)
def test_wrong_arguments(file: Path, options: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        VideoDecoder(file, **options)


def test_arguments(file: Path, whole: spool.FrameBatch) -> None:
    for options in (
        {"seek_mode": "approximate"},
        {"device": "cpu"},
        {"num_ffmpeg_threads": 0},
        {"num_ffmpeg_threads": 2},
    ):
        np.testing.assert_array_equal(VideoDecoder(file, **options)[5], whole.data[5])  # type: ignore[arg-type]
    nhwc = VideoDecoder(file, dimension_order="NHWC", output_dtype=np.float32, size=(24, 32))
    assert (nhwc[5].shape, nhwc[5].dtype, nhwc[:2].shape) == ((24, 32, 3), np.float32, (2, 24, 32, 3))


def test_memory_is_lent_until_the_end(file: Path, whole: spool.FrameBatch) -> None:
    """The decoder keeps the bytes alive, and frames outlive the decoder."""
    decoder = VideoDecoder(bytearray(file.read_bytes()))
    gc.collect()
    frame = decoder[9]
    assert "bytes: 22 frames" in repr(decoder)
    decoder.close()
    decoder.close()
    np.testing.assert_array_equal(frame, whole.data[9])
    for call in (lambda: decoder[0], lambda: decoder.get_frames_at([1]), lambda: decoder.get_key_indices()):
        with pytest.raises(spool.ClosedError):
            call()
    with VideoDecoder(file) as d:
        assert len(d) == 22
    with pytest.raises(ValueError, match="closed"):
        d[0]
    assert "vfr.mp4: 22 frames, 64x48, h264" in repr(d)


def test_nothing_is_left(file: Path) -> None:
    """Decoders that were closed or garbage collected leak nothing, also in a cycle."""
    VideoDecoder(file)[0]  # fills the cache of specs, which is not tested here
    before = counts()
    for i in range(20):
        decoder = VideoDecoder(file)
        frames = [decoder[0], *decoder[2:4]]
        if i % 3 == 0:
            decoder.close()
        elif i % 3 == 1:
            decoder.me = decoder  # type: ignore[attr-defined]
    ended = weakref.ref(decoder)
    del decoder, frames
    gc.collect()
    assert ended() is None
    assert counts() == before


def counts() -> dict[str, int]:
    """Return how many handles and arrays C holds."""
    gc.collect()
    return {k: v for k, v in spool.stats().items() if k in ("handles", "arrays")}


def test_many_threads_with_one(file: Path, whole: spool.FrameBatch) -> None:
    decoder = VideoDecoder(file)
    numbers = np.random.default_rng(2).integers(0, 22, (60, 3))
    with ThreadPoolExecutor(8) as pool:
        for wanted, batch in zip(numbers, pool.map(decoder.get_frames_at, numbers), strict=True):
            np.testing.assert_array_equal(batch.data, whole.data[wanted])


def test_closed_while_others_use_it(file: Path) -> None:
    """Calls of other threads complete, or raise ClosedError."""
    for _ in range(10):
        decoder = VideoDecoder(file)
        started = threading.Barrier(4)

        def use(decoder: VideoDecoder = decoder, started: threading.Barrier = started) -> int:
            started.wait()
            done = 0
            try:
                while True:
                    assert decoder[done % 22].shape == (3, 48, 64)
                    done += 1
            except spool.ClosedError:
                return done

        with ThreadPoolExecutor(3) as pool:
            uses = [pool.submit(use) for _ in range(3)]
            started.wait()
            decoder.close()
            assert all(u.result(timeout=60) >= 0 for u in uses)


def test_ctrl_c(python: Callable[..., Any], testdata: Path) -> None:
    """Ctrl-C ends a long decode, and the library stays usable."""
    told = python(
        f"""
import json, pathlib, signal, time, spool
data = pathlib.Path({str(testdata / "video/raw.h264")!r}).read_bytes()
spool.decode_video(data)  # imports NumPy, which must not be interrupted
signal.setitimer(signal.ITIMER_REAL, 0.3)
signal.signal(signal.SIGALRM, signal.default_int_handler)
begun = time.monotonic()
try:
    spool.decode_video(data * 5000, size=64)
    said = "not interrupted"
except KeyboardInterrupt:
    said = "interrupted"
took = time.monotonic() - begun
print(json.dumps([said, took, len(spool.decode_video(data))]))
"""
    )
    assert told[0] == "interrupted"
    within(told[1], 5)  # uninterrupted, it takes about a minute
    assert told[2] == 25


def test_exit_with_a_decoder(python: Callable[..., Any], file: Path) -> None:
    """An interpreter exits cleanly with open decoders, one of which decodes in a daemon thread."""
    told = python(
        f"""
import json, threading, spool

kept = spool.VideoDecoder({str(file)!r})
busy = spool.VideoDecoder({str(file)!r})
running = threading.Event()

def work():
    while True:
        busy[0]
        running.set()

threading.Thread(target=work, daemon=True).start()
running.wait()
print(json.dumps(len(kept)))
"""
    )
    assert told == 22
