"""Encoding images as files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from . import _native, _option, _source

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Never

    from ._types import HostArray


class EncodeOptions(TypedDict, total=False):
    """How an image is encoded.

    Attributes:
        quality: int from 1 to 100, of JPEG, WebP and AVIF. Default: the encoder's.
        chroma: chroma subsampling of JPEG: ``420``, ``422`` or ``444``. Default: the encoder's.
        lossless: bool, whether WebP is lossless. Default: False.
        effort: int from 1 to 12 for PNG, to 6 for WebP and AVIF, and to 2 for JPEG. Default: the encoder's.
    """

    quality: int | None
    chroma: Literal["420", "422", "444"] | None
    lossless: bool
    effort: int | None


_options: _option.Kinds = {
    "format": _option.text,
    "quality": _option.integer,
    "chroma": _option.text,
    "lossless": _option.flag,
    "effort": _option.integer,
}


def encode_image(
    pixels: HostArray,
    format: Literal["jpeg", "png", "webp", "avif"] = "png",
    *,
    quality: int | None = None,
    chroma: Literal["420", "422", "444"] | None = None,
    lossless: bool = False,
    effort: int | None = None,
    **unknown: Never,
) -> bytes:
    """Encode an image as a file in memory.

    Args:
        pixels: an array of shape (H, W), or (H, W, C) with 1 (gray), 3 (RGB) or 4 channels (RGBA), of uint8, or for PNG
            also of uint16. It may be NumPy's, torch's in host memory, or any array with DLPack or the buffer protocol.
            An array that is not in C order is copied first.
        format: ``png``, the default, ``jpeg``, ``webp`` or ``avif``, which needs an encoder of AV1 in FFmpeg.
        quality: int from 1 to 100, of JPEG, WebP and AVIF. Default: the encoder's.
        chroma: chroma subsampling of JPEG: ``420``, ``422`` or ``444``. Default: the encoder's.
        lossless: bool, whether WebP is lossless. Default: False.
        effort: int from 1 to 12 for PNG, to 6 for WebP and AVIF, and to 2 for JPEG. Default: the encoder's.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Returns:
        The bytes of the file.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.

    >>> import spool
    >>> pixels = spool.decode_image("testdata/photos/animal/00.jpg", size=64)
    >>> bool((spool.decode_image(spool.encode_image(pixels)) == pixels).all())
    True
    """
    file = _native.array()
    _encode(pixels, {"format": format, **_option.given(locals(), encode_image)}, "spool_encode_image", None, file.out)
    return _native.content(file)


def write_image(
    path: str | os.PathLike[str],
    pixels: HostArray,
    *,
    quality: int | None = None,
    chroma: Literal["420", "422", "444"] | None = None,
    lossless: bool = False,
    effort: int | None = None,
    **unknown: Never,
) -> None:
    """Encode an image and write it to a file.

    The file is written completely or not at all.

    Args:
        path: path of the file. The extension of its name selects the format.
        pixels: an array, as for :func:`encode_image`.
        quality: int from 1 to 100, of JPEG, WebP and AVIF. Default: the encoder's.
        chroma: chroma subsampling of JPEG: ``420``, ``422`` or ``444``. Default: the encoder's.
        lossless: bool, whether WebP is lossless. Default: False.
        effort: int from 1 to 12 for PNG, to 6 for WebP and AVIF, and to 2 for JPEG. Default: the encoder's.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        OSError: the file cannot be written.
    """
    target = _source.encoded("path", path)
    _encode(pixels, _option.given(locals(), write_image), "spool_write_image", None, before=[target])


def _encode(pixels: HostArray, options: Mapping[str, Any], name: str, *after: Any, before: Sequence[Any] = ()) -> None:
    written = _option.encode(options, _options, ("pixels", "path"))
    data = _pixels(pixels)
    try:
        _native.call(name, *before, _native.view_of(data), written.encode(), *after)
    except _native.ShapeError as e:
        raise ValueError(f"pixels: {e}") from None


def _pixels(pixels: HostArray) -> NDArray[Any]:
    try:
        given: Any = pixels
        data = np.from_dlpack(given) if hasattr(given, "__dlpack__") else np.asarray(memoryview(given))
    except (TypeError, BufferError, RuntimeError) as e:
        raise TypeError(f"pixels: {type(pixels).__name__} is not an array in host memory: {e}") from e
    if data.dtype != np.uint8 and data.dtype != np.uint16:
        raise ValueError(f"pixels: the type is {data.dtype}, must be uint8, or for PNG uint16")
    if data.ndim not in (2, 3) or (data.ndim == 3 and data.shape[2] not in (1, 3, 4)):
        raise ValueError(f"pixels: the shape is {data.shape}, must be (H, W), or (H, W, C) with 1, 3 or 4 channels")
    return np.ascontiguousarray(data)
