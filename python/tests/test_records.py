"""spool.Loader: records of several fields."""

from __future__ import annotations

import ctypes
import io
import json
import pickle
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool
from spool import _native

DATA = Path(__file__).resolve().parents[2] / "testdata"
SHARDS = str(DATA / "records/{000..001}.tar")
FIELDS = {
    "image": spool.Image("jpg;png", size=64, train=True),
    "mask": spool.Mask("seg.png", like="image"),
    "boxes": spool.Boxes("boxes.json"),
    "caption": spool.Text("txt", optional=True),
    "score": spool.Number("score.txt"),
}


def members(shard: str) -> dict[str, bytes]:
    """The files of a shard, read by Python's tarfile."""
    with tarfile.open(DATA / "records" / shard) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]


def test_streaming(tmp_path: Path) -> None:
    """Shards are listed while earlier ones are loaded, with the same samples and random numbers."""
    want = [(b.keys, b["image"].tobytes()) for b in spool.Loader(SHARDS, FIELDS, batch=8, epochs=1)]
    loader = spool.Loader(SHARDS, FIELDS, batch=8, streaming=True)
    assert [(b.keys, b["image"].tobytes()) for b in loader] == want
    with pytest.raises(TypeError):
        len(loader)
    with pytest.raises(ValueError, match="streaming"):
        spool.Loader(SHARDS, FIELDS, streaming=True, form="bucket")


def test_columns(tmp_path: Path) -> None:
    """Columns arrive as lists. tests/peers compares those of Arrow with pyarrow."""
    photo = DATA / "photos" / "animal" / "00.jpg"
    rows = [{"image": str(photo), "n": i, "s": f"é{i}", "ok": None if i == 1 else True, "x": i / 4} for i in range(5)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    fields = {"image": spool.Image(size=8), "half": spool.Number("x", "float32"), "text": spool.Text("s")}
    loader = spool.Loader(tmp_path / "t.jsonl", fields, columns=["n", "ok"], batch=4, where="n != 2")
    (batch,) = loader
    want = {"half": [0, 0.25, 0.75, 1], "text": ["é0", "é1", "é3", "é4"], "n": [0, 1, 3, 4]}
    want["ok"] = [True, None, True, True]
    assert batch.columns_dict() == want
    assert batch.keys() == ["image", "half", "text"]
    assert pickle.loads(pickle.dumps(batch)).columns_dict() == want
    assert loader.stats["left_out"] == 1
    with pytest.raises(ValueError, match="two fields have this name"):
        spool.Loader(tmp_path / "t.jsonl", fields, columns="text")
    with pytest.warns(UserWarning, match="optional input: no column is called m"):
        spool.Loader(tmp_path / "t.jsonl", fields, columns="m", ignore_columns="*")


class ArrowSchema(ctypes.Structure):
    """The structure of Arrow's C data interface."""


class ArrowArray(ctypes.Structure):
    """The structure of Arrow's C data interface."""


ArrowSchema._fields_ = [
    *[(name, ctypes.c_char_p) for name in ("format", "name", "metadata")],
    *[(name, ctypes.c_int64) for name in ("flags", "n_children")],
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    *[(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")],
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))),
    ("private_data", ctypes.c_void_p),
]


def test_arrow() -> None:
    """The structures that C gets have the columns of a batch, which they keep."""
    loader = spool.Loader(SHARDS, FIELDS, batch=8)
    batch = next(iter(loader))
    scores, captions = batch["score"].copy(), list(batch["caption"])
    schema, array = ArrowSchema(), ArrowArray()
    delivery = batch._delivery
    assert delivery is not None
    _native.call("spool_batch_columns", ctypes.byref(delivery.struct), ctypes.byref(schema), ctypes.byref(array))
    del batch, delivery
    loader.close()
    fields = [schema.children[i].contents for i in range(schema.n_children)]
    columns = [array.children[i].contents for i in range(array.n_children)]
    assert schema.format == b"+s"
    assert [(f.name, f.format) for f in fields] == [(b"score", b"f"), (b"caption", b"u")]
    assert [c.length for c in columns] == [array.length] * 2 == [8, 8]
    assert np.array_equal(np.frombuffer(ctypes.string_at(columns[0].buffers[1], 32), np.float32), scores)
    valid, offsets, text = columns[1].buffers[:3]
    ends = np.frombuffer(ctypes.string_at(offsets, 36), np.int32).tolist()
    assert columns[1].null_count == captions.count(None) > 0
    for i, caption in enumerate(captions):
        assert ctypes.string_at(valid, 1)[0] >> i & 1 == (caption is not None)
        assert ctypes.string_at(text + ends[i], ends[i + 1] - ends[i]).decode() == (caption or "")
    schema.release(ctypes.byref(schema))
    array.release(ctypes.byref(array))
    assert not schema.release
    assert not array.release


