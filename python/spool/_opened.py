"""Video and audio streams that stay open."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from . import _header, _native
from ._wait import interruptibly

T = TypeVar("T")

# A call that should take less, in seconds, does not start the thread that lets Ctrl-C interrupt it.
_SHORT = 0.05


class Opened:
    """An open stream, with the memory that it reads from. The stream is released first."""

    def __init__(self, noun: str, spec: _native.Handle, source: _header.SourceStruct) -> None:
        self.handle = interruptibly(lambda cancel: _native.new(noun, spec, source, cancel, by="open", end="close"))
        self.spec, self.source = spec, source
        self._seconds_each = _SHORT  # seconds for each frame or window, in the last call

    def run(self, work: Callable[[_native.Handle | None], T], amount: int = 1) -> T:
        """Do some work for an amount of frames or windows.

        Work that should be short, by the pace of the last call, runs in the calling thread, and Ctrl-C waits for it.

        Args:
            work: function that is called with a cancel handle or None.
            amount: how many frames or windows the work is for. Default: 1.

        Returns:
            The result of the work.
        """
        begun = time.monotonic()
        result = work(None) if amount * self._seconds_each < _SHORT else interruptibly(work)
        self._seconds_each = (time.monotonic() - begun) / max(1, amount)
        return result
