"""Probing: what a file holds, without decoding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, cast

from . import _native, _option
from ._source import Source, source
from .spec import Limits

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Stream(TypedDict, total=False):
    """A stream of a video or audio file. Keys that do not apply are omitted."""

    index: int
    type: str
    codec: str
    width: int
    height: int
    pix_fmt: str
    rotation: int
    rate: float
    channels: int
    layout: str
    frames: int
    duration_s: float
    start_s: float
    best: bool


class Media(TypedDict, total=False):
    """What ``spool probe --json`` prints of a good file. Keys that do not apply are omitted."""

    file: str
    kind: Literal["image", "video", "audio"]
    format: str
    width: int
    height: int
    channels: int
    bits: int
    frames: int
    orientation: int
    duration_s: float
    rate: float
    streams: list[Stream]


def probe(src: Source, **limits: Unpack[Limits]) -> Media:
    """Identify a file by its content, without decoding it.

    Args:
        src: a path, a URL, bytes, a buffer, or a file opened for bytes.
        **limits: see :class:`spool.spec.Limits`.

    Returns:
        A dictionary, see :class:`Media`. ``docs/command.md`` describes its keys.

    Raises:
        DecodeError: the input is bad.
        TypeError, ValueError: an argument is wrong. The message names it.

    >>> import spool
    >>> media = spool.probe("testdata/photos/animal/00.jpg")
    >>> media["kind"], media["format"], media["width"], media["height"]
    ('image', 'jpeg', 451, 300)
    """
    options = _option.encode(limits, _option.files, ("src",))
    return cast(Media, _native.query("spool_probe", source(src), options.encode(), None))
