"""Makes the Parquet files with columns of all types, by pyarrow, and cells.json: what pyarrow reads in each.

python gen_cells.py   # pyarrow 26.0.1
"""

import base64
import datetime
import decimal
import glob
import json
import math
import random

import pyarrow as pa
import pyarrow.parquet as pq

random.seed(2)
N = 24
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
POINT = pa.struct([("x", pa.float32()), ("name", pa.string())])


def some(make, every):
    return [None if i % every == every - 1 else make(i) for i in range(N)]


def words(i):
    return " ".join(random.choice(["a", "cat", "säte", 'quote"', "<b>"]) for _ in range(i % 7))


def vector(i, n):
    return [None if k % 5 == 4 else (i * k % 31) / 8 for k in range(n)]


FLAT = {
    "truth": (pa.bool_(), lambda i: i % 3 == 0),
    "Int8": (pa.int8(), lambda i: i - 12),
    "uint8": (pa.uint8(), lambda i: i * 4),
    "int32": (pa.int32(), lambda i: (i - 12) * 170_000_000),
    "uint32": (pa.uint32(), lambda i: i * 170_000_000),
    "int64": (pa.int64(), lambda i: (i - 12) * 700_000_000_000_000_000),
    "uint64": (pa.uint64(), lambda i: i * 700_000_000_000_000_000),
    "half": (pa.float16(), lambda i: [0.1, -2.5, 6e-8, 65504.0, math.inf, math.nan][i % 6]),
    "float": (pa.float32(), lambda i: [0.1, 1e-9, -3e38, math.nan, math.inf, -math.inf, 16777216.0][i % 7]),
    "double": (pa.float64(), lambda i: [0.1, 1e-300, 1e21, -1 / 3, math.nan, 123456789.0][i % 6]),
    "text": (pa.string(), words),
    "large": (pa.large_string(), words),
    "word": (pa.string(), lambda i: ["cat", "dog"][i % 2]),
    "binary": (pa.binary(), lambda i: random.randbytes(i % 40)),
    "fixed": (pa.binary(5), lambda i: random.randbytes(5)),
    "decimal": (pa.decimal128(20, 3), lambda i: decimal.Decimal(i * i - 900) / 8),
    "small_decimal": (pa.decimal128(6, 2), lambda i: decimal.Decimal(i - 12) / 4),
    "date": (pa.date32(), lambda i: datetime.date(1960 + i, 2, 3)),
    "time": (pa.timestamp("us"), lambda i: datetime.datetime(1960 + i, 2, 3, 4, 5, 6, 789)),
    "uuid": (pa.uuid(), lambda i: random.randbytes(16)),
    "json": (pa.json_(), lambda i: json.dumps({"i": i})),
}
NESTED = {
    "vector": (pa.list_(pa.float32()), lambda i: vector(i, i % 12)),
    "long": (pa.list_(pa.int64()), lambda i: list(range(i * 4))),
    "lists": (pa.list_(pa.list_(pa.string())), lambda i: [None if k == 2 else [words(k)] * k for k in range(i % 5)]),
    "meta": (
        pa.struct([("Size", pa.int32()), ("inner", pa.struct([("c", pa.string()), ("d", pa.list_(pa.int32()))]))]),
        lambda i: {"Size": i if i % 4 else None, "inner": {"c": words(i), "d": [i] * (i % 3)} if i % 5 else None},
    ),
    "points": (pa.list_(POINT), lambda i: [{"x": k / 4, "name": words(k)} if k % 3 else None for k in range(i % 6)]),
    "map": (pa.map_(pa.string(), pa.int32()), lambda i: [(f"k{k}", k) for k in range(i % 4)]),
    "image": (
        IMAGE,
        lambda i: {"bytes": random.randbytes(i) if i % 3 else None, "path": f"{i}.jpg" if i % 4 else None},
    ),
    "list_of_bytes": (pa.list_(pa.uint8()), lambda i: list(random.randbytes(i))),
}


def table(columns, every):
    arrays = {name: pa.array(some(make, every), kind) for name, (kind, make) in columns.items()}
    return pa.table(arrays)


def write(name, t, **options):
    options = {"row_group_size": 16, "data_page_size": 300, "write_batch_size": 8, "store_schema": False} | options
    pq.write_table(t, name, **options)


