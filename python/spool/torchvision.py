"""Transforms with torchvision's names and arguments that run as part of decoding.

::

    train = Compose([RandomResizedCrop(224), RandomHorizontalFlip(), ToDtype(torch.float32, scale=True)])
    loader = DataLoader(dataset, batch_size=32, collate_fn=spool.torch.collate(train))

A :class:`Compose` turns a list of transforms into the options of one decoding. No image of full size is made, and only
the pixels that a crop shows are resized. Operations of :mod:`spool.augment`, such as color jitter, are given beside it,
as ``augment=``. Other transforms, such as perspective, run after the decoding. Call them for each image of the batch,
since a transform of torchvision draws once for a whole batch.
``docs/loaders/torchvision.md`` is the guide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

import torch

from ._pictures import Pictures
from ._source import Source
from .image import decode_image

if TYPE_CHECKING:
    from .spec import ImageOptions

Size: TypeAlias = int | Sequence[int]
Interpolation: TypeAlias = Literal["bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-exact"]


class Transform:
    """One step of a :class:`Compose`. Steps run in the order of their classes in this module, each at most once."""

    rank: ClassVar[int]

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.

        Raises:
            ValueError: decoding does not support an argument.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Resize(Transform):
    """Resize to (height, width), or so that the shorter side is ``size``. All filters but the nearest ones antialias.

    Args:
        size: int, pixels of the shorter side; (height, width); or None, with ``max_size`` for the longer side.
        interpolation: torchvision's InterpolationMode, or its value. ``nearest`` is torchvision's, not Pillow's.
            Default: ``bilinear``.
        max_size: int, the most pixels of the longer side, above ``size``. Not together with (height, width).
            Default: none.
        antialias: has to be True, except for the nearest filters.
    """

    size: Size | None
    interpolation: Interpolation = "bilinear"
    max_size: int | None = None
    antialias: bool = True
    rank = 0

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.

        Raises:
            ValueError: neither ``size`` nor ``max_size`` is set, or ``antialias`` is False for a filter that
                antialiases.
        """
        if self.size is None and self.max_size is None:
            raise ValueError("Resize: needs size or max_size")
        target: dict[str, object] = {} if self.max_size is None else {"max_size": self.max_size}
        if self.size is not None:
            size = _sides(self.size)
            target |= {"resize_shorter": size[0]} if len(size) == 1 else {"size": size}
        return {**target, "filter": _filter(self.interpolation, self.antialias)}


@dataclass(frozen=True)
class RandomResizedCrop(Transform):
    """Crop a rectangle of random size and aspect ratio at a random position, and resize it like :class:`Resize`.

    Args:
        size: int for a square, or (height, width), in pixels.
        scale: (least, most) share of the area. Default: 0.08 to 1.
        ratio: (least, most) aspect ratio. Default: 3/4 to 4/3.
        interpolation: as for :class:`Resize`.
        antialias: as for :class:`Resize`.
    """

    size: Size
    scale: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    interpolation: Interpolation = "bilinear"
    antialias: bool = True
    rank = 0

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.
        """
        drawn = {"random_scale": self.scale, "random_ratio": self.ratio}
        return {**drawn, "size": _both(self.size), "filter": _filter(self.interpolation, self.antialias)}


@dataclass(frozen=True)
class CenterCrop(Transform):
    """Crop (height, width) from the center.

    Args:
        size: int for a square, or (height, width), in pixels.
    """

    size: Size
    rank = 1

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.
        """
        return {"crop": _both(self.size)}


@dataclass(frozen=True)
class RandomCrop(Transform):
    """Crop (height, width) at a random position, from the image with ``padding`` black pixels around it.

    Args:
        size: int for a square, or (height, width), in pixels.
        padding: pixels: one number, (left and right, top and bottom), or (left, top, right, bottom). Default: 0.
    """

    size: Size
    padding: Size = 0
    rank = 1

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.
        """
        return {"crop": _both(self.size), "random_crop": _around(self.padding)}


@dataclass(frozen=True)
class RandomHorizontalFlip(Transform):
    """Flip from left to right with a probability.

    Args:
        p: the probability. Default: 0.5.
    """

    p: float = 0.5
    rank = 2

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.
        """
        return {"flip_x": self.p}


