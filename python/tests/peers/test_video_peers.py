"""Video and audio compared with torchcodec and decord: the same calls give the same results.

The rows of docs/python-video.md about differences are tested here too, so that they stay true.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool
from spool import decord as faces

torch = need.peer("torch")
torchcodec = need.peer("torchcodec")
decoders = need.peer("torchcodec.decoders")
real = need.peer("decord")

ROOT = Path(__file__).resolve().parents[3]

VIDEOS = [
    "bframes.mp4",
    "opengop.mp4",
    "turned.mp4",
    "full.mp4",
    "av1.mkv",
    "altref.webm",
    "edited.mp4",
    "late.mkv",
    "odd444.mp4",
    "odd.webm",
    "deep.mp4",
    "hdr.mp4",
    "yuv422.mp4",
    "gray.mp4",
    "ffv1.mkv",
    "mjpeg.mov",
]
AUDIO = ["s16.wav", "f32.wav", "stereo.flac", "mp3.mp3", "vorbis.ogg", "opus.opus"]


def video(name: str) -> Path:
    return ROOT / "testdata/video" / name


def pair(name: str, **options: Any) -> tuple[Any, spool.VideoDecoder]:
    return decoders.VideoDecoder(str(video(name)), **options), spool.VideoDecoder(
        video(name), output="torch", **options
    )


def same(theirs: Any, ours: Any) -> None:
    """Compare frames, or batches of frames, with their times."""
    assert torch.equal(theirs.data, ours.data)
    np.testing.assert_allclose(theirs.pts_seconds, ours.pts_seconds, atol=1e-9)
    np.testing.assert_allclose(theirs.duration_seconds, ours.duration_seconds, atol=1e-9)


@pytest.mark.parametrize("name", VIDEOS)
@pytest.mark.parametrize("order", ["NCHW", "NHWC"])
def test_torchcodec_frames(name: str, order: str) -> None:
    theirs, ours = pair(name, dimension_order=order)
    n = len(theirs)
    assert len(ours) == n
    for i in (0, n - 1, -1, n // 2):
        assert torch.equal(theirs[i], ours[i])
        same(theirs.get_frame_at(i), ours.get_frame_at(i))
    for key in (slice(None), slice(2, 9, 3), slice(-3, None), slice(4, 4)):
        assert torch.equal(theirs[key], ours[key])
    same(theirs.get_frames_at([3, 0, 3]), ours.get_frames_at([3, 0, 3]))
    same(theirs.get_frames_at(torch.tensor([1, 2])), ours.get_frames_at(torch.tensor([1, 2])))
    same(theirs.get_frames_in_range(1, 8, 2), ours.get_frames_in_range(1, 8, 2))
    same(theirs.get_all_frames(), ours.get_all_frames())
    for i in (n, -n - 1):
        for decoder in (theirs, ours):
            with pytest.raises(IndexError):
                decoder[i]
            with pytest.raises(IndexError):
                decoder.get_frames_at([0, i])


@pytest.mark.parametrize("name", VIDEOS)
def test_torchcodec_times(name: str) -> None:
    theirs, ours = pair(name)
    m = theirs.metadata
    begin, end = m.begin_stream_seconds, m.end_stream_seconds
    rng = np.random.default_rng(4)
    pts = theirs.get_all_frames().pts_seconds.tolist()
    for t in [*pts[:3], *rng.uniform(begin, end, 5).tolist()]:
        same(theirs.get_frame_played_at(t), ours.get_frame_played_at(t))
    same(theirs.get_frames_played_at(pts[:3]), ours.get_frames_played_at(pts[:3]))
    windows = [(begin, end), (pts[1], pts[3]), (begin, begin), *np.sort(rng.uniform(begin, end, (8, 2))).tolist()]
    for start, stop in windows:
        same(theirs.get_frames_played_in_range(start, stop), ours.get_frames_played_in_range(start, stop))
        for fps in (2.5, 10, 70):
            same(
                theirs.get_frames_played_in_range(start, stop, fps=fps),
                ours.get_frames_played_in_range(start, stop, fps=fps),
            )
    for t in (begin - 0.01, end):
        for decoder in (theirs, ours):
            with pytest.raises(IndexError):
                decoder.get_frame_played_at(t)
    for window in ((begin - 0.01, end), (begin, end + 0.01), (end, end), (pts[2], pts[1])):
        for decoder in (theirs, ours):
            with pytest.raises(ValueError, match="seconds"):
                decoder.get_frames_played_in_range(*window)


@pytest.mark.parametrize("name", VIDEOS)
def test_torchcodec_metadata(name: str) -> None:
    theirs, ours = (d.metadata for d in pair(name))
    for field in (
        "num_frames",
        "num_frames_from_content",
        "width",
        "height",
        "codec",
        "pixel_format",
        "stream_index",
        "media_type",
        "rotation",
    ):
        assert getattr(theirs, field) == getattr(ours, field), field
    for field in (
        "duration_seconds",
        "begin_stream_seconds",
        "end_stream_seconds",
        "average_fps",
        "end_stream_seconds_from_content",
    ):
        assert getattr(ours, field) == pytest.approx(getattr(theirs, field), abs=1e-6), field


@pytest.mark.parametrize("name", AUDIO)
def test_torchcodec_audio(name: str) -> None:
    file = ROOT / "testdata/audio" / name
    theirs, ours = decoders.AudioDecoder(str(file)), spool.AudioDecoder(file, output="torch")
    assert theirs.metadata.sample_rate == ours.metadata.sample_rate
    assert theirs.metadata.num_channels == ours.metadata.num_channels
    assert ours.metadata.begin_stream_seconds == pytest.approx(theirs.metadata.begin_stream_seconds, abs=1e-8)
    begin = theirs.metadata.begin_stream_seconds
    for window in ((), (0.0, 0.1), (0.05, None), (begin, 0.11), (0.1, 0.1)):
        a, b = theirs.get_samples_played_in_range(*window), ours.get_samples_played_in_range(*window)
        assert a.data.shape == b.data.shape, window
        if a.data.numel():
            assert (a.data - b.data).abs().max() < 1e-3, window
        assert (a.sample_rate, a.pts_seconds) == (b.sample_rate, pytest.approx(b.pts_seconds, abs=1e-8))
        assert a.duration_seconds == pytest.approx(b.duration_seconds, abs=1e-9)


def test_decord() -> None:
    theirs, ours = (module.VideoReader(str(video("bframes.mp4")), ctx=module.cpu(0)) for module in (real, faces))
    assert len(theirs) == len(ours)
    np.testing.assert_array_equal(theirs.get_batch([3, 1, -1, 3]).asnumpy(), ours.get_batch([3, 1, -1, 3]).asnumpy())
    np.testing.assert_array_equal(theirs[2:9:3].asnumpy(), ours[2:9:3].asnumpy())
    np.testing.assert_array_equal(theirs[-2].asnumpy(), ours[-2].asnumpy())
    np.testing.assert_array_equal(theirs.next().asnumpy(), ours.next().asnumpy())
    for reader in (theirs, ours):
        reader.seek_accurate(4)
        reader.skip_frames(2)
    np.testing.assert_array_equal(theirs.next().asnumpy(), ours.next().asnumpy())
    assert theirs.get_avg_fps() == pytest.approx(ours.get_avg_fps())
    assert theirs.get_key_indices() == ours.get_key_indices()
    np.testing.assert_allclose(theirs.get_frame_timestamp([0, 7]), ours.get_frame_timestamp([0, 7]), atol=1e-6)
    np.testing.assert_allclose(theirs.get_frame_timestamp(7), ours.get_frame_timestamp(7), atol=1e-6)
    for reader in (theirs, ours):
        with pytest.raises(IndexError):
            reader[25]
        with pytest.raises(IndexError):
            reader.get_batch([-26])


def test_decord_on_damage() -> None:
    """Both raise DECORDError for a damaged file, if all frames or the damaged frames are requested."""
    name = str(video("damaged.mp4"))
    with pytest.raises(real.DECORDError):
        real.VideoReader(name).get_batch(range(25))
    with pytest.raises(faces.DECORDError):
        faces.VideoReader(name).get_batch(range(25))
    bad = np.flatnonzero(spool.decode_video(name, on_damage="repeat").state).tolist()
    for i in bad:
        with pytest.raises(real.DECORDError):
            real.VideoReader(name)[i]
        with pytest.raises(faces.DECORDError):
            faces.VideoReader(name)[i]
    assert (real.VideoReader(name)[3].asnumpy() == faces.VideoReader(name)[3].asnumpy()).all()


def test_decords_bridge() -> None:
    """The same program gets the same types from both."""
    for module in (real, faces):
        reader = module.VideoReader(str(video("bframes.mp4")))
        with module.bridge.use_torch():
            assert isinstance(reader[0], torch.Tensor)
            assert isinstance(reader.get_batch([1, 2]), torch.Tensor)
            native = module.bridge.bridge_in(reader[3])
        assert isinstance(reader[0], type(native))
        assert native.asnumpy().shape == (48, 64, 3)
        module.bridge.set_bridge("torch")
        try:
            assert isinstance(reader.next(), torch.Tensor)
        finally:
            module.bridge.reset_bridge()
        assert not isinstance(reader[0], torch.Tensor)


@pytest.mark.parametrize(
    "name", ["bframes.mp4", "odd.webm", "deep.mp4", "hdr.mp4", "yuv422.mp4", "gray.mp4", "full.mp4"]
)
def test_decord_frames(name: str) -> None:
    """Chroma above 8 bits and of odd sizes is interpolated bilinearly as in decord. torchcodec does it bicubically."""
    theirs, ours = (module.VideoReader(str(video(name))) for module in (real, faces))
    np.testing.assert_array_equal(theirs.get_batch(range(5)).asnumpy(), ours.get_batch(range(5)).asnumpy())


def test_embedding_a_folder(tmp_path: Path) -> None:
    """The example makes an embedding for every good video, and names bad ones."""
    script = ROOT / "python/examples/embed_videos.py"
    out = tmp_path / "embeddings.npz"
    folder = tmp_path / "videos"
    folder.mkdir()
    for path in (ROOT / "testdata/video").iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "broken.mp4").write_bytes((ROOT / "testdata/video/bframes.mp4").read_bytes()[:100])
    command = [
        sys.executable,
        script,
        folder,
        "--out",
        out,
        "--size",
        "32",
        "--frames",
        "2",
        "--weights",
        "none",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    made = np.load(out)
    assert len(made["names"]) >= 25
    assert made["embeddings"].shape == (len(made["names"]), 512)
    assert np.isfinite(made["embeddings"]).all()
    assert "broken.mp4" in ran.stderr
    assert "broken.mp4" not in made["names"]
