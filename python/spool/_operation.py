"""Operations of :mod:`spool.augment` as options of the library.

The operations themselves are in a module of their own, which takes a third of the time to import a loader.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, ClassVar

from . import _option
from ._narrow import is_sequence


class Augmentation:
    """A random operation on pixels: one of the classes of this module."""

    op: ClassVar[str]

    def options(self) -> dict[str, object]:
        """Return the operation as a dict for JSON.

        Returns:
            The name ``op``, and the values.

        Raises:
            TypeError: a value has a wrong type.
        """
        values: dict[str, object] = {"op": self.op}
        for field in fields(self):  # type: ignore[arg-type]
            key, convert = _values.get(field.name, (field.name, _numbers))
            values[key] = convert(f"{type(self).__name__}.{field.name}", getattr(self, field.name))
        return values


def _numbers(name: str, value: Any) -> float | list[float]:
    """Convert one number or two."""
    if not isinstance(value, (tuple, list)):
        return _option.number(name, value)
    pair = _option.numbers(name, value)
    if len(pair) != 2:
        raise _option.wrong(name, value, "a number, or two")
    return pair


def _color(name: str, value: Any) -> str:
    """Convert one number for all channels, or three, or accept text like ``"#808080"``."""
    if isinstance(value, str):
        return value
    channels = _option.integers(name, value)
    if len(channels) not in (1, 3) or min(channels) < 0 or max(channels) > 255:
        raise _option.wrong(name, value, "a number from 0 to 255, three of them, or a color like '#808080'")
    return "#" + bytes(channels * (3 // len(channels))).hex()


# The library's names of values, and their conversions. Others are numbers.
_values: dict[str, tuple[str, Callable[[str, Any], Any]]] = {
    "bits": ("bits", _option.integer),
    "fill": ("fill", _color),
    "kernel_size": ("kernel", _option.integer),
    "noise": ("noise", _color),
    "magnitude": ("magnitude", _option.integer),
    "num_magnitude_bins": ("bins", _option.integer),
    "num_ops": ("ops", _option.integer),
    "sharpness_factor": ("factor", _option.number),
    "value": ("color", _color),
}


def operations(name: str, value: object) -> list[dict[str, Any]]:
    """Convert operations, for an option of the library.

    Args:
        name: name of the argument, for messages.
        value: one operation, or a sequence of them.

    Returns:
        The operations as dicts.

    Raises:
        TypeError: something is no operation.
    """
    if isinstance(value, Augmentation):
        return [value.options()]
    if not is_sequence(value):
        raise _option.wrong(name, value, "operations, like [spool.ColorJitter(0.4), spool.RandAugment()]")
    found: list[dict[str, Any]] = []
    for one in value:
        if not isinstance(one, Augmentation):
            raise _option.wrong(name, one, "an operation, like spool.ColorJitter(0.4)")
        found.append(one.options())
    return found
