"""Pipelines of spool.webdataset.WebDataset, compared with those of webdataset."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import webdataset as wds

import spool
import spool.webdataset

PHOTOS = sorted((Path(__file__).resolve().parents[3] / "testdata/photos").rglob("*.jpg"))[:11]


@pytest.fixture
def shards(tmp_path: Path) -> str:
    """Two shards of JPEG and PNG files, gray ones and such with alpha among them."""
    from PIL import Image

    for n, photos in enumerate((PHOTOS[:6], PHOTOS[6:])):
        with tarfile.open(tmp_path / f"{n}.tar", "w") as tar:

            def add(name: str, data: bytes) -> None:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))

            for i, photo in enumerate(photos):
                key = f"a/{n}{i:03}"
                if i % 3 == 1:
                    out = io.BytesIO()
                    with Image.open(photo) as image:
                        image.resize((40 + i, 30)).convert(["L", "RGBA"][i % 2]).save(out, "PNG")
                    add(f"{key}.png", out.getvalue())
                else:
                    add(f"{key}.jpg", photo.read_bytes())
                add(f"{key}.cls", str(i).encode())
                add(f"{key}.json", json.dumps({"n": i, "words": ["x"] * i}).encode())
                add(f"{key}.txt", f"photo {i} é".encode())
                vector = io.BytesIO()
                np.save(vector, np.arange(3, dtype=np.float32) + i)
                add(f"{key}.vector.npy", vector.getvalue())
    return str(tmp_path / "{0..1}.tar")


NAMES = ("jpg;png", "cls", "json", "txt", "vector.npy", "__key__")


def same(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    if isinstance(want, (np.ndarray, torch.Tensor)):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    else:
        assert got == want


@pytest.mark.parametrize("form", ["rgb", "rgb8", "torchrgb", "torchrgb8", "torch"])
def test_samples(shards: str, form: str) -> None:
    want = list(wds.WebDataset(shards, shardshuffle=False).decode(form).to_tuple(*NAMES))
    dataset = spool.webdataset.WebDataset(shards, shardshuffle=False).decode(form).to_tuple(*NAMES)
    for _ in range(2):  # epochs
        got = list(dataset)
        assert len(got) == len(want) == len(dataset) == len(PHOTOS)
        for a, b in zip(got, want, strict=True):
            assert isinstance(a, tuple)
            assert len(a) == len(b)
            for x, y in zip(a, b, strict=True):
                same(x, y)


def test_without_decode(shards: str) -> None:
    want = list(wds.WebDataset(shards, shardshuffle=False).to_tuple("jpg;png", "cls"))
    assert list(spool.webdataset.WebDataset(shards).to_tuple("jpg;png cls")) == want
    decoded = list(wds.WebDataset(shards, shardshuffle=False).decode().to_tuple("jpg;png", "cls"))
    assert list(spool.webdataset.WebDataset(shards).decode().to_tuple("jpg;png", "cls")) == decoded


@pytest.mark.parametrize("partial", [True, False])
def test_batches(shards: str, partial: bool) -> None:
    names = ("cls", "json", "txt", "vector.npy", "__key__")
    want = list(wds.WebDataset(shards, shardshuffle=False).decode("rgb").to_tuple(*names).batched(4, partial=partial))
    dataset = spool.webdataset.WebDataset(shards).decode("rgb").to_tuple(*names).batched(4, partial=partial)
    got = list(dataset)
    assert len(got) == len(want) == len(dataset)
    for a, b in zip(got, want, strict=True):
        for x, y in zip(a, b, strict=True):
            same(x, y)


def test_images_of_one_size(shards: str) -> None:
    from torchvision.transforms import v2

    pipeline = wds.WebDataset(shards, shardshuffle=False).decode("torchrgb8").to_tuple("jpg;png", "cls")
    want = list(pipeline.map_tuple(v2.Resize((32, 32), antialias=True)).batched(5))
    dataset = spool.webdataset.WebDataset(shards).decode("torchrgb8", size=32).to_tuple("jpg;png", "cls").batched(5)
    for a, b in zip(dataset, want, strict=True):
        same(a[0], b[0])
        same(a[1], b[1])
    sizes = spool.webdataset.WebDataset(shards).decode("rgb8").to_tuple("jpg;png").batched(4)
    (images,) = next(iter(sizes))
    assert isinstance(images, list)
    own = spool.webdataset.WebDataset(shards).to_tuple("cls").batched(4, collation_fn=len)
    assert list(own) == [4, 4, 3]


def test_shuffle(shards: str) -> None:
    dataset = spool.webdataset.WebDataset(shards).shuffle(1000, seed=3).to_tuple("__key__", "cls")
    first, second = list(dataset), list(dataset)
    assert first != second
    assert sorted(first) == sorted(second) == list(spool.webdataset.WebDataset(shards).to_tuple("__key__", "cls"))
    again = spool.webdataset.WebDataset(shards, seed=3, shardshuffle=100).to_tuple("__key__", "cls")
    assert list(again) == first
    assert list(again.shuffle(0)) == sorted(first)


def test_errors(shards: str, tmp_path: Path) -> None:
    dataset = spool.webdataset.WebDataset(shards)
    with pytest.raises(AttributeError, match=r"has no map: use spool\.Loader with options of spool\.Image"):
        dataset.map(len)
    with pytest.raises(AttributeError, match=r"has no with_epoch: use WebDataset\(urls, limit=N\)"):
        dataset.with_epoch(10)
    with pytest.raises(AttributeError, match=r"has no other: use webdataset\.WebDataset with"):
        _ = dataset.other
    with pytest.raises(ValueError, match="'pil' is not one of rgb, rgb8"):
        dataset.decode("pil")
    with pytest.raises(ValueError, match="to_tuple is missing"):
        list(dataset.decode("rgb"))
    with pytest.raises(ValueError, match="does not make objects of pkl"):
        list(dataset.decode("rgb").to_tuple("pkl"))
    with pytest.raises(ValueError, match="decoded in different ways"):
        list(dataset.decode().to_tuple("txt;cls"))
    with pytest.raises(ValueError, match="there is __key__"):
        list(dataset.to_tuple("__url__"))
    with pytest.raises(TypeError, match="shufle"):
        list(spool.webdataset.WebDataset(shards, shufle=True).to_tuple("cls"))
    with tarfile.open(tmp_path / "bad.tar", "w") as tar:
        for name, data in (("0.jpg", b"no image"), ("1.jpg", PHOTOS[0].read_bytes())):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    with pytest.raises(spool.DecodeError):
        list(spool.webdataset.WebDataset(tmp_path / "bad.tar").decode("rgb").to_tuple("jpg"))
    kept = spool.webdataset.WebDataset(tmp_path / "bad.tar", on_error="skip").decode("rgb").to_tuple("jpg")
    assert len(list(kept)) == 1
    assert kept.loader.failures[0]["class"] == "corrupt" or kept.loader.failures


def test_shard_writer(tmp_path: Path) -> None:
    """WebDataset reads what ShardWriter wrote, as what its own ShardWriter wrote."""
    pixels = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)
    samples = [
        {"__key__": f"{i}", "jpg": photo.read_bytes(), "cls": i, "json": {"i": i}, "npy": pixels + i, "txt": photo.name}
        for i, photo in enumerate(PHOTOS)
    ]
    read = []
    for name, writer in (
        ("ours", spool.ShardWriter(tmp_path / "ours-%d.tar", maxcount=4)),
        ("theirs", wds.ShardWriter(str(tmp_path / "theirs-%d.tar"), maxcount=4, encoder=True, verbose=0)),
    ):
        with writer:
            for sample in samples:
                writer.write(sample)
        urls = [str(path) for path in sorted(tmp_path.glob(f"{name}-*.tar"))]
        assert len(urls) == 3
        read.append(list(wds.WebDataset(urls, shardshuffle=False).decode()))
    for ours, theirs, sample in zip(*read, samples, strict=True):
        assert (ours["npy"] == sample["npy"]).all()
        for key in ("__key__", "jpg", "cls", "json", "txt"):
            assert ours[key] == theirs[key]
            assert key == "jpg" or ours[key] == sample[key]
