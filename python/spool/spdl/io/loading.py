"""Loading whole sources in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...encode import write_image
from ...images import decode_images
from ._filters import DEFAULT, color, cropped, get_video_filter_desc, image_arguments, split_crop
from .absent import ABSENT, refuse
from .decoding import DecodeConfig, decode_packets
from .devices import Buffer, CUDAConfig, transfer_buffer
from .packets import TimeWindow, demux_audio, demux_image, demux_video

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ..._source import Source
    from ..._types import HostArray


def load_video(
    src: Source,
    timestamp: TimeWindow | None = None,
    *,
    demux_config: None = None,
    decode_config: DecodeConfig | None = None,
    filter_desc: str | None = DEFAULT,
    device_config: CUDAConfig | None = None,
    name: str | None = None,
) -> Buffer:
    """Load frames of a video.

    Args:
        src: a path, a URL, bytes, or a buffer.
        timestamp: (start, end) in seconds. Default: all.
        demux_config: is not offered.
        decode_config: the decoder, and its options.
        filter_desc: as for :func:`decode_packets`.
        device_config: where to copy the frames. Default: they stay on the host.
        name: what to call the source.

    Returns:
        The frames, (N, H, W, C): a NumPy array, or an array on the device.
    """
    packets = demux_video(src, timestamp=timestamp, demux_config=demux_config, name=name)
    return _placed(decode_packets(packets, filter_desc, decode_config).data, device_config)


def load_audio(
    src: Source,
    timestamp: TimeWindow | None = None,
    *,
    demux_config: None = None,
    decode_config: DecodeConfig | None = None,
    filter_desc: str | None = DEFAULT,
    device_config: CUDAConfig | None = None,
    name: str | None = None,
) -> Buffer:
    """Load samples of audio.

    Args:
        src: a path, a URL, bytes, or a buffer.
        timestamp: (start, end) in seconds. Default: all.
        demux_config: is not offered.
        decode_config: the decoder, and its options.
        filter_desc: as for :func:`decode_packets`.
        device_config: where to copy the samples. Default: they stay on the host.
        name: what to call the source.

    Returns:
        The samples, (channels, time), or (time, channels) for an interleaved format.
    """
    packets = demux_audio(src, timestamp=timestamp, demux_config=demux_config, name=name)
    return _placed(decode_packets(packets, filter_desc, decode_config).data, device_config)


def load_image(
    src: Source,
    *,
    demux_config: None = None,
    decode_config: None = None,
    filter_desc: str | None = DEFAULT,
    device_config: CUDAConfig | None = None,
    name: str | None = None,
) -> Buffer:
    """Load an image.

    Args:
        src: a path, a URL, bytes, or a buffer.
        demux_config: is not offered.
        decode_config: is not offered.
        filter_desc: of :func:`get_video_filter_desc`.
        device_config: where to copy the image. Default: it stays on the host.
        name: what to call the source.

    Returns:
        The image, (H, W, C).
    """
    refuse("decode_config", decode_config, "spool.decode_image, which has decoders of its own")
    packets = demux_image(src, demux_config=demux_config, name=name)
    return _placed(decode_packets(packets, filter_desc).data, device_config)


def load_image_batch(
    srcs: Sequence[Source],
    *,
    width: int | None,
    height: int | None,
    pix_fmt: str | None = "rgb24",
    demux_config: None = None,
    decode_config: None = None,
    filter_desc: str | None = DEFAULT,
    device_config: CUDAConfig | None = None,
    storage: None = None,
    strict: bool = True,
) -> Buffer:
    """Load images of one size, one after the other in the calling thread.

    Args:
        srcs: paths, URLs, bytes, or buffers.
        width: int, pixels. None: all images have one width.
        height: int, pixels. None: all images have one height.
        pix_fmt: FFmpeg's name of a pixel format. Default: ``rgb24``.
        demux_config: is not offered.
        decode_config: is not offered.
        filter_desc: of :func:`get_video_filter_desc`, in place of ``width``, ``height`` and ``pix_fmt``.
        device_config: where to copy the images. Default: they stay on the host.
        storage: is not offered: ``spool.decode_images(out=)`` writes to memory of the caller.
        strict: bool; True, the default, raises the error of a bad image. False leaves bad images out.

    Returns:
        The images, (N, H, W, C).

    Raises:
        DecodeError: an image is bad, with ``strict``; or all are.
        ValueError: there are no images, or the description asks for what images do not have.
    """
    if not srcs:
        raise ValueError("srcs: the list is empty")
    refuse("demux_config", demux_config, "spool.decode_images, which finds the format by the content")
    refuse("decode_config", decode_config, "spool.decode_images, which has decoders of its own")
    refuse("storage", storage, ABSENT["cpu_storage"])
    if filter_desc == DEFAULT:
        filter_desc = get_video_filter_desc(scale_width=width, scale_height=height, pix_fmt=pix_fmt)
    on_error: Literal["fail", "skip"] = "fail" if strict else "skip"
    asked, crop = split_crop(image_arguments(filter_desc))
    batch = decode_images(list(srcs), on_error=on_error, threads=1, orient=False, **asked)
    if len(batch.data) == 0:
        raise batch.errors[min(batch.errors)]
    return _placed(cropped(batch.data, crop), device_config)


def save_image(path: str | os.PathLike[str], data: HostArray, pix_fmt: str = "rgb24") -> None:
    """Write an image. The extension of the path selects the format.

    Args:
        path: path of the file.
        data: (H, W, C) of uint8.
        pix_fmt: ``rgb24``, the default, ``rgba`` or ``gray``: the number of channels.

    Raises:
        DecodeError: the file cannot be written.
        ValueError: the format of pixels is another.
    """
    if color(pix_fmt) == "bgr":
        raise ValueError("pix_fmt: bgr24 is not offered; turn the channels around: data[..., ::-1]")
    write_image(path, data)


def _placed(data: NDArray[np.generic], device_config: CUDAConfig | None) -> Buffer:
    return data if device_config is None else transfer_buffer(data, device_config=device_config)
