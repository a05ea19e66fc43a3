"""One pass over a loader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

B = TypeVar("B")


class Loop(Generic[B]):
    """An epoch of a loader, batch by batch. Each batch goes to one of the threads that share the loop; all get its end.

    Args:
        next_batch: function that returns the next batch of a loop. At the end it marks the loop as over and returns
            None.
        count: function that returns the number of batches.
        number: int, the number of the loop, unique in its loader.
    """

    def __init__(self, next_batch: Callable[[Loop[B]], B | None], count: Callable[[], int], number: int) -> None:
        self._next_batch, self._count, self.number = next_batch, count, number
        self.over = False

    def __iter__(self) -> Loop[B]:
        return self

    def __next__(self) -> B:
        batch = None if self.over else self._next_batch(self)
        if batch is None:
            raise StopIteration
        return batch

    def __len__(self) -> int:
        return 0 if self.over else self._count()

    def __reduce__(self) -> Any:
        raise TypeError("a loop cannot be pickled: pickle its loader, which continues at the same position")
