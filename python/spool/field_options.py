"""The options of the fields of records that are decoded: images, video and audio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _option
from .loader_options import ImagePixelOptions, PixelOptions, image_pixels, pixels
from .stream_options import CodecOptions, stream

if TYPE_CHECKING:
    from ._option import DType, Size


class ImageFieldOptions(ImagePixelOptions, total=False):
    """The keywords of :class:`spool.Image`: see :class:`ImagePixelOptions`, and this one.

    Attributes:
        size: N for N x N pixels, (height, width), or ``"WxH"`` like the command. Default: 224, and with the loader's
            ``form`` pad, ragged, budget or patches the image's own size.
        resize_multiple: int; instead of ``size``, the sides nearest to the image's own that are multiples of it, like
            ``smart_resize`` of Qwen2-VL. Default: 0, none.
        resize_min_pixels: int, the least pixels of these results. Default: 0, no bound.
        resize_max_pixels: int, the most pixels of these results. Default: 0, no bound.
        views: int, how many differently drawn results of one image there are. The batch then has a list of them.
            Default: 0, one array.
    """

    size: Size
    resize_multiple: int
    resize_min_pixels: int
    resize_max_pixels: int
    views: int


class FieldStreamOptions(CodecOptions, total=False):
    """The stream of a field's file: see :class:`CodecOptions`, and the following.

    Attributes:
        stream: int, the stream's index in the file, or the input that has it, such as a column. Default: the best
            stream.
    """

    stream: int | str | None


class VideoFieldOptions(PixelOptions, FieldStreamOptions, total=False):
    """The keywords of :class:`spool.Video`: see :class:`PixelOptions`, :class:`FieldStreamOptions`, and the following.

    Attributes:
        frames: int, frames of a clip, spread evenly over its window by default. With ``train`` they are consecutive.
            ``"all"``: as many as the window has, ``stride`` or ``1/fps`` apart, which needs a ``form`` of the loader.
            Default: 16, or as many as ``times`` has.
        clips: int, how many clips of a file there are, spread evenly over the window, or random. The batch then has a
            list of them. Default: 0, one array.
        start: where the window begins: seconds, or the input that has them, such as a column. Default: the first frame.
        end: where the window ends, like ``start``. Default: the end of the file.
        random: bool; True takes the clip from a random position of the window; ``train`` does it, too. Default: False.
        stride: int, takes frames this many frames apart.
        fps: float, takes the frames that are shown at this rate.
        times: numbers, takes the frames that are nearest to these seconds after ``start`` and ``at``, like LeRobot's
            delta_timestamps.
        at: what ``times`` are relative to, after ``start``: seconds, or the input that has them. Default: 0.
        tolerance: the largest distance in seconds of a frame from its time; a clip with a larger one is a bad sample.
            Default: any distance.
        pad: what a clip has in place of frames outside of the window: ``repeat``, the default, repeats the nearest one;
            ``loop`` begins again; ``fill`` has the color ``fill``; ``refuse`` makes it a bad sample.
        on_damage: damaged or missing frames. With ``fail``, the default, the clip is a bad sample. With ``fill``,
            missing frames have the color ``fill``, and damaged ones are kept. With ``repeat``, the last good frame
            takes their place.
        threads: int, decoder threads of each file. Default: 1.
        hwaccel: device that decodes if it can, by FFmpeg's name, like ``cuda``. Default: none.
    """

    frames: int | Literal["all"] | None
    clips: int
    start: float | str | None
    end: float | str | None
    random: bool
    stride: int | None
    fps: float | None
    times: Sequence[float] | None
    at: float | str | None
    tolerance: float | None
    pad: Literal["repeat", "loop", "fill", "refuse"]
    on_damage: Literal["fail", "fill", "repeat"]
    threads: int
    hwaccel: str | None


class AudioFieldOptions(FieldStreamOptions, total=False):
    """The keywords of :class:`spool.Audio`: see :class:`FieldStreamOptions`, and the following.

    Attributes:
        duration: seconds of a sample. Longer audio is cut, and shorter audio is padded with silence. Default: all audio
            of the window, which needs a ``form`` of the loader.
        rate: int, sample rate in Hz. Default: 16000.
        channels: int, number of channels to mix to. Default: 1.
        like: the video field whose clips are the windows. Default: ``start`` and ``end`` are the window.
        start: where the window begins: seconds, or the input that has them, such as a column. Default: 0.
        end: where the window ends, like ``start``. Default: the end of the file.
        train: bool; True takes ``duration`` from a random position of the window. Default: False.
        dtype: ``float32``, the default, ``int16`` or ``int32``, as a name or as NumPy's or torch's type. Full scale is
            1 for floats.
        layout: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        quality: of resampling: ``default``, ``fast`` or ``best``.
    """

    duration: float | None
    rate: int
    channels: int
    like: str | None
    start: float | str | None
    end: float | str | None
    train: bool
    dtype: DType
    layout: Literal["ct", "tc"]
    quality: Literal["fast", "default", "best"]


def _time(name: str, value: Any) -> Any:
    """Convert seconds, or accept the name of an input."""
    return value if isinstance(value, str) else _option.number(name, value)


def _integer_or_input(name: str, value: Any) -> Any:
    """Convert a whole number, or accept the name of an input."""
    return value if isinstance(value, str) else _option.integer(name, value)


def _frames(name: str, value: Any) -> Any:
    """Convert a whole number, or accept ``"all"``."""
    return value if value == "all" else _option.integer(name, value)


image_field: _option.Kinds = {
    **pixels,
    **image_pixels,
    "resize_multiple": _option.integer,
    "resize_min_pixels": _option.integer,
    "resize_max_pixels": _option.integer,
    "views": _option.integer,
}

video_field: _option.Kinds = {
    **pixels,
    **stream,
    "stream": _integer_or_input,
    "frames": _frames,
    "clips": _option.integer,
    "start": _time,
    "end": _time,
    "random": _option.flag,
    "stride": _option.integer,
    "fps": _option.number,
    "times": _option.numbers,
    "at": _time,
    "tolerance": _option.number,
    "pad": _option.text,
    "on_damage": _option.text,
    "threads": _option.integer,
    "hwaccel": _option.text,
}

audio_field: _option.Kinds = {
    **stream,
    "stream": _integer_or_input,
    "duration": _option.number,
    "rate": _option.integer,
    "channels": _option.integer,
    "like": _option.text,
    "start": _time,
    "end": _time,
    "train": _option.flag,
    "dtype": _option.audio_dtype,
    "layout": _option.text,
    "quality": _option.text,
}
