"""spool.torch.ConcurrentDataLoader, compared with DataLoader on the same dataset."""

from __future__ import annotations

import asyncio
import copy
import gc
import itertools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    get_worker_info,
)

import spool.torch
from spool.torch import ConcurrentDataLoader

COUNT = 103  # samples of the dataset: the last batch is short
WAIT = 0.002  # seconds for each sample
BAD = 40, 41, 77


class Squares(Dataset[Any]):
    """Samples that take some time. Even ones take longer, so that samples complete out of order."""

    def __init__(self, bad: tuple[int, ...] = ()) -> None:
        self.bad, self.initialised = bad, False

    def __len__(self) -> int:
        return COUNT

    def value(self, i: int) -> tuple[torch.Tensor, int]:
        if i in self.bad:
            raise KeyError(f"there is no {i}")
        return torch.tensor([i, i * i]), i

    def __getitem__(self, i: int) -> Any:
        time.sleep(WAIT * (2 - i % 2))
        return self.value(i)


class Awaited(Squares):
    async def __getitem__(self, i: int) -> Any:
        await asyncio.sleep(WAIT * (2 - i % 2))
        return self.value(i)


class Together(Squares):
    def __getitems__(self, indices: list[int]) -> Any:
        time.sleep(WAIT)
        return [self.value(i) for i in indices]


class AwaitedTogether(Squares):
    async def __getitems__(self, indices: list[int]) -> Any:
        await asyncio.sleep(WAIT)
        return [self.value(i) for i in indices]


def outcome(loader: DataLoader[Any]) -> list[Any]:
    """Return batches as lists. For a failed batch, return the class of the error and its first line."""
    found: list[Any] = []
    batches = iter(loader)
    while True:
        try:
            found.append([part.tolist() for part in next(batches)])
        except StopIteration:
            return found
        except Exception as error:
            found.append((type(error), str(error).splitlines()[0]))


DATASETS: dict[str, type[Squares]] = {
    "threads": Squares,
    "coroutines": Awaited,
    "together": Together,
    "together-awaited": AwaitedTogether,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"batch_size": 8},
    "shuffled": {"batch_size": 8, "shuffle": True, "drop_last": True},
    "unbatched": {"batch_size": None},
    "batch-sampler": {"batch_sampler": [[3, 1], [40, 2, 5], [], [100], [7, 7, 7]]},
    "sampler": {"batch_size": 4, "sampler": WeightedRandomSampler([1.0] * COUNT, 50)},
    "workers": {"batch_size": 8, "shuffle": True, "num_workers": 2},
    "many-workers": {"batch_size": 16, "num_workers": 5, "prefetch_factor": 1},
    "persistent": {"batch_size": 8, "shuffle": True, "num_workers": 2, "persistent_workers": True},
}


CASES = [
    *itertools.product(["threads"], OPTIONS),
    *itertools.product(["coroutines"], ["plain", "unbatched", "workers", "persistent"]),
    *itertools.product(["together", "together-awaited"], ["shuffled", "workers"]),
]


@pytest.mark.parametrize(("dataset", "options"), CASES)
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_batches_and_errors_are_the_loaders(dataset: str, options: str) -> None:
    keywords = OPTIONS[options]
    if keywords.get("batch_sampler"):
        keywords = {**keywords, "collate_fn": collate}
    if keywords.get("num_workers"):
        keywords = {**keywords, "multiprocessing_context": "fork"}
    # Persistent workers that had an error end slowly, also with DataLoader.
    bad = () if options == "persistent" else BAD
    torch.manual_seed(5)
    want = DataLoader(Squares(bad), generator=torch.Generator().manual_seed(1), **keywords)
    wanted = [outcome(want), outcome(want)]
    torch.manual_seed(5)
    loader = ConcurrentDataLoader(DATASETS[dataset](bad), generator=torch.Generator().manual_seed(1), **keywords)
    assert [outcome(loader), outcome(loader)] == wanted
    assert len(loader) == len(want)
    if options == "plain":
        assert any(isinstance(batch, tuple) and batch[0] is KeyError for batch in wanted[0]), "no batch has failed"


def collate(samples: list[Any]) -> Any:
    if not samples:
        raise ValueError("a batch without samples")
    return torch.utils.data.default_collate(samples)


@pytest.mark.parametrize("wrap", [lambda d: Subset(d, range(5, 60)), lambda d: ConcatDataset([d, d])])
@pytest.mark.parametrize("dataset", [Squares, Awaited, Together])
def test_datasets_of_torch_around_it(dataset: type[Squares], wrap: Callable[[Any], Dataset[Any]]) -> None:
    want = outcome(DataLoader(wrap(Squares()), batch_size=8))
    assert outcome(ConcurrentDataLoader(wrap(dataset()), batch_size=8)) == want


