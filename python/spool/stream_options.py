"""Options for the stream of a file, and its decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from . import _option


class CodecOptions(TypedDict, total=False):
    """The language of the stream of a file to decode, and the decoder.

    Attributes:
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
    """

    language: str | None
    codec: str | None
    codec_option: Mapping[str, str] | None


class StreamOptions(CodecOptions, total=False):
    """The stream of a file to decode, and the decoder: see :class:`CodecOptions`, and the following.

    Attributes:
        stream: int, the stream's index in the file. Default: the best stream.
    """

    stream: int | None


stream: _option.Kinds = {
    "stream": _option.integer,
    "language": _option.text,
    "codec": _option.text,
    "codec_option": _option.mapping,
}
