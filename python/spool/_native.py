"""The native library: found, loaded at first use, and called. Only this module and ``_header`` know ctypes.

``call`` calls a C function with an error struct as its last argument, and raises what comes back.

Why ctypes: docs/adr/0014. It drops the GIL around each call, and needs no compiler and no build for each
version of Python. The one thing here that is shared and changes is the library, set once under a lock: nothing
relies on the GIL.
"""

from __future__ import annotations

import ctypes
import json
import os
import threading
import weakref
from ctypes import byref, c_char, c_char_p, c_double, c_int32, c_void_p
from typing import TYPE_CHECKING, Any

from . import _header
from ._header import ABI, ArrayView, BatchStruct, ErrorStruct, ImagesOptions, Pointer, SourceStruct
from .errors import Error, ForkError, LibraryError, error_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

_lock = threading.Lock()
_library: ctypes.CDLL | None = None


def path() -> str:
    """Give the library's place: in the package, or what SPOOL_LIBRARY names."""
    return os.environ.get("SPOOL_LIBRARY") or os.path.join(os.path.dirname(__file__), "_lib", "libspool.so")


def library() -> ctypes.CDLL:
    """Give the library, and load it if this is the first call."""
    return _library or _load()


def loaded() -> bool:
    """Tell whether this process has the library, or is a fork of one that had it."""
    return _library is not None


def _opened(file: str) -> ctypes.CDLL:
    """Open a library as programs do, whose functions are bound when they are first called.

    ctypes binds all of them, of 217 libraries that this one needs: a tenth of the time that it takes to load.
    """
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.argtypes, dlopen.restype = [c_char_p, ctypes.c_int], c_void_p
    handle = dlopen(os.fsencode(file), os.RTLD_LAZY | os.RTLD_LOCAL)
    return ctypes.CDLL(file, handle=handle)  # which opens it itself where there is no handle, and says why it cannot


def _load() -> ctypes.CDLL:
    global _library
    with _lock:
        if _library is None:
            try:
                loaded = _opened(path())
            except OSError as e:
                raise LibraryError(f"{e}; `python -m spool doctor` says what is missing") from e
            if loaded.spool_abi() != ABI:
                raise LibraryError(f"{path()}: its interface is {loaded.spool_abi()}, this package needs {ABI}")
            try:
                for name, (arguments, result) in _header.plain.items():
                    function = getattr(loaded, name)
                    function.argtypes, function.restype = arguments, result
                for name, arguments in _header.functions.items():
                    function = getattr(loaded, name)
                    function.argtypes, function.restype = [*arguments, _header.error], c_int32
            except AttributeError as e:
                raise LibraryError(f"it is older than this package: {e}") from e
            _library = loaded
        return _library


def call(name: str, *arguments: Any) -> None:
    """Call a function that can fail; raise what it reports."""
    error = ErrorStruct()
    if getattr(_library or _load(), name)(*arguments, byref(error)):
        raise exception(error)


def exception(e: ErrorStruct) -> Exception:
    """Give what to raise for an error: a ValueError for wrong options, else one of spool.errors."""
    text = e.text.decode(errors="replace")
    kind = e.class_name.decode()
    if kind == "options":
        return ValueError(text)
    if kind == "shape":
        return ShapeError(text)
    if kind == "out-of-memory":
        return MemoryError(text)
    if kind == "forked":
        return forked()
    return error_for(kind)(
        text,
        kind=kind,
        file=os.fsdecode(e.file),
        library=e.library.decode(),
        code=e.library_code,
        op=e.op.decode(),
    )


def forked() -> ForkError:
    """Give the error of a fork of a process that has used the library, with what to do about it."""
    return ForkError(
        "this process was forked from one that had used spool, and forks have no threads of it. Cures: start workers "
        "before the parent first uses spool, and keep them (persistent_workers=True of a DataLoader); start them by "
        'spawn or forkserver (multiprocessing_context="forkserver"); or use threads in place of workers '
        "(num_workers=0 and spool.torch.prefetch). Making loaders, specs and collate functions does not use spool.",
        kind="forked",
        op="enter",
    )


