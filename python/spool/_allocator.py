"""Allocators of device memory that belong to other libraries, as pairs of C functions."""

from __future__ import annotations

import ctypes
import importlib
from ctypes import c_int, c_ssize_t, c_void_p
from functools import cache
from typing import Any, Literal, TypeAlias

from ._narrow import is_tuple

Allocator: TypeAlias = Literal["torch"] | tuple[int, int]

_allocate = ctypes.CFUNCTYPE(c_void_p, c_ssize_t, c_int, c_void_p)
_free = ctypes.CFUNCTYPE(None, c_void_p, c_ssize_t, c_int, c_void_p)


def addresses(name: str, value: Any) -> str:
    """Convert an allocator to the addresses of its functions.

    Args:
        name: name of the argument, for messages.
        value: ``torch``, or the addresses of two C functions.

    Returns:
        The addresses as text.

    Raises:
        TypeError, ValueError: it is neither.
    """
    if isinstance(value, str):
        if value != "torch":
            raise ValueError(f"{name}={value!r}: must be 'torch', or the addresses of two C functions")
        value = tuple(ctypes.cast(function, c_void_p).value for function in _torch())
    if not is_tuple(value) or len(value) != 2 or not all(type(v) is int and v > 0 for v in value):
        raise TypeError(f"{name}: expected 'torch', or the addresses of two C functions, got {value!r}")
    return ",".join(map(hex, value))


@cache
def _torch() -> tuple[Any, Any]:
    """Return C functions that call PyTorch's caching allocator. They live as long as the process.

    Memory is taken for the stream that writes it. PyTorch gives it to work in another stream only after a free, and the
    library frees after all work.
    """
    torch: Any = importlib.import_module("torch")

    def allocate(size: int, device: int, stream: int | None) -> int:
        try:
            torch.cuda.init()
            return int(torch.cuda.caching_allocator_alloc(size, device, stream or 0))
        except RuntimeError:  # out of memory
            return 0

    def free(memory: int, size: int, device: int, stream: int | None) -> None:
        torch.cuda.caching_allocator_delete(memory)

    return _allocate(allocate), _free(free)
