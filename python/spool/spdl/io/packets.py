"""Packets as SPDL's functions pass them on: a source and a window, which decoding reads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from ... import media, packets
from .absent import ABSENT, refuse

if TYPE_CHECKING:
    from ..._source import Source

Time: TypeAlias = float | str | Decimal | Fraction
TimeWindow: TypeAlias = "tuple[Time, Time]"


@dataclass(frozen=True, eq=False)
class Packets:
    """The packets of a source and a window. Making it reads nothing: decoding, and the properties, read the source.

    It can be decoded any number of times, in any thread, and pickled as its source.
    """

    src: Source
    """A path, a URL, bytes, or a buffer."""
    timestamp: tuple[float, float] | None = None
    """The window, in seconds of the container's clock; None for all."""
    bsf: str | None = None
    """FFmpeg's bitstream filters."""
    name: str | None = None
    """What errors call the source. spool's errors have a path's own name."""

    medium = "video"

    @property
    def start(self) -> float | None:
        """The begin of the window; None for that of the stream."""
        return None if self.timestamp is None or math.isinf(self.timestamp[0]) else self.timestamp[0]

    @property
    def end(self) -> float | None:
        """The end of the window, exclusive; None for that of the stream."""
        return None if self.timestamp is None or math.isinf(self.timestamp[1]) else self.timestamp[1]

    @cached_property
    def probed(self) -> media.Media:
        """What ``spool.probe`` says of the source."""
        return media.probe(self.src)


class StreamPackets(Packets):
    """Packets of a video or audio stream."""

    medium: Literal["video", "audio"]

    @cached_property
    def demuxed(self) -> packets.Packets:
        """The packets themselves, which ``spool.demux`` reads."""
        return packets.demux(self.src, medium=self.medium, start=self.start, end=self.end, bsf=self.bsf)

    @property
    def codec(self) -> str:
        """FFmpeg's name of the codec."""
        return self.demuxed.codec

    def __len__(self) -> int:
        return self.demuxed.num_frames


class VideoPackets(StreamPackets):
    """Packets of a video."""

    medium = "video"

    @property
    def width(self) -> int:
        """The width of frames in pixels, as stored."""
        return self.demuxed.width

    @property
    def height(self) -> int:
        """The height of frames in pixels, as stored."""
        return self.demuxed.height

    @property
    def pix_fmt(self) -> str:
        """FFmpeg's name of the stored pixel format."""
        return self.demuxed.pix_fmt

    def get_timestamps(self, *, raw: bool = False) -> list[float]:
        """Return when frames begin, in seconds and in order.

        Args:
            raw: bool, whether to include frames before the window that decoding needs. Default: False.

        Returns:
            The times.
        """
        kept = (p for p in self.demuxed if raw or not p.is_discard)
        return sorted(p.pts_seconds for p in kept if p.pts_seconds is not None)


class AudioPackets(StreamPackets):
    """Packets of audio."""

    medium = "audio"

    @property
    def sample_rate(self) -> int:
        """Samples of each channel a second."""
        return self.demuxed.sample_rate

    @property
    def num_channels(self) -> int:
        """The number of channels."""
        return self.demuxed.num_channels


class ImagePackets(Packets):
    """An image that is not decoded yet."""

    medium = "image"

    @property
    def width(self) -> int:
        """The width in pixels."""
        return self.probed.get("width", 0)

    @property
    def height(self) -> int:
        """The height in pixels."""
        return self.probed.get("height", 0)

    @property
    def codec(self) -> str:
        """The format, as ``spool.probe`` names it."""
        return self.probed.get("format", "")


def demux_video(
    src: Source,
    *,
    timestamp: TimeWindow | None = None,
    demux_config: None = None,
    bsf: str | None = None,
    name: str | None = None,
) -> VideoPackets:
    """Name the packets of a source's best video stream.

    Args:
        src: a path, a URL, bytes, or a buffer.
        timestamp: (start, end) in seconds of the container's clock. Default: all.
        demux_config: is not offered.
        bsf: FFmpeg's bitstream filters for packets of :attr:`StreamPackets.demuxed`. Decoding does not need them.
        name: what to call the source.

    Returns:
        The packets.
    """
    refuse("demux_config", demux_config, ABSENT["demux_config"])
    return VideoPackets(src, window(timestamp), bsf, name)