def test_a_dataset_of_tensors() -> None:
    tensors = TensorDataset(torch.arange(20), torch.arange(20) ** 2)
    assert outcome(ConcurrentDataLoader(tensors, batch_size=3)) == outcome(DataLoader(tensors, batch_size=3))


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


class Gauge(Squares):
    """Counts the samples in flight, and records their threads.

    All samples but the first wait until more than ``beside`` samples are in flight.
    """

    def __init__(self, beside: int = 0) -> None:
        super().__init__()
        self.beside = beside
        self.lock = threading.Condition()
        self.now = self.most = 0
        self.got: list[int] = []
        self.threads: set[int] = set()

    def __getitem__(self, i: int) -> Any:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.got.append(i)
            self.threads.add(threading.get_ident())
            self.lock.notify_all()
            if i > 0:
                assert self.lock.wait_for(lambda: self.most > self.beside, timeout=60)
        time.sleep(0.01)
        with self.lock:
            self.now -= 1
        return i


@pytest.mark.parametrize(("fetchers", "pool", "most"), [(1, 1, 1), (6, 4, 6), (64, 2, 16)])
def test_samples_at_a_time(fetchers: int, pool: int, most: int) -> None:
    dataset = Gauge(beside=most // 2)
    loader = ConcurrentDataLoader(dataset, batch_size=8, fetchers=fetchers, batch_pool=pool)
    got = torch.cat(list(loader)).tolist()
    assert got == list(range(COUNT))
    assert sorted(dataset.got) == got
    assert dataset.got[0] == 0, "the first sample is not got before the others"
    assert dataset.most <= most
    assert dataset.most > most // 2


def test_nothing_is_got_beyond_the_pool() -> None:
    dataset = Gauge()
    batches = iter(ConcurrentDataLoader(dataset, batch_size=8, batch_pool=3))
    assert not dataset.got, "samples are got before they are requested"
    for count in (24, 32):
        next(batches)
        until(lambda count=count: len(dataset.got) >= count)
        time.sleep(0.1)  # time for more samples to be got
        assert sorted(dataset.got) == list(range(count))


def test_the_default_pool_keeps_the_fetchers_busy() -> None:
    dataset = Gauge(beside=8)
    next(iter(ConcurrentDataLoader(dataset, batch_size=4, fetchers=16)))
    until(lambda: len(dataset.got) >= 16)
    assert 8 < dataset.most <= 16


def test_first_use_is_made_once() -> None:
    class Lazy(Gauge):
        client: object = None
        made = 0

        def __getitem__(self, i: int) -> Any:
            if self.client is None:
                time.sleep(0.05)
                self.made += 1
                self.client = object()
            return super().__getitem__(i)

    dataset = Lazy()
    loader = ConcurrentDataLoader(dataset, batch_size=8)
    assert [sum(1 for _ in loader) for _ in range(2)] == [13, 13]
    assert dataset.made == 1


def test_clones() -> None:
    users: list[tuple[int, int]] = []

    class Unsafe(Squares):
        def __getitem__(self, i: int) -> Any:
            users.append((id(self), threading.get_ident()))
            return super().__getitem__(i)

    dataset = Unsafe()
    assert outcome(ConcurrentDataLoader(dataset, batch_size=8, fetchers=5, clone=copy.copy)) == outcome(
        DataLoader(Squares(), batch_size=8)
    )
    by_thread = {thread: copied for copied, thread in users}
    assert len(by_thread) == 6
    assert id(dataset) not in by_thread.values()
    assert all(by_thread[thread] == copied for copied, thread in users)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "spool.torch"]


def ended(seconds: float = 60) -> bool:
    """Wait until all threads of loaders have ended."""
    deadline = time.monotonic() + seconds
    while threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not threads()


@pytest.fixture(autouse=True)
def _leaves_no_thread() -> Iterator[None]:
    gc.collect()
    assert ended()
    yield
    gc.collect()
    assert ended(), "threads outlive their loader"


@pytest.mark.parametrize("dataset", [Gauge, Awaited])
def test_left_early(dataset: type[Squares]) -> None:
    loader = ConcurrentDataLoader(dataset(), batch_size=8, fetchers=4, batch_pool=5)
    for _ in loader:
        break
    time.sleep(0.1)
    if isinstance(loader.dataset, Gauge):
        assert len(loader.dataset.got) < 8 + 2 * 4 + 4, "samples are got after the loop was left"
    gone = weakref.ref(loader)
    gc.disable()
    try:
        del loader
        assert gone() is None
        assert ended()
    finally:
        gc.enable()


