"""Streams that stay open."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from . import _header, _native
from ._wait import interruptibly

T = TypeVar("T")

# A call that should take less, in seconds, is not worth the thread that lets Ctrl-C interrupt it.
_SHORT = 0.05


class Opened:
    """A stream that C has open, and what that reads from: they go in this order."""

    def __init__(self, noun: str, spec: _native.Handle, source: _header.SourceStruct) -> None:
        self.handle = interruptibly(lambda cancel: _native.new(noun, spec, source, cancel, by="open", end="close"))
        self.spec, self.source = spec, source
        self._pace = _SHORT  # seconds that one of what was asked for took, of the last call

    def run(self, work: Callable[[_native.Handle | None], T], amount: int = 1) -> T:
        """Do some work for so many things. Where the last call says that it is short, Ctrl-C waits for it."""
        begun = time.monotonic()
        result = work(None) if amount * self._pace < _SHORT else interruptibly(work)
        self._pace = (time.monotonic() - begun) / max(1, amount)
        return result