both = FLAT | NESTED
write("cells_v1.parquet", table(both, 6), data_page_version="1.0", use_dictionary=False, compression="none")
write("cells_v2.parquet", table(both, 7), data_page_version="2.0", use_dictionary=False, compression="zstd")
write("cells_words.parquet", table(NESTED | {"word": FLAT["word"], "text": FLAT["text"]}, 9), compression="snappy")
split = ["half", "float", "double", "int32", "int64", "fixed", "vector"]
write(
    "cells_split.parquet",
    table({name: both[name] for name in split}, 5),
    use_dictionary=False,
    column_encoding={name: "BYTE_STREAM_SPLIT" for name in split[:-1]} | {"vector.list.element": "BYTE_STREAM_SPLIT"},
)
delta = ["int32", "uint64", "text", "binary", "long", "fixed"]
write(
    "cells_delta.parquet",
    table({name: both[name] for name in delta}, 5),
    use_dictionary=False,
    column_encoding={
        "int32": "DELTA_BINARY_PACKED",
        "uint64": "DELTA_BINARY_PACKED",
        "text": "DELTA_LENGTH_BYTE_ARRAY",
        "binary": "DELTA_BYTE_ARRAY",
        "long.list.element": "DELTA_BINARY_PACKED",
        "fixed": "DELTA_BYTE_ARRAY",
    },
)
write("cells_int96.parquet", table({"time": both["time"]}, 5), use_deprecated_int96_timestamps=True)
required = pa.schema(
    [
        pa.field("vector", pa.list_(pa.field("element", pa.float32(), False)), False),
        pa.field("meta", pa.struct([pa.field("Size", pa.int32(), False)]), False),
    ]
)
rows = [{"vector": [i / 4] * (i % 5), "meta": {"Size": i}} for i in range(N)]
write("cells_required.parquet", pa.Table.from_pylist(rows, required))


def plain(v):
    """A value within a list or structure, as JSON."""
    if isinstance(v, float) and not math.isfinite(v):
        return None
    if isinstance(v, bytes):
        return base64.b64encode(v).decode()
    if isinstance(v, tuple):
        return {"key": plain(v[0]), "value": plain(v[1])}
    if isinstance(v, list):
        return [plain(x) for x in v]
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    return v


def cell(name, kind, v, int96):
    """The type of a cell, its text or bytes in base64, and its path."""
    if v is None or kind == IMAGE and v == {"bytes": None, "path": None}:
        return ["nothing", "", ""]
    if kind == IMAGE and v["bytes"] is not None:
        return ["bytes", base64.b64encode(v["bytes"]).decode(), v["path"] or ""]
    if name == "json":
        return ["JSON", v if isinstance(v, str) else json.dumps(v), ""]
    if isinstance(v, bool) or isinstance(v, (list, dict, tuple)):
        return ["JSON", json.dumps(plain(v)), v["path"] if kind == IMAGE else ""]
    if isinstance(v, bytes):
        return ["bytes", base64.b64encode(v).decode(), ""]
    if isinstance(v, datetime.datetime):
        micro = round((v - datetime.datetime(1970, 1, 1)) / datetime.timedelta(microseconds=1))
        return ["a number", str(micro * 1000 if int96 else micro), ""]
    if isinstance(v, datetime.date):
        return ["a number", str((v - datetime.date(1970, 1, 1)).days), ""]
    if isinstance(v, decimal.Decimal):
        text = format(v, "f").rstrip("0").rstrip(".")
        return ["a number", text, ""]
    if isinstance(v, (int, float)):
        return ["a number", repr(v), ""]
    return ["text", str(v), ""]


expected = {}
for file in sorted(glob.glob("cells_*.parquet")):
    t = pq.read_table(file)
    expected[file] = {
        name: [cell(name, t.schema.field(name).type, v, "int96" in file) for v in t.column(name).to_pylist()]
        for name in t.column_names
    }
with open("cells.json", "w") as f:
    lines = [
        json.dumps(k)
        + ":{\n"
        + ",\n".join(f"{json.dumps(c)}:{json.dumps(r, separators=(',', ':'))}" for c, r in v.items())
        for k, v in expected.items()
    ]
    f.write("{" + "},\n".join(lines) + "}}\n")