def test_columns_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (batch, _) = spool.Loader(SHARDS, FIELDS, batch=8)
    with pytest.raises(ImportError, match=r"columns need pyarrow: pip install pyarrow, or use columns_dict\(\)"):
        _ = batch.columns
    assert batch.columns_dict()["caption"] == batch["caption"]


def test_fields() -> None:
    loader = spool.Loader(SHARDS, FIELDS, batch=8)
    first, second = loader
    assert list(first) == first.keys() == ["image", "mask", "score", "boxes", "boxes.labels", "boxes.index", "caption"]
    assert first["image"].shape == (8, 64, 64, 3)
    assert first["image"].dtype == np.uint8
    assert first["mask"].shape == (8, 64, 64)
    assert set(np.unique(first["mask"])) <= {0, 1, 2, 3}
    files = {**members("000.tar"), **members("001.tar")}
    keys = first.keys + second.keys
    assert len(keys) == 12
    for batch in (first, second):
        for i, key in enumerate(batch.keys):
            text = files.get(f"{key}.txt")
            assert batch["caption"][i] == (text.decode() if text is not None else None)
            assert batch["score"][i] == float(files[f"{key}.score.txt"])
            assert batch.labels[i] == int(files[f"{key}.cls"])
    assert [first.absent[i] for i in (2, 3)] == [[], ["caption"]]
    assert first["caption"][3] is None
    assert second["boxes"][0].shape[0] > 0
    assert dict(first)["score"] is first["score"]
    assert {**first}.keys() == set(first)
    assert "score" in first
    assert len(first) == 7
    assert first.get("none") is None
    with pytest.raises(KeyError):
        first["none"]
    assert first.array("image") is first["image"]
    with pytest.raises(KeyError):
        first.array("none")
    with pytest.raises(TypeError, match="caption: the field is a list"):
        first.array("caption")


def test_boxes_follow_the_image() -> None:
    """Each box is the smallest that holds its label in the mask, as far as the nearest pixel of a resize shows it."""
    loader = spool.Loader(SHARDS, {**FIELDS, "mask": spool.Mask("seg.png")}, batch=12, epochs=20)
    seen = 0
    for _ in range(20):
        for batch in loader:
            for mask, boxes, labels in zip(batch["mask"], batch["boxes"], batch["boxes.labels"], strict=True):
                assert boxes.dtype == np.float32
                assert labels.dtype == np.int64
                for box, label in zip(boxes, labels, strict=True):
                    rows, columns = np.nonzero(mask == label)
                    if len(rows) < 200 or label != labels.max():  # later labels hide earlier ones
                        continue
                    seen += 1
                    shown = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
                    assert (shown[:2] >= box[:2] - 3).all(), (box, shown)
                    assert (shown[2:] <= box[2:] + 3).all(), (box, shown)
    assert seen > 20


def test_views() -> None:
    fields = {"image": spool.Image("path", size=32, train=True, views=2)}
    batch = next(iter(spool.Loader(str(DATA / "photos"), fields, batch=4)))
    one, two = batch["image"]
    assert one.shape == two.shape == (4, 32, 32, 3)
    assert (one != two).any()
    again = next(iter(spool.Loader(str(DATA / "photos"), {"image": spool.Image("path", size=32, train=True)}, batch=4)))
    assert (again["image"] == one).all(), "the first view is the one of a loader without views"
    images = next(iter(spool.ImageLoader(str(DATA / "photos"), size=32, train=True, batch=4)))
    assert (images.images == one).all()


def test_masks_with_views() -> None:
    fields = {"image": spool.Image("jpg", size=32, train=True, views=3), "mask": spool.Mask("seg.png")}
    batch = next(iter(spool.Loader(SHARDS, fields, batch=4, ignore_columns="*")))
    assert len(batch["image"]) == len(batch["mask"]) == 3
    assert batch["mask"][2].shape == (4, 32, 32)


def test_table(tmp_path: Path) -> None:
    photos = sorted((DATA / "photos").glob("*/*.jpg"))[:5]
    rows = [
        {"file": str(p), "caption": f"photo {i}", "value": i / 4, "pose": [i, -i], "extra": {"a": i}}
        for i, p in enumerate(photos)
    ]
    (tmp_path / "table.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    fields = {
        "image": spool.Image("file", size=16),
        "caption": spool.Text(),
        "value": spool.Number(),
        "pose": spool.Number(dtype="int64", shape=2),
        "extra": spool.JSON(),
    }
    (batch,) = spool.Loader(str(tmp_path / "table.jsonl"), fields)
    assert batch["caption"] == [r["caption"] for r in rows]
    assert batch["value"].tolist() == [r["value"] for r in rows]
    assert batch["value"].shape == (5,)
    assert batch["pose"].tolist() == [r["pose"] for r in rows]
    assert batch["extra"] == [r["extra"] for r in rows]
    for i, photo in enumerate(photos):
        assert (batch["image"][i] == np.asarray(spool.decode_image(str(photo), size=16))).all()


