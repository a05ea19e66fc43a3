"""Arrays on a CUDA device: torch, JAX, CuPy and others take them by DLPack, where they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _header, _native

_CUDA = 2  # kDLCUDA


class DeviceArray:
    """An array of the library's on a CUDA device, in memory that goes back to it with the last tensor of it.

    ``torch.from_dlpack(a)``, ``jax.dlpack.from_dlpack(a)`` and the like see the same memory, without a copy. The stream
    that they name waits until the array is there; the host does not. The memory is used again behind what is queued
    in that stream by the time that the last tensor is let go: work in other streams has to follow it.
    """

    __slots__ = ("__weakref__", "_handle", "_number", "dtype", "shape")

    shape: tuple[int, ...]
    """Its dimensions, outermost first."""
    dtype: np.dtype[Any]
    """Its type, as NumPy names it."""

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
    ) -> Any:
        """Make a tensor for a consumer that uses it in a stream, -1 for one that waits by itself.

        Raises:
            BufferError: another device, or a copy, is asked for.
            DeviceError: the device is lost.

        """
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("an array on a device is given where it lies, and not copied")
        return _native.capsule(self._handle, stream or 0, max_version is not None and max_version >= (1, 0))

    def __reduce__(self) -> Any:
        raise TypeError("an array on a device cannot be pickled: make a tensor of it, and copy that to the host")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"spool.DeviceArray(shape={self.shape}, dtype={self.dtype}, device=cuda:{self._number})"
