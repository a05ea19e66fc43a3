"""Writes the Arrow files of this folder, and what they hold, with pyarrow 26 and datasets 5."""

import base64
import datetime
import decimal
import io
import json
import math
import pathlib
import shutil

import datasets
import numpy as np
import pyarrow as pa
from PIL import Image

here = pathlib.Path(__file__).parent
rows = 23


def picture(i):
    out = io.BytesIO()
    Image.fromarray(np.full((8 + i, 12, 3), i * 10, np.uint8)).save(out, "PNG")
    return out.getvalue()


def sparse(values):
    return [None if i % 5 == 3 else v for i, v in enumerate(values)]


image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
columns = {
    "image": pa.array(
        [{"bytes": picture(i) if i % 3 else None, "path": f"p/{i}.png"} if i % 7 else None for i in range(rows)], image
    ),
    "text": pa.array(sparse([f"line {i} é" for i in range(rows)])),
    "long": pa.array(["x" * (i * 500) for i in range(rows)], pa.large_string()),
    "data": pa.array(sparse([bytes([i]) * i for i in range(rows)]), pa.binary()),
    "large_data": pa.array(sparse([bytes([i]) * i for i in range(rows)]), pa.large_binary()),
    "fixed": pa.array(sparse([bytes([i]) * 3 for i in range(rows)]), pa.binary(3)),
    "truth": pa.array(sparse([i % 2 == 0 for i in range(rows)])),
    "nothing": pa.nulls(rows),
    "vector": pa.array(sparse([[i + 0.25, math.nan, math.inf][: i % 4] for i in range(rows)]), pa.list_(pa.float32())),
    "numbers": pa.array(sparse([[i, None, -i] for i in range(rows)]), pa.large_list(pa.int16())),
    "pair": pa.array(sparse([[i, i + 0.5] for i in range(rows)]), pa.list_(pa.float64(), 2)),
    "grid": pa.array([[[i, 1], [2]] if i % 2 else [] for i in range(rows)], pa.list_(pa.list_(pa.int8()))),
    "words": pa.array([[f"a{i}", None] for i in range(rows)], pa.list_(pa.string())),
    "flags": pa.array([[True, i % 2 == 0] for i in range(rows)], pa.list_(pa.bool_())),
    "blobs": pa.array([[b"\x00\x01", b""] for _ in range(rows)], pa.list_(pa.binary())),
    "meta": pa.array(
        sparse([{"Size": i, "inner": {"c": f"c{i}", "d": None if i % 2 else i * 0.5}} for i in range(rows)]),
        pa.struct([("Size", pa.int64()), ("inner", pa.struct([("c", pa.string()), ("d", pa.float64())]))]),
    ),
    "map": pa.array([[("k", i)] for i in range(rows)], pa.map_(pa.string(), pa.int32())),
    "f16": pa.array(np.array([0.1 * i - 1 for i in range(rows)], np.float16)),
    "f32": pa.array([0.1 * i if i != 4 else math.nan for i in range(rows)], pa.float32()),
    "f64": pa.array([1e300 * i if i != 4 else -math.inf for i in range(rows)], pa.float64()),
    "date": pa.array([datetime.date(1969, 12, 30) + datetime.timedelta(i) for i in range(rows)], pa.date32()),
    "stamp": pa.array(
        [datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=i) for i in range(rows)], pa.timestamp("us", "UTC")
    ),
    "clock": pa.array([datetime.time(1, 2, i) for i in range(rows)], pa.time32("ms")),
    "span": pa.array([datetime.timedelta(seconds=i) for i in range(rows)], pa.duration("ns")),
    "label": pa.array([i % 3 for i in range(rows)], pa.int64()),
    "key": pa.array([f"k{i}" for i in range(rows)]),
}
for bits in (8, 16, 32, 64):
    columns[f"int{bits}"] = pa.array(sparse([-(2 ** (bits - 1)) + i for i in range(rows)]), getattr(pa, f"int{bits}")())
    columns[f"uint{bits}"] = pa.array(sparse([2**bits - 1 - i for i in range(rows)]), getattr(pa, f"uint{bits}")())


