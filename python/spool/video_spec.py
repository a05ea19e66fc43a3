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
    from ._types import TorchDevice


class FrameOptions(Limits, total=False):
    """How frames are made, and how a video is opened. The keywords are the flags of ``spool decode video``.

    Attributes:
        filters: filters of FFmpeg, as for its option -vf, before everything else, like ``"hflip,crop=64:48"``. Each
            stored frame is filtered by itself. Default: none.
        filter_files: bool; True lets ``filters`` open files, libraries, fonts and sockets that they name, such as the
            table of lut3d, for each frame. Not together with the helpers of ``isolate``. Default: False.
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

    filters: str | None
    filter_files: bool
    size: Size | None
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int | None
    max_size: int | None
    crop: Size | None
    filter: Filter
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba", "index"]
    mean: float | Sequence[float] | None
    std: float | Sequence[float] | None
    orient: bool
    planes: Literal["converted", "planar", "pairs"]
    chroma: Literal["bicubic", "bilinear"]
    pad_color: str
    fill: str
    on_damage: Literal["fail", "skip", "repeat"]
    language: str | None
    codec: str | None
    codec_option: Mapping[str, str] | None
    hwaccel: str | None
    index_dir: str | os.PathLike[str] | None
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
    stream: int | None
    threads: int


if TYPE_CHECKING:

    class DecoderOptions(FrameOptions, total=False):
        """The keywords of a decoder beside ``output``."""

        stream_index: int | None
        dimension_order: Literal["NCHW", "NHWC"]
        num_ffmpeg_threads: int
        device: str | TorchDevice | None
        seek_mode: Literal["exact", "approximate"]
        output_dtype: DType


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
    "filter_files": _option.flag,
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


# The keywords of a decoder.
_decoder: _option.Kinds = {
    "stream_index": _option.integer,
    "num_ffmpeg_threads": _option.integer,
    "output_dtype": _option.dtype,
    **frame,
}


def of_decoder(
    keywords: Mapping[str, object], dimension_order: str, threads: int, seek_mode: str, output: str, device: str | None
) -> dict[str, object]:
    """Return the options of a decoder's frames.

    Args:
        keywords: the keywords of the decoder that differ from their defaults.
        dimension_order: the decoder's keyword.
        threads: int, its keyword ``num_ffmpeg_threads``.
        seek_mode: its keyword.
        output: its keyword.
        device: its keyword; None for the host.

    Returns:
        The options, by the names that :data:`video` has.

    Raises:
        TypeError, ValueError: keywords are wrong. The message names all of them.
    """
    own = ("source", "dimension_order", "seek_mode", "output", "device", "num_ffmpeg_threads")
    asked = {name: value for name, value in keywords.items() if name not in own}
    problems = _option.Problems()
    with problems:
        _option.one_of("dimension_order", dimension_order, "NCHW", "NHWC")
    with problems:
        _option.one_of("seek_mode", seek_mode, "exact", "approximate")
    with problems:
        _option.one_of("output", output, "numpy", "torch")
    if device and (not device.startswith("cuda") or output != "torch"):
        problems.add(ValueError(f"device={device}: must be cpu, or cuda:N with output='torch'"))
    _option.encode({"num_ffmpeg_threads": threads, **asked}, _decoder, own, problems)
    renamed = {"stream_index": "stream", "output_dtype": "dtype"}
    return {
        "layout": dimension_order.lower(),
        "threads": threads or os.cpu_count(),
        **{renamed.get(name, name): value for name, value in asked.items()},
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