def test_an_iterator_that_outlives_its_loader() -> None:
    batches = iter(ConcurrentDataLoader(Squares(), batch_size=8))
    assert len(list(batches)) == 13


def test_two_iterators_at_a_time() -> None:
    loader = ConcurrentDataLoader(Squares(), batch_size=8)
    for one, other in itertools.zip_longest(loader, loader):
        assert torch.equal(one[0], other[0])


def test_persistent_workers_that_were_left() -> None:
    loader = ConcurrentDataLoader(
        Squares(), batch_size=8, num_workers=2, persistent_workers=True, multiprocessing_context="fork"
    )
    want = outcome(DataLoader(Squares(), batch_size=8))
    for skipped in (1, 5):
        for _ in itertools.islice(loader, skipped):
            pass
        assert outcome(loader) == want


class Sampled:
    """A sampler that fails after some batches."""

    def __iter__(self) -> Iterator[list[int]]:
        yield from ([i, i + 1] for i in range(6))
        raise RuntimeError("no more indices")

    def __len__(self) -> int:
        return 20


def test_an_error_of_the_sampler_comes_in_its_place() -> None:
    def until(loader: DataLoader[Any]) -> list[Any]:
        batches, got = iter(loader), []
        with pytest.raises(RuntimeError, match="no more indices"):
            while True:
                got.append(next(batches)[1].tolist())
        return got

    assert until(ConcurrentDataLoader(Squares(), batch_sampler=Sampled())) == until(
        DataLoader(Squares(), batch_sampler=Sampled())
    )


class Understated(list[list[int]]):
    """A sampler that gives more batches than its length."""

    def __len__(self) -> int:
        return 3


@pytest.mark.parametrize("pool", [1, 2, 50])
def test_a_sampler_that_gives_more_than_it_says(pool: int) -> None:
    sampler = Understated([i, i + 1] for i in range(9))
    loader = ConcurrentDataLoader(Squares(), batch_sampler=sampler, batch_pool=pool)
    assert [batch[1].tolist() for batch in loader] == [[i, i + 1] for i in range(9)]


def test_a_loop_that_counts_does_not_draw_more() -> None:
    """RandomSampler draws once more at its end, which a loop that counts batches does not reach."""

    def orders(kind: type[DataLoader[Any]]) -> list[Any]:
        loader = kind(Squares(), batch_size=8, shuffle=True, drop_last=True, generator=torch.Generator().manual_seed(2))
        return [[batch[1].tolist() for batch in itertools.islice(loader, len(loader))] for _ in range(3)]

    assert orders(ConcurrentDataLoader) == orders(DataLoader)


@pytest.mark.parametrize("in_order", [True, False])
def test_order_of_workers(in_order: bool) -> None:
    loader = ConcurrentDataLoader(
        Squares(), batch_size=4, num_workers=2, in_order=in_order, multiprocessing_context="fork"
    )
    got = [batch[1].tolist() for batch in loader]
    want = [list(range(i, min(i + 4, COUNT))) for i in range(0, COUNT, 4)]
    assert (got if in_order else sorted(got)) == want


def initialise(worker: int) -> None:
    info = get_worker_info()
    assert info is not None
    info.dataset.initialised = worker + 1  # type: ignore[attr-defined]


class Told(Squares):
    """Returns what a worker knows about itself."""

    def __getitem__(self, i: int) -> Any:
        info = get_worker_info()
        assert info is not None
        assert info.dataset is self
        return int(self.initialised), info.id, info.num_workers, info.seed


@pytest.mark.parametrize("context", ["fork", "forkserver"])
def test_worker_init_fn(context: str) -> None:
    def batches(kind: type[DataLoader[Any]]) -> list[Any]:
        options: dict[str, Any] = {"num_workers": 2, "worker_init_fn": initialise, "multiprocessing_context": context}
        return outcome(kind(Told(), batch_size=8, generator=torch.Generator().manual_seed(3), **options))

    assert batches(ConcurrentDataLoader) == batches(DataLoader)


