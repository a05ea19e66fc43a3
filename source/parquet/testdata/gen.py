"""Makes the Parquet files of the tests, by pyarrow and DuckDB, and expected.json: what pyarrow reads in each.

python gen.py   # pyarrow 26.0.1, DuckDB 2.0.0
"""

import hashlib
import itertools
import json
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

random.seed(1)
N = 100
PATHS = [f"train/n{i % 7:08d}/n{i % 7:08d}_{i * i}.JPEG" for i in range(N)]
CLASSES = [["cat", "dog", "äöü", "a rather long name of a class"][i * i % 4] for i in range(N)]
LABELS = [i * i % 1000 - (i % 13 == 0) * 7 for i in range(N)]
LABELS = [x if x >= 0 else -1 for x in LABELS]


def some(values, every):
    return [None if i % every == 0 else v for i, v in enumerate(values)]


def media(i):
    return random.Random(i).randbytes(i * 37 % 150) + b"\xff\xd8"


def write(name, table, **options):
    options = {"row_group_size": 40, "data_page_size": 300, "write_batch_size": 8, "store_schema": False} | options
    pq.write_table(table, name, **options)


def plain(paths=PATHS, labels=LABELS, label_type=pa.int64()):
    return pa.table(
        {
            "other": pa.array([i * 0.5 for i in range(N)]),
            "path": pa.array(paths, pa.string()),
            "label": pa.array(labels, label_type),
            "key": pa.array(some([f"k{i}" for i in range(N)], 5), pa.string()),
        }
    )


for codec, version, words in itertools.product(["none", "snappy", "gzip", "zstd"], ["1.0", "2.0"], [True, False]):
    if words and codec in ("gzip", "none"):
        continue
    write(
        f"paths_{codec}_v{version[0]}_{'words' if words else 'plain'}.parquet",
        plain(),
        compression=codec,
        data_page_version=version,
        use_dictionary=words,
        write_page_checksum=codec == "zstd",
    )
for version in ["1.0", "2.0"]:
    write(
        f"delta_v{version[0]}.parquet",
        plain(some(PATHS, 9), some(LABELS, 4), pa.int32()),
        use_dictionary=False,
        data_page_version=version,
        column_encoding={"path": "DELTA_BYTE_ARRAY", "label": "DELTA_BINARY_PACKED", "key": "DELTA_LENGTH_BYTE_ARRAY"},
    )
write("classes.parquet", plain(labels=some(CLASSES, 6), label_type=pa.string()))
# words until the dictionary is full, then the values themselves
write("overflow.parquet", plain(), dictionary_pagesize_limit=600, row_group_size=100)
write(
    "late.parquet",
    plain(labels=[None] * 60 + LABELS[60:], label_type=pa.int32()),
    use_dictionary=False,
    row_group_size=100,
)
write(
    "required.parquet",
    plain()
    .select(["path", "label"])
    .cast(pa.schema([pa.field("path", pa.string(), False), pa.field("label", pa.int64(), False)])),
)
write("empty_groups.parquet", plain().slice(0, 0))
with pq.ParquetWriter("groups.parquet", plain().schema, store_schema=False) as w:
    for first, n in [(0, 3), (3, 0), (3, 1), (4, 96)]:
        w.write_table(plain().slice(first, n))

# as Hugging Face's datasets are written
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
rows = [{"bytes": media(i), "path": f"{i}.jpg"} for i in range(N)]
for codec, words in [("snappy", True), ("zstd", False), ("none", False)]:
    write(
        f"media_{codec}.parquet",
        pa.table({"image": pa.array(rows, IMAGE), "label": pa.array(LABELS, pa.int64())}),
        compression=codec,
        use_dictionary=words,
        data_page_version="1.0" if words else "2.0",
        dictionary_pagesize_limit=1500,
        write_page_checksum=codec == "zstd",
    )
mixed = [
    None if i % 11 == 5 else {"bytes": media(i) if i % 3 else None, "path": f"{i}.jpg" if i % 4 else None}
    for i in range(N)
]
write("media_mixed.parquet", pa.table({"image": pa.array(mixed, IMAGE), "key": pa.array(list(range(N)), pa.int32())}))
write("media_elsewhere.parquet", pa.table({"image": pa.array([{"bytes": None, "path": p} for p in PATHS], IMAGE)}))
write(
    "media_binary.parquet",
    pa.table({"audio": pa.array([media(i) for i in range(N)], pa.binary())}),
    use_dictionary=False,
    column_encoding={"audio": "DELTA_LENGTH_BYTE_ARRAY"},
)
write("media_same.parquet", pa.table({"image": pa.array([media(i % 3) for i in range(N)], pa.binary())}))

# more than is read of the end of a file in one piece, of bytes that a repository takes no room for
write(
    "media_large.parquet",
    pa.table({"image": pa.array([bytes(8000 + i) for i in range(15)], pa.binary())}),
    use_dictionary=False,
    compression="none",
    row_group_size=6,
    write_batch_size=2,
)

write("split.parquet", plain(), use_dictionary=False, column_encoding={"label": "BYTE_STREAM_SPLIT"})

duckdb.register("t", plain(some(PATHS, 9), LABELS))
duckdb.execute("copy t to 'duckdb.parquet' (format parquet, compression zstd, row_group_size 2048)")
duckdb.execute("copy t to 'duckdb_v2.parquet' (format parquet, compression snappy, parquet_version v2)")

write("refused_list.parquet", pa.table({"path": PATHS, "label": pa.array([[1]] * N)}))
write("refused_float.parquet", pa.table({"path": PATHS, "label": pa.array([1.5] * N)}))
write("refused_lz4.parquet", plain(), compression="lz4")
write("refused_brotli.parquet", plain(), compression="brotli")
write("refused_columns.parquet", pa.table({"x": [1, 2], "y": ["a", "b"]}))


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


# A row is its path, label, key and the digest of its bytes; of all rows but the first three only the digest is kept.


expected = {}
for name in sorted(__import__("glob").glob("*.parquet")):
    if name.startswith(("refused", "cells")):
        continue
    file = pq.ParquetFile(name)
    t = file.read()
    want = {"sizes": [n for n in (file.metadata.row_group(g).num_rows for g in range(file.num_row_groups))]}
    lines = []
    for row in t.to_pylist():
        held = row.get("image", row.get("audio"))
        path, data = row.get("path"), held
        if isinstance(held, dict):
            path, data = held["path"], held["bytes"]
        elif t.schema.get_field_index("image") >= 0 and t.schema.types[0] == IMAGE:
            path, data = None, None
        lines.append(
            "|".join(
                [
                    path or "",
                    str(row["label"]) if row.get("label") is not None else "",
                    str(row["key"]) if row.get("key") is not None else "",
                    sha(data) if isinstance(data, bytes) else "",
                ]
            )
        )
    want |= {"rows": lines[:3], "digest": sha("\n".join(lines).encode())}
    expected[name] = want
with open("expected.json", "w") as f:
    f.write(
        "{\n"
        + ",\n".join(
            f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False, separators=(',', ':'))}" for k, v in expected.items()
        )
        + "\n}\n"
    )
