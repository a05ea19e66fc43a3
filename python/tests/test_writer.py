"""Files of video and audio that spool writes, as the ffmpeg command reads them."""

from __future__ import annotations

import json
import subprocess
import threading
import wave
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool


def raw(file: Path, *arguments: str) -> bytes:
    """Return what ffmpeg decodes."""
    command = [need.command("ffmpeg"), "-v", "error", "-i", str(file), *arguments, "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def streams(file: Path) -> list[dict[str, Any]]:
    """Return what ffprobe says of the streams."""
    command = [need.command("ffprobe"), "-v", "error", "-show_streams", "-of", "json", str(file)]
    found: list[dict[str, Any]] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["streams"]
    return found


def noise(*shape: int, dtype: Any = np.uint8) -> Any:
    return np.random.default_rng(1).integers(0, 256, shape).astype(dtype)


def test_video(tmp_path: Path) -> None:
    """A lossless codec keeps the bytes, whatever the calls that the frames come in."""
    frames, file = noise(7, 20, 30, 3), tmp_path / "a.mkv"
    with spool.MediaWriter(file, size=(20, 30), fps=10, codec="ffv1") as writer:
        writer.write_frames(frames[:3])
        writer.write_frames(frames[3])
        writer.write_frames(frames[4:][:, :, ::-1][:, :, ::-1])
        assert not file.exists()
    assert raw(file, "-pix_fmt", "rgb24", "-f", "rawvideo") == frames.tobytes()
    assert streams(file)[0]["r_frame_rate"] == "10/1"


def test_gray16(tmp_path: Path) -> None:
    frames, file = noise(2, 8, 8, dtype=np.uint16) * 257, tmp_path / "a.mkv"
    with spool.MediaWriter(file, size=8, pixels="gray16", codec="ffv1", stored="gray16le") as writer:
        for frame in frames:
            writer.write_frames(frame)
    assert raw(file, "-pix_fmt", "gray16le", "-f", "rawvideo") == frames.tobytes()


def test_timed(tmp_path: Path) -> None:
    file = tmp_path / "a.mkv"
    with spool.MediaWriter(file, size=8, codec="ffv1", timed=True) as writer:
        writer.write_frames(noise(3, 8, 8, 3), [0, 0.1, 0.5])
        writer.write_frames(noise(8, 8, 3), [2])
        with pytest.raises(ValueError, match=r"seconds: the shape is \(2,\), must be \(1,\)"):
            writer.write_frames(noise(8, 8, 3), [3, 4])
    command = [need.command("ffprobe"), "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", str(file)]
    times = subprocess.run(command, check=True, capture_output=True, text=True).stdout.replace(",", "").split()
    assert [float(t) for t in times] == [0, 0.1, 0.5, 2]


@pytest.mark.parametrize("layout", ["ct", "tc"])
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_audio(tmp_path: Path, dtype: str, layout: Any) -> None:
    """16-bit samples in a WAV file, read by Python's own module."""
    samples = (noise(2, 1000).astype(np.int16) - 128) * 200
    given = samples / np.float32(32768) if dtype == "float32" else samples
    with spool.MediaWriter(
        tmp_path / "a.wav", rate=8000, channels=2, dtype=dtype, layout=layout, audio_codec="pcm_s16le"
    ) as writer:
        writer.write_samples((given if layout == "ct" else given.T).astype(dtype))
    with wave.open(str(tmp_path / "a.wav")) as read:
        assert read.getparams()[:4] == (2, 2, 8000, 1000)
        assert read.readframes(1000) == samples.T.tobytes()


def test_both(tmp_path: Path) -> None:
    """Video and audio in one file; audio of one channel may be an array of one dimension."""
    with spool.MediaWriter(
        tmp_path / "a.mkv", size=16, codec="ffv1", rate=8000, audio_codec="flac", dtype="int16"
    ) as writer:
        for i in range(5):
            writer.write_frames(noise(5, 16, 16, 3))
            writer.write_samples(np.full(1600, i, np.int16))
    assert [s["codec_name"] for s in streams(tmp_path / "a.mkv")] == ["ffv1", "flac"]
    got = np.frombuffer(raw(tmp_path / "a.mkv", "-f", "s16le"), np.int16)
    assert got.tolist() == np.repeat(np.arange(5), 1600).tolist()


def test_memory() -> None:
    writer = spool.MediaWriter(rate=8000, format="wav")
    writer.write_samples(np.zeros((1, 80), np.float32))
    file = writer.finish()
    assert file is not None
    assert file[:4] == b"RIFF"
    assert spool.decode_audio(file).shape == (1, 80)
    with pytest.raises(spool.ClosedError):
        writer.write_samples(np.zeros((1, 80), np.float32))


def test_abandoned(tmp_path: Path) -> None:
    """An error in the block removes the file, and an older file stays."""
    file = tmp_path / "a.mkv"
    file.write_bytes(b"old")
    with pytest.raises(KeyError), spool.MediaWriter(file, size=8, codec="ffv1") as writer:
        writer.write_frames(noise(8, 8, 3))
        raise KeyError
    assert [path.name for path in tmp_path.iterdir()] == ["a.mkv"]
    assert file.read_bytes() == b"old"


def test_threads(tmp_path: Path) -> None:
    """Calls of several threads wait for each other."""
    with spool.MediaWriter(tmp_path / "a.mkv", size=8, codec="ffv1") as writer:
        threads = [threading.Thread(target=writer.write_frames, args=(noise(5, 8, 8, 3),)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(spool.VideoDecoder(tmp_path / "a.mkv")) == 30


def test_refused(tmp_path: Path) -> None:
    for keywords, text in (
        ({}, "neither video nor audio"),
        ({"size": 8, "fps": 0}, "fps=0"),
        ({"size": 8, "pixels": "hsv"}, "pixels=hsv: must be gray, gray16, rgb"),
        ({"rate": 8000, "dtype": "int64"}, "dtype"),
    ):
        with pytest.raises(ValueError, match=text):
            spool.MediaWriter(tmp_path / "a.mkv", **keywords)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format: needed for a file in memory"):
        spool.MediaWriter(size=8)
    with pytest.raises(TypeError, match="did you mean codec"):
        spool.MediaWriter(tmp_path / "a.mkv", size=8, codecs="ffv1")  # type: ignore[arg-type] # pyright: ignore
    with pytest.raises(spool.DecodeError, match="no_such") as found:
        spool.MediaWriter(tmp_path / "a.mkv", size=8, codec="no_such")
    assert found.value.error_class == "unsupported"
    with pytest.raises(FileNotFoundError):
        spool.MediaWriter(tmp_path / "none" / "a.mkv", size=8, codec="ffv1")
    writer = spool.MediaWriter(tmp_path / "a.mkv", size=8, codec="ffv1")
    with pytest.raises(TypeError, match="frames: list is not an array"):
        writer.write_frames([1, 2])
    with pytest.raises(ValueError, match="frames: an array of bool"):
        writer.write_frames(np.zeros((8, 8, 3), bool))
    with pytest.raises(ValueError, match="frames: "):
        writer.write_frames(noise(8, 9, 3))
    writer.close()
    assert list(tmp_path.iterdir()) == []


def test_nothing_left(tmp_path: Path) -> None:
    before = spool.stats()["handles"]
    with pytest.raises(spool.DecodeError, match=r"empty|no frame"), spool.MediaWriter(tmp_path / "a.wav", rate=8000):
        pass
    assert spool.stats()["handles"] == before
    assert list(tmp_path.iterdir()) == []


def test_remux(testdata: Path, tmp_path: Path) -> None:
    """Packets keep their bytes, by the hashes of ffmpeg; a window begins with a key frame."""
    source = testdata / "video" / "bframes.mp4"
    spool.remux(source, tmp_path / "a.mkv")
    hashes = ["-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "streamhash"]
    assert raw(tmp_path / "a.mkv", *hashes) == raw(source, *hashes)
    spool.remux(source.read_bytes(), tmp_path / "b.mp4", format_option={"movflags": "faststart"})
    assert (spool.decode_video(tmp_path / "b.mp4").data == spool.decode_video(source).data).all()
    whole = spool.VideoDecoder(source)
    spool.remux(source, tmp_path / "c.mkv", start=whole.get_key_indices()[-1] / whole.get_avg_fps())
    assert 0 < len(spool.VideoDecoder(tmp_path / "c.mkv")) <= len(whole)
    with pytest.raises(spool.DecodeError) as found:
        spool.remux(source, tmp_path / "d.mkv", streams=[9])
    assert found.value.error_class == "no-such-frame"
    with pytest.raises(ValueError, match="start|end"):
        spool.remux(source, tmp_path / "d.mkv", start=2, end=1)
    assert not (tmp_path / "d.mkv").exists()
