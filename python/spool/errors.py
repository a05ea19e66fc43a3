"""The exceptions that spool raises.

Wrong arguments raise ``TypeError`` and ``ValueError``, with the argument's name. Everything else is an :class:`Error`.
Bad media raise a :class:`DecodeError`, which is also the corresponding built-in exception, if there is one: a missing
file is caught by ``except FileNotFoundError`` and by ``except spool.DecodeError``. All errors can be pickled, so a
worker process can pass them to its parent.
"""

from __future__ import annotations

import errno
from typing import Any


class Error(Exception):
    """An error that the library reports.

    Args:
        text: one line for a person.
        error_class: one of the words of the command: ``not-found``, ``truncated``, ``corrupt``, ``too-large`` and
            others, which ``docs/python.md`` lists.
        file: the file as the caller named it. Default: empty, for bytes.
        library: the library that reported the error. Default: empty, for spool itself.
        code: int, that library's own code. Default: 0, for none.
        op: the operation that failed: ``decode``, ``probe``, ``read``.

    Attributes:
        error_class: a word for the cause.
        file: the file as the caller named it; empty if the input was bytes.
        library: the library that reported the error; empty for spool itself.
        code: that library's own code; 0 if it has none.
        op: the operation that failed.
        text: one line for a person.
    """

    error_class: str
    file: str
    library: str
    code: int
    op: str
    text: str

    def __init__(
        self, text: str, *, error_class: str = "", file: str = "", library: str = "", code: int = 0, op: str = ""
    ) -> None:
        super().__init__(text)
        self.error_class, self.file, self.text = error_class, file, text
        self.library, self.code, self.op = library, code, op

    def __str__(self) -> str:
        where = f"{self.file}: " if self.file else ""
        what = f"{self.error_class}: " if self.error_class else ""
        return where + what + self.text

    def __reduce__(self) -> tuple[object, ...]:
        fields = {k: getattr(self, k) for k in ("error_class", "file", "library", "code", "op")}
        return _restore, (type(self), self.text, fields)


def _restore(cls: type[Error], text: str, fields: dict[str, Any]) -> Error:
    return cls(text, **fields)


class DecodeError(Error):
    """A file, or bytes, could not be read or decoded."""


class InternalError(Error):
    """A bug in spool. Please report it, with its text."""


class DeviceError(Error):
    """A device does not exist, or failed."""


class CanceledError(Error):
    """The call was canceled."""


class ClosedError(Error, ValueError):
    """An object was used after its ``close()``."""


class LibraryError(Error, ImportError):
    """The native library, or a library that it needs, is missing. ``python -m spool doctor`` says which."""


class ForkError(Error, RuntimeError):
    """Spool was used in a process, and then in a fork of that process.

    The library's threads do not survive a fork. Decoding, opening a video, and loops over loaders use the library.
    Making loaders, specs and collate functions does not. If a parent forks workers and uses spool itself, do one of
    these:

    - Start the workers before the parent first uses spool, and keep them: ``DataLoader(persistent_workers=True)``.
    - Start them without a fork: ``DataLoader(multiprocessing_context="forkserver")``,
      ``multiprocessing.get_context("spawn")``.
    - Use threads instead of workers: ``num_workers=0`` and :class:`spool.torch.prefetch`.
    """


class ReadError(DecodeError, OSError):
    """The input could not be read. It is also an OSError, with its ``errno`` and ``filename``.

    Args:
        text: one line for a person.
        error_class: a word for the cause, as for :class:`Error`.
        file: the file as the caller named it. Default: empty, for bytes.
        library: the library that reported the error. Default: empty, for spool itself.
        code: int, that library's own code. Default: 0, for none.
        op: the operation that failed.
    """

    number = errno.EIO

    def __init__(
        self, text: str, *, error_class: str = "", file: str = "", library: str = "", code: int = 0, op: str = ""
    ) -> None:
        super().__init__(text, error_class=error_class, file=file, library=library, code=code, op=op)
        self.errno, self.strerror, self.filename = self.number, text, self.file


class NotFoundError(ReadError, FileNotFoundError):
    """The path or object does not exist. It is also a FileNotFoundError."""

    number = errno.ENOENT


class NoPermissionError(ReadError, PermissionError):
    """The system or the store denies access. It is also a PermissionError."""

    number = errno.EACCES


class NoSuchFrameError(DecodeError, IndexError):
    """The file does not have the frame or stream. It is also an IndexError, which ends ``for frame in decoder``."""


class TimedOutError(ReadError, TimeoutError):
    """A timeout passed. It is also a TimeoutError."""

    number = errno.ETIMEDOUT


# Exception types by error class. Other classes are DecodeError.
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


def error_for(error_class: str) -> type[Error]:
    """Return the exception type for an error class of the library.

    Args:
        error_class: the error class.

    Returns:
        The type. It is :class:`DecodeError` for classes without a type of their own.
    """
    return _types.get(error_class, DecodeError)
