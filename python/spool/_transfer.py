"""Copies of nested containers of arrays to a CUDA device."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from . import _header, _native, _option
from ._allocator import addresses
from ._narrow import is_list, is_mapping, is_tuple
from ._wait import interruptibly
from .array import Arraylike
from .batch import outputs
from .device import DeviceArray
from .errors import ClosedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._allocator import Allocator

T = TypeVar("T")


class Transfer:
    """Moves nested containers of arrays to a CUDA device, in one copy for all arrays of a call.

    ``move = Transfer("cuda:0")``, then ``move({"images": images, "targets": [boxes, labels]})``. Dictionaries, lists,
    tuples and named tuples are rebuilt. Arrays are NumPy's, torch's in host memory, or others with DLPack, also results
    of spool. Everything else, like text and numbers, stays as it is.

    Arrays are packed into pinned memory, which is kept for reuse, and copied in a stream of their own: a call returns
    when the copy is queued. The ring bounds the copies on the device. Memory of a copy is used again when all of its
    arrays are released. Any number of threads may call a Transfer.

    Args:
        device: ``cuda`` or ``cuda:N``. Default: ``cuda``.
        ring: int, the most copies on the device: those that are held, and those in flight. Default: 3.
        output: ``dlpack``, the default, for arrays of :class:`spool.DeviceArray`; ``torch`` or ``jax`` for these
            packages' arrays over the same memory.
        allocator: what allocates the memory on the device: ``torch``, PyTorch's caching allocator, or the addresses of
            two C functions, those of a CUDAPluggableAllocator. Default: the driver.

    Raises:
        DeviceError: there is no such device, or no driver.
        TypeError, ValueError: an argument is wrong. The message names it.
    """

    def __init__(
        self,
        device: str = "cuda",
        ring: int = 3,
        output: Literal["dlpack", "torch", "jax"] = "dlpack",
        allocator: Allocator | None = None,
    ) -> None:
        _option.one_of("output", output, "dlpack", "torch", "jax")
        self._convert = outputs[output]
        self._text = f"spool.Transfer({str(device)!r}, output={output!r})"
        self._handle: _native.Handle | None = device_of(device, ring, allocator)

    def __call__(self, data: T) -> T:
        """Move the arrays of a container.

        Args:
            data: an array, or nested containers with arrays.

        Returns:
            The same containers with arrays on the device.

        Raises:
            TypeError: an array has a type that cannot be moved.
            ValueError: the whole ring is held.
            DeviceError: the device is lost.
            ClosedError: the transfer was closed.
        """
        handle = self._handle
        if handle is None:
            raise ClosedError("the transfer is closed", error_class="closed")
        arrays: list[NDArray[Any]] = []
        _rebuilt(data, lambda array: arrays.append(_host(array)))
        if not arrays:
            return data
        views = (_header.ArrayView * len(arrays))(*map(_native.view_of, arrays))
        pointers = (_header.Pointer * len(arrays))()
        made = [_native.array(_header.Pointer.from_buffer(pointers, i * _pointer)) for i in range(len(arrays))]
        try:
            interruptibly(
                lambda cancel: _native.call("spool_device_copy", handle, views, len(arrays), cancel, pointers)
            )
        except _native.ShapeError as e:
            raise TypeError(f"data: {e}") from None
        moved = iter([self._convert(DeviceArray(m, _native.view(m))) for m in made])
        result: T = _rebuilt(data, lambda _: next(moved))
        return result

    def close(self) -> None:
        """Close the device. Arrays on it stay valid. Further calls do nothing."""
        self._handle = None

    def __repr__(self) -> str:
        return self._text

    def __enter__(self) -> Transfer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def device_of(device: str, ring: int, allocator: Allocator | None, **other: object) -> _native.Handle:
    """Open a CUDA device.

    Args:
        device: its name.
        ring: int, the most batches on it.
        allocator: what allocates their memory. None: the driver.
        **other: other options of the library.

    Returns:
        The library's device.

    Raises:
        DeviceError: there is no such device, or no driver.
        TypeError, ValueError: an argument is wrong.
    """
    options: dict[str, object] = {
        "device": _option.text("device", device),
        "ring": _option.integer("ring", ring),
        **other,
    }
    if allocator is not None:
        options["allocator"] = addresses("allocator", allocator)
    return _native.new("spool_device", json.dumps(options).encode(), by="open", end="close")


_pointer = 8  # bytes of a pointer
_IN_HOST_MEMORY = (1, 3)  # kDLCPU, kDLCUDAHost


def transfer(data: T, device: str = "cuda", output: Literal["dlpack", "torch", "jax"] = "dlpack") -> T:
    """Move nested containers of arrays to a CUDA device once. A loop makes a :class:`spool.Transfer` instead.

    Args:
        data: an array, or nested containers with arrays.
        device: ``cuda`` or ``cuda:N``. Default: ``cuda``.
        output: ``dlpack``, the default, ``torch`` or ``jax``.

    Returns:
        The same containers with arrays on the device.

    Raises:
        DeviceError: there is no such device, or no driver.
        TypeError, ValueError: an argument is wrong, or an array has a type that cannot be moved.
    """
    with Transfer(device, 2, output) as move:
        return move(data)


def _rebuilt(data: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a container in which each array is replaced by what a function returns for it, in order."""
    if is_mapping(data):
        return {key: _rebuilt(value, leaf) for key, value in data.items()}
    if is_tuple(data):
        parts = [_rebuilt(value, leaf) for value in data]
        return type(data)(*parts) if hasattr(data, "_fields") else tuple(parts)
    if is_list(data):
        return [_rebuilt(value, leaf) for value in data]
    if _is_host_array(data) or hasattr(data, "__dlpack__"):
        return leaf(data)
    return data


def _is_host_array(value: object) -> bool:
    return isinstance(value, (np.ndarray, Arraylike))


def _host(array: Any) -> NDArray[Any]:
    """Return an array in host memory as NumPy's, in C order."""
    if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] not in _IN_HOST_MEMORY:
        raise TypeError(f"data: the {type(array).__name__} is not in host memory")
    try:
        view: NDArray[Any] = np.asarray(array) if _is_host_array(array) else np.from_dlpack(array)
    except (TypeError, BufferError, RuntimeError) as e:
        raise TypeError(f"data: the {type(array).__name__} is not an array in host memory: {e}") from e
    if view.dtype.kind not in "iuf" or view.ndim > _header.MAX_DIMS:
        raise TypeError(f"data: an array of {view.dtype} with {view.ndim} dimensions cannot be moved")
    return np.ascontiguousarray(view)
