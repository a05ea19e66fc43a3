"""Probing: what a file holds, without decoding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, cast

from . import _native, _option
from ._source import Source, source

if TYPE_CHECKING:
    from typing_extensions import Never


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


def probe(
    src: Source,
    *,
    endpoint_url: str | None = None,
    region: str | None = None,
    no_sign_request: bool = False,
    max_concurrent_requests: int = 512,
    max_pixels: int = 178956970,
    max_bytes: int | str = "1GiB",
    max_frames: int = 4096,
    max_memory: int | str = "2GiB",
    max_cpu: float | None = None,
    **unknown: Never,
) -> Media:
    """Identify a file by its content, without decoding it.

    Args:
        src: a path, a URL, bytes, a buffer, or a file opened for bytes.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        max_pixels: int, width times height of an image or a frame. Default: 178956970.
        max_bytes: size of a file, in bytes or as text like ``"1GiB"``, the default.
        max_frames: int, frames of an animated image, or pages. Default: 4096.
        max_memory: memory to decode one image, the result included, in bytes or as text. Default: ``"2GiB"``.
        max_cpu: seconds of processor time for an image or a request. Default: 10 or 60, and more for large ones.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

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
    options = _option.encode(_option.given(locals(), probe), _option.files, ("src",))
    return cast(Media, _native.query("spool_probe", source(src), options.encode(), None))
