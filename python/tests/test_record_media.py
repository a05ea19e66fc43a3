"""Video and audio fields of spool.Loader."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

DATA = Path(__file__).resolve().parents[2] / "testdata"
VIDEO = DATA / "video/bframes.mp4"  # 25 frames at 25 a second
LANGUAGES = DATA / "video/languages.mkv"  # two streams of video, and two of audio
SOUND = DATA / "audio/alac.m4a"  # half a second


def table(folder: Path, rows: list[dict[str, Any]]) -> str:
    """A table with these rows."""
    path = folder / "table.csv"
    with path.open("w", newline="") as f:
        writer = csv.DictWriter(f, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def frames(indices: list[int], size: int = 32) -> np.ndarray:
    """Frames of the video, from the decoder."""
    with spool.VideoDecoder(VIDEO, size=size) as decoder:
        return decoder.get_frames_at(indices=indices).data.transpose(0, 2, 3, 1)


def test_segments(tmp_path: Path) -> None:
    rows = [{"file": VIDEO, "from": i / 25, "to": (i + 4) / 25, "class_id": i} for i in range(0, 20, 3)]
    clip = spool.Video("file", size=32, frames=2, start="from", end="to")
    loader = spool.Loader(table(tmp_path, rows), {"clip": clip, "class_id": spool.Number(dtype="int64")}, batch=3)
    seen = 0
    for batch in loader:
        assert batch["clip"].shape[1:] == (2, 32, 32, 3)
        assert batch["clip.pts"].dtype == np.float64
        for i, first in enumerate(batch["class_id"]):
            want = [first + 1, first + 3]  # of 4 frames, the middle of each half
            assert batch["clip.index"][i].tolist() == want
            np.testing.assert_allclose(batch["clip.pts"][i], np.array(want) / 25)
            np.testing.assert_array_equal(batch["clip"][i], frames(want))
            seen += 1
        assert batch["clip.valid"].all()
    assert seen == len(rows)


def test_streams_of_a_table(tmp_path: Path) -> None:
    rows = [{"file": LANGUAGES, "start": 0, "end": 0.4, "stream": n, "sound": 3 - n} for n in (0, 1)]
    segment = {"start": "start", "end": "end"}
    fields = {
        "clip": spool.Video("file", size=32, frames=3, stream="stream", **segment),
        "sound": spool.Audio("file", duration=0.4, rate=8000, stream="sound", **segment),
    }
    (batch,) = spool.Loader(table(tmp_path, rows), fields)
    for i in range(2):
        with spool.VideoDecoder(LANGUAGES, size=32, stream_index=i) as decoder:
            want = decoder.get_frames_at(indices=batch["clip.index"][i].tolist()).data.transpose(0, 2, 3, 1)
        np.testing.assert_array_equal(batch["clip"][i], want)
    assert (batch["sound"][0] != batch["sound"][1]).any()


def test_loaders_of_segments(tmp_path: Path) -> None:
    rows = [{"file": VIDEO, "label": i, "start": i / 25, "end": (i + 4) / 25} for i in range(0, 20, 3)]
    source = table(tmp_path, rows)
    seen = 0
    for batch in spool.VideoLoader(source, size=32, frames=2, batch=3):
        for clip, first in zip(batch.clips, batch.labels, strict=True):
            np.testing.assert_array_equal(clip, frames([int(first) + 1, int(first) + 3]))
            seen += 1
    assert seen == len(rows)
    ignoring = spool.VideoLoader(source, size=32, frames=2, ignore_columns=["start", "end"])
    np.testing.assert_array_equal(next(iter(ignoring)).clips[3], frames([6, 18]))

    sounds = table(tmp_path, [{"file": SOUND, "start": 0.1, "end": 0.2}])
    (heard,) = spool.AudioLoader(sounds, duration=0.2, rate=8000)
    with spool.AudioDecoder(SOUND, sample_rate=8000, num_channels=1) as decoder:
        whole = decoder.get_all_samples().data
    np.testing.assert_array_equal(heard.samples[0][:, :800], whole[:, 800:1600])
    assert not heard.samples[0][:, 800:].any()


def test_windows(tmp_path: Path) -> None:
    loader = spool.VideoLoader([str(VIDEO), str(LANGUAGES)], windows=0.4, size=32, frames=2, batch=4, epochs=1)
    batches = list(loader)
    assert len(loader) == 2
    assert [len(b.ids) for b in batches] == [4, 2]
    np.testing.assert_array_equal(batches[0].clips[1], frames([12, 17]))

    fields = {
        "clip": spool.Video("file", size=32, frames=2),
        "sound": spool.Audio("file", duration=0.4, rate=8000, like="clip"),
        "n": spool.Number(dtype="int64"),
    }
    source = table(tmp_path, [{"file": LANGUAGES, "n": 3}, {"file": LANGUAGES, "n": 4}])
    (batch,) = spool.Loader(source, fields, windows=0.4, epochs=1)
    assert batch["n"].tolist() == [3] * 3 + [4] * 3
    assert (np.floor(batch["clip.pts"][:, 0] / 0.4) == [0, 1, 2] * 2).all()
    np.testing.assert_array_equal(batch["clip"][0], batches[0].clips[3])

    with pytest.raises(ValueError, match="windows"):
        next(iter(spool.VideoLoader(str(VIDEO), windows=0, size=32)))
    with pytest.raises(ValueError, match="windows needs a video field"):
        next(iter(spool.Loader(source, {"n": spool.Number()}, windows=1)))


@pytest.mark.parametrize("form", ["pad", "ragged", "bucket", "budget"])
def test_lengths(tmp_path: Path, form: str) -> None:
    lengths = [3, 7, 5, 12, 2, 9]
    rows = [{"file": VIDEO, "start": 0, "end": n / 25, "n": n} for n in lengths]
    fields = {
        "clip": spool.Video("file", size=16, frames="all", start="start", end="end"),
        "n": spool.Number(dtype="int64"),
    }
    options = {"bucket": {"bucket_lengths": [4, 8, 16]}, "budget": {"budget_frames": 20}}.get(form, {})
    loader = spool.Loader(table(tmp_path, rows), fields, form=form, batch=4, epochs=1, **options)
    seen = []
    for batch in loader:
        ragged = form == "ragged"
        for i, n in enumerate(batch["n"].tolist()):
            np.testing.assert_array_equal(batch["clip"][i][:n], frames(list(range(n)), 16))
            index, valid = batch["clip.index"][i], batch["clip.valid"][i]
            assert index[:n].tolist() == list(range(n))
            assert valid.tolist() == [1] * n + [0] * (len(valid) - n)
            seen.append(n)
        if form == "bucket":
            assert batch["clip"].shape[1] in (4, 8, 16)
        if form == "budget":
            assert batch["clip"].shape[0] * batch["clip"].shape[1] <= 20
        assert isinstance(batch["clip"], np.ndarray) is not ragged
    assert sorted(seen) == sorted(lengths)
    waste = loader.stats.get("waste")
    assert (waste is None) == ragged or waste["padding"] > 0


def test_audio_lengths() -> None:
    sources = [str(DATA / "audio" / name) for name in ("flac.flac", "alac.m4a", "s16.wav")]
    fields = {"sound": spool.Audio("path", rate=8000)}
    (batch,) = spool.Loader(sources, fields, form="pad", epochs=1)
    for i, name in enumerate(sources):
        with spool.AudioDecoder(name, sample_rate=8000, num_channels=1) as decoder:
            want = decoder.get_all_samples().data
        np.testing.assert_array_equal(batch["sound"][i][:, : want.shape[1]], want)
        assert batch["sound.length"][i] == want.shape[1]
        assert not batch["sound"][i][:, want.shape[1] :].any()
    with pytest.raises(ValueError, match="duration: must be set"):
        next(iter(spool.Loader(sources, fields)))


def test_times_of_an_episode(tmp_path: Path) -> None:
    rows = [{"cam": VIDEO, "begin": 0.4, "end": 0.8, "timestamp": t} for t in (0.0, 0.2)]
    wrist = spool.Video("cam", size=32, times=[-0.04, 0, 0.2], at="timestamp", start="begin", end="end", tolerance=1e-4)
    (batch,) = spool.Loader(table(tmp_path, rows), {"wrist": wrist})
    assert batch["wrist.index"].tolist() == [[10, 10, 15], [14, 15, 19]]
    assert batch["wrist.valid"].tolist() == [[0, 1, 1], [1, 1, 0]]
    np.testing.assert_array_equal(batch["wrist"][1], frames([14, 15, 19]))


def test_clips_with_sound(tmp_path: Path) -> None:
    rows = [{"video": VIDEO, "sound": SOUND}]
    fields = {
        "clip": spool.Video("video", size=32, frames=4, fps=20, clips=3),
        "sound": spool.Audio("sound", duration=0.2, rate=8000, like="clip"),
    }
    (batch,) = spool.Loader(table(tmp_path, rows), fields)
    assert [a.tolist() for a in batch["clip.index"]] == [[[0, 1, 2, 3]], [[10, 11, 12, 13]], [[20, 21, 22, 23]]]
    assert [a.shape for a in batch["sound"]] == [(1, 1, 1600)] * 3
    assert [int(a[0]) for a in batch["sound.length"]] == [1600, 800, 0], "the audio ends at 0.5 s"
    with spool.AudioDecoder(SOUND, sample_rate=8000, num_channels=1) as decoder:
        whole = decoder.get_all_samples().data
    np.testing.assert_array_equal(batch["sound"][0][0], whole[:, :1600])
    np.testing.assert_array_equal(batch["sound"][1][0][:, :800], whole[:, 3200:4000])
    assert not batch["sound"][2].any()


def test_random_windows() -> None:
    fields = {"sound": spool.Audio("path", duration=0.05, train=True)}
    loader = spool.Loader([str(SOUND), str(DATA / "audio/flac.flac")], fields, seed=3)
    first, second = next(iter(loader)), next(iter(loader))
    assert first["sound"].shape == (2, 1, 800)
    assert (first["sound.start"] != second["sound.start"]).all(), "each epoch draws"


def test_several_random_clips() -> None:
    fields = {"clip": spool.Video("path", size=16, frames=3, train=True, clips=2)}
    (batch,) = spool.Loader(str(VIDEO), fields, epochs=1)
    for index in batch["clip.index"]:
        assert np.diff(index[0]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (lambda: spool.Video(frames="4"), "frames: expected an integer, got str '4'"),
        (lambda: spool.Video(start=b"x"), "start: expected a number"),
        (lambda: spool.Video(fsp=3), "fsp"),
        (lambda: spool.Audio(size=3), "size"),
        (lambda: spool.Audio(length=3), "length"),
    ],
)
def test_wrong_options(field: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        field()


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (spool.Video(pad="reflect"), "pad='?reflect'?: must be fill, loop, refuse or repeat"),
        (spool.Video(stride=2, fps=3), "excludes"),
        (spool.Audio(), "duration: must be set"),
        (spool.Audio(duration=1, like="clip"), "no field has this name"),
    ],
)
def test_wrong_values(field: spool.Field, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        spool.Loader(str(VIDEO), {"x": field})
