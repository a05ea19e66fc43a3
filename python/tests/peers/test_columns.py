"""Columns of batches, compared with what pyarrow reads in the same file."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import json
import math
import pickle
import types
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool
import spool._columns

pa = need.peer("pyarrow")
pq = need.peer("pyarrow.parquet")

N = 23
COLUMNS: dict[str, tuple[Any, Any]] = {
    "truth": (pa.bool_(), lambda i: i % 3 == 0),
    "int8": (pa.int8(), lambda i: i - 12),
    "uint8": (pa.uint8(), lambda i: i * 4),
    "int16": (pa.int16(), lambda i: i * -1400),
    "uint16": (pa.uint16(), lambda i: i * 2800),
    "int32": (pa.int32(), lambda i: (i - 12) * 170_000_000),
    "uint32": (pa.uint32(), lambda i: i * 170_000_000),
    "int64": (pa.int64(), lambda i: (i - 12) * 700_000_000_000_000_000),
    "uint64": (pa.uint64(), lambda i: i * 700_000_000_000_000_000),
    "half": (pa.float16(), lambda i: np.float16([0.1, -2.5, 6e-8, 65504.0, math.inf][i % 5])),
    "float": (pa.float32(), lambda i: [0.1, 1e-9, -3e38, math.inf, -math.inf, 16777216.0][i % 6]),
    "double": (pa.float64(), lambda i: [0.1, 1e-300, 1e21, -1 / 3, 123456789.0][i % 5]),
    "text": (pa.string(), lambda i: "säte " * (i % 5)),
    "binary": (pa.binary(), lambda i: bytes(range(i))),
    "fixed": (pa.binary(5), lambda i: bytes([i] * 5)),
    "decimal": (pa.decimal128(20, 3), lambda i: decimal.Decimal(i * i - 300) / 8),
    "date": (pa.date32(), lambda i: datetime.date(1960 + i, 2, 3)),
    "time_ms": (pa.time32("ms"), lambda i: datetime.time(i, 1, 2, 3000)),
    "time_us": (pa.time64("us"), lambda i: datetime.time(i, 1, 2, 3)),
    "stamp_ms": (pa.timestamp("ms"), lambda i: datetime.datetime(1960 + i, 2, 3, 4, 5, 6, 7000)),
    "stamp_us": (pa.timestamp("us", "UTC"), lambda i: datetime.datetime(1960 + i, 2, 3, tzinfo=datetime.timezone.utc)),
    "floats": (pa.list_(pa.float32()), lambda i: [None if k == 2 else k / 10 for k in range(i % 5)]),
    "longs": (pa.list_(pa.int64()), lambda i: [i * 10**17] * (i % 3)),
    "words": (pa.list_(pa.string()), lambda i: ['sä"te', None, ""][: i % 4]),
    "truths": (pa.list_(pa.bool_()), lambda i: [True, False, None][: i % 4]),
    "stamp_ns": (pa.timestamp("ns"), lambda i: 10**18 + i),
}


def table(photo: bytes) -> Any:
    """A table of images and columns of all types, in each of which every seventh value is missing."""
    arrays = {
        name: pa.array([None if (i + k) % 7 == 6 else make(i) for i in range(N)], kind)
        for k, (name, (kind, make)) in enumerate(COLUMNS.items())
    }
    arrays["image"] = pa.array([{"bytes": photo, "path": f"{i}.jpg"} for i in range(N)])
    arrays["vector"] = pa.array([[i / 4, 1.0] if i % 5 else None for i in range(N)], pa.list_(pa.float32()))
    return pa.table(arrays)


@pytest.fixture
def photo() -> bytes:
    return (Path(__file__).parents[3] / "testdata" / "photos" / "animal" / "00.jpg").read_bytes()


def test_columns_of_parquet(photo: bytes, tmp_path: Path) -> None:
    expected = table(photo)
    pq.write_table(expected, tmp_path / "t.parquet", row_group_size=10, store_schema=False)
    fields = {
        "image": spool.Image(size=8),
        "caption": spool.Text("text", optional=True),
        "raw": spool.Bytes("binary", optional=True),
        "number": spool.Number("int32", "int64", optional=True),
        "pair": spool.Number("vector", "float32", 2, optional=True),
    }
    read = pq.read_table(tmp_path / "t.parquet")
    loader = spool.Loader(
        tmp_path / "t.parquet", fields, columns=list(COLUMNS), batch=5, shuffle=True, last="pad", ignore_columns="*"
    )
    seen = 0
    for batch in loader:
        columns = batch.columns
        assert columns.num_rows == 5
        assert batch.columns is columns
        want = read.take(pa.array(batch.ids)).combine_chunks()
        for name in COLUMNS:
            assert columns.schema.field(name).type == want.schema.field(name).type, name
            assert columns.column(name).equals(want.column(name).chunk(0).cast(columns.schema.field(name).type)), name
            assert columns.column(name).null_count == want.column(name).null_count
        columns.validate(full=True)
        assert columns.column("caption").equals(want.column("text").chunk(0))
        assert columns.column("number").cast(pa.int32()).equals(want.column("int32").chunk(0))
        assert columns.schema.field("pair").type == pa.list_(pa.field("item", pa.float32()), 2)
        assert columns.column("pair").to_pylist() == want.column("vector").to_pylist()
        assert "text" not in batch
        assert set(batch) == set(fields)
        lists = batch.columns_dict()
        assert list(lists) == columns.schema.names
        for name, values in lists.items():
            kind = columns.schema.field(name).type
            if pa.types.is_temporal(kind):  # the integers of the file
                bits = pa.int32() if kind.bit_width == 32 else pa.int64()
                assert values == columns.column(name).cast(bits).to_pylist()
            else:
                assert values == columns.column(name).to_pylist(), name
        again = pickle.loads(pickle.dumps(batch))
        assert again.columns.equals(columns)
        assert again.columns_dict() == lists
        seen += len(batch.ids) - batch.padded
    assert seen == N


def test_columns_outlive_the_loader(photo: bytes, tmp_path: Path) -> None:
    pq.write_table(table(photo), tmp_path / "t.parquet")
    loader = spool.Loader(
        tmp_path / "t.parquet", {"image": spool.Image(size=8)}, columns=["text", "int64"], ignore_columns="*"
    )
    (batch,) = loader
    columns = batch.columns
    text = columns.column("text")
    del batch, columns
    loader.close()
    assert text[2].as_py() == "säte säte "
    assert text.to_pylist() == table(photo).column("text").to_pylist()


def test_columns_of_text(photo: bytes, tmp_path: Path) -> None:
    """JSON lines have the types of their values, and CSV has text."""
    (tmp_path / "a.jpg").write_bytes(photo)
    rows = [
        {"image": str(tmp_path / "a.jpg"), "n": i, "x": i / 2, "s": f"é{i}", "ok": i % 2 == 0, "list": [i], "mixed": m}
        for i, m in enumerate(["a", 1, None])
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "t.csv").write_text("image,n,s\n" + "".join(f"{r['image']},{r['n']},\n" for r in rows))
    fields = {"image": spool.Image(size=8)}
    (batch,) = spool.Loader(tmp_path / "t.jsonl", fields, columns=["n", "x", "s", "ok", "list", "mixed"])
    want = {"n": pa.int64(), "x": pa.float64(), "s": pa.string(), "ok": pa.bool_(), "list": pa.string()}
    assert {f.name: f.type for f in batch.columns.schema} == {**want, "mixed": pa.string()}
    assert batch.columns.to_pydict() == batch.columns_dict()
    assert batch.columns_dict()["x"] == [0.0, 0.5, 1.0]
    assert batch.columns_dict()["list"] == ["[0]", "[1]", "[2]"]
    assert batch.columns_dict()["mixed"] == ["a", "1", None]
    (batch,) = spool.Loader(tmp_path / "t.csv", fields, columns="n,s", where="n > 0")
    assert batch.columns.to_pydict() == {"n": ["1", "2"], "s": [None, None]}


class ArrowArray(ctypes.Structure):
    """The structure of Arrow's C data interface."""


