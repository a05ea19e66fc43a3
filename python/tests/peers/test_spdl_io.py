"""spool.spdl.io beside spdl.io: the same calls, and SPDL's results as the reference."""

from __future__ import annotations

import io
import pickle
import tarfile
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
import spdl.io as theirs
import torch

import spool
import spool.spdl.io as ours

MEDIA = pages.ROOT / "testdata"
VIDEO = str(MEDIA / "video/bframes.mp4")
WAV = str(MEDIA / "audio/s16.wav")
PHOTOS = sorted(str(f) for f in MEDIA.glob("photos/*/*.jpg"))[:6]


def both(call: Callable[[Any], Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the results of a call of spool and of SPDL, as arrays."""
    return np.asarray(ours.to_numpy(call(ours))), np.asarray(theirs.to_numpy(call(theirs)))


VIDEO_FILTERS: dict[str, dict[str, Any]] = {
    "pad": {"scale_width": 40, "scale_height": 40},
    "crop": {"scale_width": 40, "scale_height": 40, "scale_mode": "crop"},
    "stretch": {"scale_width": 40, "scale_height": 20, "scale_mode": None, "scale_algo": "bilinear"},
    "center": {"crop_width": 20, "crop_height": 10},
    "gray": {"pix_fmt": "gray"},
    "rate": {"frame_rate": (5, 1)},
    "repeat": {"num_frames": 40},
    "color": {"num_frames": 40, "pad_mode": "red"},
    "short": {"num_frames": 3, "filter_desc": "hflip"},
}


@pytest.mark.parametrize("name", VIDEO_FILTERS)
def test_filters_of_video(name: str) -> None:
    arguments = VIDEO_FILTERS[name]
    described = ours.get_video_filter_desc(**arguments)
    assert described == theirs.get_video_filter_desc(**arguments)
    got, want = both(lambda module: module.load_video(VIDEO, filter_desc=str(described)))
    if name != "gray":  # a plain description does not say its pixel format, and frames are RGB
        np.testing.assert_array_equal(got, want)
    got, want = both(lambda module: module.load_video(VIDEO, filter_desc=module.get_video_filter_desc(**arguments)))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("timestamp", [None, (0.0, 0.5), (0.25, 0.75), ("0.1", "0.3"), (100, 200)])
def test_windows_of_video(timestamp: Any) -> None:
    mine, other = (module.demux_video(VIDEO, timestamp=timestamp) for module in (ours, theirs))
    assert len(mine) == len(other)
    np.testing.assert_allclose(mine.get_timestamps(), other.get_timestamps())
    assert (mine.width, mine.height, mine.pix_fmt) == (other.width, other.height, other.pix_fmt)
    if len(mine) == 0:
        return
    decoded = ours.decode_packets(pickle.loads(pickle.dumps(mine)))
    reference = theirs.decode_packets(other)
    np.testing.assert_allclose(decoded.get_timestamps(), reference.get_timestamps())
    assert (decoded.width, decoded.height) == (reference.width, reference.height)
    np.testing.assert_array_equal(ours.convert_frames(decoded), theirs.to_numpy(theirs.convert_frames(reference)))


def test_frames_are_indexed_as_in_spdl() -> None:
    mine = ours.decode_packets(ours.demux_video(VIDEO))
    other = theirs.decode_packets(theirs.demux_video(VIDEO))
    for key in (0, 5, slice(1, 8, 3), [4, 2]):
        got, want = ours.convert_frames(mine[key]), theirs.to_numpy(theirs.convert_frames(other[key]))
        np.testing.assert_array_equal(got, want)
    with pytest.raises(IndexError):
        mine[len(mine)]


def test_sampled_frames() -> None:
    got = ours.sample_decode_video(ours.demux_video(VIDEO, timestamp=(0.2, 0.9)), [0, 3, 5])
    want = theirs.sample_decode_video(
        theirs.demux_video(VIDEO, timestamp=(0.2, 0.9)), [0, 3, 5], filter_desc=theirs.get_video_filter_desc()
    )
    for mine, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine.data, theirs.to_numpy(theirs.convert_frames(other)))
    for wrong, error in (([], ValueError), ([3, 1], ValueError), ([1, 1], ValueError), ([10_000], IndexError)):
        for module in (ours, theirs):
            with pytest.raises(error):
                module.sample_decode_video(module.demux_video(VIDEO), wrong)


AUDIO_FILTERS: dict[str, dict[str, Any]] = {
    "planar": {"sample_fmt": "s16p"},
    "interleaved": {"sample_fmt": "s32"},
    "mono": {"num_channels": 1},
    "rate": {"sample_rate": 8000},
    "silence": {"num_frames": 100_000},
    "short": {"num_frames": 1000},
}


@pytest.mark.parametrize("name", AUDIO_FILTERS)
def test_filters_of_audio(name: str) -> None:
    described = ours.get_audio_filter_desc(**AUDIO_FILTERS[name])
    assert described == theirs.get_audio_filter_desc(**AUDIO_FILTERS[name])
    got, want = both(
        lambda module: module.load_audio(WAV, filter_desc=module.get_audio_filter_desc(**AUDIO_FILTERS[name]))
    )
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("timestamp", [None, (0.05, 0.15)])
def test_audio(timestamp: tuple[float, float] | None) -> None:
    got, want = both(lambda module: module.load_audio(Path(WAV).read_bytes(), timestamp))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_stored_samples() -> None:
    """A window is exact here. SPDL gives whole packets if there are no filters."""
    got, want = both(lambda module: module.load_audio(Path(WAV).read_bytes(), filter_desc=None))
    assert got.dtype == want.dtype == np.int16
    np.testing.assert_array_equal(got, want)
    with wave.open(WAV) as file:
        rate = file.getframerate()
    part = ours.load_audio(WAV, (0.05, 0.15), filter_desc=None)
    np.testing.assert_array_equal(part, want[int(0.05 * rate) : int(0.15 * rate)])


def test_wav() -> None:
    for window in ((None, None), (0.05, 0.1)):
        got, want = both(lambda module: module.load_wav(Path(WAV).read_bytes(), *window))  # noqa: B023
        np.testing.assert_array_equal(got, want)
    for wrong in ((-1.0, None), (0.0, 100.0)):
        with pytest.raises(ValueError, match="time_offset_seconds"):
            ours.load_wav(Path(WAV).read_bytes(), *wrong)


def test_images_have_spdls_shapes_and_torchvisions_pixels() -> None:
    described = ours.get_video_filter_desc(scale_width=40, scale_height=40, crop_width=20, crop_height=30)
    gray = ours.get_video_filter_desc(scale_width=48, scale_height=32, scale_mode=None, pix_fmt="gray")
    for call in (
        lambda module: module.load_image(PHOTOS[0]),
        lambda module: module.load_image_batch(PHOTOS, width=48, height=32),
        lambda module: module.load_image_batch(PHOTOS, width=None, height=None, filter_desc=gray),
        lambda module: module.load_image_batch(PHOTOS, width=None, height=None, filter_desc=described),
        lambda module: module.load_image_batch([*PHOTOS, __file__], width=64, height=64, strict=False),
    ):
        got, want = both(call)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert abs(got.astype(int) - want).mean() < 12  # FFmpeg's JPEG, beside libjpeg-turbo's
    np.testing.assert_array_equal(ours.load_image(PHOTOS[0]), spool.decode_image(PHOTOS[0], orient=False))
    for module in (ours, theirs):
        with pytest.raises(Exception, match=r".+"):
            module.load_image_batch([*PHOTOS, __file__], width=8, height=8)


def test_decode_in_steps() -> None:
    """As in SPDL's example multi_thread_preprocessing."""
    described = ours.get_video_filter_desc(scale_width=16, scale_height=16)
    frames = [ours.decode_packets(ours.demux_image(path), filter_desc=described) for path in PHOTOS]
    tensor = ours.to_torch(ours.convert_frames(frames))
    assert tensor.shape == (len(PHOTOS), 16, 16, 3)
    assert tensor.dtype == torch.uint8


def test_arrays_and_archives() -> None:
    arrays = {"a": np.arange(12).reshape(3, 4), "f": np.asfortranarray(np.ones((2, 3), np.float32)), "0": np.array(7)}
    for array in arrays.values():
        file = io.BytesIO()
        np.save(file, array)
        got, want = ours.load_npy(file.getvalue()), theirs.load_npy(file.getvalue())
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
        assert not got.flags.writeable
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    got, want = ours.load_npz(file.getvalue()), theirs.load_npz(file.getvalue())
    assert set(got) == set(arrays) == {name.removesuffix(".npy") for name in want}
    np.testing.assert_array_equal(got["a"], want["a"])
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        tar.add(MEDIA / "audio", arcname="audio")
    archive = file.getvalue()
    for src in (archive, io.BytesIO(archive)):
        mine = [(name, bytes(content)) for name, content in ours.iter_tarfile(src)]
        if not isinstance(src, bytes):
            src.seek(0)
        assert mine == [(name, bytes(content)) for name, content in theirs.iter_tarfile(src)]
        assert len(mine) > 3


def test_streams() -> None:
    mine, other = ours.Demuxer(VIDEO), theirs.Demuxer(VIDEO)
    assert mine.has_audio() == other.has_audio()
    assert mine.video_stream_index == other.video_stream_index
    assert len(mine.demux_video((0, 0.5))) == len(other.demux_video((0, 0.5)))


def test_each_name_of_spdl_is_there_or_has_an_alternative() -> None:
    names = {name for name in dir(theirs) if not name.startswith("_")} - {"ArrayInterface", "CUDAArrayInterface"}
    for name in sorted(names - set(ours.__all__)):
        with pytest.raises(NotImplementedError, match=f"{name} is not offered; use "):
            getattr(ours, name)()
    with pytest.raises(AttributeError):
        ours.no_such_name  # noqa: B018


def test_what_is_not_offered_says_so() -> None:
    for call, text in (
        (lambda: ours.load_image(PHOTOS[0], filter_desc="hflip"), "spool.decode_image"),
        (lambda: ours.load_image(PHOTOS[0], filter_desc=ours.get_video_filter_desc(num_frames=3)), "num_frames"),
        (lambda: ours.load_video(VIDEO, filter_desc=None), "planes"),
        (lambda: ours.load_video(VIDEO, filter_desc=ours.get_video_filter_desc(pix_fmt="yuv420p")), "pix_fmt"),
        (lambda: ours.load_audio(MEDIA / "audio/mp3.mp3", filter_desc=None), "PCM"),
        (lambda: ours.get_video_filter_desc(scale_mode="stretch"), "scale_mode"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    for call in (
        lambda: ours.load_video(VIDEO, demux_config=1),  # type: ignore[arg-type]
        lambda: ours.convert_frames([], storage=1),  # type: ignore[arg-type]
        lambda: ours.cuda_config(0, stream=2),
        lambda: ours.Demuxer(VIDEO).streaming_demux([0], duration=1),
        lambda: ours.utils.tracing("a"),
    ):
        with pytest.raises(NotImplementedError, match="use "):
            call()
    with ours.utils.tracing("a", enable=False), ours.utils.trace_event("b"):
        pass
