"""Makes pictures.parquet: pictures of testdata as Hugging Face's datasets are written, by pyarrow.

python pictures.py   # pyarrow 26.0.1
"""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

FILES = ["good/progressive.jpg", "good/q1.jpg", "bad/text.jpg", "good/lossy.webp", "good/gray1.png", "good/7x300.jpg"]
hard = pathlib.Path(__file__).parent / "../../../../../testdata/hard"
image = pa.array(
    [{"bytes": (hard / f).read_bytes(), "path": f} for f in FILES],
    pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
)
table = pa.table({"image": image, "label": pa.array([i % 3 for i in range(len(FILES))], pa.int64())})
pq.write_table(table, "pictures.parquet", row_group_size=4, compression="zstd", store_schema=False)
