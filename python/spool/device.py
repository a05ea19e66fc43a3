"""Arrays on a CUDA device, which torch, JAX, CuPy and others import with DLPack, without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypedDict

import numpy as np

from . import _header, _native
from ._capsule import capsule

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

_CUDA = 2  # kDLCUDA


class CUDAArrayInterface(TypedDict):
    """The CUDA array interface, version 3."""

    shape: tuple[int, ...]
    typestr: str
    data: tuple[int, bool]
    version: int
    strides: tuple[int, ...] | None
    stream: int | None


class DeviceArray:
    """An array on a CUDA device, in the library's memory, which is released with the last tensor over it.

    ``torch.from_dlpack(a)``, ``jax.dlpack.from_dlpack(a)`` and similar functions view the same memory, without a copy.
    The stream that they name waits for the array; the host does not wait. The memory is used again after all work that
    is queued in that stream when the last tensor is released. Work in other streams has to be ordered before that.

    Args:
        handle: the library's array.
        view: its description.
    """

    __slots__ = ("__weakref__", "_handle", "_number", "dtype", "shape")

    shape: tuple[int, ...]
    """The dimensions, outermost first."""
    dtype: np.dtype[np.generic]
    """The type of the elements."""

    def __init__(self, handle: _native.Handle, view: _header.ArrayView) -> None:
        kind, self.shape = _native.describe(view)
        self.dtype = np.dtype(kind)
        self._handle, self._number = handle, view.device_id

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._number

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        """Export the array as a DLPack tensor.

        Args:
            stream: the consumer's CUDA stream. -1 if the consumer waits by itself.
            max_version: newest DLPack version that the consumer accepts.
            dl_device: device that the consumer requests.
            copy: whether the consumer requests a copy.

        Returns:
            A capsule.

        Raises:
            BufferError: another device or a copy is requested.
            DeviceError: the device is lost.
        """
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("an array on a device is exported in place, without a copy")
        return capsule(self._handle, stream or 0, max_version is not None and max_version >= (1, 0))

    @property
    def __cuda_array_interface__(self) -> CUDAArrayInterface:
        """The array for Numba, CuPy and others that do not use DLPack. They follow the default stream.

        The memory is used again after the work that is queued in the default stream when the last reference to this
        object goes. Consumers keep one. The property raises a DeviceError if the device is lost.
        """
        found: CUDAArrayInterface = _native.query("spool_array_cuda", self._handle, 1, 0)
        address, read_only = found["data"]
        return {**found, "shape": tuple(found["shape"]), "data": (address, read_only)}

    def __reduce__(self) -> NoReturn:
        raise TypeError("an array on a device cannot be pickled: make a tensor of it, and copy that to the host")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"spool.DeviceArray(shape={self.shape}, dtype={self.dtype}, device=cuda:{self._number})"
