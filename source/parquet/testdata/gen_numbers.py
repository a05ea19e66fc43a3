"""Makes the Parquet files with columns of numbers, by pyarrow, and numbers.json: the bytes of each column.

python gen_numbers.py   # pyarrow 26.0.1, numpy
"""

import base64
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N = 300
draw = np.random.default_rng(1)
state = draw.random((N, 7), np.float32)
matrix = draw.random((N, 2, 3))
words = draw.integers(0, 4, (N, 5))
columns = {
    "truth": (np.arange(N) % 3 == 0).astype(np.uint8),
    "small": draw.integers(-(2**31), 2**31, N).astype(np.int32),
    "tiny": draw.integers(0, 256, N).astype(np.uint8),
    "large": draw.integers(0, 2**32, N).astype(np.uint32),
    "long": draw.integers(-(2**62), 2**62, N),
    "half": draw.random(N).astype(np.float16),
    "single": draw.random(N).astype(np.float32),
    "double": draw.random(N),
    "state": state,
    "words": words,
    "matrix": matrix,
}
table = pa.table(
    {
        **{k: v for k, v in columns.items() if v.ndim == 1},
        "truth": pa.array(columns["truth"].astype(bool)),
        "state": pa.array(state.tolist(), pa.list_(pa.float32(), 7)),
        "words": pa.array(words.tolist(), pa.list_(pa.int64())),
        "matrix": pa.array(matrix.tolist(), pa.list_(pa.list_(pa.float64()))),
        "ragged": pa.array([[1.0] * (1 + i % 2) for i in range(N)], pa.list_(pa.float32())),
        "gaps": pa.array([None if i == N - 1 else i for i in range(N)]),
        "text": pa.array(["text"] * N),
    }
)
stored = {"tiny": np.int64, "large": np.int64}  # unsigned ones, in table.Numbers
for version in ("1.0", "2.0"):
    pq.write_table(
        table, f"numbers_v{version[0]}.parquet", row_group_size=130, data_page_version=version, data_page_size=512,
        write_batch_size=16, use_dictionary=["words", "small"], compression="snappy",
    )  # fmt: skip
with open("numbers.json", "w") as f:
    bits = {k: base64.b64encode(v.astype(stored.get(k, v.dtype)).tobytes()).decode() for k, v in columns.items()}
    json.dump(bits, f, indent=1)
