"""One pass over a loader."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Generic, NoReturn, TypeVar

from ._awaited import Awaited
from ._span import span

B = TypeVar("B")


class Loop(Awaited[B]):
    """An epoch of a loader, batch by batch. Each batch goes to one of the threads that share the loop; all get its end.

    ``async for`` waits for batches in a thread of asyncio's default executor, so other tasks run meanwhile. If the
    waiting task is canceled, its batch goes to the next ``async for`` over the loop.

    Args:
        next_batch: function that returns the next batch of a loop. At the end it marks the loop as over and returns
            None.
        count: function that returns the number of batches.
        number: int, the number of the loop, unique in its loader.
    """

    def __init__(self, next_batch: Callable[[Loop[B]], B | None], count: Callable[[], int], number: int) -> None:
        self._next_batch, self._count, self.number = next_batch, count, number
        self.over = False

    def __next__(self) -> B:
        if self.over:
            raise StopIteration
        shown = span("spool.next")
        if shown is None:
            batch = self._next_batch(self)
        else:
            with shown:
                batch = self._next_batch(self)
        if batch is None:
            raise StopIteration
        return batch

    def __repr__(self) -> str:
        return f"<spool.{type(self).__name__} {self.number} of a loader{', at its end' if self.over else ''}>"

    def __len__(self) -> int:
        return 0 if self.over else self._count()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a loop cannot be pickled: pickle its loader, which continues at the same position")


class Looped(Generic[B]):
    """A loader, for ``for`` and ``async for``."""

    _sources: list[bytes]
    _settings: Mapping[str, object]

    def __repr__(self) -> str:
        names = [os.fsdecode(name).split("?")[0] for name in self._sources[:3]]  # without the signatures of URLs
        src = repr(names[0]) if len(self._sources) == 1 else f"{names}, of {len(self._sources)} sources"
        return f"spool.{type(self).__name__}({', '.join([src, *(f'{k}={v!r}' for k, v in self._settings.items())])})"

    def __iter__(self) -> Loop[B]:
        raise NotImplementedError

    def __aiter__(self) -> Loop[B]:
        return iter(self)
