"""Decoding frames in one call: choice of frames, output, and errors."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest
from conftest import ROOT

import spool
from spool import decode_video


class OnlyReads:
    """A file with no more methods than torchcodec asks for."""

    def __init__(self, path: Path) -> None:
        self._file = io.BytesIO(path.read_bytes())

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, 1000))

    def seek(self, offset: int, whence: int) -> int:
        return self._file.seek(offset, whence)


class Tensor:
    """A tensor of its type that has DLPack."""

    def __init__(self, data: Any) -> None:
        self.dtype, self.__dlpack_device__ = f"torch.{data.dtype}", data.__dlpack_device__
        self._data = data

    def __dlpack__(self, **options: Any) -> Any:
        return self._data.__dlpack__(**options)


@pytest.fixture(scope="module")
def video(testdata: Path) -> Path:
    """25 frames with B-frames at 25 a second, 64 x 48."""
    return testdata / "video/bframes.mp4"


@pytest.fixture(scope="module")
def whole(video: Path) -> spool.FrameBatch:
    return decode_video(video)


def test_all_frames(whole: spool.FrameBatch) -> None:
    assert (whole.shape, whole.dtype, whole.ndim, len(whole)) == ((25, 48, 64, 3), np.uint8, 4, 25)
    assert whole.index.tolist() == list(range(25))
    assert not whole.state.any()
    np.testing.assert_allclose(np.diff(whole.pts_seconds), 0.04, atol=1e-9)
    np.testing.assert_allclose(whole.duration_seconds, 0.04, atol=1e-9)


@pytest.mark.parametrize(
    ("choice", "frames"),
    [
        ({"frames": [3, 0, 24, 3]}, [3, 0, 24, 3]),
        ({"frames": np.array([5, 4])}, [5, 4]),
        ({"range": (2, 9, 3)}, [2, 5, 8]),
        ({"range": range(1, 3)}, [1, 2]),
        ({"range": "0:25:10"}, [0, 10, 20]),
        ({"times": [0.5, 0.0, 0.079]}, [12, 0, 1]),
        ({"times": 0.96}, [24]),
        ({"start": 0.1, "end": 0.2}, [3, 4]),
        ({"start": 0.9}, [23, 24]),
        ({"end": 0.04}, [0]),
        ({"start": 7.0}, []),
        ({"sample": 3}, [4, 12, 20]),
        ({"sample": 50}, [i // 2 for i in range(50)]),
    ],
)
def test_chosen_frames(video: Path, whole: spool.FrameBatch, choice: Any, frames: list[int]) -> None:
    """Chosen frames equal those of the whole video, with their times."""
    clip = decode_video(video, **choice)
    assert clip.index.tolist() == frames
    np.testing.assert_array_equal(clip, whole.data[frames])
    np.testing.assert_array_equal(clip.pts_seconds, whole.pts_seconds[frames])
    np.testing.assert_array_equal(clip.duration_seconds, whole.duration_seconds[frames])


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(lambda path: path, id="path"),
        pytest.param(str, id="str"),
        pytest.param(Path.read_bytes, id="bytes"),
        pytest.param(lambda path: bytearray(path.read_bytes()), id="bytearray"),
        pytest.param(lambda path: memoryview(path.read_bytes()), id="memoryview"),
        pytest.param(lambda path: io.BytesIO(path.read_bytes()), id="file"),
        pytest.param(lambda path: np.fromfile(path, np.uint8), id="array"),
        pytest.param(lambda path: Tensor(np.fromfile(path, np.uint8)), id="tensor"),
        pytest.param(OnlyReads, id="read and seek"),
    ],
)
def test_sources(video: Path, whole: spool.FrameBatch, source: Callable[[Path], Any]) -> None:
    np.testing.assert_array_equal(decode_video(source(video), frames=[7]).data[0], whole.data[7])


def test_out(video: Path, whole: spool.FrameBatch) -> None:
    out = np.empty((2, 48, 64, 3), np.uint8)
    clip = decode_video(video, frames=[3, 8], out=out)
    assert clip.data is out
    np.testing.assert_array_equal(out, whole.data[[3, 8]])
    assert clip.index.tolist() == [3, 8]

    room = np.empty((4, 48, 64, 3), np.float32)
    clip = decode_video(video, frames=[3], out=room[2:3], dtype="float32")
    np.testing.assert_array_equal(room[2], whole.data[3].astype(np.float32) / np.float32(255))


@pytest.mark.parametrize(
    ("out", "error", "text"),
    [
        (np.empty((2, 48, 64, 3), np.float32), ValueError, "out|bytes"),
        (np.empty((2, 48, 64, 3), np.int8), ValueError, "int8"),
        (np.empty((1, 48, 64, 3), np.uint8), ValueError, "bytes"),
        (np.empty((2, 64, 48, 3), np.uint8), ValueError, r"\(2, 48, 64, 3\)"),
        (np.empty((2, 48, 3, 64), np.uint8).swapaxes(2, 3), ValueError, "C order"),
        (np.broadcast_to(np.uint8(0), (2, 48, 64, 3)), ValueError, "out"),
        (b"x" * 18432, ValueError, "read-only"),
        (5, TypeError, "out"),
    ],
)
def test_wrong_out(video: Path, out: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        decode_video(video, frames=[3, 8], out=out)


@pytest.mark.parametrize(
    ("options", "error", "texts"),
    [
        ({"frames": [0], "sample": 3}, ValueError, ["frames and sample exclude"]),
        ({"size": "0x3", "mode": "round", "sample": 0}, ValueError, ["size=0x3", "mode=round", "sample=0"]),
        ({"frames": 3}, TypeError, ["frames", "sequence"]),
        ({"frames": [1.5]}, TypeError, ["frames"]),
        ({"frames": [-1]}, ValueError, ["frames"]),
        ({"range": (0, 3, 0)}, ValueError, ["range=0:3:0"]),
        ({"range": 5}, TypeError, ["range"]),
        ({"times": "soon"}, TypeError, ["times"]),
        ({"start": 3, "end": 2}, ValueError, ["start", "end"]),
        ({"threads": 0}, ValueError, ["threads"]),
        ({"colour": "rgb"}, TypeError, ["colour"]),
        ({"on_damage": "ignore"}, ValueError, ["on_damage=ignore", "skip"]),
        ({"codec_option": "x"}, TypeError, ["codec_option"]),
    ],
)
def test_wrong_arguments(video: Path, options: Any, error: type[Exception], texts: list[str]) -> None:
    with pytest.raises(error) as raised:
        decode_video(video, **options)
    for text in texts:
        assert text in str(raised.value)
    assert not isinstance(raised.value, spool.Error)


def test_wrong_source(video: Path) -> None:
    with pytest.raises(TypeError, match="src"):
        decode_video(5)  # type: ignore[arg-type]
    with video.open("r", encoding="latin-1") as text, pytest.raises(TypeError, match="binary reading"):
        decode_video(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="uint8"):
        decode_video(Tensor(np.zeros(9, np.int16)))
    with pytest.raises(FileNotFoundError) as missing:
        decode_video(video.with_name("missing.mp4"))
    assert missing.value.file.endswith("missing.mp4")  # type: ignore[attr-defined]
    for data, kind in ((b"", "empty"), (b"no video at all", "not-media")):
        with pytest.raises(spool.DecodeError) as bad:
            decode_video(data)
        assert bad.value.error_class == kind


def test_beyond_the_end(video: Path) -> None:
    for choice in ({"frames": [0, 25]}, {"range": (0, 26)}):
        with pytest.raises(IndexError, match="25") as beyond:
            decode_video(video, **choice)  # type: ignore[arg-type]
        assert isinstance(beyond.value, spool.DecodeError)
        assert beyond.value.error_class == "no-such-frame"
    with pytest.raises(IndexError):
        decode_video(video, times=[1.0])
    with pytest.raises(IndexError):
        decode_video(video, stream=4)


def test_limits(video: Path) -> None:
    with pytest.raises(spool.DecodeError) as large:
        decode_video(video, max_memory="10KiB")
    assert large.value.error_class == "too-large"


def test_damage(testdata: Path) -> None:
    """Damaged frames raise an error, are marked, or are replaced by the last good frame."""
    file = testdata / "video/damaged.mp4"
    with pytest.raises(spool.DecodeError) as refused:
        decode_video(file)
    assert refused.value.error_class == "corrupt"
    assert refused.value.file == str(file)

    skipped = decode_video(file, on_damage="skip")
    assert set(skipped.state.tolist()) == {0, 1}
    repeated = decode_video(file, on_damage="repeat")
    bad = np.flatnonzero(repeated.state == 2)
    assert bad.size
    for i in bad:
        last = np.flatnonzero(repeated.state[:i] == 0)[-1]
        np.testing.assert_array_equal(repeated.data[i], repeated.data[last])


def test_skipped_frames_are_left_out(testdata: Path) -> None:
    """If a video lacks a packet, only the delivered frames are returned, also in the caller's memory."""
    file = testdata / "video/refresh.ts"
    states = decode_video(file, on_damage="repeat", fill="#ff0000").state
    kept = decode_video(file, on_damage="skip")
    assert 3 not in kept.state
    assert len(kept) == (states != 3).sum()
    out = np.zeros((len(states), *kept.shape[1:]), np.uint8)
    into = decode_video(file, on_damage="skip", out=out)
    np.testing.assert_array_equal(into, kept)
    assert np.shares_memory(into.data, out)


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--size", "32x20"], {"size": (20, 32)}),
        (["--size", "40x40", "--mode", "fit", "--pad-color", "#102030"],
         {"size": 40, "mode": "fit", "pad_color": "#102030"}),
        (["--resize-shorter", "24", "--crop", "20x22", "--filter", "bicubic"],
         {"resize_shorter": 24, "crop": (22, 20), "filter": "bicubic"}),
        (["--size", "32x32", "--profile", "fast"], {"size": 32, "profile": "fast"}),
        (["--dtype", "float32", "--mean", "0.5", "--std", "0.25,0.5,1", "--layout", "nchw"],
         {"dtype": np.float32, "mean": 0.5, "std": (0.25, 0.5, 1), "layout": "nchw"}),
        (["--color", "gray", "--orient=false"], {"color": "gray", "orient": False}),
        (["--color", "index"], {"color": "index"}),
        (["--planes", "planar"], {"planes": "planar"}),
        (["--chroma", "bilinear"], {"chroma": "bilinear"}),
        (["--filters", "hflip,crop=20:16", "--size", "8x8"], {"filters": "hflip,crop=20:16", "size": 8}),
        (["--threads", "2", "--codec", "h264", "--codec-option", "flags=+output_corrupt"],
         {"threads": 2, "codec": "h264", "codec_option": {"flags": "+output_corrupt"}}),
    ],
)  # fmt: skip
def test_options(testdata: Path, tmp_path: Path, flags: list[str], options: Any) -> None:
    """Options mean the same as the command's flags."""
    file = testdata / "video/turned.mp4"
    _, pixels, _ = command(tmp_path, file, "--frames", "3,11", *flags)
    np.testing.assert_array_equal(decode_video(file, frames=[3, 11], **options), pixels)


