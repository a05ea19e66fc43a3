"""The native library: finding it, loading it at first use, and calling it.

``call`` calls a C function whose last argument is an error struct, and raises the error that it reports.

docs/adr/0014 explains the choice of ctypes. It releases the GIL around each call, and needs no compiler and no build
for each version of Python. The shared mutable state in this module is the library, which is set once under a lock, and
collections whose single operations are atomic. Nothing relies on the GIL.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
import weakref
from ctypes import byref, c_char, c_char_p, c_double, c_int32, c_void_p
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from . import _header
from ._header import ABI, ArrayView, ErrorStruct, ImagesOptions, Pointer, SourceStruct
from .errors import Error, ForkError, LibraryError, error_for

if TYPE_CHECKING:
    from ctypes import _CArgObject as Reference

    from numpy.typing import NDArray

_lock = threading.Lock()
_library: ctypes.CDLL | None = None
_errors: list[ErrorStruct] = []  # for the next calls: to make one of 8 KiB costs more than the call of a small function


def path() -> str:
    """Return the library's path: in the package, or the value of SPOOL_LIBRARY."""
    return os.environ.get("SPOOL_LIBRARY") or os.path.join(os.path.dirname(__file__), "_lib", "libspool.so")


def library() -> ctypes.CDLL:
    """Return the library. The first call loads it."""
    return _library or _load()


def loaded() -> bool:
    """Report whether this process, or a process that it was forked from, has loaded the library."""
    return _library is not None


def _opened(file: str) -> ctypes.CDLL:
    """Open a library with lazy binding: each function is bound when it is first called.

    ctypes itself binds all functions at once, those of all 217 dependencies. That is a tenth of the loading time.
    """
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.argtypes, dlopen.restype = [c_char_p, ctypes.c_int], c_void_p
    handle = dlopen(os.fsencode(file), os.RTLD_LAZY | os.RTLD_LOCAL)
    return ctypes.CDLL(file, handle=handle)  # without a handle, it opens the file itself and raises the error


def _load() -> ctypes.CDLL:
    global _library
    with _lock:
        if _library is None:
            try:
                loaded = _opened(path())
            except OSError as e:
                raise LibraryError(f"{e}; `python -m spool doctor` lists what is missing") from e
            if loaded.spool_abi() != ABI:
                raise LibraryError(f"{path()}: its ABI version is {loaded.spool_abi()}, this package needs {ABI}")
            try:
                for name, (arguments, result) in _header.plain.items():
                    function = getattr(loaded, name)
                    function.argtypes, function.restype = arguments, result
                for name, arguments in _header.functions.items():
                    function = getattr(loaded, name)
                    function.argtypes, function.restype = [*arguments, _header.error], c_int32
            except AttributeError as e:
                raise LibraryError(f"{path()}: the library is older than this package: {e}") from e
            _library = loaded
        return _library


def call(name: str, *arguments: Any) -> None:
    """Call a function that can fail, and raise the error that it reports.

    Args:
        name: name of the C function.
        *arguments: its arguments, without the error struct.

    Raises:
        Exception: the error, see :func:`exception`.
    """
    try:
        error = _errors.pop()
    except IndexError:
        error = ErrorStruct()
    if getattr(_library or _load(), name)(*arguments, byref(error)):
        raise exception(error)
    _errors.append(error)


def exception(e: ErrorStruct) -> Exception:
    """Return the exception for an error: a ValueError for wrong options, otherwise one of spool.errors."""
    text = e.text.decode(errors="replace")
    error_class = e.error_class.decode()
    if error_class == "options":
        return ValueError(text)
    if error_class == "shape":
        return ShapeError(text.removeprefix("wrong shape: "))
    if error_class == "out-of-memory":
        return MemoryError(text)
    if error_class == "forked":
        return forked()
    return error_for(error_class)(
        text,
        error_class=error_class,
        file=os.fsdecode(e.file),
        library=e.library.decode(),
        code=e.library_code,
        op=e.op.decode(),
    )


