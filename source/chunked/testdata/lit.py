"""Writes the LitData data sets of this folder with litdata 0.2.76, and what its StreamingDataset reads."""

import base64
import io
import json
import pathlib
import shutil

import numpy as np
from litdata import StreamingDataset
from litdata.streaming.writer import BinaryWriter
from PIL import Image

here = pathlib.Path(__file__).parent


def picture(i):
    out = io.BytesIO()
    Image.fromarray(np.full((8 + i, 12, 3), i * 10, np.uint8)).save(out, "PNG")
    return out.getvalue()


def sample(i):
    return {
        "image": picture(i),
        "label": i % 3,
        "key": f"n\u00e4me {i}",
        "pair": (i / 3, i % 2 == 0),
        "pixels": np.arange(6).reshape(2, 3),
    }


for name, options in (("lit", {}), ("lit-zstd", {"compression": "zstd", "compression_level": "chunk"})):
    shutil.rmtree(here / name, ignore_errors=True)
    (here / name).mkdir()
    out = BinaryWriter(str(here / name), chunk_size=4, **options)
    for i in range(11):
        out.add_item(i, sample(i))
    out.done()
    out.merge()

rows = []
for row in StreamingDataset(str(here / "lit"), shuffle=False):
    image = row["image"]
    rows.append(
        {
            "image": base64.b64encode(bytes(image)).decode(),
            "label": int(row["label"]),
            "key": row["key"],
            "pair": [float(row["pair"][0]), bool(row["pair"][1])],
        }
    )
(here / "lit.json").write_text(json.dumps(rows, indent=1) + "\n")
