"""Keywords as options of the library. Python checks their types, and the library checks their values.

The options of a noun are a table of keywords and functions. A function converts a value to JSON, and raises a TypeError
with the keyword's name if the value has a wrong type.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import update_wrapper
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Union, cast

import numpy as np

from ._hint import hints, nearest
from ._narrow import is_bool, is_mapping

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._operation import Augmentation

F = TypeVar("F", bound=Callable[..., object])

Kinds: TypeAlias = Mapping[str, Callable[[str, Any], Any]]
Size: TypeAlias = int | tuple[int, int] | str
DType: TypeAlias = Union[str, "DTypeLike"]
Augment: TypeAlias = Union["Augmentation", Sequence["Augmentation"]]
Filter: TypeAlias = Literal["bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-floor", "nearest-exact"]


class Problems:
    """Errors of the arguments of a call, which are raised together.

    ``with problems:`` collects a TypeError or a ValueError. ``settle`` raises what was collected, with a line for each:
    a TypeError if one of them is a TypeError, otherwise a ValueError.
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
        """Collect an error."""
        self._found.append(error)

    def settle(self) -> None:
        """Raise the collected errors, if there are any."""
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            kind = TypeError if any(isinstance(e, TypeError) for e in self._found) else ValueError
            raise kind("\n".join(map(str, self._found)))


def given(arguments: Mapping[str, Any], function: Any) -> dict[str, Any]:
    """Return the keywords of a call that differ from their defaults, and the unknown ones.

    Args:
        arguments: the arguments of the call, ``locals()``.
        function: the function that was called.

    Returns:
        The keywords.
    """
    defaults = function.__kwdefaults__
    keywords = islice(arguments.values(), function.__code__.co_argcount, None)  # which follow the other parameters
    if not arguments["unknown"] and all(map(is_, keywords, defaults.values())):
        return {}
    found = {
        name: arguments[name]
        for name, default in defaults.items()
        if (value := arguments[name]) is not default and (type(value) is not type(default) or value != default)
    }
    return {**found, **arguments["unknown"]}


def unlike(options: Mapping[str, object], function: Any) -> dict[str, object]:
    """Return the keywords of a call that differ from the defaults of a function.

    Args:
        options: the keywords of the call.
        function: the function.

    Returns:
        The keywords.
    """
    defaults = function.__kwdefaults__
    return {
        name: value
        for name, value in options.items()
        if name not in defaults or type(value) is not type(defaults[name]) or value != defaults[name]
    }


def shows(work: Callable[..., object]) -> Callable[[F], F]:
    """Return a decorator, which gives a function that takes ``**options`` the parameters and the text of another.

    The decorated function is never called. A call that fills in the defaults of 45 keywords takes 4 microseconds more
    than one that passes on those it has.

    Args:
        work: the function that is called.

    Returns:
        The decorator.
    """

    def decorate(shown: F) -> F:
        return cast("F", update_wrapper(work, shown))

    return decorate


def encode(
    options: Mapping[str, Any],
    kinds: Kinds,
    named: Collection[str] = (),
    also: Problems | None = None,
    extra: Mapping[str, Any] | None = None,
) -> str:
    """Return options as JSON. An option that is None is left out.

    Args:
        options: options by keyword.
        kinds: the known keywords.
        named: the other arguments of the call, for hints.
        also: problems of these arguments.
        extra: further keys of the object.

    Returns:
        The JSON object.

    Raises:
        TypeError, ValueError: keywords are unknown, or values have a wrong type. The message names all of them.
    """
    problems = also or Problems()
    unknown = options.keys() - kinds.keys()
    for line in hints(unknown, {*kinds, *named}) if unknown else ():
        problems.add(TypeError(line))
    values: dict[str, Any] = dict(extra or {})
    for name, value in options.items():
        if value is not None and name in kinds:
            with problems:
                values[name] = kinds[name](name, value)
    problems.settle()
    return json.dumps(values)


# Other packages' words for values.
_meant = {"raise": "fail", "mask": "placeholder", "ignore": "skip", "tensor": "torch", "pt": "torch", "np": "numpy"}


def one_of(name: str, value: Any, *words: str) -> None:
    """Raise a ValueError if a value is not one of some words. It names the word that was probably meant."""
    if isinstance(value, str) and value in words:
        return
    near = (_meant.get(value.lower(), "") or nearest(value, words)) if isinstance(value, str) else ""
    hint = f"; did you mean {near}?" if near in words else ""
    raise ValueError(f"{name}={value!r}: must be {', '.join(words[:-1])} or {words[-1]}{hint}")


