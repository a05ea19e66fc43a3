"""Sources of a file's bytes: a path, a URL, or bytes in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union, cast

import numpy as np

from . import _header
from ._option import wrong
from .errors import NotFoundError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self) -> bytes: ...


Source: TypeAlias = Union[str, "os.PathLike[str]", "Buffer", "NDArray[Any]", Readable]


def encoded(name: str, path: str | os.PathLike[str]) -> bytes:
    """Return a path as bytes, in the encoding of the file system."""
    written = os.fsencode(path)
    if b"\0" in written:
        raise ValueError(f"{name}: the path contains a null byte")
    return written


def listed(name: str, sources: Any) -> list[bytes]:
    """Return a path, or a sequence of paths, as a list of encoded paths."""
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    elif isinstance(sources, bytes) or not isinstance(sources, Sequence):
        raise wrong(name, sources, "a path, or a sequence of them")
    if not sources:
        raise ValueError(f"{name}: the list is empty; give files, folders, patterns or @lists")
    return [encoded(name, path) for path in cast("Sequence[Any]", sources)]


def missing(names: Sequence[bytes]) -> None:
    """Raise a NotFoundError for the first name that is no file, URL or pattern. This does not use the library."""
    for name in names:
        path = name.removeprefix(b"@")
        if not os.path.exists(path) and not re.search(rb"[*?[{]|://", path):
            text = "no such file or directory"
            raise NotFoundError(text, error_class="not-found", file=os.fsdecode(path), op="list")


def source(src: Source) -> _header.SourceStruct:
    """Return C's view of a source. It keeps the memory that it points to alive.

    Bytes are not copied. If the caller changes a buffer while it is read, the result is undefined.
    """
    if isinstance(src, (str, os.PathLike)):
        return _header.SourceStruct(path=encoded("src", src))
    read = getattr(src, "read", None)
    data: Any = src if read is None or isinstance(src, memoryview) else read()
    if isinstance(data, bytes):
        return _header.SourceStruct(data=data, size=len(data))
    try:
        view = memoryview(data)
    except TypeError:
        raise wrong("src", src, "a path, bytes, a buffer or a file opened for bytes") from None
    if not view.c_contiguous:
        raise ValueError("src: the buffer is not contiguous")
    if view.nbytes == 0:
        return _header.SourceStruct()
    flat: NDArray[np.uint8] = np.frombuffer(view, np.uint8)
    s = _header.SourceStruct(data=flat.__array_interface__["data"][0], size=flat.nbytes)
    s.keep = flat
    return s
