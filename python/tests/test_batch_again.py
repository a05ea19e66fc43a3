"""A batch of a training step, made again."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import spool

OPTIONS = {"batch": 2, "size": 32, "shuffle": True, "train": True, "seed": 3}


@pytest.fixture
def folder(photos: list[Path], tmp_path: Path) -> Path:
    """Seven photos, one of which is damaged and left out."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for i, photo in enumerate(photos[:7]):
        shutil.copy(photo, folder / f"{i}.jpg")
    damaged = folder / "3.jpg"
    damaged.write_bytes(damaged.read_bytes()[:500])
    return folder


def taken(loader: spool.ImageLoader, epochs: int) -> list[tuple[np.ndarray, list[str]]]:
    """All batches of some epochs."""
    return [(b.images.copy(), list(b.names)) for _ in range(epochs) for b in loader]


def test_any_step_of_a_run_again(folder: Path) -> None:
    with spool.ImageLoader(folder, **OPTIONS) as loader:
        assert len(loader) == 4
        epochs = [[(b.images.copy(), list(b.names)) for b in loader] for _ in range(3)]
        for epoch, batches in reversed(list(enumerate(epochs))):
            assert len(batches) == 3, "a bad sample makes the epoch a batch shorter"
            for index, (pixels, names) in reversed(list(enumerate(batches))):
                again = loader.batch(4 * epoch + index)
                assert list(again.names) == names
                np.testing.assert_array_equal(again.images, pixels)


def test_a_loop_goes_on(photos: list[Path]) -> None:
    with spool.ImageLoader(photos[:8], **OPTIONS) as loader:
        plain = taken(loader, 1)
    with spool.ImageLoader(photos[:8], **OPTIONS) as loader:
        for index, b in enumerate(loader):
            np.testing.assert_array_equal(b.images, plain[index][0])
            last = loader.batch(len(plain) - 1)
            np.testing.assert_array_equal(last.images, plain[-1][0])
        assert index == len(plain) - 1


@pytest.mark.parametrize("ending", ["jsonl", "arrow", "parquet"])
def test_another_process_with_receipts(folder: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"receipts.{ending}"
    with spool.ImageLoader(folder, **OPTIONS, receipts=file, receipt_digests=True) as loader:
        batches = taken(loader, 2)
    assert len(batches) == 6
    with spool.ImageLoader(folder, **OPTIONS) as loader, warnings.catch_warnings():
        warnings.simplefilter("error")
        for number, (pixels, names) in enumerate(batches):
            again = loader.batch(number, receipts=file)
            assert list(again.names) == names
            np.testing.assert_array_equal(again.images, pixels)
        with pytest.raises(spool.DecodeError, match="no batch 6: the run had 6"):
            loader.batch(6, receipts=file)
    name = batches[1][1][0]
    shutil.copy(folder / "0.jpg" if not name.endswith("0.jpg") else folder / "1.jpg", name)
    with (
        spool.ImageLoader(folder, **OPTIONS) as loader,
        pytest.warns(UserWarning, match="slot 0: .*(the file or the decoder has changed|another area)"),
    ):
        loader.batch(1, receipts=file)


def test_receipts_after_another_position(photos: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    with spool.ImageLoader(photos[:8], **OPTIONS, receipts=file) as loader:
        next(iter(loader))
        loader.set_epoch(5)
        wanted = next(iter(loader)).images.copy()
    rows = [json.loads(line) for line in file.read_text().splitlines()][1:]
    assert [(r["batch"], r["epoch"], r["index"]) for r in rows] == [(0, 0, 0)] * 2 + [(1, 5, 0)] * 2
    with spool.ImageLoader(photos[:8], **OPTIONS) as loader:
        np.testing.assert_array_equal(loader.batch(1, receipts=file).images, wanted)


def test_samplers(photos: list[Path]) -> None:
    class Reversed:
        def __init__(self) -> None:
            self.epoch = 0

        def set_epoch(self, epoch: int) -> None:
            self.epoch = epoch

        def __iter__(self):
            return iter(range(7, -1, -1))

        def __len__(self) -> int:
            return 8

    with spool.ImageLoader(photos[:8], batch=2, size=32, sampler=[5, 1, 3, 3]) as loader:
        b = loader.batch(3)
        assert list(b.ids) == [3, 3], "step 3 is the second of epoch 1"
    with spool.ImageLoader(photos[:8], batch=2, size=32, sampler=Reversed()) as loader:
        batches = taken(loader, 1)
        np.testing.assert_array_equal(loader.batch(2).images, batches[2][0])
        with pytest.raises(ValueError, match="the sampler has not chosen"):
            loader.batch(9)


def test_refused(photos: list[Path], tmp_path: Path) -> None:
    with (
        spool.ImageLoader(photos[:4], batch=2, size=32, order="any") as loader,
        pytest.raises(ValueError, match="exact"),
    ):
        loader.batch(0)
    with spool.ImageLoader(photos[:4], batch=2, size=32) as loader:
        with pytest.raises((ValueError, TypeError)):
            loader.batch(-1)
        none = tmp_path / "none.parquet"
        with pytest.raises(spool.DecodeError, match="not-found|no such file"):
            loader.batch(0, receipts=none)
    with pytest.raises(ValueError, match="receipts"):
        list(spool.ImageLoader(photos[:4], batch=2, size=32, order="any", receipts=tmp_path / "x"))
    with pytest.raises(ValueError, match="receipt_digests"):
        list(spool.ImageLoader(photos[:4], batch=2, size=32, receipt_digests=True))
