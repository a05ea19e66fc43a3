"""Arrays whose memory is the library's: seen by NumPy, torch, JAX and others where they lie."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _header, _native

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class Arraylike:
    """What goes where its array ``data`` goes: into NumPy, torch, JAX and whatever takes DLPack."""

    __slots__ = ()

    data: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of ``data``."""
        return tuple(self.data.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions of ``data``."""
        return len(self.data.shape)

    @property
    def dtype(self) -> Any:
        """The type of the elements of ``data``."""
        return self.data.dtype

    def __len__(self) -> int:
        return len(self.data)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        data = np.asarray(self.data)
        if dtype is not None and data.dtype != dtype:
            if copy is False:
                raise ValueError(f"copy: {data.dtype} cannot be {np.dtype(dtype)} without one")
            return data.astype(dtype)
        return data.copy() if copy else data

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.data.__dlpack_device__()
        return int(kind), int(number)


def to_torch(data: Any) -> Any:
    """Give an array as a torch tensor that shares its memory, and keeps it."""
    torch = importlib.import_module("torch")
    return data if isinstance(data, torch.Tensor) else torch.from_numpy(data)


class Array(Arraylike):
    """An array of the library's, C order, in memory that goes back to it with the last view.

    What spool returns are NumPy arrays whose ``base`` is an Array, so few need this class. ``data`` and
    ``torch.from_dlpack(a)`` view the same memory, without a copy; each view keeps the Array, and so the memory.

    An Array may be used from any number of threads. Nobody is kept from writing to it. Pickling copies the memory.
    """

    __slots__ = ("__array_interface__", "__weakref__", "_handle")

    __array_interface__: dict[str, Any]

    def __init__(self, handle: _native.Handle, view: _header.ArrayView) -> None:
        self._handle: Any = handle  # what keeps the memory
        kind, shape = _native.describe(view)
        self.__array_interface__ = {"version": 3, "typestr": kind, "shape": shape, "data": (view.data or 0, False)}

    @property
    def data(self) -> NDArray[Any]:
        """A NumPy array over this memory."""
        return np.asarray(self)

    def __repr__(self) -> str:
        return f"spool.Array(shape={self.shape}, dtype={self.dtype})"

    def __reduce__(self) -> Any:
        return _restored, (self.data.copy(),)


def _restored(data: NDArray[Any]) -> Array:
    """Give an array that was pickled, whose memory is NumPy's."""
    array = Array.__new__(Array)
    array._handle, array.__array_interface__ = data, data.__array_interface__
    return array


def numpy_of(handle: _native.Handle) -> NDArray[Any]:
    """Give a NumPy array over an array that C gave, without a copy."""
    return np.asarray(Array(handle, _native.view(handle)))


def writable(out: Any) -> NDArray[Any]:
    """Give a NumPy view of an array of the caller's that is to be written: NumPy's, torch's, anything's.

    Raises:
        TypeError: ``out`` is no array that lies in the host's memory.
        ValueError: it is read-only, or not in C order.

    """
    if isinstance(out, np.ndarray):
        view: NDArray[Any] = out
        if not view.flags.writeable:
            raise ValueError("out: it is read-only")
    elif hasattr(out, "__dlpack__"):
        try:
            view = np.from_dlpack(out)
        except (BufferError, RuntimeError, TypeError) as e:
            raise TypeError(f"out: a {type(out).__name__} that does not lie in the host's memory: {e}") from e
    else:
        try:
            view = np.asarray(memoryview(out))
        except TypeError:
            raise TypeError(f"out: {type(out).__name__} is no array") from None
        if not view.flags.writeable:
            raise ValueError("out: it is read-only")
    if not view.flags.c_contiguous:
        raise ValueError(f"out: it is not in C order: strides {view.strides} of shape {view.shape}")
    return view


def address(view: NDArray[Any]) -> int:
    """Give the address of its first element."""
    place: int = view.__array_interface__["data"][0]
    return place
