"""Operations of training that change pixels, for the argument ``augment`` of loaders, fields and specs.

They are torchvision's, and run in the library on the bytes of resized images, before ``mean`` and ``std``. Their values
are drawn for each sample, from the seed, the epoch and the sample's id. ``docs/augmentation.md`` is the guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ._operation import Augmentation as Augmentation

Factor: TypeAlias = float | tuple[float, float]
Color: TypeAlias = int | tuple[int, int, int] | str


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
