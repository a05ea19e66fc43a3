"""Archives: tarfile's members, NumPy's arrays."""

from __future__ import annotations

import gzip
import io
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pytest

import spool


def test_members_of_tar(testdata: Path) -> None:
    path = testdata / "records/000.tar"
    with tarfile.open(path) as tar:
        want = {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}  # type: ignore[union-attr]
    packed = gzip.compress(path.read_bytes())
    for src in (path, str(path), path.read_bytes(), packed, io.BytesIO(packed)):
        with spool.Archive(src) as archive:
            assert archive.format == "tar"
            assert archive.damage is None
            assert list(archive) == list(want)
            assert archive.sizes.tolist() == [len(data) for data in want.values()]
            assert {name: data.tobytes() for name, data in archive.items()} == want
            samples = [list(sample) for sample in archive.samples()]
        assert sum(samples, []) == list(want)
        assert all(len({name.partition(".")[0] for name in sample}) == 1 for sample in samples)
        assert len(samples) == len({name.partition(".")[0] for name in want})
    kept = archive
    with pytest.raises(spool.ClosedError):
        kept[next(iter(want))]


def test_arrays(testdata: Path) -> None:
    folder = testdata.parent / "source/npy/testdata"
    wider = {"b1": "u1", "i1": "i2", "u4": "i8"}
    for file in sorted(folder.glob("*.npy")):
        archive = spool.Archive(file)
        assert (archive.format, list(archive), archive.sizes.tolist()) == ("npy", [""], [-1])
        kind = file.stem.partition("_")[0]
        if kind in ("c8", "c16", "refused", "u8"):
            with pytest.raises(spool.DecodeError, match="unsupported"):
                archive[""]
            continue
        want = np.load(file)
        got = archive[""]
        assert got.dtype == wider.get(kind, want.dtype.newbyteorder("="))
        np.testing.assert_array_equal(got, want)
    for file in sorted(folder.glob("*.npz")):
        archive = spool.Archive(file)
        arrays = np.load(file)
        assert list(archive) == list(arrays)
        for name in arrays:
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(archive))[name], arrays[name])


def test_damage(testdata: Path) -> None:
    data = (testdata / "records/000.tar").read_bytes()
    cut = spool.Archive(data[:30000])
    assert isinstance(cut.damage, spool.DecodeError)
    assert cut.damage.error_class == "truncated"
    first, *_, last = cut
    assert cut[first].nbytes == cut.sizes[0]
    with pytest.raises(spool.DecodeError):
        cut[last]
    for src, error_class in ((b"x" * 2000, "not-media"), (b"", "empty"), (testdata / "no", "not-found")):
        with pytest.raises(spool.DecodeError) as e:
            spool.Archive(src)
        assert e.value.error_class == error_class
    with pytest.raises(spool.DecodeError, match="too-large"):
        spool.Archive(data, max_bytes=10)[first]
    with pytest.raises(TypeError, match="max_bytes"):
        spool.Archive(data, max_byte=10)  # type: ignore[call-arg]
    with pytest.raises(KeyError):
        cut["no such member"]
