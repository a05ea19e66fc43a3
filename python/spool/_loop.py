"""One pass over a loader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

B = TypeVar("B")


class Loop(Generic[B]):
    """An epoch of a loader, batch by batch. Threads that share one get each batch once, and all get its end.

    Args:
        take: gives the next batch of a loop, None at its end, which it marks.
        count: gives the number of batches.
        number: which of the loader's loops it is.

    """

    def __init__(self, take: Callable[[Loop[B]], B | None], count: Callable[[], int], number: int) -> None:
        self._take, self._count, self.number = take, count, number
        self.over = False

    def __iter__(self) -> Loop[B]:
        return self

    def __next__(self) -> B:
        batch = None if self.over else self._take(self)
        if batch is None:
            raise StopIteration
        return batch

    def __len__(self) -> int:
        return 0 if self.over else self._count()

    def __reduce__(self) -> Any:
        raise TypeError("a loop cannot be pickled: its loader can, which goes on where the loop stood")
