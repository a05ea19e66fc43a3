"""What spool raises.

Wrong arguments are ``TypeError`` and ``ValueError``, with the argument's name. Everything else is an
:class:`Error`; of bad media a :class:`DecodeError`, which is also the built-in exception where there is a
natural one: ``except FileNotFoundError`` and ``except spool.DecodeError`` both see a file that is not there.
All of them can be pickled, and so cross from a worker process to its parent.
"""

from __future__ import annotations

import errno
from typing import Any


class Error(Exception):
    """What the library reports.

    Attributes:
        kind: the class of the problem, one of the words of the command's contract: ``not-found``,
            ``truncated``, ``corrupt``, ``too-large``, ... (``docs/python.md`` has the list).
        file: the file as the caller named it; empty when only bytes were given.
        library: the library that reported it; empty when spool did.
        code: that library's own code; 0 when it has none.
        op: what was being done: ``decode``, ``probe``, ``read``.
        text: one line for a person.

    """

    kind: str
    file: str
    library: str
    code: int
    op: str
    text: str

    def __init__(
        self, text: str, *, kind: str = "", file: str = "", library: str = "", code: int = 0, op: str = ""
    ) -> None:
        super().__init__(text)
        self.kind, self.file, self.library, self.code, self.op, self.text = kind, file, library, code, op, text

    def __str__(self) -> str:
        where = f"{self.file}: " if self.file else ""
        what = f"{self.kind}: " if self.kind else ""
        return where + what + self.text

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {k: getattr(self, k) for k in ("kind", "file", "library", "code", "op")}
        return _restore, (type(self), self.text, fields)


def _restore(kind: type[Error], text: str, fields: dict[str, Any]) -> Error:
    return kind(text, **fields)


class DecodeError(Error):
    """A file, or bytes, that could not be read or decoded."""


class InternalError(Error):
    """A bug of spool's. Please report it, with the text."""


class DeviceError(Error):
    """A device that is not there, or failed."""


class CanceledError(Error):
    """The call was cancelled."""


class ClosedError(Error, ValueError):
    """Something was used after its ``close()``."""


class LibraryError(Error, ImportError):
    """The native library, or one that it needs, is not there. ``python -m spool doctor`` says which."""


class ForkError(Error, RuntimeError):
    """Spool was used in a process, and then in a fork of it.

    The library's threads do not survive a fork. Making loaders, specs and collate functions does not use it;
    decoding, opening a video, and loops over loaders do. Cures, where a parent forks workers and uses spool itself:

    - start the workers before its first use, and keep them: ``DataLoader(persistent_workers=True)``;
    - start them otherwise: ``DataLoader(multiprocessing_context="forkserver")``,
      ``multiprocessing.get_context("spawn")``;
    - use threads in place of workers: ``num_workers=0`` and :class:`spool.torch.prefetch`.
    """


class ReadError(DecodeError, OSError):
    """A DecodeError that is an OSError as well, with its ``errno`` and ``filename``."""

    number = errno.EIO

    def __init__(self, text: str, **fields: Any) -> None:
        super().__init__(text, **fields)
        self.errno, self.strerror, self.filename = self.number, text, self.file


class NotFoundError(ReadError, FileNotFoundError):
    number = errno.ENOENT


class NoPermissionError(ReadError, PermissionError):
    number = errno.EACCES


class NoSuchFrameError(DecodeError, IndexError):
    """Also an IndexError, which ends ``for frame in decoder``."""


class TimedOutError(ReadError, TimeoutError):
    number = errno.ETIMEDOUT


# By the class that the library names. A class that is not here is a DecodeError.
_types: dict[str, type[Error]] = {
    "not-found": NotFoundError,
    "permission": NoPermissionError,
    "io": ReadError,
    "no-such-frame": NoSuchFrameError,
    "timeout": TimedOutError,
    "canceled": CanceledError,
    "device": DeviceError,
    "closed": ClosedError,
    "forked": ForkError,
    "internal": InternalError,
}


def error_for(kind: str) -> type[Error]:
    """Give the exception type for a class of the library's."""
    return _types.get(kind, DecodeError)
