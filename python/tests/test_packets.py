"""Packets, bitstream filters and filter graphs, compared with the ffmpeg command."""

from __future__ import annotations

import gc
import hashlib
import json
import pickle
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool
from spool.graph import GraphInput

VIDEO = Path(__file__).parents[2] / "testdata" / "video"
AUDIO = Path(__file__).parents[2] / "testdata" / "audio"


def ffmpeg(*arguments: str | Path) -> bytes:
    """Return what the ffmpeg command writes to its standard output."""
    command = [need.command("ffmpeg"), "-v", "error", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True).stdout


def probed(file: Path, stream: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return ffprobe's packets, and its description of the stream."""
    command = [need.command("ffprobe"), "-v", "error", "-show_packets", "-show_streams", "-show_data_hash", "md5"]
    out = subprocess.run(
        [*command, "-select_streams", stream, "-of", "json", str(file)], check=True, capture_output=True
    ).stdout
    found = json.loads(out)
    return found["packets"], found["streams"][0]


@pytest.mark.parametrize("name", ["bframes.mp4", "opengop.mp4", "vfr.mp4", "av1.mkv", "mjpeg.mov"])
def test_demux(name: str) -> None:
    """Packets are those of ffprobe."""
    packets, (want, stream) = spool.demux(VIDEO / name), probed(VIDEO / name, "v:0")
    assert packets.codec == stream["codec_name"]
    assert packets.medium == "video"
    assert packets.time_base == Fraction(stream["time_base"])
    assert (packets.width, packets.height, packets.pix_fmt) == (stream["width"], stream["height"], stream["pix_fmt"])
    assert len(packets.extradata) == int(stream.get("extradata_size", 0))
    got = [
        {
            "pts": p.pts,
            "dts": p.dts,
            "size": str(p.size),
            "key": p.is_keyframe,
            "data_hash": "MD5:" + hashlib.md5(p.data).hexdigest(),
        }
        for p in packets
    ]
    assert got == [
        {
            **{key: p.get(key) for key in ("pts", "dts", "size")},
            "key": p["flags"].startswith("K"),
            "data_hash": p["data_hash"],
        }
        for p in want
    ]


def test_demux_audio() -> None:
    packets, (want, stream) = spool.demux(AUDIO / "aac.m4a", medium="audio"), probed(AUDIO / "aac.m4a", "a:0")
    assert (packets.medium, packets.codec) == ("audio", "aac")
    assert (packets.sample_rate, packets.num_channels) == (int(stream["sample_rate"]), stream["channels"])
    assert [(p.pts, p.duration, p.size) for p in packets] == [(p["pts"], p["duration"], int(p["size"])) for p in want]


def test_window() -> None:
    """A window has the packets that its frames need, and its frames are those of the file."""
    whole = spool.VideoDecoder(VIDEO / "bframes.mp4")
    packets = spool.demux(VIDEO / "bframes.mp4", start=0.6, end=0.9)
    begins = [f for f in range(len(whole)) if 0.6 <= whole.get_frame_at(f).pts_seconds < 0.9]
    assert packets.num_frames == len(begins) == sum(not p.is_discard for p in packets)
    assert packets[0].is_keyframe
    part = spool.VideoDecoder(packets)
    assert len(part) == len(begins)
    for i, f in enumerate(begins):
        assert part.get_frame_at(i).pts_seconds == whole.get_frame_at(f).pts_seconds
        assert (part[i] == whole[f]).all()


def test_sequence() -> None:
    packets = spool.demux(VIDEO / "bframes.mp4")
    assert packets[-1].pts == packets[len(packets) - 1].pts
    assert [p.pts for p in packets[2:5]] == [packets[i].pts for i in (2, 3, 4)]
    assert bytes(packets[0]) == packets[0].data.tobytes()
    assert packets[0].pts_seconds == 0
    assert "of h264" in repr(packets)
    assert "is_keyframe=True" in repr(packets[0])
    with pytest.raises(IndexError):
        packets[len(packets)]


def test_payload_is_in_place() -> None:
    """A payload is not copied, is read-only, and outlives the packets."""
    gc.collect()
    before = spool.stats()["handles"]
    packets = spool.demux(VIDEO / "bframes.mp4")
    first, again, copy = packets[0].data, packets[0].data, bytes(packets[0])
    assert np.frombuffer(first, np.uint8).ctypes.data == np.frombuffer(again, np.uint8).ctypes.data
    assert first.readonly
    del packets, again
    gc.collect()
    assert bytes(first) == copy
    assert spool.stats()["handles"] > before
    del first
    gc.collect()
    assert spool.stats()["handles"] == before


def test_filter(tmp_path: Path) -> None:
    """A bitstream filter gives the bytes of ffmpeg's, at once and afterwards."""
    want = ffmpeg("-i", VIDEO / "bframes.mp4", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-")
    packets = spool.demux(VIDEO / "bframes.mp4")
    for filtered in (packets.filter("h264_mp4toannexb"), spool.demux(VIDEO / "bframes.mp4", bsf="h264_mp4toannexb")):
        assert b"".join(map(bytes, filtered)) == want
        spool.mux(filtered, tmp_path / "raw", format="h264")
        assert (tmp_path / "raw").read_bytes() == want
    with pytest.raises(ValueError, match="no_such"):
        packets.filter("no_such")
    with pytest.raises(spool.DecodeError, match="not for h264") as refused:
        packets.filter("hevc_mp4toannexb")
    assert refused.value.error_class == "unsupported"


def test_mux(tmp_path: Path) -> None:
    """Video and audio of two files in one container keep frames and samples."""
    video, audio = spool.demux(VIDEO / "bframes.mp4"), spool.demux(AUDIO / "aac.m4a", medium="audio")
    spool.mux([video, audio], tmp_path / "both.mkv")
    for file, stream in ((VIDEO / "bframes.mp4", "v"), (AUDIO / "aac.m4a", "a")):
        arguments = ("-map", f"0:{stream}", "-c", "copy", "-f", "data", "-")
        assert ffmpeg("-i", tmp_path / "both.mkv", *arguments) == ffmpeg("-i", file, *arguments)
    spool.mux(video, tmp_path / "a.mp4", format_option={"movflags": "faststart"})
    data = (tmp_path / "a.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    with pytest.raises(TypeError, match="packets: expected a spool.Packets"):
        spool.mux([b"x"], tmp_path / "b.mp4")  # type: ignore[list-item]
    with pytest.raises(ValueError, match="packets: none to write"):
        spool.mux([], tmp_path / "b.mp4")
    with pytest.raises(spool.DecodeError) as refused:
        spool.mux(video, tmp_path / "b.wav")
    assert refused.value.error_class == "unsupported"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "both.mkv"]


def test_pickle() -> None:
    packets = spool.demux(VIDEO / "bframes.mp4", end=0.5)
    copy = pickle.loads(pickle.dumps(packets))
    assert [(p.pts, p.dts, p.flags, bytes(p)) for p in copy] == [(p.pts, p.dts, p.flags, bytes(p)) for p in packets]
    decoder = pickle.loads(pickle.dumps(spool.VideoDecoder(copy, dimension_order="NHWC")))
    assert (decoder[3] == spool.VideoDecoder(packets, dimension_order="NHWC")[3]).all()
    data = bytearray(packets.to_bytes())
    data[60] ^= 1
    with pytest.raises(spool.DecodeError, match="checksum"):
        spool.Packets.from_bytes(bytes(data))


def test_graph() -> None:
    """Frames are those of the ffmpeg command."""
    filters = "fps=7,scale=32:24,hflip"
    want = ffmpeg("-i", VIDEO / "vfr.mp4", "-vf", filters, "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
    frames = list(spool.FilterGraph(filters, VIDEO / "vfr.mp4"))
    assert b"".join(f.data.tobytes() for f in frames) == want
    assert [f.pts_seconds for f in frames] == pytest.approx([i / 7 for i in range(len(frames))])
    assert {(f.shape, f.medium, f.output) for f in frames} == {((24, 32, 3), "video", "")}
    assert np.asarray(frames[0]).shape == (24, 32, 3)


def test_graph_of_two() -> None:
    a, b = VIDEO / "bframes.mp4", VIDEO / "opengop.mp4"
    want = ffmpeg(
        *("-i", a, "-i", b, "-filter_complex", "[0:v][1:v]vstack", "-pix_fmt", "gray", "-f", "rawvideo"),
        *("-fps_mode", "passthrough", "-"),
    )
    with spool.FilterGraph("[x][y]vstack[out]", {"y": b.read_bytes(), "x": a}, color="gray") as graph:
        assert graph.outputs == ("out",)
        assert b"".join(f.data.tobytes() for f in graph) == want
        assert list(graph) == []
    with pytest.raises(spool.ClosedError):
        next(graph)


def test_graph_of_audio() -> None:
    file = AUDIO / "flac.flac"
    want = ffmpeg("-i", file, "-af", "aresample=16000,volume=0.5", "-f", "s16le", "-")
    graph = spool.FilterGraph("aresample=16000,volume=0.5", file, medium="audio", dtype="int16", layout="tc")
    parts = list(graph)
    assert b"".join(p.data.tobytes() for p in parts) == want
    assert {(p.sample_rate, p.medium, p.data.dtype.name) for p in parts} == {(16000, "audio", "int16")}


def test_graph_of_windows() -> None:
    """An input has options of its own, and those of the graph are for the others."""
    graph = spool.FilterGraph(
        "[v]null[frames];[a]anull[sound]",
        {"v": VIDEO / "bframes.mp4", "a": GraphInput(AUDIO / "flac.flac", medium="audio", start=0.9, end=1.3)},
        start=0.2,
        end=0.5,
    )
    found = list(graph)
    whole = spool.VideoDecoder(VIDEO / "bframes.mp4", dimension_order="NHWC")
    frames = [f for f in found if f.output == "frames"]
    times = [t for t in (whole.get_frame_at(i).pts_seconds for i in range(len(whole))) if 0.2 <= t < 0.5]
    assert [f.pts_seconds for f in frames] == pytest.approx(times)
    assert (frames[0].data == whole.get_frame_played_at(times[0]).data).all()
    sound = np.concatenate([f.data for f in found if f.output == "sound"], axis=1)
    want = ffmpeg("-i", AUDIO / "flac.flac", "-af", "atrim=start=0.9:end=1.3", "-f", "f32le", "-")
    assert sound.T.tobytes() == want


def test_graph_of_a_file(tmp_path: Path) -> None:
    """A filter opens a file only if the caller allows it."""
    table = tmp_path / "black.cube"
    table.write_text("LUT_3D_SIZE 2\n" + "0 0 0\n" * 8)
    filters = f"format=rgb24,lut3d=file={table}"
    with pytest.raises(ValueError, match="the option file of the filter lut3d, which opens a file"):
        spool.FilterGraph(filters, VIDEO / "bframes.mp4")
    with spool.FilterGraph(filters, VIDEO / "bframes.mp4", files=True) as graph:
        assert not next(graph).data.any()


def test_graph_mistakes() -> None:
    with pytest.raises(ValueError, match="frobnicate"):
        spool.FilterGraph("frobnicate", VIDEO / "bframes.mp4")
    with pytest.raises(TypeError, match="start: expected a number"):
        spool.FilterGraph("null", VIDEO / "bframes.mp4", start="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="strat.*start"):
        spool.FilterGraph("null", VIDEO / "bframes.mp4", strat=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='input "b"'):
        spool.FilterGraph("[a]null", {"a": VIDEO / "bframes.mp4", "b": VIDEO / "bframes.mp4"})
    with pytest.raises(spool.DecodeError) as missing:
        spool.FilterGraph("null", "missing.mp4")
    assert missing.value.error_class == "not-found"
    gc.collect()
    before = spool.stats()["handles"]
    graph = spool.FilterGraph("testsrc2=size=32x24:rate=5:duration=1")
    assert len(list(graph)) == 5
    del graph
    gc.collect()
    assert spool.stats()["handles"] == before
