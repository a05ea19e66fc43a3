"""Keywords as the library's options: checked for their types here, for their values there.

A noun's options are a table of its keywords and the functions that turn a value into JSON. Each raises a TypeError
with the keyword's name for a value of a wrong type.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Kinds: TypeAlias = Mapping[str, Callable[[str, Any], Any]]
Size: TypeAlias = int | tuple[int, int] | str
DType: TypeAlias = Union[str, "DTypeLike"]


def known(options: Mapping[str, Any], kinds: Kinds) -> None:
    """Refuse keywords that are not in the table."""
    unknown = sorted(options.keys() - kinds.keys())
    if unknown:
        raise TypeError(f"unknown keyword {', '.join(map(repr, unknown))}")


def encode(options: Mapping[str, Any], kinds: Kinds) -> str:
    """Give options as JSON. None leaves an option out."""
    known(options, kinds)
    return json.dumps({name: kinds[name](name, value) for name, value in options.items() if value is not None})


def wrong(name: str, value: Any, expected: str) -> TypeError:
    """Give the error for a value of a wrong type."""
    return TypeError(f"{name}: expected {expected}, got {type(value).__name__} {value!r}")


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise wrong(name, value, "a string")
    return value


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise wrong(name, value, "a bool")
    return bool(value)


def integer(name: str, value: Any) -> int:
    if isinstance(value, bool):
        raise wrong(name, value, "an integer")
    try:
        return operator.index(value)
    except TypeError:
        raise wrong(name, value, "an integer") from None


def frame(name: str, value: Any) -> int | str:
    """Take a number, or ``"all"``."""
    return value if isinstance(value, str) else integer(name, value)


def number(name: str, value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise wrong(name, value, "a number")
    try:
        return float(value)
    except TypeError:
        raise wrong(name, value, "a number") from None


def amount(name: str, value: Any) -> int | str:
    """Take bytes as a number or as the command has them: ``"1GiB"``."""
    return value if isinstance(value, str) else integer(name, value)


def numbers(name: str, value: Any) -> list[float]:
    """Take one number, or several."""
    if isinstance(value, (str, bytes)):
        raise wrong(name, value, "a number, or a sequence of them")
    if np.ndim(value) == 0:
        return [number(name, value)]
    return [number(name, v) for v in value]


def integers(name: str, value: Any) -> list[int]:
    """Take one integer, or several."""
    if isinstance(value, (str, bytes)):
        raise wrong(name, value, "an integer, or a sequence of them")
    if np.ndim(value) == 0:
        return [integer(name, value)]
    return [integer(name, v) for v in value]


def texts(name: str, value: Any) -> str:
    """Take one word, or several."""
    return value if isinstance(value, str) else ",".join(text(name, v) for v in value)


def path(name: str, value: Any) -> str:
    try:
        return os.fspath(value) if not isinstance(value, bytes) else os.fsdecode(value)
    except TypeError:
        raise wrong(name, value, "a path") from None


def mapping(name: str, value: Any) -> dict[str, str]:
    """Take names and values."""
    if not isinstance(value, Mapping):
        raise wrong(name, value, "a mapping of names to values")
    return {text(name, k): str(v) for k, v in value.items()}


def size(name: str, value: Any) -> str:
    """Take N, (height, width), or ``"WxH"``."""
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)) and len(pair := cast("Sequence[Any]", value)) == 2:
        height, width = (integer(name, v) for v in pair)
        return f"{width}x{height}"
    try:
        side = integer(name, value)
    except TypeError:
        raise wrong(name, value, 'N, (height, width) or "WxH"') from None
    return f"{side}x{side}"


def dtype(name: str, value: Any) -> str:
    """Take a type's name, NumPy's type, or torch's."""
    if isinstance(value, str):
        return value
    written = str(value)
    if written.startswith("torch."):
        return written.removeprefix("torch.")
    try:
        return str(np.dtype(value))
    except TypeError:
        raise wrong(name, value, "a type") from None


stores: Kinds = {"endpoint_url": text, "region": text, "no_sign_request": flag, "max_concurrent_requests": integer}

limits: Kinds = {"max_pixels": integer, "max_bytes": amount, "max_frames": integer, "max_memory": amount}

files: Kinds = {**limits, **stores}
