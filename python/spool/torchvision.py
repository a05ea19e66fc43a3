"""Transforms with torchvision's names and arguments that happen inside the decoding.

::

    train = Compose([RandomResizedCrop(224), RandomHorizontalFlip(), ToDtype(torch.float32, scale=True)])
    loader = DataLoader(dataset, batch_size=32, collate_fn=spool.torch.collate(train))

A :class:`Compose` turns a list of them into the options of one decoding: no picture of full size is made, and of a
crop only what is seen is resized. What decoding cannot do, such as colour jitter, comes after it, on each
picture of the batch: a transform of torchvision draws once for a whole batch.
``docs/loaders/torchvision.md`` has the whole page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

import torch

from ._source import Source
from .image import decode_image
from .torch import Collate

if TYPE_CHECKING:
    from .spec import ImageOptions

Size: TypeAlias = int | Sequence[int]
Interpolation: TypeAlias = Literal["bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-exact"]


class Transform:
    """One step of a :class:`Compose`. Steps come in the order of their classes here, each at most once."""

    rank: ClassVar[int]

    def options(self) -> dict[str, Any]:
        """Give the step as options of :class:`spool.ImageSpec`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Resize(Transform):
    """Resize to (height, width), or so that the shorter side is ``size``; antialiased, but for the nearest ones.

    ``interpolation`` is torchvision's InterpolationMode, or its value: ``nearest`` is torchvision's, and not Pillow's.
    """

    size: Size
    interpolation: Interpolation = "bilinear"
    max_size: None = None
    antialias: bool = True
    rank = 0

    def options(self) -> dict[str, Any]:
        if self.max_size is not None:
            raise ValueError("Resize: no max_size")
        size = _sides(self.size)
        target = {"resize_shorter": size[0]} if len(size) == 1 else {"size": size}
        return {**target, "filter": _filter(self.interpolation, self.antialias)}


@dataclass(frozen=True)
class RandomResizedCrop(Transform):
    """Cut out a random part, of random size and shape, and resize it to ``size``, as :class:`Resize`."""

    size: Size
    scale: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    interpolation: Interpolation = "bilinear"
    antialias: bool = True
    rank = 0

    def options(self) -> dict[str, Any]:
        drawn = {"random_scale": self.scale, "random_ratio": self.ratio}
        return {**drawn, "size": _both(self.size), "filter": _filter(self.interpolation, self.antialias)}


@dataclass(frozen=True)
class CenterCrop(Transform):
    """Cut (height, width) out of the middle."""

    size: Size
    rank = 1

    def options(self) -> dict[str, Any]:
        return {"crop": _both(self.size)}


@dataclass(frozen=True)
class RandomCrop(Transform):
    """Cut (height, width) from a random place, of the picture with ``padding`` black pixels around it."""

    size: Size
    padding: Size = 0
    rank = 1

    def options(self) -> dict[str, Any]:
        return {"crop": _both(self.size), "random_crop": _around(self.padding)}


@dataclass(frozen=True)
class RandomHorizontalFlip(Transform):
    """Mirror left to right, with probability ``p``."""

    p: float = 0.5
    rank = 2

    def options(self) -> dict[str, Any]:
        return {"flip_x": self.p}


@dataclass(frozen=True)
class RandomVerticalFlip(Transform):
    """Mirror top to bottom, with probability ``p``."""

    p: float = 0.5
    rank = 3

    def options(self) -> dict[str, Any]:
        return {"flip_y": self.p}


@dataclass(frozen=True)
class ToDtype(Transform):
    """Convert to ``torch.float32`` or ``torch.float16``, values from 0 to 1. ``scale`` has to be True."""

    dtype: torch.dtype
    scale: bool = False
    rank = 4

    def options(self) -> dict[str, Any]:
        if self.dtype.is_floating_point and not self.scale:
            raise ValueError("ToDtype: only with scale=True, as it is meant for Normalize")
        return {"dtype": self.dtype}


@dataclass(frozen=True)
class Normalize(Transform):
    """Subtract ``mean`` and divide by ``std``, a value a channel; after :class:`ToDtype`."""

    mean: Sequence[float]
    std: Sequence[float]
    rank = 5

    def options(self) -> dict[str, Any]:
        return {"mean": list(self.mean), "std": list(self.std)}


class Compose:
    """Steps of decoding: what :func:`spool.torch.collate` and the other stages take in place of keywords.

    A call decodes one picture to a tensor (C,H,W): a ``transform=`` for datasets of single samples, such as
    ``ImageFolder(root, loader=str, transform=...)``. A whole batch in one call costs less: :func:`spool.torch.collate`.

    Raises:
        TypeError: an element that is no transform of this module; it is named.
        ValueError: an order, or arguments, that decoding cannot follow.

    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        options: dict[str, Any] = {}
        last = -1
        for t in transforms:
            if not isinstance(t, Transform):
                raise TypeError(f"transforms: {t!r} is none of spool.torchvision; it may follow, picture by picture")
            if t.rank <= last:
                raise ValueError(f"transforms: {t!r} cannot come after what is before it")
            last = t.rank
            options |= t.options()
        self.transforms = list(transforms)
        self.options = cast("ImageOptions", options)
        self._single = _Single(self, layout="nchw")

    def __call__(self, src: Source) -> torch.Tensor:
        """Decode a picture. What is drawn follows ``torch.manual_seed``, see :func:`spool.torch.collate`."""
        spec = self._single.spec
        if spec.parsed().shape:
            return cast("torch.Tensor", self._single([src])[0])
        if any(0 < getattr(t, "p", 0) < 1 for t in self.transforms):
            raise ValueError(f"{self}: what is random needs a fixed size")
        return torch.from_numpy(decode_image(src, spec))

    def __repr__(self) -> str:
        return f"Compose({self.transforms})"


class _Single(Collate):
    """Makes tensors that are to be collated: of one picture each, and not in shared memory."""

    def _memory(self, count: int) -> None:
        return None


def _sides(size: Size) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)


def _both(size: Size) -> tuple[int, ...]:
    sides = _sides(size)
    return sides * 2 if len(sides) == 1 else sides


def _around(padding: Size) -> tuple[int, ...]:
    """Give left, top, right and bottom, of one number, (left and right, top and bottom), or all four."""
    sides = _sides(padding)
    return sides * (4 // len(sides)) if len(sides) in (1, 2, 4) else sides


# The library's names of torchvision's values, and of Pillow's numbers, where they differ.
_filters: dict[Any, str] = {
    "nearest": "nearest-floor",
    0: "nearest-floor",
    1: "lanczos",
    2: "bilinear",
    3: "bicubic",
    4: "box",
}


def _filter(interpolation: Any, antialias: Any) -> str:
    """Take torchvision's InterpolationMode, its value, or Pillow's number."""
    value = getattr(interpolation, "value", interpolation)
    name = _filters.get(value, str(value))
    if not antialias and not name.startswith("nearest"):
        raise ValueError(f"antialias={antialias}: {value} is always antialiased")
    return name
