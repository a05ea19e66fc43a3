"""Metadata of streams, with torchcodec's names."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, repr=False)
class StreamMetadata:
    """Metadata of a video or audio stream."""

    duration_seconds: float | None
    begin_stream_seconds: float
    """When the stream begins, in seconds of the container's clock."""
    codec: str
    """FFmpeg's name of the codec."""
    bit_rate: float | None
    """Bits a second, of the packets."""
    stream_index: int
    media_type: str
    """``video`` or ``audio``."""

    def __repr__(self) -> str:
        return "\n".join([f"{type(self).__name__}:", *(f"  {f.name}: {getattr(self, f.name)}" for f in fields(self))])


@dataclass(frozen=True, repr=False)
class VideoStreamMetadata(StreamMetadata):
    """Metadata of a video stream.

    Frame counts, times and rates are counted, not read from the container. Of torchcodec's values from the header,
    only ``average_fps_from_header`` is available.
    """

    end_stream_seconds: float
    """When the last frame ends, in seconds of the container's clock. No frame is shown at that time."""
    num_frames: int
    average_fps: float | None
    """Frames a second: their number divided by the duration."""
    width: int
    """Pixels of a decoded frame, after rotation; so is ``height``."""
    height: int
    rotation: float | None
    """Rotation of the stored frames in degrees counter-clockwise, a multiple of 90; None if there is none."""
    pixel_format: str
    """FFmpeg's name of the pixel format."""
    bits: int
    """Bits of a channel. torchcodec does not have this field."""
    average_fps_from_header: float | None
    """Frames a second by the container; None if it does not have it."""
    pixel_aspect_ratio: Fraction | None
    """Width of a pixel by its height; None if the container does not have it."""
    color_primaries: str | None
    """FFmpeg's name, such as ``bt709``; None if the container does not have it. So are the next two."""
    color_space: str | None
    color_transfer_characteristic: str | None

    @property
    def begin_stream_seconds_from_content(self) -> float:
        """``begin_stream_seconds``."""
        return self.begin_stream_seconds

    @property
    def end_stream_seconds_from_content(self) -> float:
        """``end_stream_seconds``."""
        return self.end_stream_seconds

    @property
    def num_frames_from_content(self) -> int:
        """``num_frames``."""
        return self.num_frames

    @classmethod
    def _of(cls, info: dict[str, Any]) -> VideoStreamMetadata:
        """Make the metadata from the library's JSON.

        Args:
            info: the parsed object.

        Returns:
            The metadata.
        """
        duration = info["end_s"] - info["start_s"]
        return cls(
            duration_seconds=duration,
            begin_stream_seconds=info["start_s"],
            codec=info["codec"],
            bit_rate=8 * info["bytes"] / duration if duration > 0 else None,
            stream_index=info["stream"],
            media_type="video",
            end_stream_seconds=info["end_s"],
            num_frames=info["frames"],
            average_fps=info["frames"] / duration if duration > 0 else None,
            width=info["width"],
            height=info["height"],
            rotation=info["rotation"] or None,
            pixel_format=info["pix_fmt"],
            bits=info["bits"],
            average_fps_from_header=info["rate"] or None,
            pixel_aspect_ratio=Fraction(*info["pixel_aspect"]) if all(info["pixel_aspect"]) else None,
            color_primaries=info["color_primaries"] or None,
            color_space=info["color_space"] or None,
            color_transfer_characteristic=info["color_transfer"] or None,
        )


@dataclass(frozen=True, repr=False)
class AudioStreamMetadata(StreamMetadata):
    """Metadata of an audio stream."""

    sample_rate: int
    """Sample rate of the stream in Hz, before resampling."""
    num_channels: int
    sample_format: str
    """FFmpeg's name of the format in which its decoder gives samples, such as ``s16`` or ``fltp``."""
    channel_layout: str
    """FFmpeg's name, empty if the file does not have it. torchcodec does not have this field."""
    num_samples: int | None
    """Samples of each channel: an estimate unless ``exact``; None if the file does not have it. Not in torchcodec."""
    exact: bool
    """Whether ``num_samples`` is exact. torchcodec does not have this field."""

    @property
    def duration_seconds_from_header(self) -> float | None:
        """``duration_seconds``, which is the header's."""
        return self.duration_seconds

    @property
    def begin_stream_seconds_from_header(self) -> float:
        """``begin_stream_seconds``, which is the header's."""
        return self.begin_stream_seconds

    @classmethod
    def _of(cls, info: dict[str, Any]) -> AudioStreamMetadata:
        """Make the metadata from the library's JSON.

        Args:
            info: the parsed object.

        Returns:
            The metadata.
        """
        return cls(
            duration_seconds=info["duration_s"] if info["samples"] >= 0 else None,
            begin_stream_seconds=info["start_s"],
            codec=info["codec"],
            bit_rate=None,
            stream_index=info["stream"],
            media_type="audio",
            sample_rate=info["rate"],
            num_channels=info["channels"],
            sample_format=info["sample_fmt"],
            channel_layout=info["layout"],
            num_samples=info["samples"] if info["samples"] >= 0 else None,
            exact=info["exact"],
        )
