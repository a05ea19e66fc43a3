"""Video and audio streams that stay open."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _header, _native
from ._source import Source, again
from ._wait import interruptibly
from .errors import ClosedError

if TYPE_CHECKING:
    from typing_extensions import Self

    from .packets import Packets

T = TypeVar("T")

# A call that should take less, in seconds, does not start the thread that lets Ctrl-C interrupt it.
_SHORT = 0.05


class Opened:
    """An open stream, with what it reads from: a source, or packets. The stream is released first."""

    def __init__(
        self, noun: str, spec: _native.Handle, source: _header.SourceStruct | _native.Handle, by: str = "open"
    ) -> None:
        self.handle = interruptibly(lambda cancel: _native.new(noun, spec, source, cancel, by=by, end="close"))
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


class Decoder:
    """A decoder of an open stream. It is pickled as its source and keywords, and opened anew where it is unpickled."""

    _opened: Opened | None
    _file: str

    def _keep(self, source: Source | Packets, keywords: dict[str, Any]) -> None:
        """Keep what a copy is made from: the caller's source, and the keywords of the class."""
        self._again = source, keywords

    def _open(self) -> Opened:
        if self._opened is None:
            raise ClosedError("the decoder was closed", error_class="closed", file=self._file)
        return self._opened

    def close(self) -> None:
        """Close the file. Calls of other threads end first. Results stay valid."""
        self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        source, keywords = self._again
        read = self._open().source
        if isinstance(read, _header.SourceStruct):
            source = again(cast("Source", source), read)
        return _anew, (type(self), source, keywords)


def _anew(cls: Any, source: Source | Packets, keywords: dict[str, Any]) -> Any:
    return cls(source, **keywords)