def test_filters_with_files(testdata: Path, tmp_path: Path) -> None:
    """A filter of frames opens a file only if the caller allows it, and never in a helper."""
    table = tmp_path / "black.cube"
    table.write_text("LUT_3D_SIZE 2\n" + "0 0 0\n" * 8)
    file, filters = testdata / "video/bframes.mp4", f"format=rgb24,lut3d=file={table}"
    with pytest.raises(ValueError, match="the option file of the filter lut3d, which opens a file"):
        decode_video(file, frames=[3], filters=filters)
    black = decode_video(file, frames=[3], filters=filters, filter_files=True)
    assert not np.asarray(black).any()
    decoder = spool.VideoDecoder(file, filters=filters, filter_files=True)
    assert not np.asarray(decoder[3]).any()
    with pytest.raises(ValueError, match="helpers open no files"):
        decode_video(file, frames=[3], filters=filters, filter_files=True, isolate="all")
    pixels = command(tmp_path, file, "--frames", "3", "--filters", filters, "--filter-files")[1]
    assert not pixels.any()


def command(folder: Path, file: Path, *flags: str) -> tuple[str, Any, Any]:
    """Decode with the command, and return the class of its error, the pixels and the times."""
    spool_command = ROOT / "bin" / "spool"
    out, times = folder / "out.npy", folder / "pts.json"
    ended = subprocess.run(
        [spool_command, "decode", "video", file, "--out", out, "--pts-out", times, *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        return ended.stderr.strip().splitlines()[-1].split(": ")[2], None, None
    return "", np.load(out), json.loads(times.read_text())


@pytest.mark.slow
def test_every_video_is_the_commands(testdata: Path, tmp_path: Path) -> None:
    good = bad = 0
    for file in sorted((testdata / "video").iterdir()):
        error, pixels, times = command(tmp_path, file)
        if error:
            with pytest.raises(spool.DecodeError) as refused:
                decode_video(file)
            assert refused.value.error_class == error, file
            bad += 1
            continue
        clip = decode_video(file)
        np.testing.assert_array_equal(clip, pixels, err_msg=file.name)
        assert clip.index.tolist() == times["index"], file
        np.testing.assert_array_equal(clip.pts_seconds, times["pts"])
        np.testing.assert_array_equal(clip.duration_seconds, times["duration"])
        good += 1
    assert (good >= 25, bad >= 2) == (True, True)


@pytest.mark.parametrize("name", ["bframes.mp4", "full.mp4", "mpeg4.avi", "opengop.mp4", "av1.mkv"])
def test_pixels_are_ffmpegs(testdata: Path, name: str) -> None:
    raw = subprocess.run(
        [need.command("ffmpeg"), "-v", "error", "-i", testdata / "video" / name, "-fps_mode", "passthrough",
         "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    clip = decode_video(testdata / "video" / name)
    np.testing.assert_array_equal(clip, np.frombuffer(raw, np.uint8).reshape(clip.shape))


@pytest.mark.slow
def test_every_shared_video(shared: Path) -> None:
    """The number, size and times of frames, and some frames, are torchcodec's."""
    compared = 0
    for name, want in json.loads((shared / "expected/index.json").read_text()).items():
        if want.get("kind") != "video" or want.get("pts") is None:
            continue
        with spool.VideoDecoder(shared / name, dimension_order="NHWC") as decoder:
            m = decoder.metadata
            assert (len(decoder), m.width, m.height, m.codec) == (
                want["frames"],
                want["width"],
                want["height"],
                want["codec"],
            )
            times = decoder.get_frame_timestamp(slice(None))[:, 0]
            np.testing.assert_allclose(times, want["pts"], atol=1e-6, err_msg=name)
        clip = decode_video(shared / name, frames=want["frames_at"])
        expected = np.load(shared / "expected" / want["frames_npy"])
        off = np.abs(clip.data[:, :: want["stride"], :: want["stride"]].astype(int) - expected)
        assert off.mean() <= 1, name
        assert off.max() == 0 or m.pixel_format != "yuv420p", name
        compared += 1
    assert compared >= 25


def test_batches_of_ones_own() -> None:
    """A batch needs only what torchcodec's has. The rest is known to be unknown."""
    made = spool.FrameBatch(np.zeros((2, 5, 3, 4, 6)), np.arange(10.0).reshape(2, 5), np.ones((2, 5)))
    assert (made[1].index.tolist(), made[1].state.tolist()) == ([-1] * 5, [0] * 5)
    assert [clip.pts_seconds.tolist() for clip in made] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert made[1].frame(2).pts_seconds == 7
    assert spool.Frame(np.zeros((3, 4, 6)), 1.0, 0.5).index == -1
    with pytest.raises(ValueError, match="different frames"):
        spool.FrameBatch(np.zeros((2, 3, 4, 6)), np.zeros(3), np.zeros(3))


def test_work(testdata: Path) -> None:
    """A batch has what it took to decode it: the packets of its GOPs, and the damaged ones."""
    file = testdata / "video/vfr.mp4"
    whole = decode_video(file)
    assert whole.work is not None
    assert whole.work == {"read": 22, "decoded": 22, "skipped": 0, "seeks": whole.work["seeks"], "damaged": 0}
    with spool.VideoDecoder(file) as decoder:
        first = decoder.get_frame_at(0), decoder.get_frames_at([0])
        assert first[1].work is not None
        assert 0 < first[1].work["read"] < 22
        assert decoder.get_all_frames(fps=2).work is not None
    assert whole[:2].work is None
    damaged = decode_video(testdata / "video/damaged.mp4", on_damage="skip").work
    assert damaged is not None
    assert damaged["damaged"] > 0
