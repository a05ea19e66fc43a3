"""bfloat16, which NumPy lacks: arrays are of its type from package ml_dtypes, if that is installed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._arrays import Numbers

# The type of arrays of bfloat16 without ml_dtypes: two bytes each.
RAW: np.dtype[np.generic] = np.dtype("V2")


def name(dtype: DTypeLike) -> str:
    """Return the name of a type.

    Args:
        dtype: the type, or NumPy's name of it.

    Returns:
        Its name in messages.
    """
    return "bfloat16" if np.dtype(dtype) == RAW else str(np.dtype(dtype))


def typed(data: Numbers) -> Numbers:
    """Return an array of the library with the type of its elements.

    Args:
        data: a NumPy array.

    Returns:
        The array, or a view of it.

    Raises:
        ImportError: its elements are bfloat16, and ml_dtypes is not installed.
    """
    if data.dtype != RAW:
        return data
    try:
        types = importlib.import_module("ml_dtypes")
    except ImportError:
        raise ImportError("bfloat16: NumPy has no such type; install ml_dtypes, or load with output='torch'") from None
    return data.view(types.bfloat16)


def raw(data: Numbers) -> Numbers:
    """Return an array of ml_dtypes' bfloat16 as one of two bytes each, and others as they are.

    Args:
        data: a NumPy array.

    Returns:
        The array, or a view of it.
    """
    dtype = data.dtype
    return bits(data) if dtype.kind == "V" and dtype.name == "bfloat16" else data  # to make a name takes a microsecond


def bits(data: Numbers) -> Numbers:
    """Return a view of an array of two bytes each as bfloat16 without a type.

    Args:
        data: a NumPy array.

    Returns:
        The view.
    """
    return cast("Numbers", data.view(RAW))
