"""Options of videos: the keywords of the calls."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from . import _native, _option
from .spec import Limits

if TYPE_CHECKING:
    from ._option import DType, Filter, Size


class FrameOptions(Limits, total=False):
    """How frames are made, and how a video is opened. The keywords are the flags of ``spool decode video``.

    Attributes:
        filters: filters of FFmpeg, as for its option -vf, before everything else, like ``"hflip,crop=64:48"``. Each
            stored frame is filtered by itself. The text is code: some filters read files. Default: none.
        size: N for N x N pixels, (height, width) like the shape of results, or ``"WxH"`` like the command. Default: the
            video's own size.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole frame, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side, like torchvision's ``Resize(N)``. Not together with ``size``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after the resize, like torchvision's ``CenterCrop``. Default: none.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, or ``fast``.
        color: ``rgb``, the default, ``bgr``, ``gray`` or ``rgba``. ``index`` gives the samples of luma as they are
            stored, for labels and depth maps; it can be resized by a nearest filter only.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        orient: bool, whether to apply the rotation that the container asks for. Default: True.
        planes: ``converted``, the default; or as stored, ``planar`` (yuv420p) or ``pairs`` (NV12).
        chroma: how ``exact`` frames interpolate chroma: ``bicubic``, the default, as the ffmpeg command and torchcodec
            do; ``bilinear``, as decord does.
        pad_color: color that ``fit`` and crops pad with. Default: ``"#000000"``.
        fill: color of frames that could not be decoded. Default: ``"#808080"``.
        on_damage: frames that are damaged or that the decoder does not deliver. ``fail``, the default, is an error.
            ``skip`` leaves out the frames that are not delivered, and keeps the damaged ones. ``repeat`` puts the last
            good frame in their place, and the color ``fill`` before the first good frame.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
        hwaccel: device that decodes if there is one, like ``cuda``. Frames are copied from it to the host.
        index_dir: folder where saved indexes are looked up. Default: the folder of the file.
        isolate: decoding in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
    """

    filters: str
    size: Size
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int
    max_size: int
    crop: Size
    filter: Filter
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba", "index"]
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
    isolate: Literal["off", "heic", "auto", "all"]


class VideoOptions(FrameOptions, total=False):
    """The keywords of :func:`spool.decode_video`: see :class:`FrameOptions`, and the following.

    Attributes:
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``, as a name or as NumPy's or
            torch's type. Floats are x/255. NumPy arrays of bfloat16 need package ml_dtypes.
        layout: ``nhwc``, the default, or ``nchw``.
        crops: several crops of the clip of the size ``crop``: ``five``, the corners and the center, or ``ten``, these
            and those of the mirrored frames, like torchvision's FiveCrop and TenCrop. The shape has their number in
            front. Default: ``one``.
        stream: int, the stream's index in the file. Default: the best stream.
        threads: int, decoder threads. More than one helps with one long video. Default: 1.
    """

    dtype: DType
    layout: Literal["nhwc", "nchw"]
    crops: Literal["one", "five", "ten"]
    stream: int
    threads: int


def _span(name: str, value: Any) -> str:
    """Convert a range, (start, stop), (start, stop, step), or text like ``"A:B:STEP"``."""
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


# The choice of frames.
choice: _option.Kinds = {
    "frames": _integers,
    "range": _span,
    "times": _option.numbers,
    "start": _option.number,
    "end": _option.number,
    "sample": _option.integer,
}

# How frames are made.
frame: _option.Kinds = {
    "filters": _option.text,
    **_option.geometry,
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
    "isolate": _option.text,
    **_option.files,
}

video: _option.Kinds = {
    **frame,
    **choice,
    "dtype": _option.dtype,
    "layout": _option.text,
    "crops": _option.text,
    "stream": _option.integer,
    "threads": _option.integer,
}


@lru_cache(maxsize=64)
def parsed(noun: str, json: str) -> _native.Handle:
    """Return the library's spec of some options, from a cache of the latest 64.

    Args:
        noun: prefix of the C functions: ``spool_video_spec`` or ``spool_audio_spec``.
        json: options as JSON, from :func:`spool._option.encode`.

    Returns:
        The library's spec.

    Raises:
        ValueError: values are wrong, or contradict each other. The message names all of them.
    """
    return _native.new(noun, json.encode())
