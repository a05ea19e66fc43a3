"""Copies to a CUDA device, and conversions of arrays."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from ..._transfer import Transfer
from ...device import DeviceArray
from .absent import refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..._arrays import JaxArray, TorchTensor
    from ..._types import HostArray


# What functions return: an array in host memory, or on the device that was asked for.
Buffer: TypeAlias = Union["NDArray[np.generic]", DeviceArray]


@dataclass(frozen=True)
class CUDAConfig:
    """A CUDA device, and what allocates its memory."""

    device_index: int
    """The device's number."""
    stream: int | None = None
    """Not offered: copies have streams of their own, for which consumers wait."""
    allocator: tuple[object, object] | None = None
    """torch's ``caching_allocator_alloc`` and ``caching_allocator_delete``; None for the driver."""

    def __post_init__(self) -> None:
        refuse("stream", self.stream, "the streams that copies have, for which consumers wait")
        modules = {getattr(f, "__module__", "") for f in self.allocator or ()}
        if not modules <= {"torch.cuda.memory"}:
            raise NotImplementedError("allocator: use torch.cuda's caching allocator, or spool.Transfer(allocator=)")


cuda_config = CUDAConfig


@lru_cache
def _transfer(device: str, torch: bool) -> Transfer:
    return Transfer(device, allocator="torch" if torch else None)


def transfer_buffer(buffer: HostArray, *, device_config: CUDAConfig) -> DeviceArray:
    """Copy an array to a device. The call returns when the copy is queued, and consumers wait for it.

    Args:
        buffer: an array in host memory.
        device_config: the device.

    Returns:
        The array on the device, with DLPack and CUDA's array interface. Three copies may be held at a time.
    """
    move = _transfer(f"cuda:{device_config.device_index}", device_config.allocator is not None)
    moved: Any = buffer
    moved = move(moved)
    device_array: DeviceArray = moved
    return device_array


def to_numpy(buffer: HostArray | Buffer) -> NDArray[np.generic]:
    """Return an array as NumPy's, without a copy.

    Args:
        buffer: an array in host memory.

    Returns:
        The array.
    """
    return np.asarray(buffer)


def to_torch(buffer: HostArray | Buffer) -> TorchTensor:
    """Return an array as a tensor of torch, without a copy.

    Args:
        buffer: an array in host memory, or on a device.

    Returns:
        The tensor.
    """
    torch = importlib.import_module("torch")
    tensor: TorchTensor = torch.from_numpy(buffer) if isinstance(buffer, np.ndarray) else torch.from_dlpack(buffer)
    return tensor


def to_jax(buffer: HostArray | Buffer) -> JaxArray:
    """Return an array as JAX's.

    Args:
        buffer: an array in host memory, or on a device.

    Returns:
        The array.
    """
    array: JaxArray = importlib.import_module("jax").numpy.from_dlpack(buffer)
    return array
