"""A DataLoader that gets many samples at a time; see :class:`spool.torch.ConcurrentDataLoader`.

PyTorch's own iterators run it, including its workers. Instead of the user's sampler and dataset they get an
:class:`Ahead` and a :class:`Samples`. The sampler passes with each batch the indices of batches that follow in the same
worker. The dataset begins to get these before they are requested.
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

    The samples of a batch and of the batches after it are in flight at the same time. Threads get them. If
    ``__getitem__`` is a coroutine function, the event loop of one thread gets them. Batches, their order and their
    errors are those of DataLoader.

    The first sample of a process is got alone, so that an object that the dataset makes at its first use, such as a
    client, is made once. Threads and the event loop, with all that they keep, live until the loader is garbage
    collected. ``collate_fn`` is called in order, in one thread. If ``__getitem__`` takes random numbers from generators
    of the process, their assignment to samples varies between runs. For reproducible runs, draw them in ``collate_fn``,
    or from a generator for each sample.

    Args:
        dataset: has ``__getitem__``, which several threads call at a time. If it has ``__getitems__`` too, this is
            called instead, with the indices of a batch, as in DataLoader.
        *args: as for DataLoader.
        fetchers: int, how many samples each worker gets at a time; with ``num_workers=0``, this process. For
            ``__getitems__`` it is the number of calls. Default: 64.
        batch_pool: int, how many batches of a worker are in flight, including the requested one. Default: as many as
            have twice as many samples as there are fetchers, plus one. With ``in_order=False`` it is always one, since
            the next batches of a worker are not known.
        clone: function that copies the dataset for each thread, for datasets that are not safe for concurrent use:
            ``copy.copy``, ``copy.deepcopy``, or any other. Default: all threads share the dataset.
        **options: as for DataLoader.

    Attributes:
        fetchers, batch_pool, clone: as given.

    Raises:
        ValueError: an argument is wrong, or the dataset is an IterableDataset.
    """

    def __init__(
        self,
        dataset: Dataset[T],
        *args: object,
        fetchers: int = 64,
        batch_pool: int | None = None,
        clone: Callable[[Dataset[T]], Dataset[T]] | None = None,
        **options: object,
    ) -> None:
        if isinstance(dataset, IterableDataset):
            raise ValueError("dataset: an IterableDataset has no samples with indices")
        if fetchers < 1:
            raise ValueError(f"fetchers: {fetchers} is less than 1")
        if batch_pool is not None and batch_pool < 1:
            raise ValueError(f"batch_pool: {batch_pool} is less than 1")
        self.fetchers, self.batch_pool, self.clone = fetchers, batch_pool, clone
        given: tuple[Any, ...] = args
        keywords: dict[str, Any] = options
        super().__init__(dataset, *given, **keywords)
        self._together = self._auto_collation and _together(dataset)
        self._shared = Fetchers(dataset, fetchers, clone, self._together)

    def begin(self) -> tuple[Samples, Ahead]:
        """Return the dataset and the sampler of one iteration.

        Returns:
            The dataset, and the sampler.
        """
        one_by_one = self._auto_collation and not self._together
        sampler = cast("Iterable[Any]", self._index_sampler)
        return Samples(self.dataset, self._shared, one_by_one), Ahead(sampler, max(1, self.num_workers), self._pool())

    def _get_iterator(self) -> Any:
        inner = copy.copy(self)
        samples, ahead = self.begin()
        init = _Init(self.worker_init_fn)
        # DataLoader's __setattr__ forbids these assignments, so they bypass it.
        inner.__dict__.update({"dataset": samples, "worker_init_fn": init, self._sampler_name: ahead})
        return super(ConcurrentDataLoader, inner)._get_iterator()

    @property
    def _sampler_name(self) -> str:
        return "batch_sampler" if self._auto_collation else "sampler"

    def _pool(self) -> int:
        if not getattr(self, "in_order", True):
            return 1
        if self.batch_pool is not None:
            return self.batch_pool
        size = getattr(self.batch_sampler, "batch_size", None) if self._auto_collation else 1
        return 1 + -(-2 * self.fetchers // size) if size else 4


def _together(dataset: Any) -> bool:
    """Report whether a dataset gets whole batches.

    A Subset always has ``__getitems__``, but uses that of its dataset only if there is one.
    """
    while type(dataset) is Subset:
        dataset = dataset.dataset
    return callable(getattr(dataset, "__getitems__", None))


class Batches(NamedTuple):
    """The message to a worker: batches that follow those of earlier messages.

    The worker returns the first of all batches that it has not returned yet.
    """

    epoch: int
    upcoming: list[Any]


class Ahead:
    """Iterates over a sampler and yields :class:`Batches`, one for each batch.

    Like DataLoader, it reads a sampler beyond its length only on request, since RandomSampler draws at its end.

    Args:
        sampler: of batches, or of samples if there are no batches.
        workers: int, the number of workers. Batches go to them in turn.
        pool: int, how many batches a worker knows, including the requested one.
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
        active = min(self._workers, len(first))
        for worker in range(active):
            yield Batches(epoch, first[worker :: self._workers])
        for batch in islice(batches, known - len(first)):
            yield Batches(epoch, [batch])
        for _ in range(active, len(first)):
            yield Batches(epoch, [])
        for batch in batches:  # beyond the length of the sampler
            yield Batches(epoch, [batch])
        for error in failed:  # after the batches before the error, as in DataLoader
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
    """Replaces a dataset in one iteration: begins announced batches, and returns the requested one.

    It may be sent to another process before it is used. Only :meth:`wait` is safe for concurrent use.

    Args:
        dataset: the user's dataset.
        fetchers: the fetchers of that dataset.
        one_by_one: bool, whether the samples of a batch are got one by one.
    """

    def __init__(self, dataset: Any, fetchers: Fetchers, one_by_one: bool) -> None:
        self.dataset, self._fetchers, self._one_by_one = dataset, fetchers, one_by_one
        self._begun: deque[list[Future[Any]]] = deque()
        self._epoch = 0

    def __getitem__(self, batches: Batches) -> Any:
        return self.wait(self.begin(batches))

    __getitems__ = __getitem__

    def __del__(self) -> None:
        self._drop()

    def begin(self, batches: Batches) -> list[Future[Any]]:
        """Begin to get the announced batches.

        Args:
            batches: the message of the sampler.

        Returns:
            The futures of the requested batch.
        """
        if batches.epoch != self._epoch:
            self._drop()  # the loop of the previous epoch was left early
            self._epoch = batches.epoch
        for batch in batches.upcoming:
            self._begun.append([self._fetchers.submit(index) for index in (batch if self._one_by_one else [batch])])
        return self._begun.popleft()

    def wait(self, begun: list[Future[Any]]) -> Any:
        """Wait for the samples of a batch. If some fail, the error of the first in their order is raised.

        Args:
            begun: the futures of the batch. The list is emptied.

        Returns:
            The samples.
        """
        samples = []
        try:
            while begun:
                samples.append(begun.pop(0).result())
        except BaseException:
            _cancel(begun)
            raise
        return samples if self._one_by_one else samples[0]

    def _drop(self) -> None:
        while self._begun:
            _cancel(self._begun.popleft())


def _cancel(futures: list[Future[Any]]) -> None:
    while futures:  # so that no error keeps a future alive through its traceback
        futures.pop().cancel()


class _Init:
    """The first call in a worker. It makes ``get_worker_info().dataset`` the user's dataset."""

    def __init__(self, init: Callable[[int], Any] | None) -> None:
        self._init = init

    def __call__(self, worker: int) -> None:
        info: Any = get_worker_info()
        object.__setattr__(info, "dataset", info.dataset.dataset)  # its own __setattr__ forbids it
        if self._init is not None:
            self._init(worker)
