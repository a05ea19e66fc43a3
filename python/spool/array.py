"""Arrays over the library's memory, which NumPy, torch, JAX and others view without a copy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Generic, Protocol, TypedDict, cast

import numpy as np

from . import _native, bfloat16
from ._arrays import A, Numbers, TorchTensor
from ._capsule import capsule

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import CapsuleType, Unpack

    from ._types import HostArray


class Export(TypedDict, total=False):
    """What a consumer of DLPack asks for."""

    stream: int | None
    max_version: tuple[int, int] | None
    dl_device: tuple[int, int] | None
    copy: bool | None


class ArrayInterface(TypedDict):
    """NumPy's array interface."""

    version: int
    typestr: str
    shape: tuple[int, ...]
    data: tuple[int, bool]


class _Exporter(Protocol):
    """What the arrays of all packages have."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> object: ...
    def __len__(self) -> int: ...
    def __dlpack__(self, **options: Unpack[Export]) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


class Arraylike(Generic[A]):
    """Base of classes that go where their array ``data`` goes: into NumPy, torch, JAX and other consumers of DLPack."""

    __slots__ = ()

    data: A

    def _exporter(self) -> _Exporter:
        return cast("_Exporter", self.data)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of ``data``."""
        return tuple(self._exporter().shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions of ``data``."""
        return len(self.shape)

    @property
    def dtype(self) -> object:
        """The type of the elements of ``data``, as its package names it."""
        return self._exporter().dtype

    def __len__(self) -> int:
        return len(self._exporter())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Numbers:
        data: Numbers = np.asarray(self.data)
        if dtype is not None and data.dtype != dtype:
            if copy is False:
                raise ValueError(f"copy: {data.dtype} cannot become {np.dtype(dtype)} without a copy")
            return data.astype(dtype)
        return data.copy() if copy else data

    def __dlpack__(self, **options: Unpack[Export]) -> CapsuleType:
        return self._exporter().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._exporter().__dlpack_device__()
        return int(kind), int(number)


def to_torch(data: object) -> TorchTensor:
    """Return an array as a torch tensor, which shares its memory and keeps it alive.

    Args:
        data: a NumPy array or a tensor.

    Returns:
        The tensor.
    """
    torch = importlib.import_module("torch")
    if isinstance(data, torch.Tensor):
        return cast("TorchTensor", data)
    array = bfloat16.raw(cast("Numbers", data))
    if array.dtype == bfloat16.RAW:
        made: TorchTensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        made = torch.from_numpy(array)
    return made


class Array(Arraylike["Numbers"]):
    """An array over the library's memory, in C order. The memory is released with the last view.

    Results of spool are NumPy arrays whose ``base`` is an Array, so few programs need this class. ``data`` and
    ``torch.from_dlpack(a)`` view the same memory, without a copy. Each view keeps the Array alive, and so the memory.

    Any number of threads may use an Array. Concurrent writes are not synchronized. Pickling copies the memory.

    Args:
        handle: the library's array.
        layout: what :func:`_native.layout` returns for it.
    """

    __slots__ = ("__array_interface__", "__weakref__", "_handle")

    __array_interface__: ArrayInterface

    def __init__(self, handle: _native.Handle, layout: tuple[int, str, tuple[int, ...], int]) -> None:
        self._handle: object = handle  # keeps the memory alive
        address, kind, shape, _ = layout
        self.__array_interface__ = {"version": 3, "typestr": kind, "shape": shape, "data": (address, False)}

    @property
    def data(self) -> Numbers:  # type: ignore[override] # pyright: ignore[reportIncompatibleVariableOverride]
        """A NumPy array over this memory."""
        array: Numbers = bfloat16.typed(np.asarray(self))
        return array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of ``data``."""
        return self.__array_interface__["shape"]

    def __dlpack__(self, **options: Unpack[Export]) -> CapsuleType:
        if np.dtype(self.__array_interface__["typestr"]) == bfloat16.RAW and isinstance(self._handle, _native.Handle):
            return capsule(self._handle, 0, (options.get("max_version") or (0, 0)) >= (1, 0))
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU

    def __repr__(self) -> str:
        return f"spool.Array(shape={self.shape}, dtype={bfloat16.name(self.__array_interface__['typestr'])})"

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.data.copy(),)


def _restored(data: Numbers) -> Array:
    """Return an array that was pickled. Its memory is NumPy's."""
    array = Array.__new__(Array)
    array._handle, array.__array_interface__ = data, cast("ArrayInterface", data.__array_interface__)
    return array


def numpy_of(handle: _native.Handle) -> Numbers:
    """Return a NumPy array over an array of the library, without a copy.

    Args:
        handle: the library's array.

    Returns:
        The NumPy array.
    """
    array: Numbers = bfloat16.typed(np.asarray(Array(handle, _native.layout(handle))))
    return array


def writable(out: HostArray) -> Numbers:
    """Return a NumPy view of the caller's array, for writing.

    Args:
        out: a NumPy array, a torch tensor, or any array with DLPack or the buffer protocol.

    Returns:
        The view.

    Raises:
        TypeError: ``out`` is not an array in host memory.
        ValueError: it is read-only, or not in C order.
    """
    if isinstance(out, np.ndarray):
        view = bfloat16.raw(cast("Numbers", out))
        if not view.flags.writeable:
            raise ValueError("out: the array is read-only")
    elif hasattr(out, "__dlpack__"):
        is_bfloat16 = str(getattr(out, "dtype", "")) == "torch.bfloat16"
        try:
            view = _of_bfloat16(cast("_Bits", out)) if is_bfloat16 else imported(out)
        except (BufferError, RuntimeError, TypeError) as e:
            raise TypeError(f"out: the {type(out).__name__} is not in host memory: {e}") from e
    else:
        try:
            view = np.asarray(memoryview(cast("bytearray", out)))
        except TypeError:
            raise TypeError(f"out: expected an array in host memory, got {type(out).__name__}") from None
        if not view.flags.writeable:
            raise ValueError("out: the array is read-only")
    if not view.flags.c_contiguous:
        raise ValueError(f"out: the array is not in C order: strides {view.strides} of shape {view.shape}")
    return view


def imported(tensor: object) -> Numbers:
    """Return a NumPy view of an array with DLPack.

    Args:
        tensor: the array.

    Returns:
        The view.
    """
    return cast("Numbers", np.from_dlpack(cast("Numbers", tensor)))


class _Bits(Protocol):
    """A tensor of torch, which NumPy can import as another type only."""

    def view(self, dtype: object) -> Numbers: ...


def _of_bfloat16(tensor: _Bits) -> Numbers:
    return bfloat16.bits(imported(tensor.view(importlib.import_module("torch").int16)))


def address(view: NDArray[np.generic]) -> int:
    """Return the address of an array's first element.

    Args:
        view: the array.

    Returns:
        The address.
    """
    place: int = view.__array_interface__["data"][0]
    return place
