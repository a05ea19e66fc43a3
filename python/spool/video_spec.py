"""Options of videos: what the keywords of the calls may be."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from . import _native, _option
from .spec import Limits

if TYPE_CHECKING:
    from ._option import DType, Size


class FrameOptions(Limits, total=False):
    """What becomes of frames, and how a video is opened. What is left out has the default that is named first.

    ``size``: own size; ``N`` for N x N; ``(height, width)``, as results have their shape; ``"WxH"``, as the
    command has it. ``mode``: how ``size`` is meant: ``stretch``, ``fit`` (the whole frame, padded), ``cover``
    (filled, cut). ``resize_shorter``, ``crop``: torchvision's ``Resize(N)`` and ``CenterCrop``.
    ``profile``: ``exact``, ``fast``. ``color``: ``rgb``, ``bgr``, ``gray``, ``rgba``. ``mean`` and ``std`` of
    floats: one value, or one a channel. ``orient``: apply the rotation that the container asks for. ``planes``:
    ``converted``, or as they are stored: ``planar`` (yuv420p), ``pairs`` (NV12). ``chroma``: how ``exact`` frames
    have it interpolated: ``bicubic``, as the ffmpeg command and torchcodec; ``bilinear``, as decord.

    ``on_damage``: of frames that are damaged or do not come: ``fail``; ``skip`` leaves out what does not come;
    ``repeat`` has the last whole frame in their place, ``fill`` before the first.

    ``language``: the best stream of it. ``codec``, ``codec_option``: FFmpeg's names. ``hwaccel``: a device that
    decodes where there is one: ``cuda``; frames are copied from it. ``index_dir``: where saved indexes are looked
    for; beside the file.
    """

    size: Size
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int
    crop: Size
    filter: Literal["bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-floor", "nearest-exact"]
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba"]
    mean: float | Sequence[float]
    std: float | Sequence[float]
    orient: bool
    planes: Literal["converted", "planar", "pairs"]
    chroma: Literal["bicubic", "bilinear"]
    pad_color: str
    fill: str
    on_damage: Literal["fail", "skip", "repeat"]
    language: str
    codec: str
    codec_option: Mapping[str, str]
    hwaccel: str
    index_dir: str | os.PathLike[str]


class VideoOptions(FrameOptions, total=False):
    """What is wanted of a video: see :class:`FrameOptions`, and also the following.

    ``dtype``: ``uint8``, ``uint16``, ``float16``, ``float32``, by name or as NumPy's or torch's type. Floats are
    x/255. ``layout``: ``nhwc`` or ``nchw``. ``stream``: its number in the file, the best one. ``threads`` of the
    decoder: 1; more make sense for one long film.
    """

    dtype: DType
    layout: Literal["nhwc", "nchw"]
    stream: int
    threads: int


def _span(name: str, value: Any) -> str:
    """Take a range, (start, stop), (start, stop, step), or ``"A:B:STEP"``."""
    if isinstance(value, str):
        return value
    if isinstance(value, range):
        value = (value.start, value.stop, value.step)
    if not isinstance(value, (tuple, list)) or len(cast("Sequence[Any]", value)) not in (2, 3):
        raise _option.wrong(name, value, "a range, (start, stop) or (start, stop, step)")
    return ":".join(str(_option.integer(name, v)) for v in cast("Sequence[Any]", value))


def _integers(name: str, value: Any) -> list[int]:
    if isinstance(value, (str, bytes)) or not np.iterable(value):
        raise _option.wrong(name, value, "a sequence of integers")
    return [_option.integer(name, v) for v in value]


# Which frames.
choice: _option.Kinds = {
    "frames": _integers,
    "range": _span,
    "times": _option.numbers,
    "start": _option.number,
    "end": _option.number,
    "sample": _option.integer,
}

# What becomes of frames.
frame: _option.Kinds = {
    "size": _option.size,
    "mode": _option.text,
    "resize_shorter": _option.integer,
    "crop": _option.size,
    "filter": _option.text,
    "profile": _option.text,
    "color": _option.text,
    "mean": _option.numbers,
    "std": _option.numbers,
    "orient": _option.flag,
    "planes": _option.text,
    "chroma": _option.text,
    "pad_color": _option.text,
    "fill": _option.text,
    "on_damage": _option.text,
    "language": _option.text,
    "codec": _option.text,
    "codec_option": _option.mapping,
    "hwaccel": _option.text,
    "index_dir": _option.path,
    **_option.files,
}

video: _option.Kinds = {
    **frame,
    **choice,
    "dtype": _option.dtype,
    "layout": _option.text,
    "stream": _option.integer,
    "threads": _option.integer,
}


@lru_cache(maxsize=64)
def parsed(noun: str, json: str) -> _native.Handle:
    """Give the library's spec of some options, parsed when they were first used."""
    return _native.new(noun, json.encode())