@dataclass(frozen=True)
class RandomVerticalFlip(Transform):
    """Flip from top to bottom with a probability.

    Args:
        p: the probability. Default: 0.5.
    """

    p: float = 0.5
    rank = 3

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.
        """
        return {"flip_y": self.p}


@dataclass(frozen=True)
class ToDtype(Transform):
    """Convert to ``torch.float32``, ``torch.float16`` or ``torch.bfloat16``, with values from 0 to 1.

    Args:
        dtype: the type.
        scale: bool, which has to be True for floats. Default: False, as in torchvision.
    """

    dtype: torch.dtype
    scale: bool = False
    rank = 4

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.

        Raises:
            ValueError: ``scale`` is False for floats.
        """
        if self.dtype.is_floating_point and not self.scale:
            raise ValueError("ToDtype: needs scale=True, since values are scaled to 0 to 1")
        return {"dtype": self.dtype}


@dataclass(frozen=True)
class Normalize(Transform):
    """Subtract ``mean`` and divide by ``std``, after :class:`ToDtype`.

    Args:
        mean: one value a channel.
        std: one value a channel.
    """

    mean: Sequence[float]
    std: Sequence[float]
    rank = 5

    def options(self) -> dict[str, object]:
        """Return the step as options of :class:`spool.ImageSpec`.

        Returns:
            Options by keyword.
        """
        return {"mean": list(self.mean), "std": list(self.std)}


class Compose:
    """Transforms as one decoding, for :func:`spool.torch.collate` and the other stages, instead of keywords.

    A call decodes one image to a tensor (C,H,W). It serves as ``transform=`` of datasets of single samples, such as
    ``ImageFolder(root, loader=str, transform=...)``. A whole batch in one call costs less: :func:`spool.torch.collate`.

    Args:
        transforms: transforms of this module.

    Attributes:
        transforms: the transforms, as a list.
        options: the keywords that they stand for.

    Raises:
        TypeError: an element is not a transform of this module. The message names it.
        ValueError: decoding does not support the order, or an argument.
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        options: dict[str, Any] = {}
        last = -1
        for t in transforms:
            if not isinstance(t, Transform):
                raise TypeError(f"transforms: {t!r} is not one of spool.torchvision; apply it to each image afterwards")
            if t.rank <= last:
                raise ValueError(f"transforms: {t!r} cannot follow the transforms before it")
            last = t.rank
            options |= t.options()
        self.transforms = list(transforms)
        self.options = cast("ImageOptions", options)
        self._single = Pictures(self, layout="nchw")

    def __call__(self, src: Source) -> torch.Tensor:
        """Decode an image. Draws follow ``torch.manual_seed``, see :func:`spool.torch.collate`.

        Args:
            src: a source, as for :func:`spool.decode_image`.

        Returns:
            A tensor (C,H,W).

        Raises:
            DecodeError: the image cannot be decoded.
            ValueError: a flip is random, but the size of the result is not fixed.
        """
        spec = self._single.spec
        if spec.parsed().shape:
            return self._single.picture(src)
        if any(0 < getattr(t, "p", 0) < 1 for t in self.transforms):
            raise ValueError(f"{self}: a random flip needs a fixed size")
        return torch.from_numpy(decode_image(src, spec))

    def __repr__(self) -> str:
        return f"Compose({self.transforms})"


def _sides(size: Size) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)


def _both(size: Size) -> tuple[int, ...]:
    sides = _sides(size)
    return sides * 2 if len(sides) == 1 else sides


def _around(padding: Size) -> tuple[int, ...]:
    """Return the padding as left, top, right and bottom, from one number, two, or all four."""
    sides = _sides(padding)
    return sides * (4 // len(sides)) if len(sides) in (1, 2, 4) else sides


# The library's names for torchvision's values and for Pillow's numbers, if they differ.
_filters: dict[Any, str] = {
    "nearest": "nearest-floor",
    0: "nearest-floor",
    1: "lanczos",
    2: "bilinear",
    3: "bicubic",
    4: "box",
}


def _filter(interpolation: Any, antialias: Any) -> str:
    """Convert torchvision's InterpolationMode, its value, or Pillow's number to the library's name of a filter."""
    value = getattr(interpolation, "value", interpolation)
    name = _filters.get(value, str(value))
    if not antialias and not name.startswith("nearest"):
        raise ValueError(f"antialias={antialias}: {value} is always antialiased")
    return name