def forked() -> ForkError:
    """Return the error of a process that was forked from one that had used the library. Its text lists remedies."""
    return ForkError(
        "this process was forked from one that had used spool, whose threads do not survive a fork. Remedies: start "
        "workers before the parent first uses spool, and keep them (persistent_workers=True of a DataLoader); start "
        'them by spawn or forkserver (multiprocessing_context="forkserver"); or use threads instead of workers '
        "(num_workers=0 and spool.torch.prefetch). Making loaders, specs and collate functions does not use spool.",
        error_class="forked",
        op="enter",
    )


def failure(fields: dict[str, Any]) -> Error:
    """Return the exception for one of the failures that a call lists as JSON."""
    error_class = fields["class"]
    return error_for(error_class)(
        fields.get("text", ""),
        error_class=error_class,
        file=fields.get("file", ""),
        library=fields.get("library", ""),
        code=fields.get("library_code", 0),
        op=fields.get("op", ""),
    )


class ShapeError(ValueError):
    """An array of the caller does not fit. Code that knows the argument's name adds it to the text."""


class _End(weakref.ref["Handle"]):
    """Calls a C function with the pointer of a handle, to release it, when the handle is garbage collected."""

    __slots__ = ("_as_parameter_",)

    _as_parameter_: Pointer | Reference


class _Keeper(weakref.ref["Handle"]):
    """Keeps the :class:`_End` of a handle alive until the handle is gone. It is hashed and compared by identity."""

    __slots__ = ("end",)
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    end: _End


_keepers: set[weakref.ref[Handle]] = set()


class Handle:
    """An object of the library: an argument of calls, released with the last reference to it.

    It is made before the call that writes it, so nothing leaks if a signal's handler raises right after the call. For
    the same reason it has no ``__del__``: if a handler raises when ``__del__`` begins, its body does not run. The
    callbacks of weak references to the handle are C functions, which no handler interrupts.

    A handle cannot be released in any other way, so no thread uses it after its release. An object with a ``close()``
    drops its reference, and a call that runs holds its own.

    Args:
        pointer: the pointer that a call writes.
        release: name of the C function that releases it.
        struct: a reference to the struct that is released in place of the pointer in it.
    """

    __slots__ = ("__weakref__", "_as_parameter_")

    def __init__(self, pointer: Pointer, release: str, struct: Reference | None = None) -> None:
        self._as_parameter_ = pointer
        end = _End(self, getattr(_library or _load(), release))
        end._as_parameter_ = struct or pointer
        keeper = _Keeper(self, _keepers.discard)
        keeper.end = end
        _keepers.add(keeper)

    @property
    def out(self) -> Pointer:
        """The pointer, as the argument that a call writes to."""
        return self._as_parameter_

    @property
    def number(self) -> int | None:
        """The pointer as a number, for arrays of handles."""
        return self._as_parameter_.value

    def __bool__(self) -> bool:
        """Report whether a call has written the pointer."""
        return bool(self._as_parameter_)

    def __reduce__(self) -> Any:
        raise TypeError("an open object of the library cannot be pickled: open it in each process")


def new(noun: str, *arguments: Any, by: str = "new", end: str = "release") -> Handle:
    """Make a handle by ``NOUN_BY(*arguments, &handle)``. ``NOUN_END`` releases it."""
    handle = Handle(Pointer(), f"{noun}_{end}")
    call(f"{noun}_{by}", *arguments, handle.out)
    return handle


def array(pointer: Pointer | int | None = None) -> Handle:
    """Return the owner of an array: of one that a call will write, or has written to a struct."""
    return Handle(pointer if isinstance(pointer, Pointer) else Pointer(pointer), "spool_array_release")


