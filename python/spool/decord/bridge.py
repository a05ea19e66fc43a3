"""The array type that readers return: ``native``, which is NumPy with ``asnumpy()``, or ``torch`` tensors.

The functions and their arguments are decord's. Each thread has its own bridge, ``native`` by default. No call copies
pixels.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from .._arrays import TorchTensor
from ..array import imported
from ..array import to_torch as to_torch
from .nd import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self

# An array of a bridge.
Pixels: TypeAlias = "NDArray | TorchTensor"

# decord's other bridges. Their packages import native arrays with DLPack.
_unsupported = ("mxnet", "tensorflow", "tvm")


class _Chosen(threading.local):
    bridge = "native"


_chosen = _Chosen()


def set_bridge(new_bridge: str) -> None:
    """Set the bridge of this thread.

    Args:
        new_bridge: ``native`` or ``torch``.

    Raises:
        TypeError: ``new_bridge`` is not a string.
        ValueError: the bridge does not exist.
    """
    _chosen.bridge = _known(new_bridge)


def reset_bridge() -> None:
    """Set the bridge of this thread to ``native``."""
    _chosen.bridge = "native"


def current() -> str:
    """Return the bridge of this thread.

    Returns:
        Its name.
    """
    return _chosen.bridge


def bridge_out(array: object) -> Pixels:
    """Convert a NumPy array to the type of this thread's bridge.

    Args:
        array: the array.

    Returns:
        The converted array, which shares its memory.
    """
    if _chosen.bridge == "torch":
        return to_torch(np.asarray(array))
    return np.asarray(array).view(NDArray)


def bridge_in(array: Pixels) -> NDArray:
    """Convert an array of the type of this thread's bridge to a native array: the reverse of ``bridge_out``.

    Args:
        array: the array.

    Returns:
        The native array, which shares its memory.
    """
    return from_torch(array) if _chosen.bridge == "torch" else cast("NDArray", array)


def from_torch(tensor: Pixels) -> NDArray:
    """Convert a tensor in host memory to a native array, without a copy.

    Args:
        tensor: the tensor.

    Returns:
        The native array.
    """
    return imported(tensor).view(NDArray)


class _Scope:
    """A context manager that sets a bridge for a ``with`` block."""

    def __init__(self, name: str) -> None:
        self._name, self._before = _known(name), "native"

    def __enter__(self) -> Self:
        self._before = current()
        set_bridge(self._name)
        return self

    def __exit__(self, *_: object) -> None:
        set_bridge(self._before)


def use_torch() -> _Scope:
    """Return a context manager. Within it, calls of this thread return torch tensors.

    Returns:
        The context manager.
    """
    return _Scope("torch")


def use_mxnet() -> _Scope:
    """Raise a ValueError: MXNet imports native arrays with DLPack.

    Returns:
        Nothing: the function always raises.
    """
    return _Scope("mxnet")


def use_tensorflow() -> _Scope:
    """Raise a ValueError: TensorFlow imports native arrays with DLPack.

    Returns:
        Nothing: the function always raises.
    """
    return _Scope("tensorflow")


def use_tvm() -> _Scope:
    """Raise a ValueError: TVM imports native arrays with DLPack.

    Returns:
        Nothing: the function always raises.
    """
    return _Scope("tvm")


def _known(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"new_bridge: expected a string, got {type(name).__name__} {name!r}")
    if name in _unsupported:
        raise ValueError(f"new_bridge: {name} is not supported, only native and torch; it imports arrays with DLPack")
    if name not in ("native", "torch"):
        raise ValueError(f"new_bridge: {name!r} is not one of native, torch")
    return name
