"""Records that a program has read itself: spool.decode_records, and stages with fields."""

from __future__ import annotations

import json
import logging
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool
from spool.stage import Stage

DATA = Path(__file__).resolve().parents[2] / "testdata"
FIELDS = {
    "image": spool.Image("jpg;png", size=64, train=True),
    "mask": spool.Mask("seg.png"),
    "boxes": spool.Boxes("boxes.json"),
    "caption": spool.Text("txt", optional=True),
    "score": spool.Number("score.txt"),
}


def samples() -> list[dict[str, Any]]:
    """The samples of a shard, as WebDataset gives them."""
    found: dict[str, dict[str, Any]] = {}
    with tarfile.open(DATA / "records/000.tar") as tar:
        for member in tar:
            key, _, name = member.name.partition(".")
            found.setdefault(key, {"__key__": key})[name] = tar.extractfile(member).read()  # type: ignore[union-attr]
    return list(found.values())


def test_as_a_loader() -> None:
    """The batches are those of a loader, for the seeds and ids that it has."""
    loader = spool.Loader(str(DATA / "records/000.tar"), FIELDS, seed=5, ignore_columns="*")
    want = next(iter(loader))
    batch = spool.decode_records(samples(), spool.RecordSpec(FIELDS), seed=5, threads=3)
    assert batch.valid.all()
    assert list(batch.fields) == list(want)
    for name, value in want.items():
        if isinstance(value, list):
            assert [np.asarray(v).tolist() for v in batch.fields[name]] == [np.asarray(v).tolist() for v in value]
        else:
            np.testing.assert_array_equal(batch.fields[name], value)
    other = spool.decode_records(samples(), FIELDS, seed=6)
    assert (other.fields["image"] != want["image"]).any()
    again = spool.decode_records(samples()[:2], FIELDS, seed=5, ids=[1, 0])
    assert (again.fields["image"][0] != want["image"][0]).any()


def test_values() -> None:
    photo = DATA / "photos/animal/00.jpg"
    fields = {
        "image": spool.Image("0", size=16),
        "text": spool.Text("t"),
        "meta": spool.JSON("j"),
        "raw": spool.Bytes("b"),
        "n": spool.Number("n", dtype="int64"),
        "pose": spool.Number("p", shape=2),
        "boxes": spool.Boxes("x", optional=True),
    }
    sample = {
        "0": {"bytes": None, "path": str(photo)},
        "t": "héllo",
        "j": {"a": [1, None]},
        "b": memoryview(b"\0\1"),
        "n": np.int64(7),
        "p": np.array([0.5, -1], "f4"),
        "x": np.array([[0, 0, 100, 50]], "f4"),
    }
    other = {**sample, "0": photo.read_bytes(), "t": b"", "j": "[1]", "b": b"", "p": (1, 2)}
    del other["x"]
    batch = spool.decode_records([sample, other], fields).fields
    assert batch["text"] == ["héllo", ""]
    assert batch["meta"] == [{"a": [1, None]}, [1]]
    assert batch["raw"] == [b"\0\1", b""]
    assert batch["n"].tolist() == [7, 7]
    assert batch["pose"].tolist() == [[0.5, -1], [1, 2]]
    assert batch["boxes"][0].shape == (1, 4)
    assert batch["boxes"][1] is None
    np.testing.assert_array_equal(batch["image"][0], batch["image"][1])
    np.testing.assert_array_equal(batch["image"][0], spool.decode_image(photo, size=16))


def test_videos() -> None:
    video = str(DATA / "video/bframes.mp4")
    fields = {"clip": spool.Video("v", size=16, frames=2, start="from"), "sound": spool.Audio("a", duration=0.1)}
    rows = [{"v": video, "from": t, "a": DATA / "audio/flac.flac", "label": i} for i, t in enumerate((0, 0.4, 0.4))]
    batch = spool.decode_records(rows, fields).fields
    assert batch["clip.index"].tolist() == [[6, 18], [13, 21], [13, 21]]
    assert batch["sound"].shape == (3, 1, 1600)
    result = Stage(fields=fields)(rows)
    assert result["label"].tolist() == [0, 1, 2]


def test_policies(caplog: pytest.LogCaptureFixture) -> None:
    rows = samples()[:4]
    rows[1]["seg.png"] = rows[1]["seg.png"][:100]
    with pytest.raises(spool.DecodeError, match="field mask: "):
        spool.decode_records(rows, FIELDS)
    skipped = spool.decode_records(rows, FIELDS, on_error="skip")
    assert skipped.fields["image"].shape[0] == 3
    assert skipped.valid.tolist() == [True, False, True, True]
    assert "field mask" in str(skipped.errors[1])
    kept = spool.decode_records(rows, FIELDS, on_error="placeholder")
    assert kept.fields["image"].shape[0] == 4
    assert (kept.fields["image"][1] == 0x80).all()
    assert kept.fields["boxes"][1] is None
    nothing = spool.decode_records(rows[1:2], FIELDS, on_error="skip")
    assert nothing.fields == {}
    assert spool.decode_records([], FIELDS).valid.shape == (0,)

    with caplog.at_level(logging.WARNING, "spool"):
        batch = Stage(fields=FIELDS, on_error="skip")(rows)
    assert batch["__key__"] == [rows[i]["__key__"] for i in (0, 2, 3)]
    assert "sample 1 of a batch is left out" in caplog.text
    batch = Stage(fields=FIELDS, on_error="placeholder")(rows)
    assert batch["valid"].tolist() == [True, False, True, True]
    with pytest.raises(spool.DecodeError):
        Stage(fields=FIELDS, on_error="skip")(rows[1:2])


def test_stage_of_tuples() -> None:
    photo = str(DATA / "photos/animal/00.jpg")
    stage = Stage(fields={"image": spool.Image("0", size=8, views=2), "caption": spool.Text("1")})
    batch = pickle.loads(pickle.dumps(stage))([(photo, "a", 3), (photo, "b", 4)])
    assert [v.shape for v in batch["image"]] == [(2, 8, 8, 3)] * 2
    assert batch["caption"] == ["a", "b"]
    assert batch["2"].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Stage(fields=FIELDS, size=3), ValueError, "fields excludes size"),
        (lambda: Stage(fields={"a": 3}), TypeError, "a field, like"),
        (lambda: Stage(fields=FIELDS, max_pixel=3), TypeError, "max_pixels"),
        (lambda: Stage(fields=spool.RecordSpec(FIELDS), jpeg="turbo"), ValueError, "give them to it"),
        (lambda: spool.RecordSpec(FIELDS, sise=3), TypeError, "sise"),
        (lambda: spool.decode_records([], FIELDS, on_error="raise"), ValueError, "did you mean fail"),
        (lambda: spool.decode_records([], FIELDS, threads=0), ValueError, "at least 1"),
        (lambda: spool.decode_records([], {"t": spool.Text()}), ValueError, "at least one field of a fixed size"),
        (lambda: spool.decode_records([{"n": object()}], {"n": spool.Number()}), TypeError, "got object"),
        (lambda: spool.decode_records(samples(), FIELDS, ids=[1]), ValueError, "one for each sample"),
    ],
)
def test_mistakes(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_schema_file_form() -> None:
    """Fields may be dicts, as in a schema file."""
    photo = str(DATA / "photos/animal/00.jpg")
    fields = json.loads('{"image": {"kind": "image", "input": "jpg", "size": 8}}')
    assert spool.decode_records([{"jpg": photo}], fields).fields["image"].shape == (1, 8, 8, 3)