def test_folders(tmp_path: Path) -> None:
    for name, data in members("000.tar").items():
        key, _, extension = name.replace("/", "_").partition(".")
        folder = {"jpg": "images", "seg.png": "masks", "txt": "captions"}.get(extension)
        if folder:
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{key}.{extension.rpartition('.')[2]}").write_bytes(data)
    fields = {
        "image": spool.Image("images", size=32),
        "mask": spool.Mask("masks"),
        "caption": spool.Text("captions", optional=True),
    }
    (batch,) = spool.Loader(str(tmp_path), fields)
    shard = {k: v for k, v in FIELDS.items() if k != "score"}
    shard["image"] = spool.Image("jpg", size=32)
    (same,) = spool.Loader(str(DATA / "records/000.tar"), shard, ignore_columns="*")
    assert (batch["image"] == same["image"]).all()
    assert (batch["mask"] == same["mask"]).all()
    assert batch["caption"] == same["caption"]


def test_bad_field(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        for name, data in members("000.tar").items():
            info = tarfile.TarInfo(name)
            data = b"no mask" if name == "animal/0001.seg.png" else data
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    loader = spool.Loader(str(path), FIELDS, epochs=1)
    (batch,) = loader
    assert len(batch.keys) == 5
    assert "animal/0001" not in batch.keys
    (failure,) = loader.failures
    assert failure["field"] == "mask"
    assert failure["class"] == "not-media"
    assert "0001.seg.png" in failure["file"]


def test_state() -> None:
    make: Any = lambda: spool.Loader(SHARDS, FIELDS, batch=2, shuffle=True, seed=5)  # noqa: E731
    loader = make()
    whole = [b["image"].copy() for b in loader]
    half = make()
    loop = iter(half)
    for _ in range(2):
        next(loop)
    resumed = make()
    resumed.load_state_dict(half.state_dict())
    rest = [b["image"] for b in resumed]
    assert len(rest) == len(whole) - 2
    assert all((a == b).all() for a, b in zip(whole[2:], rest, strict=True))


def test_pickle() -> None:
    batch = next(iter(spool.Loader(SHARDS, FIELDS, batch=3)))
    again = batch
    for _ in range(2):  # the second time, its memory and its metadata are Python's
        again = pickle.loads(pickle.dumps(again))
        assert list(again) == list(batch)
        assert again.keys == batch.keys
        assert again.ids.tolist() == batch.ids.tolist()
        assert (again["mask"] == batch["mask"]).all()
        assert again["caption"] == batch["caption"]
        assert again.absent == batch.absent


def test_memory_outlives_the_batch() -> None:
    loader = spool.Loader(SHARDS, FIELDS, batch=4)
    kept = [(b["mask"], b["mask"].copy()) for b in loader]
    del loader
    assert all((a == b).all() for a, b in kept)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"image": "jpg"}, "expected a field, like spool.Image"),
        ({}, "expected a mapping of names to fields"),
        ({"mask": spool.Mask("seg.png")}, "no field has this name"),
        ({"text": spool.Text("txt")}, "at least one field of a fixed size"),
        ({"image": spool.Image("jpg"), "a b": spool.Text("txt")}, "must be a letter"),
        ({"image": {"kind": "imag", "input": "jpg"}}, "did you mean image"),
        ({"image": spool.Image("jpg", size=0)}, "size"),
    ],
)
def test_mistakes(fields: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        spool.Loader(SHARDS, fields)


def test_unknown_keywords() -> None:
    with pytest.raises(TypeError, match="did you mean size"):
        spool.Image("jpg", sise=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean shuffle"):
        spool.Loader(SHARDS, FIELDS, shufle=True)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected an integer"):
        spool.Mask("seg.png", fill="red")  # type: ignore[arg-type]


def test_repr() -> None:
    assert repr(FIELDS["mask"]).startswith("spool.Mask(input='seg.png', like='image'")
    batch = next(iter(spool.Loader(SHARDS, FIELDS, batch=3)))
    assert "'mask': (3, 64, 64)" in repr(batch)
    assert "'caption': 'list of 3'" in repr(batch)
