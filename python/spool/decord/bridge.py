"""What readers return in a thread: ``native``, which is NumPy with ``asnumpy()``, or ``torch`` tensors.

The functions and their arguments are decord's. The choice holds for the thread that makes it; other threads have
``native``. No call copies pixels.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..array import to_torch as to_torch

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

# decord's other bridges. Their packages take native arrays by DLPack.
_refused = ("mxnet", "tensorflow", "tvm")


class NDArray(np.ndarray[Any, Any]):
    """A NumPy array with decord's name for itself."""

    def asnumpy(self) -> npt.NDArray[Any]:
        """Give the same memory as a plain NumPy array."""
        return np.asarray(self)


class _Chosen(threading.local):
    bridge = "native"


_chosen = _Chosen()


def set_bridge(new_bridge: str) -> None:
    """Choose, for this thread.

    Raises:
        TypeError: ``new_bridge`` is not a string.
        ValueError: there is no such bridge.

    """
    _chosen.bridge = _known(new_bridge)


def reset_bridge() -> None:
    """Go back to ``native``."""
    _chosen.bridge = "native"


def current() -> str:
    """Give the bridge of this thread."""
    return _chosen.bridge


def bridge_out(array: Any) -> Any:
    """Convert a NumPy array to the type of this thread's bridge."""
    if _chosen.bridge == "torch":
        return to_torch(np.asarray(array))
    return np.asarray(array).view(NDArray)


def bridge_in(array: Any) -> Any:
    """Convert an array of the type of this thread's bridge to a native one: the reverse of ``bridge_out``."""
    return from_torch(array) if _chosen.bridge == "torch" else array


def from_torch(tensor: Any) -> NDArray:
    """Give a tensor in the host's memory as a native array, without a copy."""
    return cast("NDArray", np.from_dlpack(tensor).view(NDArray))


class _Scope:
    """A bridge for the length of a ``with``."""

    def __init__(self, name: str) -> None:
        self._name, self._before = _known(name), "native"

    def __enter__(self) -> Self:
        self._before = current()
        set_bridge(self._name)
        return self

    def __exit__(self, *_: object) -> None:
        set_bridge(self._before)


def use_torch() -> _Scope:
    """Give a context, within which calls of this thread return torch tensors."""
    return _Scope("torch")


def use_mxnet() -> _Scope:
    """Raise a ValueError: native arrays go to MXNet by DLPack."""
    return _Scope("mxnet")


def use_tensorflow() -> _Scope:
    """Raise a ValueError: native arrays go to TensorFlow by DLPack."""
    return _Scope("tensorflow")


def use_tvm() -> _Scope:
    """Raise a ValueError: native arrays go to TVM by DLPack."""
    return _Scope("tvm")


def _known(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"new_bridge: expected a string, got {type(name).__name__} {name!r}")
    if name in _refused:
        raise ValueError(f"new_bridge: no {name} here, but native and torch; {name} takes native arrays by DLPack")
    if name not in ("native", "torch"):
        raise ValueError(f"new_bridge: {name!r} is not one of native, torch")
    return name
