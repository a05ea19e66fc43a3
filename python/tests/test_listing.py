"""Listings: the samples of sources are those that loaders deliver and that the command lists."""

from __future__ import annotations

import csv
import io
import pickle
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import spool


def test_folder(testdata: Path) -> None:
    """Names, labels and their order are those of the batches of a loader."""
    listing = spool.list_samples(testdata / "photos")
    names: list[str] = []
    labels: list[int] = []
    loader = spool.ImageLoader(testdata / "photos", batch=16, size=8)
    for batch in loader:
        names += batch.names
        labels += batch.labels.tolist()
    assert listing.names == names
    assert listing.labels.tolist() == labels
    assert listing.classes == loader.classes
    assert listing.keys == [""] * len(names)
    assert listing.sizes.tolist() == [-1] * len(names)
    assert len(listing) == loader.samples
    assert repr(listing) == f"spool.Listing({len(names)} samples of {len(loader.classes)} classes)"


def test_sequence(testdata: Path) -> None:
    listing = spool.list_samples([testdata / "photos" / "animal" / "00.jpg", testdata / "photos" / "plant"])
    assert list(listing) == [listing[i] for i in range(len(listing))]
    assert listing[1:3] == [listing[1], listing[2]]
    assert listing[-1] == list(listing)[-1]
    with pytest.raises(IndexError):
        listing[len(listing)]
    again = pickle.loads(pickle.dumps(listing))
    assert list(again) == list(listing)
    assert again.classes == listing.classes


def test_table(tmp_path: Path) -> None:
    """Labels, keys and conditions are those of the table; its samples need not exist."""
    table = tmp_path / "table.csv"
    rows = [("a.jpg", "cat", "one", 5), ("b.jpg", "dog", "two", 6), ("c.jpg", "cat", "three", 7)]
    text = "path,species,key,width\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    table.write_text(text)
    listing = spool.list_samples(table, label="species", where="width >= 6", ignore_columns="*")
    assert [Path(name).name for name in listing.names] == ["b.jpg", "c.jpg"]
    assert listing.keys == ["two", "three"]
    assert [listing.classes[label] for label in listing.labels] == ["dog", "cat"]
    assert listing.left_out == 1
    with pytest.warns(UserWarning, match="width"):
        spool.list_samples(table, label="species")


def test_shard(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "shard.tar", "w") as tar:
        for key in ("a", "b"):
            for extension, data in (("jpg", b"x"), ("cls", b"1")):
                member = tarfile.TarInfo(f"{key}.{extension}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    listing = spool.list_samples(tmp_path / "shard.tar")
    assert listing.keys == ["a", "b"]
    assert listing.labels.dtype == np.int64


def test_kind(testdata: Path) -> None:
    listing = spool.list_samples(testdata / "audio", kind="audio")
    assert {Path(name).suffix for name in listing.names} >= {".wav"}
    with pytest.raises(spool.DecodeError, match="nothing|no "):
        spool.list_samples(testdata / "audio")


def test_command(testdata: Path) -> None:
    """The command lists the same."""
    command = ROOT / "bin" / "spool"
    out = subprocess.run([command, "list", testdata / "photos"], check=True, capture_output=True, text=True).stdout
    listing = spool.list_samples(testdata / "photos")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["path"] for row in rows] == listing.names
    assert [row["label"] for row in rows] == [listing.classes[label] for label in listing.labels]


def test_refused(testdata: Path) -> None:
    with pytest.raises(spool.DecodeError) as found:
        spool.list_samples(testdata / "nowhere")
    assert found.value.error_class == "not-found"
    with pytest.raises(ValueError, match="kind=films: must be audio, images or video"):
        spool.list_samples(testdata, kind="films")  # type: ignore[arg-type] # pyright: ignore
    with pytest.raises(TypeError, match="label names the column"):
        spool.list_samples(testdata, labels="x")  # type: ignore[arg-type] # pyright: ignore
    with pytest.raises(ValueError, match="src: the list is empty"):
        spool.list_samples([])


def test_nothing_left(testdata: Path) -> None:
    before = spool.stats()["arrays"]
    spool.list_samples(testdata / "photos")
    with pytest.raises(spool.DecodeError):
        spool.list_samples(testdata / "nowhere")
    assert spool.stats()["arrays"] <= before  # earlier tests' arrays may be freed meanwhile