ArrowArray._fields_ = (
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    *((name, ctypes.c_void_p) for name in ("dictionary", "release", "private_data")),
)


def buffers(array: ArrowArray) -> list[int | None]:
    """The addresses of all buffers of an array, with those of its children."""
    found = [array.buffers[i] for i in range(array.n_buffers)]
    return found + [at for i in range(array.n_children) for at in buffers(array.children[i].contents)]


def test_no_copy_for_pyarrow(photo: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The buffers that the library made are those of pyarrow: it has their addresses, and no copy."""
    pq.write_table(table(photo), tmp_path / "t.parquet", store_schema=False)
    columns = [name for name in COLUMNS if name != "stamp_ns"]
    fields = {"image": spool.Image(size=8), "number": spool.Number("int32", "int64", optional=True)}
    loader = spool.Loader(tmp_path / "t.parquet", fields, columns=columns, batch=N, ignore_columns="*")
    exported: list[int | None] = []

    class Imported:
        @staticmethod
        def _import_from_c(array: int, schema: int) -> Any:
            exported.extend(buffers(ArrowArray.from_address(array)))
            return pa.RecordBatch._import_from_c(array, schema)

    monkeypatch.setattr(spool._columns, "pyarrow", lambda: types.SimpleNamespace(RecordBatch=Imported))
    batch = next(iter(loader))
    found = batch.columns
    imported = {b.address for column in found.columns for b in column.buffers() if b is not None and b.size}
    assert len(imported) > 2 * len(columns)
    assert imported <= {at for at in exported if at}
    assert found["int64"].to_pylist() == pq.read_table(tmp_path / "t.parquet")["int64"].to_pylist()
    del batch
    loader.close()
    assert found["text"].to_pylist() == pq.read_table(tmp_path / "t.parquet")["text"].to_pylist()
