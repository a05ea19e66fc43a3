"""Loaders deliver the command's batches, epoch by epoch, and resume at the same position."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import spool
from spool import _native

SMALL: dict[str, Any] = {"batch": 8, "size": 32}


def digest(batch: spool.Batch) -> str:
    """Return a batch's line of ``spool run --digest``."""
    h = hashlib.sha256(batch.data.tobytes())
    h.update(np.asarray(batch.labels, "<i8").tobytes())
    return f"{batch.epoch} {batch.index} {h.hexdigest()}"


def run(kind: str, *arguments: str | Path) -> list[str]:
    """Return the lines that ``spool run --digest`` prints for batches."""
    command = ROOT / "bin" / "spool"
    ended = subprocess.run(
        [command, "run", kind, *arguments, "--digest", "--json"], capture_output=True, text=True, check=True
    )
    return ended.stdout.splitlines()[:-1]


@pytest.fixture(scope="module")
def shard(testdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photos in a tar file, in WebDataset's format."""
    path = tmp_path_factory.mktemp("shards") / "photos.tar"
    with tarfile.open(path, "w") as tar:
        for i, photo in enumerate(sorted((testdata / "photos" / "plant").glob("*.jpg"))):
            tar.add(photo, f"{i:04}.jpg")
    return path


class TestBytes:
    """The bytes are those of the command."""

    @pytest.mark.parametrize(
        ("flags", "options"),
        [
            ([], {}),
            (["--shuffle", "--seed", "7"], {"shuffle": True, "seed": 7}),
            (["--train", "--seed", "3"], {"train": True, "seed": 3}),
            (
                ["--mode", "cover", "--layout", "nchw", "--dtype", "float32"],
                {"mode": "cover", "layout": "nchw", "dtype": np.float32},
            ),
            (["--rank", "1", "--world", "3"], {"rank": 1, "world": 3}),
            (["--last", "pad", "--limit", "21"], {"last": "pad", "limit": 21}),
        ],
    )
    def test_images(self, testdata: Path, flags: list[str], options: Any) -> None:
        expected = run("images", testdata / "photos", "--epochs", "2", "--batch", "8", "--size", "32", *flags)
        with spool.ImageLoader(testdata / "photos", epochs=2, workers=3, **SMALL, **options) as loader:
            assert [digest(b) for _ in range(2) for b in loader] == expected
            assert len(expected) == 2 * len(loader)
            assert list(loader) == [], "more epochs than requested"

    def test_video(self, testdata: Path) -> None:
        for flags, options in ([], {}), (["--train", "--shuffle"], {"train": True, "shuffle": True}):
            arguments = ["--batch", "3", "--size", "24", "--frames", "4", *flags]
            expected = run("video", testdata / "video", *arguments)
            loader = spool.VideoLoader(testdata / "video", batch=3, size=24, frames=4, **options)
            batches = list(loader)
            assert [digest(b) for b in batches] == expected
            assert all(b.frames.shape == (len(b), 4) and b.clips is b.data for b in batches)
            assert (np.diff(batches[0].frames["index"]) >= 0).all()

    def test_audio(self, testdata: Path) -> None:
        files = testdata / "audio"
        expected = run("audio", files, "--batch", "4", "--duration", "0.5", "--rate", "8000")
        batches = list(spool.AudioLoader(files, batch=4, duration=0.5, rate=8000))
        assert [digest(b) for b in batches] == expected
        assert all(b.samples.shape[1:] == (1, 4000) and (b.lengths <= 4000).all() for b in batches)
        whole = run("audio", files)
        assert [digest(b) for b in spool.AudioLoader(files)] == whole

    def test_sources(self, testdata: Path, shard: Path, tmp_path: Path) -> None:
        table = tmp_path / "table.csv"
        table.write_text(
            "path,label\n" + "".join(f"{p},{i}\n" for i, p in enumerate(sorted(testdata.glob("photos/*/*.jpg"))[:9]))
        )
        for src in shard, table, testdata / "photos" / "*" / "00.jpg":
            expected = run("images", src, "--batch", "4", "--size", "16")
            assert [digest(b) for b in spool.ImageLoader(src, batch=4, size=16)] == expected
        mixed = [testdata / "photos" / "plant", shard]
        expected = run(
            "images", *mixed, "--mix", "plant=0.7,photos.tar=0.3", "--batch", "10", "--size", "16", "--shuffle"
        )
        with spool.ImageLoader(mixed, mix={"plant": 0.7, "photos.tar": 0.3}, batch=10, size=16, shuffle=True) as loader:
            batches = list(loader)
        assert [digest(b) for b in batches] == expected
        assert any(name.endswith("photos.tar/0000.jpg") or "photos.tar" in name for b in batches for name in b.names)

    def test_resume_is_the_commands(self, testdata: Path, tmp_path: Path) -> None:
        expected = run("images", testdata / "photos", "--epochs", "2", "--batch", "8", "--size", "32", "--shuffle")
        loader = spool.ImageLoader(testdata / "photos", shuffle=True, epochs=2, **SMALL)
        loop = iter(loader)
        taken = [digest(next(loop)) for _ in range(4)]
        assert taken == expected[:4]
        state = tmp_path / "state.json"
        state.write_text(json.dumps(loader.state_dict()))
        arguments = ["--epochs", "2", "--batch", "8", "--size", "32", "--shuffle", "--resume", str(state)]
        assert run("images", testdata / "photos", *arguments) == expected[4:]


class TestBatch:
    """A batch is a view of the library's memory, with the metadata of its samples."""

    def test_no_copy(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", **SMALL)
        batch = next(iter(loader))
        where = batch.images.__array_interface__["data"][0]
        assert where % 64 == 0
        assert _native.view(batch.images.base._handle).data == where
        assert np.from_dlpack(batch).__array_interface__["data"][0] == where
        assert batch.data.flags.writeable
        assert batch.data.flags.c_contiguous
        view, before = batch.images[3], batch.images[3].copy()
        del batch
        for b in itertools.islice(loader, 20):
            b.images[:] = 0
        loader.close()
        assert (view == before).all()

    def test_what_it_says(self, testdata: Path) -> None:
        files = sorted((testdata / "photos").glob("*/*.jpg"))
        loader = spool.ImageLoader(testdata / "photos", **SMALL)
        assert loader.classes == sorted({f.parent.name for f in files})
        assert loader.samples == len(files)
        at = 0
        for i, batch in enumerate(loader):
            n = len(batch)
            assert (batch.epoch, batch.index, batch.padded) == (0, i, 0)
            assert batch.ids.tolist() == list(range(at, at + n))
            assert batch.names == [str(f) for f in files[at : at + n]]
            assert [loader.classes[k] for k in batch.labels] == [f.parent.name for f in files[at : at + n]]
            assert batch.valid.all()
            assert batch.warnings.dtype == np.int32
            images, labels = batch
            assert images is batch.images
            assert labels.dtype == np.int64
            regions = batch.regions
            assert (regions["left"] == 0).all()
            assert (regions["width"] > 0).all()
            assert batch.keys == [""] * n
            at += n
        assert at == len(files)
        assert "epoch=0" in repr(batch)

    def test_padding_and_placeholders(self, testdata: Path) -> None:
        files = [testdata / "photos/plant/00.jpg", testdata / "hard/bad/text.jpg", testdata / "photos/plant/01.jpg"]
        batch = next(iter(spool.ImageLoader(files, on_error="placeholder", last="pad", batch=4, size=8)))
        assert batch.valid.tolist() == [True, False, True, False]
        assert batch.padded == 1
        assert (batch.images[1] == 0x80).all()


class TestEpochs:
    """A loop is an epoch, and the next loop is the next epoch."""

    def test_loops(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", shuffle=True, **SMALL)
        orders = [[i for b in loader for i in b.ids.tolist()] for _ in range(3)]
        assert all(sorted(o) == list(range(loader.samples)) for o in orders)
        assert orders[0] != orders[1] != orders[2]
        for _ in loader:
            break
        assert [b.epoch for b in loader] == [4] * len(loader), "an epoch that was left early continues"
        loader.set_epoch(1)
        assert [i for b in loader for i in b.ids.tolist()] == orders[1]
        assert next(iter(loader)).epoch == 2

    def test_one_loop_at_a_time(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", **SMALL)
        first, second = iter(loader), iter(loader)
        assert next(second).epoch == 0
        with pytest.raises(RuntimeError, match="another loop"):
            next(first)
        list(second)
        assert next(second, None) is None, "an epoch that has ended continues"

    def test_any_order(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", order="any", workers=4, **SMALL)
        for epoch in range(3):
            batches = list(loader)
            assert {b.epoch for b in batches} == {epoch}
            assert sorted(i for b in batches for i in b.ids.tolist()) == list(range(loader.samples))
        next(iter(loader))
        assert next(iter(loader)).epoch == 4
        with pytest.raises(ValueError, match="order=any: a state needs exact order"):
            loader.state_dict()

    def test_drop_everything(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", batch=100, size=8, last="drop")
        assert len(loader) == 0
        assert list(loader) == list(loader) == []

    def test_cache_and_headspace(self, testdata: Path) -> None:
        plain = [digest(b) for b in spool.ImageLoader(testdata / "photos", shuffle=True, **SMALL)]
        loader = spool.ImageLoader(testdata / "photos", shuffle=True, cache="64MiB", **SMALL)
        assert [digest(b) for b in loader] == plain
        for _ in range(2):
            assert len(list(loader)) == len(plain)
        assert sum(loader.stats["jpeg"][by] for by in ("own", "turbo")) < 2 * 44, "of at least three epochs"
        replayed = spool.ImageLoader(testdata / "photos", headspace=True, prefetch=1, **SMALL)
        assert [b.index for b in replayed] == list(range(6))
        with pytest.raises(ValueError, match="a state needs batches that are not repeated"):
            replayed.state_dict()

    def test_disk_cache(self, testdata: Path, tmp_path: Path) -> None:
        plain = [digest(b) for b in spool.ImageLoader(testdata / "photos", shuffle=True, epochs=1, **SMALL)]
        for hits in (0, 44):
            loader = spool.ImageLoader(
                testdata / "photos",
                shuffle=True,
                epochs=1,
                disk_cache=tmp_path / "cache",
                disk_cache_of="samples",
                disk_cache_bytes="1GiB",
                **SMALL,
            )
            assert [digest(b) for b in loader] == plain
            assert loader.stats["disk_cache"]["hits"] == hits
        with pytest.raises(ValueError, match="disk_cache"):
            spool.ImageLoader(testdata / "photos", disk_cache_of="samples")

    def test_index_dir(self, testdata: Path, photo: Path, tmp_path: Path) -> None:
        shard = tmp_path / "a.tar"
        with tarfile.open(shard, "w") as tar:
            tar.add(photo, "0.jpg")
        plain = [digest(b) for b in spool.ImageLoader(shard, epochs=1, **SMALL)]
        (tmp_path / "indexes").mkdir()
        loader = spool.ImageLoader(shard, epochs=1, index_dir=tmp_path / "indexes", **SMALL)
        assert [digest(b) for b in loader] == plain
        with pytest.raises(TypeError, match="index_dir"):
            spool.ImageLoader(shard, index_dir=3)  # type: ignore[arg-type]


class TestStreaming:
    """Samples are loaded while names are listed, and their number is not known."""

    def test_the_same_without_a_length(self, testdata: Path) -> None:
        folder = testdata / "photos" / "animal"
        listed = [digest(b) for b in spool.ImageLoader(folder, **SMALL)]
        loader = spool.ImageLoader(folder, streaming=True, **SMALL)
        assert [digest(b) for b in loader] == listed
        assert list(loader) == [], "more than one epoch"
        assert loader.classes == []
        for length in (len, lambda of: of.samples):
            with pytest.raises(TypeError, match="streaming=True: the number of (batches|samples) is not known"):
                length(loader)
        mixed = [b.labels for b in spool.ImageLoader([testdata / "photos", folder], streaming=True, **SMALL)]
        assert set(np.concatenate(mixed)) == {-1}

    def test_resume(self, testdata: Path) -> None:
        def make() -> spool.ImageLoader:
            return spool.ImageLoader(testdata / "photos", streaming=True, batch=5, size=32)

        whole = list(make())
        for n in range(len(whole)):
            loader = make()
            for _ in itertools.islice(loader, n):
                pass
            again = make()
            again.load_state_dict(json.loads(json.dumps(loader.state_dict())))
            assert [digest(b) for b in again] == [digest(b) for b in whole[n:]]

    def test_refused(self, testdata: Path) -> None:
        wrong: Any = {
            "shuffle": True,
            "cache": "1MiB",
            "epochs": 2,
            "rank": 0,
            "world": 2,
            "headspace": True,
            "mix": {"photos": 1},
        }
        with pytest.raises(ValueError, match="streaming excludes") as error:
            spool.ImageLoader(testdata / "photos", streaming=True, **wrong)
        for key in set(wrong) - {"rank"}:
            assert f"streaming excludes {key}: " in str(error.value)
        for keywords in ({"sampler": [0]}, {"weights": [1.0]}):
            with pytest.raises(ValueError, match="a stream delivers samples in the order in which they are listed"):
                spool.ImageLoader(testdata / "photos", streaming=True, **keywords, **SMALL)  # type: ignore[arg-type]


class TestState:
    """After loading a state, the same batches follow."""

    @pytest.mark.parametrize("stop", [1, 5, 6, 7, 11])
    def test_anywhere(self, testdata: Path, stop: int) -> None:
        def loader() -> Any:
            return spool.ImageLoader(testdata / "photos", shuffle=True, train=True, seed=5, **SMALL)

        def batches(of: Any) -> Iterator[str]:
            while True:
                for b in of:
                    yield digest(b)

        expected = list(itertools.islice(batches(loader()), 14))
        first = loader()
        taken = list(itertools.islice(batches(first), stop))
        state = json.loads(json.dumps(first.state_dict()))
        assert len(json.dumps(state)) < 1024
        second = loader()
        second.load_state_dict(state)
        assert taken + list(itertools.islice(batches(second), 14 - stop)) == expected

    def test_other_ranks(self, testdata: Path) -> None:
        states, seen = [], []
        for rank in range(3):
            loader = spool.ImageLoader(testdata / "photos", rank=rank, world=3, shuffle=True, **SMALL)
            seen += next(iter(loader)).ids.tolist()
            states.append(loader.state_dict())
        for rank in range(2):
            loader = spool.ImageLoader(testdata / "photos", rank=rank, world=2, shuffle=True, **SMALL)
            loader.load_state_dict(states)
            assert loader.rank == (rank, 2)
            seen += [i for b in loader for i in b.ids.tolist()]
        assert set(seen) == set(range(44))
        assert len(seen) <= 45, "at most one sample is repeated, so that both ranks have the same number"

    def test_what_is_no_state(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", shuffle=True, **SMALL)
        other = spool.ImageLoader(testdata / "photos", shuffle=True, seed=1, **SMALL)
        with pytest.raises(ValueError, match="seed"):
            loader.load_state_dict(other.state_dict())
        with pytest.raises(spool.DecodeError, match="corrupt"):
            loader.load_state_dict({"version": 99})
        with pytest.raises(ValueError, match="state_dict"):
            loader.load_state_dict([])
        assert len(list(loader)) == 6


class Backwards:
    """A sampler like torch's, with other samples in each epoch."""

    def __init__(self, n: int) -> None:
        self.n, self.epoch = n, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n - 1 - self.epoch, -1, -1))


class TestSamplers:
    """Samplers and weights choose the samples."""

    @pytest.mark.parametrize("ids", [[3, 1, 3, 2], np.array([3, 1, 3, 2], np.int32), range(40, 44)])
    def test_lists(self, testdata: Path, ids: Any) -> None:
        loader = spool.ImageLoader(testdata / "photos", sampler=ids, batch=3, size=8)
        assert len(loader) == 2
        for epoch in range(3):
            batches = list(loader)
            assert [i for b in batches for i in b.ids.tolist()] == list(ids)
            assert batches[0].epoch == epoch

    def test_of_each_epoch(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", sampler=Backwards(20), batch=8, size=8)
        for epoch in range(3):
            assert [i for b in loader for i in b.ids.tolist()] == list(range(19 - epoch, -1, -1))
        loader.set_epoch(7)
        loop = iter(loader)
        assert next(loop).ids[0] == 12
        state = loader.state_dict()
        again = spool.ImageLoader(testdata / "photos", sampler=Backwards(20), batch=8, size=8)
        again.load_state_dict(state)
        assert [b.ids.tolist() for b in again] == [b.ids.tolist() for b in loop]

    def test_weights(self, testdata: Path) -> None:
        weights = np.zeros(44)
        weights[[5, 9]] = 1, 3
        loader = spool.ImageLoader(testdata / "photos", weights=weights, draws=400, batch=100, size=8)
        drawn = [i for b in loader for i in b.ids.tolist()]
        assert len(drawn) == 400
        assert set(drawn) == {5, 9}
        assert 240 < drawn.count(9) < 360

    @pytest.mark.parametrize(
        ("keywords", "error", "text"),
        [
            ({"sampler": [44]}, ValueError, "sample 44"),
            ({"sampler": [0.5]}, TypeError, "sampler"),
            ({"sampler": iter([1])}, TypeError, "sampler"),
            ({"sampler": [1], "weights": [1.0]}, ValueError, "sampler and weights"),
            ({"weights": [1.0]}, ValueError, "weights"),
            ({"weights": ["a"] * 44}, TypeError, "weights"),
            ({"weights": [0.0] * 44}, ValueError, "above 0"),
        ],
    )
    def test_wrong_ones(self, testdata: Path, keywords: Any, error: type[Exception], text: str) -> None:
        with pytest.raises(error, match=text):
            spool.ImageLoader(testdata / "photos", **SMALL, **keywords)


class TestErrors:
    """Wrong arguments are named, and bad samples are reported."""

    @pytest.mark.parametrize(
        ("keywords", "error", "text"),
        [
            ({"batch": 0}, ValueError, "batch=0: must be at least 1"),
            ({"batch": "8"}, TypeError, "batch"),
            ({"sise": 8}, TypeError, "sise"),
            ({"order": "some", "last": "never"}, ValueError, "(?s)order=some.*last=never"),
            ({"rank": 2, "world": 2}, ValueError, "rank=2 of world=2"),
            ({"train": True, "crop": 8}, ValueError, "crop"),
            ({"output": "tensorflow"}, ValueError, "output"),
            ({"train": True, "cache": "1MiB"}, ValueError, "cache"),
            ({"mix": {"plant": 1.0}}, ValueError, "mix"),
        ],
    )
    def test_arguments(self, testdata: Path, keywords: Any, error: type[Exception], text: str) -> None:
        with pytest.raises(error, match=text):
            spool.ImageLoader(testdata / "photos", **keywords)

    def test_sources(self, tmp_path: Path) -> None:
        for src in 5, b"photos":
            with pytest.raises(TypeError, match="src"):
                spool.ImageLoader(src)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="src"):
            spool.ImageLoader([])
        with pytest.raises(FileNotFoundError) as e:
            spool.ImageLoader(tmp_path / "nothing")
        assert isinstance(e.value, spool.DecodeError)
        with pytest.raises(spool.DecodeError, match="empty"):
            spool.ImageLoader(tmp_path)

    def test_policies(self, testdata: Path, tmp_path: Path) -> None:
        good, bad = testdata / "photos/plant", testdata / "hard/bad"
        files = [*sorted(good.glob("*.jpg"))[:5], bad / "text.jpg", bad / "empty.jpg", *sorted(good.glob("*.jpg"))[5:]]
        ledger = tmp_path / "ledger.jsonl"
        loader = spool.ImageLoader(files, ledger=ledger, epochs=1, batch=4, size=8)
        ids = [i for b in loader for i in b.ids.tolist()]
        assert ids == [i for i in range(len(files)) if i not in (5, 6)]
        failures = sorted(loader.failures, key=lambda f: int(f["id"]))
        assert [(f["id"], f["class"], f["action"]) for f in failures] == [
            ("5", "not-media", "skip"),
            ("6", "empty", "skip"),
        ]
        assert [json.loads(line) for line in ledger.read_text().splitlines()] == loader.failures
        assert loader.stats["failed"] == 2
        with pytest.raises(spool.DecodeError, match="not-media") as e:
            list(spool.ImageLoader(files, on_error="fail", batch=4, size=8))
        assert e.value.file == str(bad / "text.jpg")
        with pytest.raises(spool.DecodeError):
            list(spool.ImageLoader(files, max_failures=1, batch=4, size=8))

    def test_nothing_good(self, testdata: Path) -> None:
        loader = spool.ImageLoader([testdata / "hard/bad/text.jpg"] * 3, **SMALL)
        for _ in range(2):
            with pytest.raises(spool.DecodeError, match="empty"):
                list(loader)

    def test_a_failure_stays_until_the_next_loop(self, testdata: Path) -> None:
        files = [testdata / "photos/plant/00.jpg"] * 4 + [testdata / "hard/bad/text.jpg"]
        loader = spool.ImageLoader(files, on_error="fail", batch=2, size=8)
        loop = iter(loader)
        got = []
        for _ in range(2):
            with pytest.raises(spool.DecodeError):
                got += list(loop)
        assert next(iter(loader)).epoch == 1


class TestKept:
    """Batches can be kept, and loaders can be closed."""

    def test_any_number(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", batch=1, size=32, workers=2, prefetch=1)
        kept = [b for _ in range(5) for b in loader]
        assert len(kept) == 5 * 44
        assert len({b.data.__array_interface__["data"][0] for b in kept}) == len(kept)
        assert all((kept[i].data == kept[i + 44].data).all() for i in range(44))

    def test_close(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", **SMALL)
        batch = next(iter(loader))
        loop = iter(loader)
        loader.close()
        loader.close()
        with pytest.raises(spool.ClosedError):
            next(loop)
        with pytest.raises(ValueError, match="closed"):
            len(loader)
        assert batch.data.sum() > 0

    def test_close_from_another_thread(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", cpu_share=0.01, workers=1, batch=64, size=512)
        ended: list[BaseException] = []

        def consume() -> None:
            try:
                for _ in loader:
                    pass
                for _ in loader:
                    pass
            except spool.Error as e:
                ended.append(e)

        thread = threading.Thread(target=consume)
        thread.start()
        loader.close()
        thread.join(30)
        assert not thread.is_alive()
        assert isinstance(ended[0], (spool.ClosedError, spool.CanceledError))

    def test_report(self, testdata: Path) -> None:
        loader = spool.ImageLoader(testdata / "photos", **SMALL)
        list(loader)
        stats = loader.report()
        assert stats["samples"] == 44
        assert stats["batches"] == 6
        assert [s["name"] for s in stats["stages"]] == ["list", "locate", "open", "fetch", "slot", "decode", "batch"]
        assert loader.verdict != ""


def test_doctests(monkeypatch: pytest.MonkeyPatch) -> None:
    import doctest

    from spool import image_loader

    monkeypatch.chdir(ROOT)
    result = doctest.testmod(image_loader)
    assert (result.failed, result.attempted > 2) == (0, True)
