"""Iterators for ``for`` and ``async for``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Self

T = TypeVar("T")


class Awaited(Generic[T]):
    """An iterator whose values take time, and are not None.

    ``async for`` waits for a value in a thread of asyncio's default executor, so other tasks run meanwhile. If the
    waiting task is canceled, its value goes to the next ``async for`` over the iterator.
    """

    _waiting: asyncio.Future[T | None] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        raise NotImplementedError

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        import asyncio  # takes as long to import as all of spool

        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().run_in_executor(None, next, self, None)
        try:
            value = await asyncio.shield(self._waiting)
        except asyncio.CancelledError:
            raise
        except BaseException:
            self._waiting = None
            raise
        self._waiting = None
        if value is None:
            raise StopAsyncIteration
        return value


class Each(Awaited[T]):
    """The values of an iterable, one by one.

    Args:
        values: what is iterated over.
    """

    def __init__(self, values: Iterable[T]) -> None:
        self._values: Iterator[T] = iter(values)

    def __next__(self) -> T:
        return next(self._values)
