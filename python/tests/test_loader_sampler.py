"""Samplers that the library has: balanced classes, shards, repeated samples."""

from __future__ import annotations

import collections
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import spool


def test_balanced(testdata: Path) -> None:
    loader = spool.ImageLoader(testdata / "photos", batch=10, size=8, sampler="balanced", limit=50, seed=4)
    for _ in range(2):
        labels = np.concatenate([batch.labels for batch in loader])
        assert collections.Counter(labels.tolist()) == dict.fromkeys(range(5), 10)
    assert "balanced" in repr(loader.__reduce__())


def test_balanced_resumes(testdata: Path) -> None:
    """A state in the middle of an epoch, of a loader that is pickled."""
    loader = spool.ImageLoader(testdata / "photos", batch=10, size=8, sampler="balanced", limit=50)
    loop = iter(loader)
    next(loop)
    again = pickle.loads(pickle.dumps(loader))
    assert [batch.ids.tolist() for batch in again] == [batch.ids.tolist() for batch in loop]


def test_repeats(testdata: Path) -> None:
    """The occurrences of a sample have crops of their own, and come in one batch."""
    loader = spool.ImageLoader(testdata / "photos", batch=6, size=8, train=True, shuffle=True, repeats=3)
    plain = spool.ImageLoader(testdata / "photos", batch=2, size=8, train=True, shuffle=True)
    for batch, once in zip(loader, plain, strict=True):
        assert batch.ids.tolist() == np.repeat(once.ids, 3).tolist()
        assert batch.occurrences.tolist() == [0, 1, 2] * len(once.ids)
        assert len({str(region) for region in batch.regions.tolist()}) == len(batch.ids)
        assert (batch.images[::3] == once.images).all()


def test_shards(testdata: Path, tmp_path: Path) -> None:
    """Each sample comes once; a source without shards is one."""
    shutil.copy(testdata / "photos" / "animal" / "00.jpg", tmp_path / "a.jpg")
    loader = spool.ImageLoader([testdata / "photos", tmp_path / "a.jpg"], size=8, sampler="shards", shuffle_window=10)
    ids = np.concatenate([batch.ids for batch in loader])
    assert sorted(ids.tolist()) == list(range(45))
    assert ids.tolist() != sorted(ids.tolist())


def test_length_buckets(testdata: Path) -> None:
    """Whole batches have samples of one fifth by length, and each sample comes once in an epoch."""
    lengths = np.random.default_rng(2).permutation(44)
    sampler = spool.LengthBuckets(lengths, buckets=5)
    loader = spool.ImageLoader(testdata / "photos", batch=4, size=8, sampler=sampler, seed=1)
    epochs = [[batch.ids.tolist() for batch in loader] for _ in range(2)]
    assert epochs[0] != epochs[1]
    for batches in epochs:
        assert sorted(sum(batches, [])) == list(range(44))
        spread = [np.ptp(lengths[ids]) for ids in batches]
        assert sum(s < 9 for s in spread) >= 10  # a bucket has 8 or 9 samples; the rests of buckets are joined
    again = spool.ImageLoader(testdata / "photos", batch=4, size=8, sampler=sampler, seed=1)
    assert [batch.ids.tolist() for batch in again] == epochs[0]


def test_length_buckets_resume(testdata: Path) -> None:
    loader = spool.ImageLoader(testdata / "photos", batch=4, size=8, sampler=spool.LengthBuckets(range(44)))
    loop = iter(loader)
    next(loop)
    again = pickle.loads(pickle.dumps(loader))
    assert [batch.ids.tolist() for batch in again] == [batch.ids.tolist() for batch in loop]


def test_length_buckets_of_ranks(testdata: Path) -> None:
    """At each step the ranks have samples of one bucket."""
    lengths = np.arange(44) // 11
    sampler = spool.LengthBuckets(lengths, buckets=4)
    ranks = [
        spool.ImageLoader(testdata / "photos", batch=2, size=8, sampler=sampler, rank=rank, world=2)
        for rank in range(2)
    ]
    same = [len({*lengths[a.ids], *lengths[b.ids]}) == 1 for a, b in zip(*ranks, strict=True)]
    assert sum(same) >= 8


def test_refused(testdata: Path) -> None:
    spool.stats()  # loads the library, so that values are checked at once
    with pytest.raises(ValueError, match="sampler=random: must be balanced or shards"):
        spool.ImageLoader(testdata / "photos", sampler="random")  # type: ignore[arg-type] # pyright: ignore
    with pytest.raises(ValueError, match="sampler= excludes shuffle=|sampler excludes shuffle"):
        spool.ImageLoader(testdata / "photos", sampler="balanced", shuffle=True)
    with pytest.raises(ValueError, match="sampler and weights exclude each other"):
        spool.ImageLoader(testdata / "photos", sampler="balanced", weights=[1.0] * 44)
    with pytest.raises(ValueError, match="no sample has a label"):
        spool.ImageLoader(testdata / "photos" / "animal" / "00.jpg", sampler="balanced")
    with pytest.raises(ValueError, match="lengths: 3 lengths for 44 samples"):
        len(spool.ImageLoader(testdata / "photos", sampler=spool.LengthBuckets([1, 2, 3])))
    with pytest.raises(TypeError, match="lengths: expected a sequence of integers, got an array of float64"):
        spool.ImageLoader(testdata / "photos", sampler=spool.LengthBuckets(np.zeros(44)))
    with pytest.raises(ValueError, match="buckets=0: must be from 1"):
        len(spool.ImageLoader(testdata / "photos", sampler=spool.LengthBuckets(range(44), 0)))