def plain(v):
    if isinstance(v, bytes):
        return base64.b64encode(v).decode()
    if isinstance(v, list) and v and isinstance(v[0], tuple):
        return [{"key": k, "value": x} for k, x in v]
    if isinstance(v, list):
        return [plain(x) for x in v]
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, float):
        return v if math.isfinite(v) else repr(v)
    return v


def expected(array):
    kinds = {
        "date32[day]": pa.int32(),
        "timestamp[us, tz=UTC]": pa.int64(),
        "time32[ms]": pa.int32(),
        "duration[ns]": pa.int64(),
    }
    if str(array.type) in kinds:
        array = array.cast(kinds[str(array.type)])
    if str(array.type) == "halffloat":
        array = array.cast(pa.float32())
    if str(array.type) == "float":
        return [
            None if v is None else float(str(np.float32(v))) if math.isfinite(v) else repr(v) for v in array.to_pylist()
        ]
    return [plain(v) for v in array.to_pylist()]


table = pa.table(columns)
parts = [table.slice(0, 10), table.slice(10, 0), table.slice(10, 13)]
for name, writer in (("types.arrow", pa.ipc.new_stream), ("file.arrow", pa.ipc.new_file)):
    if name == "file.arrow":
        table = table.drop_columns(["long"])
        parts = [table]
    with writer(here / name, table.schema) as out:
        for part in parts:
            for batch in part.to_batches() or [
                pa.record_batch([pa.array([], f.type) for f in table.schema], schema=table.schema)
            ]:
                out.write_batch(batch)
legacy = table.select(["text", "vector", "label"])
with pa.ipc.new_stream(
    here / "legacy.arrow", legacy.schema, options=pa.ipc.IpcWriteOptions(use_legacy_format=True)
) as out:
    out.write_table(legacy)
few = pa.table({"path": ["a", "b"], "n": [1, 2]})
for codec in ("lz4", "zstd"):
    with pa.ipc.new_stream(
        here / f"{codec}.arrow", few.schema, options=pa.ipc.IpcWriteOptions(compression=codec)
    ) as out:
        out.write_table(few)
odd = pa.table(
    {
        "word": pa.array(["a", "b", "a"]).dictionary_encode(),
        "path": ["x", "y", "z"],
        "money": pa.array([decimal.Decimal(1)] * 3, pa.decimal128(20, 2)),
    }
)
with pa.ipc.new_stream(here / "dictionary.arrow", odd.schema) as out:
    out.write_table(odd)
for name, column in (
    ("view", pa.array(["a"], pa.string_view())),
    ("union", pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])),
):
    batch = pa.record_batch([pa.array(["x"]), column], names=["path", "odd"])
    with pa.ipc.new_stream(here / f"{name}.arrow", batch.schema) as out:
        out.write_batch(batch)

json.dump(
    {
        name: expected(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)
        for name, array in columns.items()
    },
    open(here / "expected.json", "w"),
    indent=0,
)

shutil.rmtree(here / "saved", ignore_errors=True)
features = datasets.Features(
    {
        "image": datasets.Image(),
        "caption": datasets.Value("string"),
        "label": datasets.ClassLabel(names=["cat", "dog"]),
        "vector": datasets.List(datasets.Value("float32")),
    }
)
flowers = datasets.Dataset.from_dict(
    {
        "image": [{"bytes": picture(i), "path": f"{i}.png"} for i in range(9)],
        "caption": [f"flower {i}" for i in range(9)],
        "label": [i % 2 for i in range(9)],
        "vector": [[i, i + 0.5] for i in range(9)],
    },
    features=features,
)
datasets.DatasetDict({"train": flowers, "test": flowers.select([4, 2])}).save_to_disk(
    here / "saved", num_shards={"train": 2, "test": 1}
)
