"""Operations of training that change pixels, for the argument ``augment`` of loaders, fields and specs.

They are torchvision's, and run in the library on the bytes of resized images, before ``mean`` and ``std``. Their values
are drawn for each sample, from the seed, the epoch and the sample's id. ``docs/augmentation.md`` is the guide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

from . import _option
from ._narrow import is_sequence

Factor: TypeAlias = float | tuple[float, float]
Color: TypeAlias = int | tuple[int, int, int] | str


class Augmentation:
    """A random operation on pixels: one of the classes of this module."""

    op: ClassVar[str]

    def options(self) -> dict[str, Any]:
        """Return the operation as a dict for JSON.

        Returns:
            The name ``op``, and the values.

        Raises:
            TypeError: a value has a wrong type.
        """
        values: dict[str, Any] = {"op": self.op}
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


@dataclass(frozen=True)
class ColorJitter(Augmentation):
    """Change brightness, contrast, saturation and hue in a random order, like torchvision's ColorJitter.

    Args:
        brightness: x for a factor from max(0, 1 - x) to 1 + x, or (least, most). Default: 0, unchanged.
        contrast: like ``brightness``.
        saturation: like ``brightness``.
        hue: x for -x to x of a full turn, or (least, most), within -0.5 and 0.5. Default: 0, unchanged.
        p: probability. Default: 1.
    """

    brightness: Factor = 0
    contrast: Factor = 0
    saturation: Factor = 0
    hue: Factor = 0
    p: float = 1
    op = "jitter"


@dataclass(frozen=True)
class RandomGrayscale(Augmentation):
    """Make an image gray, with as many channels as before.

    Args:
        p: probability. Default: 0.1.
    """

    p: float = 0.1
    op = "grayscale"


@dataclass(frozen=True)
class RandomSolarize(Augmentation):
    """Invert bytes from a threshold on.

    Args:
        threshold: from 0 to 255. Default: 128.
        p: probability. Default: 0.5.
    """

    threshold: float = 128
    p: float = 0.5
    op = "solarize"


@dataclass(frozen=True)
class RandomPosterize(Augmentation):
    """Keep the upper bits of each byte.

    Args:
        bits: int from 0 to 8. Default: 4.
        p: probability. Default: 0.5.
    """

    bits: int = 4
    p: float = 0.5
    op = "posterize"


@dataclass(frozen=True)
class RandomInvert(Augmentation):
    """Invert all bytes.

    Args:
        p: probability. Default: 0.5.
    """

    p: float = 0.5
    op = "invert"


@dataclass(frozen=True)
class RandomAutocontrast(Augmentation):
    """Stretch each channel to 0 and 255.

    Args:
        p: probability. Default: 0.5.
    """

    p: float = 0.5
    op = "autocontrast"


@dataclass(frozen=True)
class RandomEqualize(Augmentation):
    """Make the histogram of each channel even.

    Args:
        p: probability. Default: 0.5.
    """

    p: float = 0.5
    op = "equalize"


@dataclass(frozen=True)
class RandomAdjustSharpness(Augmentation):
    """Sharpen or soften an image.

    Args:
        sharpness_factor: 0 softens, 1 changes nothing, 2 sharpens. Default: 2.
        p: probability. Default: 0.5.
    """

    sharpness_factor: float = 2
    p: float = 0.5
    op = "sharpness"


@dataclass(frozen=True)
class GaussianBlur(Augmentation):
    """Blur an image, like torchvision's GaussianBlur.

    Args:
        kernel_size: int, pixels along each side, odd, at most 255. Default: 9.
        sigma: (least, most) in pixels, or one value. Default: 0.1 to 2.
        p: probability. Default: 1.
    """

    kernel_size: int = 9
    sigma: Factor = (0.1, 2.0)
    p: float = 1
    op = "blur"


@dataclass(frozen=True)
class RandomErasing(Augmentation):
    """Replace a random rectangle by a color or by noise, like torchvision's RandomErasing on bytes.

    Args:
        p: probability. Default: 0.5.
        scale: (least, most) share of the image. Default: 0.02 to 0.33.
        ratio: (least, most) height / width. Default: 0.3 to 3.3.
        value: color of the rectangle: a number, three, or text. Normalization turns its own mean into 0:
            ``"#7c7468"`` for that of ImageNet. ``"random"`` is normal noise that normalization with ImageNet's mean and
            standard deviation turns into standard normal noise, but for its limits. Default: 0, black.
        noise: standard deviation of normal noise around ``value``: a number, three, or text like a color. Default: 0.
    """

    p: float = 0.5
    scale: tuple[float, float] = (0.02, 0.33)
    ratio: tuple[float, float] = (0.3, 3.3)
    value: Color = 0
    noise: Color = 0
    op = "erasing"


@dataclass(frozen=True)
class RandAugment(Augmentation):
    """Apply operations that are drawn from 14, all with one magnitude, like torchvision's RandAugment.

    Args:
        num_ops: int, how many operations are applied, one after the other. Default: 2.
        magnitude: int below ``num_magnitude_bins``, from 0. Default: 9.
        num_magnitude_bins: int, the number of magnitudes. Default: 31.
        fill: color of pixels that come from outside of the image, like ``value`` of :class:`RandomErasing`.
            Default: 0, black.
    """

    num_ops: int = 2
    magnitude: int = 9
    num_magnitude_bins: int = 31
    fill: Color = 0
    op = "randaugment"


@dataclass(frozen=True)
class TrivialAugmentWide(Augmentation):
    """Apply one operation, which is drawn from 14 with its magnitude, like torchvision's TrivialAugmentWide.

    Args:
        num_magnitude_bins: int, the number of magnitudes. Default: 31.
        fill: color of pixels that come from outside of the image, like ``value`` of :class:`RandomErasing`.
            Default: 0, black.
    """

    num_magnitude_bins: int = 31
    fill: Color = 0
    op = "trivialaugment"


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
