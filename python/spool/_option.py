"""Keywords as the library's options: checked for their types here, for their values there.

A noun's options are a table of its keywords and the functions that turn a value into JSON. Each raises a TypeError
with the keyword's name for a value of a wrong type.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union, cast

import numpy as np

from ._hint import hints

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Kinds: TypeAlias = Mapping[str, Callable[[str, Any], Any]]
Size: TypeAlias = int | tuple[int, int] | str
DType: TypeAlias = Union[str, "DTypeLike"]


class Problems:
    """What is wrong with the arguments of a call, to be raised together.

    ``with problems:`` takes a TypeError or a ValueError; ``settle`` raises what was taken: a TypeError if one of
    them is, else a ValueError, with a line for each.
    """

    def __init__(self) -> None:
        self._found: list[Exception] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, (TypeError, ValueError)):
            return False
        self._found.append(error.with_traceback(None))
        return True

    def add(self, error: Exception) -> None:
        self._found.append(error)

    def settle(self) -> None:
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            kind = TypeError if any(isinstance(e, TypeError) for e in self._found) else ValueError
            raise kind("\n".join(map(str, self._found)))


def encode(options: Mapping[str, Any], kinds: Kinds, named: Collection[str] = (), also: Problems | None = None) -> str:
    """Give options as JSON. None leaves an option out.

    Args:
        options: by keyword.
        kinds: the known keywords.
        named: the other arguments of the call, for hints.
        also: what is wrong with these.

    Raises:
        TypeError, ValueError: keywords that are not in the table, and values of a wrong type, all of them.

    """
    problems = also or Problems()
    unknown = options.keys() - kinds.keys()
    for line in hints(unknown, {*kinds, *named}) if unknown else ():
        problems.add(TypeError(line))
    values: dict[str, Any] = {}
    for name, value in options.items():
        if value is not None and name in kinds:
            with problems:
                values[name] = kinds[name](name, value)
    problems.settle()
    return json.dumps(values)


def one_of(name: str, value: Any, *words: str) -> None:
    """Refuse what is none of some words."""
    if value not in words:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(words)}")


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