def failure(fields: dict[str, Any]) -> Error:
    """Give the exception for one of the failures that a call lists as JSON."""
    kind = fields["class"]
    return error_for(kind)(
        fields.get("text", ""),
        kind=kind,
        file=fields.get("file", ""),
        library=fields.get("library", ""),
        code=fields.get("library_code", 0),
        op=fields.get("op", ""),
    )


class ShapeError(ValueError):
    """An array of the caller's does not fit. Who knows the argument's name puts it in front."""


class _End(weakref.ref["Handle"]):
    """Calls a C function when a handle is gone, with the pointer that the function has to release."""

    __slots__ = ("_as_parameter_",)

    _as_parameter_: Pointer


class _Keeper(weakref.ref["Handle"]):
    """Keeps the end of a handle until the handle is gone. Its hash and equality are an object's, not the handle's."""

    __slots__ = ("end",)
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    end: _End


_keepers: set[weakref.ref[Handle]] = set()


class Handle:
    """Something that C gave: an argument of calls, released with the last reference to it.

    It is made before the call that writes it, so nothing is lost where a signal's handler raises right after the call.
    For the same reason it has no ``__del__``: a handler that raises as that begins keeps it from running. The callbacks
    of its weak references are C functions, which no handler interrupts.

    There is no other end, so that no thread uses it after it: what has a ``close()`` drops its reference, and a
    call that is under way holds one of its own.
    """

    __slots__ = ("__weakref__", "_as_parameter_")

    def __init__(self, pointer: Pointer, release: str) -> None:
        self._as_parameter_ = pointer
        end = _End(self, getattr(library(), release))
        end._as_parameter_ = pointer
        keeper = _Keeper(self, _keepers.discard)
        keeper.end = end
        _keepers.add(keeper)

    @property
    def out(self) -> Pointer:
        """Where a call writes it."""
        return self._as_parameter_

    def __bool__(self) -> bool:
        """Tell whether a call has written it."""
        return bool(self._as_parameter_)

    def __reduce__(self) -> Any:
        raise TypeError("what the library has open cannot be pickled: open it in each process")


def new(noun: str, *arguments: Any, by: str = "new", end: str = "release") -> Handle:
    """Make a handle by ``NOUN_new(*arguments, &handle)``."""
    handle = Handle(Pointer(), f"{noun}_{end}")
    call(f"{noun}_{by}", *arguments, handle.out)
    return handle


def array(pointer: Pointer | None = None) -> Handle:
    """Own the array that a call will write."""
    return Handle(Pointer() if pointer is None else pointer, "spool_array_release")


def decode_images(
    spec: Handle, sources: list[SourceStruct], options: ImagesOptions, cancel: Handle | None
) -> tuple[Handle | None, dict[int, Error]]:
    """Call spool_decode_images; give the pixels, unless options have a place for them, and the failures."""
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


# Codes of functions that end or wait.
_TIMEOUT, _END = 12, 38


class Delivery:
    """What spool_loader_next gives: a batch, or the end of an epoch.

    It is made before the call, and owns what C writes into it. So nothing is lost where a signal's handler raises as
    soon as the call is over.
    """

    __slots__ = ("_error", "about", "pixels", "struct")

    def __init__(self) -> None:
        self.struct, self._error = BatchStruct(), ErrorStruct()
        self.pixels, self.about = (
            array(Pointer.from_buffer(self.struct, field.offset)) for field in (BatchStruct.pixels, BatchStruct.about)
        )

    @property
    def there(self) -> bool:
        """Whether a batch has come."""
        return bool(self.struct.about)

    @property
    def ended(self) -> bool:
        """Whether the end of an epoch has come."""
        return int(self._error.code) == _END

    def take(self, loader: Handle, timeout_ms: int) -> None:
        """Call the function. A TimeoutError: nothing has come yet."""
        code = (_library or _load()).spool_loader_next(loader, timeout_ms, byref(self.struct), byref(self._error))
        if code == _TIMEOUT and self._error.op == b"next":  # and no sample's
            raise TimeoutError
        if code and code != _END:
            raise exception(self._error)


