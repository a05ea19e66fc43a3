"""Long calls that Ctrl-C can interrupt.

Python runs a signal's handler only in the main thread, between two instructions. It does not run while the main thread
is in C. So the main thread passes a long call to another thread and waits for it in a way that a handler can interrupt.
When the handler raises, the main thread cancels the call. Signals do not reach other threads, which make the call
themselves.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from . import _native

T = TypeVar("T")


def interruptibly(work: Callable[[_native.Handle | None], T]) -> T:
    """Do some work. In the main thread, Ctrl-C interrupts it. This costs about 0.1 ms.

    Args:
        work: function that passes its argument, a cancel handle or None, to the call that it makes.

    Returns:
        The result of the work.
    """
    if threading.current_thread() is not threading.main_thread():
        return work(None)
    task = _Task(work, _native.new("spool_cancel"))
    try:
        _thread.start_new_thread(task.run, ())
        # A signal that arrives just before a wait begins does not interrupt it, so waits are short.
        while not task.done.acquire(timeout=0.1):
            pass
    except BaseException:
        task.stop()
        raise
    return task.result()


class _Task(Generic[T]):
    # Plain locks: the classes Thread, Event and Condition are Python code, which an interrupt may stop halfway.
    def __init__(self, work: Callable[[_native.Handle | None], T], cancel: _native.Handle) -> None:
        self.done = threading.Lock()  # released for the main thread when the work has ended
        self.done.acquire()
        self._claim = threading.Lock()  # taken by whichever happens first, run or stop
        self._ended = False
        self._work, self._cancel = work, cancel
        self._values: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._values.append(self._work(self._cancel))
        except BaseException as e:
            self._error = e
        finally:
            self._ended = True
            self.done.release()

    def stop(self) -> None:
        """Cancel the work and wait for its end, also if Ctrl-C is pressed again: the work still writes to memory."""
        begun = not self._claim.acquire(blocking=False)
        while begun and not self._ended:
            try:
                _native.call("spool_cancel_set", self._cancel)
                self.done.acquire(timeout=0.1)
            except KeyboardInterrupt:
                continue

    def result(self) -> T:
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # its traceback refers to this frame
        return self._values[0]
