"""What spool pack wrote, read by pyarrow, Hugging Face's datasets and webdataset."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest
from PIL import Image

pa = need.peer("pyarrow")
pq = need.peer("pyarrow.parquet")
datasets = need.peer("datasets")

COMMAND = Path(__file__).resolve().parents[3] / "bin/spool"


def pack(out: Path, *args: str) -> list[Path]:
    subprocess.run([COMMAND, "pack", *args, "--out", out], check=True, capture_output=True)
    names = [shard["name"] for shard in json.loads((out / "manifest.json").read_text())["shards"]]
    return [out / name for name in names]


@pytest.fixture
def classes(tmp_path: Path, photos: list[Path]) -> Path:
    """A folder of two classes."""
    for i, photo in enumerate(photos[:20]):
        path = tmp_path / "photos" / ("cat", "dog")[i % 2] / f"{i:02}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(photo.read_bytes())
    return tmp_path / "photos"


def read(path: Path) -> Any:
    if path.suffix == ".parquet":
        return pq.read_table(path, page_checksum_verification=True)
    return pa.ipc.open_file(path).read_all()


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_photos_with_classes(tmp_path: Path, classes: Path, form: str) -> None:
    files = sorted(classes.glob("*/*"))
    shards = pack(tmp_path / "packed", str(classes), "--format", form, "--per-shard", "8")
    assert len(shards) == 3
    table = pa.concat_tables([read(shard) for shard in shards])
    table.validate(full=True)
    rows = table.to_pylist()
    assert [row["image"]["bytes"] for row in rows] == [path.read_bytes() for path in files]
    assert [row["image"]["path"] for row in rows] == [f"{i:09}.jpg" for i in range(20)]
    assert [row["label"] for row in rows] == [0] * 10 + [1] * 10
    assert [row["key"] for row in rows] == [path.name for path in files]

    data = datasets.load_dataset(form, data_files=[str(p) for p in shards], split="train", cache_dir=str(tmp_path))
    assert data.features["label"].names == ["cat", "dog"]
    assert isinstance(data.features["image"], datasets.Image)
    for i in (0, 9, 19):
        with Image.open(files[i]) as want:
            assert np.array_equal(np.asarray(data[i]["image"]), np.asarray(want))


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_fields_that_are_missing(tmp_path: Path, form: str) -> None:
    photo = io.BytesIO()
    Image.new("RGB", (3, 2)).save(photo, "PNG")
    (tmp_path / "a.png").write_bytes(photo.getvalue())
    lines = ["image,mask,caption"]
    for i in range(2100):  # three parts
        lines.append(f"a.png,{'a.png' if i % 3 else ''},{f'é {i}' if i % 5 else ''}")
    (tmp_path / "t.csv").write_text("\n".join(lines))
    (shard,) = pack(
        *(tmp_path / "packed", str(tmp_path / "t.csv"), "--format", form, "--per-shard", "5000"),
        *("--members", "png=image,seg.png=mask", "--values", "txt=caption"),
    )
    table = read(shard)
    table.validate(full=True)
    rows = table.to_pylist()
    assert len(rows) == 2100
    for i, row in enumerate(rows):
        assert row["png"]["bytes"] == photo.getvalue()
        assert (row["seg_png"] or {}).get("path") == (f"{i:09}.seg.png" if i % 3 else None)
        assert row["txt"] == (f"é {i}" if i % 5 else None)
        assert row["label"] is None
    data = datasets.load_dataset(form, data_files=str(shard), split="train", cache_dir=str(tmp_path))
    assert data[1]["seg_png"].size == (3, 2)
    assert data[0]["seg_png"] is None


def test_webdataset_reads_tars(tmp_path: Path, classes: Path) -> None:
    webdataset = need.peer("webdataset")
    shards = pack(tmp_path / "packed", str(classes), "--per-shard", "8")
    samples = list(webdataset.WebDataset([str(p) for p in shards], shardshuffle=False))
    assert [s["jpg"] for s in samples] == [path.read_bytes() for path in sorted(classes.glob("*/*"))]
    assert [int(s["cls"]) for s in samples] == [0] * 10 + [1] * 10
