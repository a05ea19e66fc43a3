"""Contact sheets of arrays of images, which notebooks show in place of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .encode import encode_image

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._arrays import Numbers

_COLUMNS, _TILES, _SIDE = 8, 64, 128
_CHANNELS = (1, 3, 4)


def png(data: object) -> bytes | None:
    """Return images as a contact sheet: the first 64 of a batch, or a row of frames for each of the first 8 clips or
    crops of clips.

    Args:
        data: an array (..., H, W, C) or (..., C, H, W), of an image, of several, or of clips.

    Returns:
        A PNG file; None if the array is not in host memory, or not of images.
    """
    try:
        pixels: Numbers = np.asarray(data)
    except (TypeError, ValueError, RuntimeError, BufferError):
        return None
    if pixels.ndim < 3 or pixels.size == 0 or pixels.dtype.kind not in "uf":
        return None
    if pixels.shape[-1] not in _CHANNELS:
        pixels = np.moveaxis(pixels, -3, -1)
    if pixels.shape[-1] not in _CHANNELS:
        return None
    if pixels.ndim > 5:  # a row for each crop of a clip
        pixels = pixels.reshape(-1, *pixels.shape[-4:])
    clips = pixels.ndim == 5
    while pixels.ndim < 5:
        pixels = pixels[None]
    if clips:
        pixels = pixels[:_COLUMNS, :_COLUMNS]
    step = -(-max(pixels.shape[2:4]) // _SIDE)
    return encode_image(_grid(_bytes(pixels[:, :_TILES, ::step, ::step]), pixels.shape[1] if clips else _COLUMNS))


def _bytes(pixels: Numbers) -> NDArray[np.uint8]:
    """Return pixels as uint8. Floats that are not from 0 to 1 are scaled to their own range."""
    if pixels.dtype == np.uint8:
        return pixels.view(np.uint8)
    values = pixels.astype(np.float64)
    low, high = 0.0, 65535.0
    if pixels.dtype.kind == "f":
        low, high = min(0.0, float(values.min())), max(1.0, float(values.max()))
    scaled: NDArray[np.uint8] = ((values - low) * (255 / (high - low)) + 0.5).astype(np.uint8)
    return scaled


def _grid(pixels: NDArray[np.uint8], columns: int) -> NDArray[np.uint8]:
    """Put tiles side by side, row by row. The rest of the last row is black."""
    tiles = pixels.reshape(-1, *pixels.shape[2:])
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    count, height, width, channels = tiles.shape
    sheet = np.zeros((rows * columns, height, width, channels), np.uint8)
    sheet[:count] = tiles
    lines = sheet.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    whole: NDArray[np.uint8] = lines.reshape(rows * height, columns * width, channels)
    return whole
