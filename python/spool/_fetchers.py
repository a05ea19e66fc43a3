"""Samples of a dataset, got many at a time: by threads, or by tasks of an event loop.

Samples are begun in the order in which they are asked for; each comes as a :class:`concurrent.futures.Future`. Nothing
here waits at the end: what is under way ends by itself, and the rest is not begun. The threads are daemons, so that a
store which does not answer keeps no process from its end.
"""

from __future__ import annotations

import asyncio
import inspect
import operator
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

Get: TypeAlias = Callable[[Any], Any]
Clone: TypeAlias = Callable[[Any], Any]


class Fetchers:
    """Gets samples of a dataset for all iterations of a process.

    The first is got in the thread that asks for it, before any other: what a dataset makes at its first use is made
    once, and whether samples have to be awaited is known then.

    Args:
        dataset: what samples are got from, by their indices.
        most: how many are got at a time.
        clone: copies the dataset for each thread, if not None.
        together: whether what is asked for are lists of indices, for ``__getitems__``.

    It is not safe for concurrent use. A copy that was sent to another process, or forked into it, begins anew there.

    """

    def __init__(self, dataset: Any, most: int, clone: Clone | None, together: bool) -> None:
        self._arguments = dataset, most, clone, together
        self._get = partial(_getter, dataset, clone, together)
        self._most = most
        self._running: Threads | Tasks | None = None
        self._process = 0

    def __reduce__(self) -> Any:
        return Fetchers, self._arguments

    def __del__(self) -> None:
        if self._running is not None and self._process == os.getpid():
            self._running.close()

    def submit(self, index: Any) -> Future[Any]:
        """Ask for a sample, or for several together."""
        if self._running is None or self._process != os.getpid():
            return self._first(index)
        return self._running.submit(index)

    def _first(self, index: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            get = self._get()
            sample = get(index)
            if inspect.isawaitable(sample):
                self._running = Tasks(get, self._most)
                sample = self._running.wait(sample)
            future.set_result(sample)
        except Exception as error:
            future.set_exception(error)
        self._running = self._running or Threads(self._get, self._most)
        self._process = os.getpid()
        return future


def _getter(dataset: Any, clone: Clone | None, together: bool) -> Get:
    own = dataset if clone is None else clone(dataset)
    return own.__getitems__ if together else partial(operator.getitem, own)


class Threads:
    """Calls functions in threads.

    Args:
        make: gives a thread its function.
        most: how many threads there may be. One is started with each sample, until there are so many.

    """

    def __init__(self, make: Callable[[], Get], most: int) -> None:
        self._make, self._most, self._started = make, most, 0
        self._asked: SimpleQueue[tuple[Future[Any], Any] | None] = SimpleQueue()

    def submit(self, index: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._asked.put((future, index))
        if self._started < self._most:
            self._started += 1
            # Not a method: threads that referred to their owner would keep it from being collected.
            Thread(target=_serve, args=(self._asked, self._make), name="spool.torch", daemon=True).start()
        return future

    def close(self) -> None:
        for _ in range(self._started):
            self._asked.put(None)


def _serve(asked: SimpleQueue[tuple[Future[Any], Any] | None], make: Callable[[], Get]) -> None:
    get: Get | None = None
    while (task := asked.get()) is not None:
        future, index = task
        if future.set_running_or_notify_cancel():
            try:
                get = get or make()
                future.set_result(get(index))
            except BaseException as error:
                future.set_exception(error)
        del task, future, index  # a thread that waits keeps no sample


class Tasks:
    """Awaits what a function gives, in the event loop of a thread.

    Args:
        get: is called in the loop.
        most: how many are awaited at a time.

    """

    def __init__(self, get: Get, most: int) -> None:
        self._get, self._loop, self._turn = get, asyncio.new_event_loop(), asyncio.Semaphore(most)
        Thread(target=_run, args=(self._loop,), name="spool.torch", daemon=True).start()

    def submit(self, index: Any) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(_in_turn(self._turn, self._get, index), self._loop)

    def wait(self, begun: Awaitable[Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(_await(begun), self._loop).result()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)


async def _await(begun: Awaitable[Any]) -> Any:
    return await begun


async def _in_turn(turn: asyncio.Semaphore, get: Get, index: Any) -> Any:
    async with turn:
        return await get(index)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