@pytest.mark.parametrize("workers", [0, 2])
def test_pin_memory(workers: int) -> None:
    """With a device, batches are pinned. Without a device, DataLoader warns, and they are not pinned."""

    def batches(kind: type[DataLoader[Any]]) -> tuple[list[Any], list[str]]:
        context = {"multiprocessing_context": "fork", "num_workers": workers} if workers else {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            loader = kind(Squares(), batch_size=8, pin_memory=True, **context)  # type: ignore[arg-type]
            got = [(squares.tolist(), squares.is_pinned()) for squares, _ in loader]
        return got, [str(warning.message) for warning in caught if "pin_memory" in str(warning.message)]

    got, warned = batches(ConcurrentDataLoader)
    assert (got, warned) == batches(DataLoader)
    assert all(pinned == torch.cuda.is_available() for _, pinned in got)
    assert bool(warned) != torch.cuda.is_available()


def noisy(samples: list[Any]) -> Any:
    return torch.rand(3), [i for _, i in samples][0]


@pytest.mark.parametrize("workers", [0, 2])
def test_collate_draws_what_it_draws(workers: int) -> None:
    def batches(kind: type[DataLoader[Any]]) -> list[Any]:
        torch.manual_seed(9)
        options: Any = {"collate_fn": noisy, "num_workers": workers}
        if workers:
            options["multiprocessing_context"] = "fork"
        loader = kind(Squares(), batch_size=8, **options)
        return [(noise.tolist(), first) for noise, first in loader]

    assert batches(ConcurrentDataLoader) == batches(DataLoader)


class Stuck(Squares):
    def __getitem__(self, i: int) -> Any:
        if i == 20:
            time.sleep(60)
        return i


def test_timeout() -> None:
    loader = ConcurrentDataLoader(
        Stuck(), batch_size=8, num_workers=1, timeout=1, batch_pool=1, multiprocessing_context="fork"
    )
    batches = iter(loader)
    next(batches), next(batches)
    began = time.monotonic()
    with pytest.raises(RuntimeError, match="timed out after 1"):
        next(batches)
    del batches, loader
    if os.environ.get("SPOOL_TIMING"):  # set by make timing
        assert time.monotonic() - began < 20


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter(range(3))


@pytest.mark.parametrize(
    ("dataset", "options", "text"),
    [
        (Stream(), {}, "IterableDataset"),
        (Squares(), {"fetchers": 0}, "fetchers: 0"),
        (Squares(), {"batch_pool": 0}, "batch_pool: 0"),
        (Squares(), {"num_workers": -1}, "num_workers"),
        (Squares(), {"shuffle": True, "sampler": [1]}, "mutually exclusive"),
    ],
)
def test_wrong_options(dataset: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ConcurrentDataLoader(dataset, **options)


def test_pickled() -> None:
    loader = ConcurrentDataLoader(Squares(), batch_size=8, fetchers=3)
    next(iter(loader))
    assert outcome(pickle.loads(pickle.dumps(loader))) == outcome(loader)


def test_it_is_a_DataLoader() -> None:
    dataset = Squares()
    loader = ConcurrentDataLoader(dataset, 8, True, fetchers=3)
    next(iter(loader))
    assert isinstance(loader, DataLoader)
    assert loader.dataset is dataset
    assert (loader.batch_size, loader.fetchers) == (8, 3)
    assert isinstance(loader.sampler, torch.utils.data.RandomSampler)


@pytest.mark.parametrize("dataset", [Squares, Awaited])
def test_prefetched(dataset: type[Squares]) -> None:
    loader = ConcurrentDataLoader(dataset(BAD[:2]), batch_size=8)
    want = DataLoader(Squares(BAD[:2]), batch_size=8)
    with pytest.raises(KeyError):
        list(spool.torch.prefetch(loader))
    assert outcome(ConcurrentDataLoader(dataset(), batch_size=8)) == [
        [part.tolist() for part in batch] for batch in spool.torch.prefetch(DataLoader(Squares(), batch_size=8))
    ]
    del loader, want


SCRIPT = """
import asyncio, os, signal, sys, threading, time
from spool.torch import ConcurrentDataLoader
from torch.utils.data import Dataset

class Slow(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, i):
        if i == 30:
            print("waits", flush=True)
        time.sleep(3600 if i >= 30 else 0.001)
        return i

class Awaited(Slow):
    async def __getitem__(self, i):
        if i == 30:
            print("waits", flush=True)
        await asyncio.sleep(3600 if i >= 30 else 0.001)
        return i

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore SIGINT
loader = ConcurrentDataLoader({dataset}(), batch_size=8, num_workers={workers})
try:
    for batch in loader:
        pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("dataset", ["Slow", "Awaited"])
def test_interrupted(dataset: str, workers: int) -> None:
    """A store that does not answer delays neither Ctrl-C nor the exit of the process."""
    script = SCRIPT.format(dataset=dataset, workers=workers)
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert out == "interrupted\n" or out.endswith("\ninterrupted\n"), err
    assert process.returncode == 0, err
    assert "Traceback" not in err
