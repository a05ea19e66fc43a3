"""Descriptions of filters, by SPDL's functions that write them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from .packets import Packets

Window: TypeAlias = "tuple[float, float]"

# What decode_packets does without a description.
DEFAULT = "default"

# SPDL's pixel formats that spool makes, by its names of colors.
COLORS: dict[str, Literal["rgb", "bgr", "gray", "rgba"]] = {
    "rgb24": "rgb",
    "bgr24": "bgr",
    "gray": "gray",
    "gray8": "gray",
    "rgba": "rgba",
}

# SPDL's sample formats that spool makes: the type of elements, and the layout.
SAMPLES: dict[str, tuple[Literal["float32", "int16", "int32"], Literal["ct", "tc"]]] = {
    "fltp": ("float32", "ct"),
    "s16p": ("int16", "ct"),
    "s32p": ("int32", "ct"),
    "flt": ("float32", "tc"),
    "s16": ("int16", "tc"),
    "s32": ("int32", "tc"),
}

_FILTERS: dict[str, Literal["bilinear", "bicubic", "lanczos", "box", "nearest"]] = {
    "bicubic": "bicubic",
    "bilinear": "bilinear",
    "lanczos": "lanczos",
    "area": "box",
    "neighbor": "nearest",
}
_MODES: dict[str | None, Literal["fit", "cover", "stretch"]] = {"pad": "fit", "crop": "cover", None: "stretch"}


class FilterDesc(str):
    """A description in FFmpeg's language, with the arguments that it was made of.

    Functions of images translate the arguments to options of ``spool.decode_image``.
    """

    arguments: dict[str, object]


def get_video_filter_desc(
    *,
    frame_rate: tuple[int, int] | None = None,
    timestamp: Window | None = None,
    scale_width: int | None = None,
    scale_height: int | None = None,
    scale_algo: str = "bicubic",
    scale_mode: str | None = "pad",
    crop_width: int | None = None,
    crop_height: int | None = None,
    pix_fmt: str | None = "rgb24",
    num_frames: int | None = None,
    pad_mode: str | None = None,
    filter_desc: str | None = None,
) -> FilterDesc | None:
    """Describe filters of frames.

    Args:
        frame_rate: (numerator, denominator) of frames a second.
        timestamp: (start, end) in seconds: other frames are dropped.
        scale_width: int, pixels.
        scale_height: int, pixels.
        scale_algo: FFmpeg's name of the algorithm.
        scale_mode: ``pad``, the default, for the whole frame with bars; ``crop`` for the largest centered crop; None to
            stretch.
        crop_width: int, pixels of a centered crop after the scaling.
        crop_height: int, pixels of it.
        pix_fmt: FFmpeg's name of a pixel format; None for that of the filters before it.
        num_frames: int, the number of frames, padded or cut.
        pad_mode: color of frames that pad, and of bars. None: the last frame, and black.
        filter_desc: more filters, after all but the pixel format.

    Returns:
        The description; None if nothing is asked for.

    Raises:
        ValueError: there is no such ``scale_mode``.
    """
    if scale_mode not in _MODES:
        raise ValueError(f"scale_mode: {scale_mode!r} is none of 'pad', 'crop' and None")
    arguments = dict(locals())
    parts = [f"fps={frame_rate[0]}/{frame_rate[1]}"] if frame_rate else []
    parts += _trim("trim", timestamp)
    if scale_width is not None or scale_height is not None:
        w, h = scale_width or 0, scale_height or 0
        aspect = {"pad": ":force_original_aspect_ratio=decrease", "crop": ":force_original_aspect_ratio=increase"}
        parts.append(f"scale=w={w}:h={h}:flags={scale_algo}{aspect.get(scale_mode or '', '')}")
        bars = {"pad": [f"pad=w={w}:h={h}:x=-1:y=-1:color={pad_mode or 'black'}"], "crop": [f"crop=w={w}:h={h}"]}
        parts += bars.get(scale_mode or "", [])
    if crop_width is not None or crop_height is not None:
        parts.append(f"crop=w={crop_width or 0}:h={crop_height or 0}")
    if num_frames is not None:
        pad = f"add:color={pad_mode}" if pad_mode else "clone"
        parts += [f"tpad=stop=-1:stop_mode={pad}", f"trim=end_frame={num_frames}"]
    parts += [filter_desc] if filter_desc else []
    parts += [f"format=pix_fmts={pix_fmt}"] if pix_fmt else []
    return _described(parts, arguments)


def get_audio_filter_desc(
    *,
    sample_rate: int | None = None,
    num_channels: int | None = None,
    sample_fmt: str | None = "fltp",
    timestamp: Window | None = None,
    num_frames: int | None = None,
    filter_desc: str | None = None,
) -> FilterDesc | None:
    """Describe filters of audio.

    Args:
        sample_rate: int, Hz.
        num_channels: int, channels to mix to.
        sample_fmt: FFmpeg's name of a sample format; None for that of the filters before it.
        timestamp: (start, end) in seconds: other samples are dropped.
        num_frames: int, samples of each channel, cut or padded with silence.
        filter_desc: more filters, after all but the sample format.

    Returns:
        The description; None if nothing is asked for.
    """
    arguments = dict(locals())
    parts = [f"aformat=channel_layouts={num_channels}c"] if num_channels is not None else []
    parts += [f"aresample={sample_rate}"] if sample_rate is not None else []
    parts += _trim("atrim", timestamp)
    parts += ["apad", f"atrim=end_sample={num_frames}"] if num_frames is not None else []
    parts += [filter_desc] if filter_desc else []
    parts += [f"aformat=sample_fmts={sample_fmt}"] if sample_fmt else []
    return _described(parts, arguments)


def get_filter_desc(packets: Packets, **arguments: object) -> FilterDesc | None:
    """Describe filters for packets, with their window.

    Args:
        packets: of video, audio or an image.
        **arguments: those of :func:`get_video_filter_desc`, or of :func:`get_audio_filter_desc`.

    Returns:
        The description; None if nothing is asked for.
    """
    given: dict[str, Any] = arguments
    if packets.medium == "audio":
        return get_audio_filter_desc(timestamp=packets.timestamp, **given)
    return get_video_filter_desc(timestamp=packets.timestamp, **given)


def image_arguments(description: str | None) -> dict[str, Any]:
    """Return what a description asks of an image.

    Args:
        description: of :func:`get_video_filter_desc`, or ``DEFAULT``.

    Returns:
        Options of ``spool.decode_image``.

    Raises:
        ValueError: a decoder of images cannot do what the description asks for.
    """
    if description == DEFAULT:
        return {"color": "rgb"}
    if not isinstance(description, FilterDesc):
        raise ValueError(
            f"filter_desc: {description!r} is not of get_video_filter_desc, which images need; spool.decode_image has "
            "options for colors, sizes and crops"
        )
    asked: dict[str, Any] = description.arguments
    for name in ("frame_rate", "num_frames", "filter_desc"):
        if asked[name] is not None:
            raise ValueError(f"{name}: is for video; spool.decode_image has options for colors, sizes and crops")
    made: dict[str, Any] = {"color": color(asked["pix_fmt"])}
    for option, prefix in (("size", "scale"), ("crop", "crop")):
        width, height = asked[f"{prefix}_width"], asked[f"{prefix}_height"]
        if width is None and height is None:
            continue
        if not (width and height and min(width, height) > 0):
            raise ValueError(f"{prefix}_width, {prefix}_height: images need both, and positive")
        made[option] = (height, width)
    if "size" in made:
        if asked["scale_algo"] not in _FILTERS:
            raise ValueError(f"scale_algo: {asked['scale_algo']!r} is none of {', '.join(_FILTERS)}")
        made["filter"], made["mode"] = _FILTERS[asked["scale_algo"]], _MODES[asked["scale_mode"]]
        made["pad_color"] = _color_of_bars(asked["pad_mode"])
    return made


def split_crop(arguments: dict[str, Any]) -> tuple[dict[str, Any], tuple[int, int] | None]:
    """Return options without a crop that decoders do not make, and that crop.

    Args:
        arguments: of :func:`image_arguments`.

    Returns:
        The options; and (height, width), or None if there is no crop of the result.

    Raises:
        ValueError: the crop is larger than the scaled image.
    """
    if "size" not in arguments or "crop" not in arguments:
        return arguments, None
    (height, width), (h, w) = arguments["size"], arguments["crop"]
    if h > height or w > width:
        raise ValueError("crop_width, crop_height: the crop is larger than the scaled image")
    return {name: value for name, value in arguments.items() if name != "crop"}, (h, w)


def cropped(pixels: NDArray[Any], crop: tuple[int, int] | None) -> NDArray[Any]:
    """Return the center of images.

    Args:
        pixels: (..., H, W, C).
        crop: (height, width), or None for the whole.

    Returns:
        A view.
    """
    if crop is None:
        return pixels
    top, left = ((have - want) // 2 for have, want in zip(pixels.shape[-3:-1], crop, strict=True))
    return pixels[..., top : top + crop[0], left : left + crop[1], :]


def color(pix_fmt: str | None) -> Literal["rgb", "bgr", "gray", "rgba"]:
    """Return spool's name of a pixel format.

    Args:
        pix_fmt: FFmpeg's name.

    Returns:
        The name.

    Raises:
        ValueError: spool does not make it.
    """
    if pix_fmt not in COLORS:
        raise ValueError(
            f"pix_fmt: {pix_fmt!r} is none of {', '.join(COLORS)}; spool.VideoDecoder(planes=) gives stored planes"
        )
    return COLORS[pix_fmt]


def _color_of_bars(name: str | None) -> str:
    named = {None: "#000000", "black": "#000000", "white": "#ffffff"}
    if name in named:
        return named[name]
    if name is not None and name.startswith(("0x", "#")):
        return "#" + name[-6:]
    raise ValueError(f"pad_mode: {name!r} is none of black, white and #rrggbb, which images take")


def _trim(name: str, window: Window | None) -> list[str]:
    ends = zip(("start", "end"), window or (), strict=False)
    said = [f"{end}={seconds}" for end, seconds in ends if not math.isinf(seconds)]
    return [f"{name}={':'.join(said)}"] if said else []


def _described(parts: list[str], arguments: dict[str, Any]) -> FilterDesc | None:
    if not parts:
        return None
    description = FilterDesc(",".join(parts))
    description.arguments = arguments
    return description
