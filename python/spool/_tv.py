"""torchvision's tv_tensors of the fields of records, for its transforms v2."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from ._narrow import is_list


def wrap(values: dict[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields of a batch as tv_tensors.

    Args:
        values: torch's tensors, and lists of NumPy's arrays, by the names of the fields.
        fields: the options of the fields.

    Returns:
        The same with Image (N, C, H, W), Mask, Video (N, frames, C, H, W), BoundingBoxes and KeyPoints. They share the
        memory of the tensors. Fields that follow an image with views are lists of lists.
    """
    tv = importlib.import_module("torchvision.tv_tensors")
    return {name: _wrap(tv, value, name, values, fields) for name, value in values.items()}


def _wrap(tv: Any, value: Any, name: str, values: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> Any:
    options = fields.get(name, {})
    kind = options.get("kind", name)
    if kind in ("image", "video") and name in fields:
        planar = options.get("layout", "nhwc") == "nchw"
        make = tv.Image if kind == "image" else tv.Video

        def made(tensor: Any) -> Any:
            return make(tensor if planar else tensor.movedim(-1, -3))

        return _each(value, made)
    if kind == "mask" and name in fields:
        return _each(value, tv.Mask)
    if kind == "instances" and name in fields:
        views = isinstance(values[options.get("like", "image")], list)
        return [_masks(tv, v) for v in value] if views else _masks(tv, value)
    if kind in ("boxes", "points") and name in fields:
        image = options.get("like", "image")
        planar = fields[image].get("layout", "nhwc") == "nchw"
        frames = values[image]
        if is_list(frames):  # of views
            return [[_shape(tv, x, kind, options, f, planar) for x in v] for v, f in zip(value, frames, strict=True)]
        return [_shape(tv, x, kind, options, frames, planar) for x in value]
    return value


def _each(value: Any, make: Any) -> Any:
    """Apply a function to a tensor, or to those of a list of views."""
    return [make(v) for v in value] if is_list(value) else make(value)


def _masks(tv: Any, values: list[Any]) -> list[Any]:
    """Return the masks of the objects of each sample; None if it lacks them."""
    return [None if v is None else tv.Mask(v) for v in values]


def _shape(tv: Any, value: Any, kind: str, options: Mapping[str, Any], image: Any, planar: bool) -> Any:
    """Return the boxes or the points of one sample; None if it lacks them."""
    if value is None:
        return None
    canvas = tuple(image.shape[-2:] if planar else image.shape[-3:-1])
    if kind == "points":
        return tv.KeyPoints(value[:, :2], canvas_size=canvas)
    return tv.BoundingBoxes(value, format=options.get("format", "xyxy").upper(), canvas_size=canvas)