def wrong(name: str, value: Any, expected: str) -> TypeError:
    """Return the error for a value of a wrong type."""
    return TypeError(f"{name}: expected {expected}, got {type(value).__name__} {value!r}")


def text(name: str, value: Any) -> str:
    """Accept text."""
    if not isinstance(value, str):
        raise wrong(name, value, "a string")
    return value


def flag(name: str, value: Any) -> bool:
    """Convert a bool."""
    if not is_bool(value):
        raise wrong(name, value, "a bool")
    return bool(value)


def integer(name: str, value: Any) -> int:
    """Convert an integer."""
    if isinstance(value, bool):
        raise wrong(name, value, "an integer")
    try:
        return operator.index(value)
    except TypeError:
        raise wrong(name, value, "an integer") from None


def frame(name: str, value: Any) -> int | str:
    """Convert a number, or accept ``"all"``."""
    return value if isinstance(value, str) else integer(name, value)


def number(name: str, value: Any) -> float:
    """Convert a number."""
    if isinstance(value, (bool, str, bytes)):
        raise wrong(name, value, "a number")
    try:
        return float(value)
    except TypeError:
        raise wrong(name, value, "a number") from None


def amount(name: str, value: Any) -> int | str:
    """Convert a number of bytes, or accept text like ``"1GiB"``."""
    return value if isinstance(value, str) else integer(name, value)


def numbers(name: str, value: Any) -> list[float]:
    """Convert one number or several."""
    if isinstance(value, (str, bytes)):
        raise wrong(name, value, "a number, or a sequence of them")
    if np.ndim(value) == 0:
        return [number(name, value)]
    return [number(name, v) for v in value]


def integers(name: str, value: Any) -> list[int]:
    """Convert one integer or several."""
    if isinstance(value, (str, bytes)):
        raise wrong(name, value, "an integer, or a sequence of them")
    if np.ndim(value) == 0:
        return [integer(name, value)]
    return [integer(name, v) for v in value]


def texts(name: str, value: Any) -> str:
    """Convert one word or several, to words separated by commas."""
    return value if isinstance(value, str) else ",".join(text(name, v) for v in value)


def path(name: str, value: Any) -> str:
    """Convert a path."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise wrong(name, value, "a path") from None


def count(name: str, value: Any) -> Any:
    """Convert a number, or accept text."""
    return value if isinstance(value, str) else integer(name, value)


def weights(name: str, value: Any) -> dict[str, float]:
    """Convert a mapping of names to numbers."""
    if not is_mapping(value):
        raise wrong(name, value, "a mapping of names to weights")
    return {text(name, k): number(name, v) for k, v in value.items()}


def mapping(name: str, value: Any) -> dict[str, str]:
    """Convert a mapping of names to values."""
    if not is_mapping(value):
        raise wrong(name, value, "a mapping of names to values")
    return {text(name, k): str(v) for k, v in value.items()}


def size(name: str, value: Any) -> str:
    """Convert N or (height, width), or accept text like ``"WxH"``."""
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


def sizes(name: str, value: Any) -> str:
    """Convert a sequence of sizes, or accept text like ``"WxH,WxH"``."""
    return value if isinstance(value, str) else ",".join(size(name, v) for v in value)


def dtype(name: str, value: Any) -> str:
    """Convert NumPy's type or torch's, or accept its name."""
    if isinstance(value, str):
        return value
    written = str(value)
    if written.startswith("torch."):
        return written.removeprefix("torch.")
    try:
        return str(np.dtype(value))
    except TypeError:
        raise wrong(name, value, "a type") from None


def audio_dtype(name: str, value: Any) -> str:
    """Convert the type of audio samples: the command's name, NumPy's type, or torch's."""
    said = dtype(name, value)
    if said not in ("s16", "s32"):
        one_of(name, said, "float32", "int16", "int32")
    return {"int16": "s16", "int32": "s32"}.get(said, said)


# The sizes of a result.
geometry: Kinds = {"size": size, "mode": text, "resize_shorter": integer, "max_size": integer, "crop": size}

stores: Kinds = {"endpoint_url": text, "region": text, "no_sign_request": flag, "max_concurrent_requests": integer}

limits: Kinds = {
    "max_pixels": integer,
    "max_bytes": amount,
    "max_frames": integer,
    "max_memory": amount,
    "max_cpu": number,
}

files: Kinds = {**limits, **stores}
