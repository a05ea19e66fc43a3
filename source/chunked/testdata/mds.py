"""Writes the MDS data sets of this folder with mosaicml-streaming 0.13, and what its StreamingDataset reads."""

import base64
import io
import json
import pathlib
import shutil

import numpy as np
from PIL import Image
from streaming import MDSWriter, StreamingDataset

here = pathlib.Path(__file__).parent
COLUMNS = {
    "image": "png",
    "label": "int",
    "key": "str",
    "raw": "bytes",
    "meta": "json",
    "half": "float16",
    "small": "int8",
    "wide": "uint64",
    "score": "float32",
    "exact": "str_float",
    "array": "ndarray",
}


def sample(i):
    return {
        "image": Image.fromarray(np.full((8 + i, 12, 3), i * 10, np.uint8)),
        "label": i % 3,
        "key": f"n\u00e4me {i}",
        "raw": bytes(range(i)),
        "meta": {"i": i, "list": [1, None, "x"]},
        "half": np.float16(i / 3),
        "small": np.int8(-i),
        "wide": np.uint64(2**64 - 1 - i),
        "score": np.float32(1.1**i),
        "exact": 1 / (i + 1),
        "array": np.arange(i + 1),
    }


for name, compression in (("mds", None), ("mds-zstd", "zstd:7")):
    shutil.rmtree(here / name, ignore_errors=True)
    with MDSWriter(out=str(here / name), columns=COLUMNS, compression=compression, size_limit=1500) as out:
        for i in range(11):
            out.write(sample(i))


def plain(value):
    if isinstance(value, Image.Image):
        data = io.BytesIO()
        value.save(data, "PNG")
        return base64.b64encode(data.getvalue()).decode()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.item() if isinstance(value, np.generic) else value


read = StreamingDataset(local=str(here / "mds"), shuffle=False, batch_size=1)
rows = [{k: plain(v) for k, v in read[i].items() if k != "array"} for i in range(len(read))]
(here / "mds.json").write_text(json.dumps(rows, indent=1) + "\n")
