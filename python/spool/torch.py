"""PyTorch's DataLoader, with decoding in its collate function.

::

    loader = DataLoader(dataset, batch_size=32, num_workers=2, collate_fn=spool.torch.collate(size=224))

The dataset gives paths or bytes, with or without labels. ``docs/loaders/pytorch.md`` is the guide. For a dataset that
reads from a network itself, :class:`ConcurrentDataLoader` replaces the DataLoader and reads many samples at a time:
``docs/loaders/concurrent.md``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, default_collate, get_worker_info
from torch.utils.data._utils.pin_memory import pin_memory

from ._concurrent import ConcurrentDataLoader
from ._slots import Slots
from .stage import Stage, StageOptions, cpus

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .stage import Transform

__all__ = ["Collate", "ConcurrentDataLoader", "collate", "prefetch"]

B = TypeVar("B")


class Collate(Stage):
    """A :class:`spool.stage.Stage` that returns tensors. :func:`collate` makes it."""

    _drawn = 0, 0
    _slots: Slots | None = None

    def draw(self) -> tuple[int, int]:
        """Return the seed of the next batch, from torch's initial seed and a count of batches.

        Returns:
            A seed and an epoch.
        """
        seed, batches = self._drawn
        self._drawn = torch.initial_seed(), batches + 1 if seed == torch.initial_seed() else 0
        return self._drawn

    def _cpus(self) -> int:
        return cpus() if get_worker_info() is None else 1

    def _memory(self, count: int) -> torch.Tensor | None:
        """Return memory that a worker shares with its parent, so that sending needs no copy. None in the parent."""
        if get_worker_info() is None:
            return None
        spec = self.spec.parsed()
        if not spec.shape:
            return None
        if self._slots is None:
            self._slots = Slots()
        return self._slots.tensor((count, *spec.shape), np.dtype(spec.dtype))

    def _array(self, values: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(values)

    def _column(self, values: Sequence[Any]) -> Any:
        return default_collate(list(values))


def collate(transform: Transform | None = None, **options: Unpack[StageOptions]) -> Collate:
    """Make a ``collate_fn`` that decodes a batch in one call.

    Labels and other values are collated by PyTorch's ``default_collate``.

    Random crops and flips follow ``torch.manual_seed``. They depend on torch's initial seed, on how many batches this
    object has collated with that seed, and on the position of the sample in the batch. In a worker, the initial seed is
    the worker's, which differs in each epoch. The draws are not those of torchvision, and torch's generator is not
    used.

    Args:
        transform: a :class:`spool.torchvision.Compose`, instead of keywords or with them.
        **options: the other arguments of :class:`spool.stage.Stage`. ``layout`` is ``nchw`` by default, so images are
            uint8 tensors (N,C,H,W), like torchvision's. ``threads`` is 1 by default in a worker of a DataLoader, and
            the CPUs of the process elsewhere.

    Returns:
        The function.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names all of them.
    """
    options.setdefault("layout", "nchw")
    return Collate(transform, **options)


class prefetch(Generic[B]):  # noqa: N801
    """Iterates over a DataLoader with ``num_workers=0`` in threads of this process, ahead of the training step.

    ::

        loader = spool.torch.prefetch(DataLoader(dataset, batch_size=32, collate_fn=spool.torch.collate(size=224)))

    Decoding releases the GIL. So it needs no worker processes, no pickling and no shared memory. The batches are those
    of the DataLoader, in its order.

    An error of a batch is raised in the place of the batch. Leaving the loop waits for the batches in flight.

    Args:
        loader: a DataLoader whose dataset has ``__getitem__``. Two threads call it; for a
            :class:`ConcurrentDataLoader`, the number of threads is its own.
        batches: int, how many batches are made ahead. Default: 2.

    Raises:
        ValueError: the DataLoader has workers, no ``batch_size`` or an IterableDataset; or ``batches`` is less than 1.
    """

    def __init__(self, loader: DataLoader[Any], batches: int = 2) -> None:
        if loader.num_workers or loader.batch_sampler is None or isinstance(loader.dataset, IterableDataset):
            raise ValueError("loader: only with num_workers=0, a batch_size, and a dataset that has __getitem__")
        if batches < 1:
            raise ValueError(f"batches: {batches} is less than 1")
        self.loader = loader
        self._batches = batches

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[B]:
        # Two threads: while one decodes, with the library's threads, the other runs Python code.
        threads = ThreadPoolExecutor(2, "spool.torch.prefetch")
        ahead: deque[Future[B]] = deque()
        # An iterator of DataLoader draws this number before its sampler draws. So the order is the same.
        torch.empty((), dtype=torch.int64).random_(generator=self.loader.generator)
        try:
            for begun, get in self._begun():
                ahead.append(threads.submit(self._make, begun, get, self._seed()))
                if len(ahead) > self._batches:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)

    def _seed(self) -> dict[str, tuple[int, int]]:
        """Draw the seed of a batch here, so that draws follow the order of batches."""
        collate = self.loader.collate_fn
        return {"seed": collate.draw()} if isinstance(collate, Collate) else {}

    def _begun(self) -> Iterator[tuple[Any, Callable[[Any], Any]]]:
        """Yield for each batch what was begun for it, and the function that makes the list of its samples from that."""
        if isinstance(self.loader, ConcurrentDataLoader):
            samples, batches = self.loader.begin()
            yield from ((samples.begin(batch), samples.wait) for batch in batches)
        else:
            yield from ((indices, self._samples) for indices in cast("Iterable[list[Any]]", self.loader.batch_sampler))

    def _samples(self, indices: list[Any]) -> Any:
        dataset: Any = self.loader.dataset
        together = getattr(dataset, "__getitems__", None)
        return together(indices) if together else [dataset[i] for i in indices]

    def _make(self, begun: Any, get: Callable[[Any], Any], seed: dict[str, tuple[int, int]]) -> B:
        batch = self.loader.collate_fn(get(begun), **seed)
        if self.loader.pin_memory:
            batch = pin_memory(batch)  # type: ignore[no-untyped-call, unused-ignore]
        return cast("B", batch)
