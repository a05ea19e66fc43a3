"""Sources of a file's bytes: a path, a URL, or bytes in memory."""

from __future__ import annotations

import ctypes
import io
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union, cast

import numpy as np

from . import _header
from ._option import wrong
from ._types import Tensor
from .errors import NotFoundError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Buffer


# How much is read at a time from a file that is not one of Python's.
_PIECE = 1 << 20


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self) -> bytes: ...


class Seekable(Protocol):
    """A file with the two methods that torchcodec asks for."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, whence: int, /) -> int: ...


Source: TypeAlias = Union[str, "os.PathLike[str]", "Buffer", "NDArray[np.uint8]", Tensor, Readable, Seekable]


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
    data: Any = src
    if hasattr(src, "read") and not isinstance(src, memoryview):
        data = _read(src)
    elif hasattr(data, "__dlpack__") and not isinstance(src, np.ndarray):
        data = _of_tensor(src)
    if isinstance(data, bytes):
        return _header.SourceStruct(data=data, size=len(data))
    try:
        view = memoryview(data)
    except TypeError:
        raise wrong("src", src, "a path, bytes, a buffer, a tensor of uint8 or a file opened for bytes") from None
    if not view.c_contiguous:
        raise ValueError("src: the buffer is not contiguous")
    if view.nbytes == 0:
        return _header.SourceStruct()
    flat: NDArray[np.uint8] = np.frombuffer(view, np.uint8)
    s = _header.SourceStruct(data=flat.__array_interface__["data"][0], size=flat.nbytes)
    s.keep = flat
    return s


def _read(file: Any) -> Any:
    """Return the rest of a file as bytes. Of other objects than Python's files, ``read`` needs to take a size."""
    if isinstance(file, io.IOBase) or not hasattr(file, "seek"):
        data = file.read()
    else:
        data = b"".join(iter(lambda: file.read(_PIECE), b""))
    if isinstance(data, str):
        raise TypeError("src: the file is open for text; was it meant to be opened for binary reading? mode='rb'")
    return data


def _of_tensor(tensor: Any) -> NDArray[Any]:
    """Return a view of a tensor of bytes in host memory."""
    kind = str(getattr(tensor, "dtype", "no type"))
    if kind.rpartition(".")[2] != "uint8":
        raise TypeError(f"src: a tensor of a file's bytes has uint8, this one has {kind}")
    try:
        view: NDArray[Any] = np.from_dlpack(tensor)
    except (BufferError, RuntimeError, TypeError) as e:
        raise TypeError(f"src: the tensor is not in host memory: {e}") from e
    return view


def again(src: Source, struct: _header.SourceStruct) -> str | bytes:
    """Return what a source is opened from once more, in any process: its path, or its bytes."""
    if isinstance(src, (str, os.PathLike)):
        return os.fspath(src)
    place = ctypes.c_void_p.from_buffer(struct, _header.SourceStruct.data.offset).value
    return ctypes.string_at(place, struct.size) if place else b""
