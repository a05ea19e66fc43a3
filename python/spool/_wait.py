"""Long calls that Ctrl-C ends.

Python runs a signal's handler between two of its own instructions, and only in the main thread: while that is in C,
nothing happens. So the main thread leaves a long call to another one, waits for it in a way that a handler can
interrupt, and cancels it when one raises. Other threads, which no signal reaches, call directly.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from . import _native

T = TypeVar("T")


def interruptibly(work: Callable[[_native.Handle | None], T]) -> T:
    """Do some work, which hands the cancel that it is given to the call it makes. Costs about 0.1 ms."""
    if threading.current_thread() is not threading.main_thread():
        return work(None)
    task = _Task(work, _native.new("spool_cancel"))
    try:
        _thread.start_new_thread(task.run, ())
        # A signal that comes just before a wait begins does not interrupt it: none is long.
        while not task.turn.acquire(timeout=0.1):
            pass
    except BaseException:
        task.stop()
        raise
    return task.result()


class _Task(Generic[T]):
    # Plain locks: threads, events and conditions of threading are Python code, which an interrupt leaves half done.
    def __init__(self, work: Callable[[_native.Handle | None], T], cancel: _native.Handle) -> None:
        self.turn = threading.Lock()  # the main thread's, when the work has ended
        self.turn.acquire()
        self._first = threading.Lock()  # taken by what comes first, the beginning or the stop
        self._ended = False
        self._work, self._cancel = work, cancel
        self._values: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        if not self._first.acquire(blocking=False):
            return
        try:
            self._values.append(self._work(self._cancel))
        except BaseException as e:
            self._error = e
        finally:
            self._ended = True
            self.turn.release()

    def stop(self) -> None:
        """Cancel, and wait for the end, whoever presses Ctrl-C again: memory is still being written."""
        begun = not self._first.acquire(blocking=False)
        while begun and not self._ended:
            try:
                _native.call("spool_cancel_set", self._cancel)
                self.turn.acquire(timeout=0.1)
            except KeyboardInterrupt:
                continue

    def result(self) -> T:
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # which refers to this frame by its traceback
        return self._values[0]
