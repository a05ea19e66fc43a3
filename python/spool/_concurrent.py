"""A DataLoader that gets the samples of its batches many at a time; see :class:`spool.torch.ConcurrentDataLoader`.

PyTorch's own iterators run it, workers and all. They are given a sampler and a dataset of ours in place of the
loader's: the sampler tells with each batch which batches will follow in the same worker, and the dataset has begun
these when they are asked for.
"""

from __future__ import annotations

import copy
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast

from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, get_worker_info

from ._fetchers import Fetchers

T = TypeVar("T")


class ConcurrentDataLoader(DataLoader[T]):  # type: ignore[misc, unused-ignore]
    """PyTorch's DataLoader for datasets whose ``__getitem__`` waits for a network.

    ::

        loader = spool.torch.ConcurrentDataLoader(dataset, batch_size=32, num_workers=2, fetchers=64)

    The samples of a batch, and of the batches that follow, are got at the same time: in threads, or where
    ``__getitem__`` is a coroutine function in the event loop of one thread. Batches, their order and their errors are
    those of DataLoader.

    Args:
        dataset: has ``__getitem__``, which is called from several threads at a time. Where it has ``__getitems__``,
            too, that is called in its place, with the indices of a batch, as DataLoader does.
        *args: as of DataLoader.
        fetchers: how many samples are got at a time, in each worker; with ``num_workers=0`` in this process. Of
            ``__getitems__`` it is the number of calls.
        batch_pool: how many batches are under way at a time in a worker, the one that is waited for included.
            Default: as many as have twice as many samples as there are fetchers, and one. With ``in_order=False`` it is
            one: which batches a worker will be given is not known then.
        clone: copies the dataset for each thread, where it is not safe for concurrent use: ``copy.copy``,
            ``copy.deepcopy``, or a function of its own. Default: all threads use the same.
        **options: as of DataLoader.

    The first sample of a process is got alone: what a dataset makes when it is first used, like a client, is made once.
    Threads, and the event loop, stay until the loader is gone, and what they keep with them, too. ``collate_fn`` is
    called in order, in one thread. Random numbers that ``__getitem__`` takes from generators of the process come to
    samples in any order: where they have to be the same in the next run, take them in ``collate_fn``, or from a
    generator of the sample's own.

    Raises:
        ValueError: something is wrong with the arguments, or the dataset is an IterableDataset.

    """

    def __init__(
        self,
        dataset: Dataset[T],
        *args: Any,
        fetchers: int = 64,
        batch_pool: int | None = None,
        clone: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> None:
        if isinstance(dataset, IterableDataset):
            raise ValueError("dataset: an IterableDataset has no samples that could be got by their indices")
        if fetchers < 1:
            raise ValueError(f"fetchers: {fetchers} is less than 1")
        if batch_pool is not None and batch_pool < 1:
            raise ValueError(f"batch_pool: {batch_pool} is less than 1")
        self.fetchers, self.batch_pool, self.clone = fetchers, batch_pool, clone
        super().__init__(dataset, *args, **options)
        self._together = self._auto_collation and _together(dataset)
        self._shared = Fetchers(dataset, fetchers, clone, self._together)

    def begin(self) -> tuple[Samples, Ahead]:
        """Give what an iteration takes in place of dataset and sampler."""
        apart = self._auto_collation and not self._together
        sampler = cast("Iterable[Any]", self._index_sampler)
        return Samples(self.dataset, self._shared, apart), Ahead(sampler, max(1, self.num_workers), self._pool())

    def _get_iterator(self) -> Any:
        inner = copy.copy(self)
        samples, ahead = self.begin()
        init = _Init(self.worker_init_fn)
        # Past DataLoader's __setattr__, which forbids it.
        inner.__dict__.update({"dataset": samples, "worker_init_fn": init, self._sampled_by: ahead})
        return super(ConcurrentDataLoader, inner)._get_iterator()

    @property
    def _sampled_by(self) -> str:
        return "batch_sampler" if self._auto_collation else "sampler"

    def _pool(self) -> int:
        if not getattr(self, "in_order", True):
            return 1
        if self.batch_pool is not None:
            return self.batch_pool
        size = getattr(self.batch_sampler, "batch_size", None) if self._auto_collation else 1
        return 1 + -(-2 * self.fetchers // size) if size else 4


def _together(dataset: Any) -> bool:
    """Tell whether a dataset gets batches by itself. A Subset says so always, but does it only if its dataset does."""
    while type(dataset) is Subset:
        dataset = dataset.dataset
    return callable(getattr(dataset, "__getitems__", None))


class Batches(NamedTuple):
    """What a worker is told: which batches will be asked for, after those that it was told of before.

    What it has to give is the first of all that it has not given yet.
    """

    epoch: int
    coming: list[Any]


class Ahead:
    """Iterates a sampler as :class:`Batches`, one for each batch.

    Beyond its length a sampler is not asked before that is asked for, as by DataLoader: RandomSampler draws at its end.

    Args:
        sampler: of batches, or of samples where there are no batches.
        workers: how many there are. Batches go to them in turn.
        pool: how many batches a worker knows, that which it has to give included.

    """

    def __init__(self, sampler: Iterable[Any], workers: int, pool: int) -> None:
        self._sampler, self._workers, self._pool, self._epoch = sampler, workers, pool, 0

    def __len__(self) -> int:
        return len(cast("Sized", self._sampler))

    def __iter__(self) -> Iterator[Batches]:
        self._epoch += 1
        epoch = self._epoch
        failed: list[Exception] = []
        batches = _until_failure(self._sampler, failed)
        known = _length(self._sampler)
        first = list(islice(batches, min(known, self._workers * self._pool)))
        told = min(self._workers, len(first))
        for worker in range(told):
            yield Batches(epoch, first[worker :: self._workers])
        for batch in islice(batches, known - len(first)):
            yield Batches(epoch, [batch])
        for _ in range(told, len(first)):
            yield Batches(epoch, [])
        for batch in batches:  # it had more than it said
            yield Batches(epoch, [batch])
        for error in failed:  # after the batches before it, as with DataLoader
            raise error


def _length(sampler: Any) -> int:
    try:
        return len(sampler)
    except (TypeError, NotImplementedError):
        return sys.maxsize


def _until_failure(sampler: Iterable[Any], failed: list[Exception]) -> Iterator[Any]:
    try:
        yield from sampler
    except Exception as error:
        failed.append(error)


class Samples(Dataset[Any]):  # type: ignore[misc, unused-ignore]
    """Stands for a dataset in one iteration: begins what :class:`Ahead` tells of, and gives what is asked for.

    Args:
        dataset: the user's.
        fetchers: of that dataset.
        apart: whether a batch is begun as its samples, one by one.

    It may be sent to another process before it is used. Only :meth:`wait` is safe for concurrent use.

    """

    def __init__(self, dataset: Any, fetchers: Fetchers, apart: bool) -> None:
        self.dataset, self._fetchers, self._apart = dataset, fetchers, apart
        self._begun: deque[list[Future[Any]]] = deque()
        self._epoch = 0

    def __getitem__(self, batches: Batches) -> Any:
        return self.wait(self.begin(batches))

    __getitems__ = __getitem__

    def __del__(self) -> None:
        self._drop()

    def begin(self, batches: Batches) -> list[Future[Any]]:
        """Begin what is coming; give what the batch that is asked for will be made of."""
        if batches.epoch != self._epoch:
            self._drop()  # the epoch before was left early
            self._epoch = batches.epoch
        for batch in batches.coming:
            self._begun.append([self._fetchers.submit(index) for index in (batch if self._apart else [batch])])
        return self._begun.popleft()

    def wait(self, begun: list[Future[Any]]) -> Any:
        """Wait for the samples of a batch. The first of them, in their order, that failed raises its error."""
        samples = []
        try:
            while begun:
                samples.append(begun.pop(0).result())
        except BaseException:
            _cancel(begun)
            raise
        return samples if self._apart else samples[0]

    def _drop(self) -> None:
        while self._begun:
            _cancel(self._begun.popleft())


def _cancel(futures: list[Future[Any]]) -> None:
    while futures:  # none stays in a frame that an error refers to
        futures.pop().cancel()


class _Init:
    """Is called in a worker before all else. There ``get_worker_info().dataset`` is to be the user's."""

    def __init__(self, init: Callable[[int], Any] | None) -> None:
        self._init = init

    def __call__(self, worker: int) -> None:
        info: Any = get_worker_info()
        object.__setattr__(info, "dataset", info.dataset.dataset)  # it forbids that otherwise
        if self._init is not None:
            self._init(worker)
