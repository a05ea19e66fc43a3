"""Checks of types whose elements are of any type, in a form that type checkers understand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from typing import TypeGuard


def is_bool(value: object) -> TypeGuard[bool]:
    """Report whether a value is a bool of Python or of NumPy."""
    return isinstance(value, (bool, np.bool_))


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Report whether a value is a list."""
    return isinstance(value, list)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Report whether a value is a tuple."""
    return isinstance(value, tuple)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Report whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Report whether a value is a sequence, but neither text nor bytes."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Report whether a value is a path, or text."""
    return isinstance(value, (str, os.PathLike))
