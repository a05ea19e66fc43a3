"""What spool pack wrote, read by pyarrow, Hugging Face's datasets, webdataset and MosaicML Streaming."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest
from environments import interpreter
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


def test_transcoded_media_is_read_by_others(tmp_path: Path, classes: Path) -> None:
    """webdataset, Pillow and torchcodec read AVIF, H.264, FLAC and Opus, with the pictures of the originals."""
    webdataset, decoders = need.peer("webdataset"), need.peer("torchcodec.decoders")
    media = Path(__file__).resolve().parents[3] / "testdata"

    def samples(shards: list[Path]) -> list[dict[str, Any]]:
        return list(webdataset.WebDataset([str(p) for p in shards], shardshuffle=False))

    files = sorted(classes.glob("*/*"))
    images = samples(pack(tmp_path / "avif", str(classes), "--convert", "avif", "--quality", "90"))
    assert len(images) == len(files)
    for sample, path in zip(images, files, strict=True):
        with Image.open(io.BytesIO(sample["avif"])) as got, Image.open(path) as want:
            assert got.size == want.size
            difference = np.asarray(got.convert("RGB"), float) - np.asarray(want.convert("RGB"), float)
            assert np.abs(difference).mean() < 6

    video = media / "video/bframes.mp4"
    flags = ("--kind", "video", "--video-codec", "h264", "--gop", "5", "--crf", "15", "--windows", "0.4")
    clips = samples(pack(tmp_path / "h264", str(video), *flags))
    want = decoders.VideoDecoder(str(video))
    at = 0
    for clip, frames in zip(clips, (10, 10, 5), strict=True):
        got = decoders.VideoDecoder(clip["mp4"])
        assert len(got) == frames
        for k in range(frames):
            assert abs(got[k].float() - want[at + k].float()).mean() < 6
        at += frames

    sound = media / "audio/s16.wav"
    (flac,) = samples(pack(tmp_path / "flac", str(sound), "--kind", "audio", "--audio-codec", "flac"))
    one, two = (decoders.AudioDecoder(x).get_all_samples().data for x in (flac["flac"], str(sound)))
    assert bool((one == two).all())
    (opus,) = samples(pack(tmp_path / "opus", str(sound), "--kind", "audio", "--audio-codec", "opus"))
    assert abs(decoders.AudioDecoder(opus["opus"]).get_all_samples().data.shape[1] / 48000 - two.shape[1] / 8000) < 0.01

    for form in ("parquet", "arrow"):
        (shard,) = pack(tmp_path / form, str(sound), "--kind", "audio", "--audio-codec", "flac", "--format", form)
        data = datasets.load_dataset(form, data_files=str(shard), split="train", cache_dir=str(tmp_path))
        assert isinstance(data.features["audio"], datasets.Audio)
        assert bool((data[0]["audio"].get_all_samples().data == two).all())


READ_MDS = """
import hashlib, json, streaming, sys
rows = streaming.StreamingDataset(local=sys.argv[1], shuffle=False, batch_size=1)
rows = [rows[i] for i in range(len(rows))]
print(json.dumps([[hashlib.sha256(row["image"]).hexdigest(), int(row["label"]), row["key"]] for row in rows]))
"""


def test_mds(tmp_path: Path, classes: Path) -> None:
    """The reader is in an environment of its own, since it needs older packages than the other peers."""
    python = interpreter(COMMAND.parents[1] / "bench/peers/mds.txt")
    shards = pack(tmp_path / "packed", str(classes), "--format", "mds", "--per-shard", "8")
    assert len(shards) == 3
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    reading = [python, "-c", READ_MDS, str(tmp_path / "packed")]
    rows = json.loads(subprocess.run(reading, env=environment, check=True, capture_output=True, text=True).stdout)
    files = sorted(classes.glob("*/*"))
    assert [row[0] for row in rows] == [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    assert [row[1] for row in rows] == [0] * 10 + [1] * 10
    assert [row[2] for row in rows] == [path.name for path in files]