def decode_images(
    spec: Handle, sources: list[SourceStruct], options: ImagesOptions, cancel: Handle | None
) -> tuple[Handle | None, dict[int, Error]]:
    """Call spool_decode_images.

    Args:
        spec: how images are decoded.
        sources: the sources.
        options: options of the call.
        cancel: ends the call early. None: the call cannot be interrupted.

    Returns:
        The pixels, or None if the options have an output buffer; and the failures by their position.
    """
    options.struct_size = ctypes.sizeof(options)
    options.cancel = None if cancel is None else cancel._as_parameter_
    pixels, failures = array(), array()
    side_by_side = (SourceStruct * len(sources))(*sources)
    out = None if options.out else pixels.out
    call("spool_decode_images", spec, side_by_side, len(sources), options, out, failures.out)
    failed: dict[int, Error] = {}
    if failures:
        failed = {f["index"]: failure(f) for f in text(failures)}
    return None if options.out else pixels, failed


def open_loader(medium: str, sources: list[bytes], options: str, cancel: Handle | None) -> Handle:
    """Call spool_loader_open."""
    loader = Handle(Pointer(), "spool_loader_close")
    names = (c_char_p * len(sources))(*sources)
    call("spool_loader_open", medium.encode(), names, len(sources), options.encode(), cancel, loader.out)
    return loader


def string(address: int) -> bytes:
    """Return the NUL-terminated text at an address."""
    return ctypes.string_at(address)


def memory(address: int, size: int) -> Any:
    """Return a buffer over memory of C. The buffer does not keep that memory alive."""
    return (c_char * size).from_address(address)


# NumPy's names of types, by DLPack's code and the bits. V: bfloat16, which NumPy lacks.
_types = {(code, bits): f"<{kind}{bits >> 3}" for code, kind in enumerate("iuf V") for bits in (8, 16, 32, 64)}


def describe(v: ArrayView) -> tuple[str, tuple[int, ...]]:
    """Return NumPy's name of an array's type, and its shape. Elements are in C order, without gaps."""
    return _types[v.dtype_code, v.dtype_bits], tuple(v.shape[: v.ndim])


def view(handle: Handle) -> ArrayView:
    """Return an array's address and description, with which it begins. They are valid as long as the handle."""
    return ArrayView.from_address(cast("int", handle.number))


_View = c_char * ctypes.sizeof(ArrayView)


def layout(handle: Handle) -> tuple[int, str, tuple[int, ...], int]:
    """Return an array's address, NumPy's name of its type, its shape, and DLPack's type of its device."""
    view = _View.from_address(cast("int", handle._as_parameter_.value)).raw
    return int.from_bytes(view[:8], sys.byteorder), *_layout(view[8:])


@lru_cache(maxsize=64)  # the batches of a loader have few layouts
def _layout(view: bytes) -> tuple[str, tuple[int, ...], int]:
    """Return what a view has behind the address."""
    v = ArrayView.from_buffer_copy(bytes(8) + view)
    return *describe(v), v.device_type


def described(name: str, handle: Handle) -> tuple[str, tuple[int, ...]]:
    """Call a function that describes a future array. Return NumPy's name of its type, and its shape."""
    v = ArrayView()
    call(name, handle, byref(v))
    return describe(v)


def view_of(data: NDArray[Any]) -> ArrayView:
    """Return C's description of an array of the caller, which is contiguous."""
    v = ArrayView(
        data=data.__array_interface__["data"][0],
        size=data.nbytes,
        dtype_code="iuf".index(data.dtype.kind),
        dtype_bits=8 * data.itemsize,
        device_type=1,
        ndim=data.ndim,
    )
    v.shape[: data.ndim] = data.shape
    v.strides[: data.ndim] = [stride // data.itemsize for stride in data.strides]
    return v


def content(handle: Handle) -> bytes:
    """Return a copy of an array's bytes."""
    v = view(handle)
    return ctypes.string_at(v.data, v.size)


def text(handle: Handle) -> Any:
    """Parse an array that holds JSON."""
    return json.loads(content(handle))


def query(name: str, *arguments: Any) -> Any:
    """Call a function that writes JSON, as its last argument before the error, and return the parsed JSON."""
    json = array()
    call(name, *arguments, json.out)
    return text(json)


def window(start: float, end: float) -> Any:
    """Return C's form of a window of time, in seconds."""
    return (c_double * 2)(start, end)
