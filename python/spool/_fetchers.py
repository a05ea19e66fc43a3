"""Fetchers: threads, or tasks of an event loop, that get many samples of a dataset at a time.

Samples are begun in the order of the requests. Each is returned as a :class:`concurrent.futures.Future`. Nothing waits
at the end: samples in flight complete on their own, and the others are not begun. The threads are daemons, so a store
that does not answer cannot keep a process from ending.
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

    The first sample is got in the calling thread, before any other. So an object that the dataset makes at its first
    use is made once, and it is then known whether samples have to be awaited.

    It is not safe for concurrent use. A copy in another process, pickled or forked, starts its own threads there.

    Args:
        dataset: the dataset, whose samples are got by their indices.
        most: int, how many samples are got at a time.
        clone: function that copies the dataset for each thread. None: all threads share it.
        together: bool, whether requests are lists of indices, for ``__getitems__``.
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
        """Request a sample, or several with ``together``.

        Args:
            index: its index, or a list of indices.

        Returns:
            The future of the sample, or of the list of samples.
        """
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
        make: makes the function of a thread.
        most: int, the most threads. Each request starts one, up to this number.
    """

    def __init__(self, make: Callable[[], Get], most: int) -> None:
        self._make, self._most, self._started = make, most, 0
        self._requests: SimpleQueue[tuple[Future[Any], Any] | None] = SimpleQueue()

    def submit(self, index: Any) -> Future[Any]:
        """Request a call.

        Args:
            index: the argument of the call.

        Returns:
            The future of its result.
        """
        future: Future[Any] = Future()
        self._requests.put((future, index))
        if self._started < self._most:
            self._started += 1
            # Not a method: a thread that refers to its owner would keep the owner alive.
            Thread(target=_serve, args=(self._requests, self._make), name="spool.torch", daemon=True).start()
        return future

    def close(self) -> None:
        """Stop the threads after the requests that they have."""
        for _ in range(self._started):
            self._requests.put(None)


def _serve(requests: SimpleQueue[tuple[Future[Any], Any] | None], make: Callable[[], Get]) -> None:
    get: Get | None = None
    while (task := requests.get()) is not None:
        future, index = task
        if future.set_running_or_notify_cancel():
            try:
                get = get or make()
                future.set_result(get(index))
            except BaseException as error:
                future.set_exception(error)
        del task, future, index  # so that a waiting thread keeps no sample alive


class Tasks:
    """Awaits the results of a function in the event loop of a thread.

    Args:
        get: the function, which is called in the loop.
        most: int, how many results are awaited at a time.
    """

    def __init__(self, get: Get, most: int) -> None:
        self._get, self._loop, self._semaphore = get, asyncio.new_event_loop(), asyncio.Semaphore(most)
        Thread(target=_run, args=(self._loop,), name="spool.torch", daemon=True).start()

    def submit(self, index: Any) -> Future[Any]:
        """Request a call.

        Args:
            index: the argument of the call.

        Returns:
            The future of its result.
        """
        future: Future[Any] = Future()
        self._loop.call_soon_threadsafe(_start, self._loop, future, self._semaphore, self._get, index)
        return future

    def wait(self, begun: Awaitable[Any]) -> Any:
        """Await something in the loop.

        Args:
            begun: what to await.

        Returns:
            Its result.
        """
        return asyncio.run_coroutine_threadsafe(_await(begun), self._loop).result()

    def close(self) -> None:
        """Stop the loop, and cancel its tasks."""
        self._loop.call_soon_threadsafe(self._loop.stop)


async def _await(begun: Awaitable[Any]) -> Any:
    return await begun


async def _limited(semaphore: asyncio.Semaphore, get: Get, index: Any) -> Any:
    async with semaphore:
        return await get(index)


def _start(
    loop: asyncio.AbstractEventLoop, future: Future[Any], semaphore: asyncio.Semaphore, get: Get, index: Any
) -> None:
    # Like asyncio.run_coroutine_threadsafe, but the coroutine is made here, in the loop's thread. Ctrl-C interrupts the
    # main thread only, so each coroutine that is made is awaited.
    if future.cancelled():
        return
    task = loop.create_task(_limited(semaphore, get, index))
    task.add_done_callback(partial(_settle, future))
    future.add_done_callback(lambda done: loop.call_soon_threadsafe(task.cancel) if done.cancelled() else None)


def _settle(future: Future[Any], task: asyncio.Task[Any]) -> None:
    if task.cancelled():
        future.cancel()
    if not future.set_running_or_notify_cancel():
        return
    if error := task.exception():
        future.set_exception(error)
    else:
        future.set_result(task.result())


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.run_until_complete(_cancel(asyncio.all_tasks(loop)))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)  # which Python 3.10 wants to be called in the loop