def demux_audio(
    src: Source,
    *,
    timestamp: TimeWindow | None = None,
    demux_config: None = None,
    bsf: str | None = None,
    name: str | None = None,
) -> AudioPackets:
    """Name the packets of a source's best audio stream.

    Args:
        src: a path, a URL, bytes, or a buffer.
        timestamp: (start, end) in seconds from the first sample. Default: all.
        demux_config: is not offered.
        bsf: FFmpeg's bitstream filters for packets of :attr:`StreamPackets.demuxed`. Decoding does not need them.
        name: what to call the source.

    Returns:
        The packets.
    """
    refuse("demux_config", demux_config, ABSENT["demux_config"])
    return AudioPackets(src, window(timestamp), bsf, name)


def demux_image(src: Source, *, demux_config: None = None, bsf: None = None, name: str | None = None) -> ImagePackets:
    """Name an image.

    Args:
        src: a path, a URL, bytes, or a buffer.
        demux_config: is not offered.
        bsf: is not offered.
        name: what to call the source.

    Returns:
        The image.
    """
    refuse("demux_config", demux_config, "spool.decode_image, which finds the format by the content")
    refuse("bsf", bsf, "spool.decode_image, which reads images as they are")
    return ImagePackets(src, name=name)


class Demuxer:
    """A source of packets. It holds nothing open.

    Args:
        src: a path, a URL, bytes, or a buffer.
        demux_config: is not offered.
        name: what to call the source.
    """

    def __init__(self, src: Source, *, demux_config: None = None, name: str | None = None) -> None:
        refuse("demux_config", demux_config, ABSENT["demux_config"])
        self._src, self._name = src, name

    def demux_video(self, window: TimeWindow | None = None, *, bsf: str | None = None) -> VideoPackets:
        """Name the packets of the best video stream.

        Args:
            window: (start, end) in seconds. Default: all.
            bsf: FFmpeg's bitstream filters for packets of :attr:`StreamPackets.demuxed`.

        Returns:
            The packets.
        """
        return demux_video(self._src, timestamp=window, bsf=bsf, name=self._name)

    def demux_audio(self, window: TimeWindow | None = None, *, bsf: str | None = None) -> AudioPackets:
        """Name the packets of the best audio stream.

        Args:
            window: (start, end) in seconds. Default: all.
            bsf: FFmpeg's bitstream filters for packets of :attr:`StreamPackets.demuxed`.

        Returns:
            The packets.
        """
        return demux_audio(self._src, timestamp=window, bsf=bsf, name=self._name)

    def demux_image(self) -> ImagePackets:
        """Name an image.

        Returns:
            The image.
        """
        return demux_image(self._src, name=self._name)

    def streaming_demux(self, indices: object = None, *, duration: float = -1, num_packets: int = -1) -> None:
        """Refuse: slices of ``spool.VideoDecoder`` are chunks of frames.

        Args:
            indices: of streams.
            duration: of a chunk, in seconds.
            num_packets: of a chunk.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("streaming_demux is not offered; use slices of spool.VideoDecoder")

    def has_audio(self) -> bool:
        """Report whether the source has an audio stream.

        Returns:
            Whether it has.
        """
        return self._best("audio") is not None

    @property
    def video_stream_index(self) -> int:
        """The index of the best video stream; -1 if there is none."""
        best = self._best("video")
        return -1 if best is None else best

    @property
    def audio_stream_index(self) -> int:
        """The index of the best audio stream; -1 if there is none."""
        best = self._best("audio")
        return -1 if best is None else best

    def _best(self, medium: str) -> int | None:
        best = best_stream(self._src, medium)
        return best.get("index")

    def __enter__(self) -> Demuxer:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def best_stream(src: Source, medium: str) -> media.Stream:
    """Return the best stream of a source, which decoders take.

    Args:
        src: a path, a URL, bytes, or a buffer.
        medium: ``video`` or ``audio``.

    Returns:
        The stream; empty if there is none.
    """
    streams = media.probe(src).get("streams", [])
    return next((s for s in streams if s.get("type") == medium and s.get("best")), media.Stream())


def window(timestamp: TimeWindow | None) -> tuple[float, float] | None:
    """Return a window as numbers.

    Args:
        timestamp: (start, end), as numbers or as text.

    Returns:
        The window in seconds; None for all.
    """
    if timestamp is None:
        return None
    start, end = timestamp
    return _seconds(start), _seconds(end)


def _seconds(time: Time) -> float:
    return float(Fraction(time)) if isinstance(time, str) else float(time)
