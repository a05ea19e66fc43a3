"""PyTorch's DataLoader, with the decoding in its collate function.

::

    loader = DataLoader(dataset, batch_size=32, num_workers=2, collate_fn=spool.torch.collate(size=224))

The dataset gives paths or bytes, with labels or without. ``docs/loaders/pytorch.md`` has the whole page. A dataset
that reads from a network itself gets its samples many at a time in a :class:`ConcurrentDataLoader`, in place of a
DataLoader: ``docs/loaders/concurrent.md``.
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
    """A :class:`spool.stage.Stage` that gives tensors; see :func:`collate`."""

    _drawn = 0, 0
    _slots: Slots | None = None

    def draw(self) -> tuple[int, int]:
        seed, batches = self._drawn
        self._drawn = torch.initial_seed(), batches + 1 if seed == torch.initial_seed() else 0
        return self._drawn

    def _cpus(self) -> int:
        return cpus() if get_worker_info() is None else 1

    def _memory(self, count: int) -> torch.Tensor | None:
        """Give memory that is shared with the parent, in a worker: sending it costs no copy."""
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

    Takes what :class:`spool.stage.Stage` takes, with ``layout="nchw"`` unless said otherwise: pictures are
    uint8 tensors (N,C,H,W), as torchvision's. Labels and whatever else a sample has are collated by PyTorch's
    ``default_collate``. The default of ``threads`` is 1 in a worker of a DataLoader, else the CPUs of the process.

    Random crops and flips follow ``torch.manual_seed``: they are a function of torch's initial seed (in a worker:
    that of the worker, another one each epoch), of how many batches this object has collated under it, and of the
    sample's place in the batch. They are not the draws of torchvision, and take nothing from torch's generator.
    """
    options.setdefault("layout", "nchw")
    return Collate(transform, **options)


class prefetch(Generic[B]):  # noqa: N801
    """Iterates a DataLoader of ``num_workers=0`` in threads of this process, ahead of the training step.

    ::

        loader = spool.torch.prefetch(DataLoader(dataset, batch_size=32, collate_fn=spool.torch.collate(size=224)))

    Decoding leaves the interpreter, so it needs no processes, and with them no pickling and no shared memory. The
    batches are those of the DataLoader, in its order.

    Args:
        loader: of a dataset with ``__getitem__``, which is called from two threads; from as many as it says where it is
            a :class:`ConcurrentDataLoader`.
        batches: how many are made ahead.

    What a batch raises comes out in its place. Leaving the loop waits for the batches that are under way.

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
        # Two threads: one decodes, by as many threads of the library's, while the other is in the interpreter.
        threads = ThreadPoolExecutor(2, "spool.torch.prefetch")
        ahead: deque[Future[B]] = deque()
        # What an iterator of the DataLoader draws before its sampler does: so the order is the same.
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
        """Draw here, in the order of batches, what is drawn for one."""
        collate = self.loader.collate_fn
        return {"seed": collate.draw()} if isinstance(collate, Collate) else {}

    def _begun(self) -> Iterator[tuple[Any, Callable[[Any], Any]]]:
        """Give for each batch what it is made of, and what makes the list of its samples."""
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