def open_loader(kind: str, sources: list[bytes], options: str, cancel: Handle | None) -> Handle:
    """Call spool_loader_open."""
    loader = Handle(Pointer(), "spool_loader_close")
    names = (c_char_p * len(sources))(*sources)
    call("spool_loader_open", kind.encode(), names, len(sources), options.encode(), cancel, loader.out)
    return loader


_python = ctypes.PyDLL(None)  # not pythonapi, whose functions others declare in their own way
_python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_IsValid.argtypes = [c_void_p, c_char_p]
_python.PyCapsule_GetPointer.argtypes = [c_void_p, c_char_p]
_python.PyCapsule_GetPointer.restype = c_void_p

# The names of capsules, and where their tensors have their deleters: DLManagedTensor, DLManagedTensorVersioned.
_tensors = {b"dltensor": 56, b"dltensor_versioned": 16}


_Deleter = ctypes.CFUNCTYPE(None, c_void_p)


def _end(capsule: int) -> None:
    """End a tensor that no consumer has taken: one that does gives its capsule another name."""
    for name, deleter in _tensors.items():
        if _python.PyCapsule_IsValid(capsule, name):
            tensor: int = _python.PyCapsule_GetPointer(capsule, name)
            _Deleter.from_address(tensor + deleter)(tensor)


_untaken = ctypes.PYFUNCTYPE(None, c_void_p)(_end)


def capsule(handle: Handle, stream: int, versioned: bool) -> Any:
    """Give an array's tensor for a consumer that uses it in a CUDA stream, as ``__dlpack__`` does."""
    tensor = c_void_p()
    call("spool_array_dlpack_in", handle, stream & (1 << 64) - 1, versioned, False, tensor)
    return _python.PyCapsule_New(tensor, b"dltensor_versioned" if versioned else b"dltensor", _untaken)


def string(address: int) -> bytes:
    """Give the text at an address, up to its NUL."""
    return ctypes.string_at(address)


def memory(address: int, size: int) -> Any:
    """Give a buffer over some of C's memory, which nothing keeps."""
    return (c_char * size).from_address(address)


def describe(v: ArrayView) -> tuple[str, tuple[int, ...]]:
    """Give NumPy's name of an array's type, and its shape. Elements are in C order, without gaps."""
    return f"<{'iuf'[v.dtype_code]}{v.dtype_bits >> 3}", tuple(v.shape[: v.ndim])


def view(handle: Handle) -> ArrayView:
    """Say where an array lies, and what it is."""
    v = ArrayView()
    library().spool_array_describe(handle, byref(v))
    return v


def described(name: str, handle: Handle) -> tuple[str, tuple[int, ...]]:
    """Say what an array will be, of a function that describes it."""
    v = ArrayView()
    call(name, handle, byref(v))
    return describe(v)


def view_of(data: NDArray[Any]) -> ArrayView:
    """Give C's view of an array of the caller's, which has no gaps."""
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
    """Give the bytes of an array, copied."""
    v = view(handle)
    return ctypes.string_at(v.data, v.size)


def text(handle: Handle) -> Any:
    """Give what a JSON text from C says."""
    return json.loads(content(handle))


def said(name: str, *arguments: Any) -> Any:
    """Call a function whose last argument but the error is where a JSON text comes out."""
    json = array()
    call(name, *arguments, json.out)
    return text(json)


def window(start: float, end: float) -> Any:
    """Give C's view of a window of time."""
    return (c_double * 2)(start, end)
