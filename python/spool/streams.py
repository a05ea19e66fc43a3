"""What streams are, by torchcodec's names."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, repr=False)
class StreamMetadata:
    """What is known of a stream of any kind."""

    duration_seconds: float | None
    begin_stream_seconds: float
    """When it begins, as the container counts."""
    codec: str
    """FFmpeg's name."""
    bit_rate: float | None
    """Bits a second."""
    stream_index: int
    media_type: str
    """``video`` or ``audio``."""

    def __repr__(self) -> str:
        return "\n".join([f"{type(self).__name__}:", *(f"  {f.name}: {getattr(self, f.name)}" for f in fields(self))])


@dataclass(frozen=True, repr=False)
class VideoStreamMetadata(StreamMetadata):
    """What a video is.

    Numbers of frames, times and rates are counted, not what the container says of them. What torchcodec has of its
    header, as ``..._from_header``, is not kept.
    """

    end_stream_seconds: float
    """When the last frame ends; no frame is shown then."""
    num_frames: int
    average_fps: float | None
    """Frames a second: their number by the duration."""
    width: int
    """Of the frames as they are given, the rotation applied."""
    height: int
    rotation: float | None
    """Degrees counter-clockwise that the stored frames are turned by, a multiple of 90; None for none."""
    pixel_format: str
    """FFmpeg's name."""
    bits: int
    """Of a sample. Not torchcodec's."""

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
    def of(cls, info: dict[str, Any]) -> VideoStreamMetadata:
        """Read what the library says."""
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
        )


@dataclass(frozen=True, repr=False)
class AudioStreamMetadata(StreamMetadata):
    """What a sound is."""

    sample_rate: int
    """Of the stream, whatever is asked for."""
    num_channels: int
    channel_layout: str
    """FFmpeg's name, empty where the file does not say. Not torchcodec's."""
    num_samples: int | None
    """Of each channel: an estimate unless ``exact``; None where the file does not say. Not torchcodec's."""
    exact: bool
    """Whether ``num_samples`` is. Not torchcodec's."""

    @classmethod
    def of(cls, info: dict[str, Any]) -> AudioStreamMetadata:
        """Read what the library says."""
        return cls(
            duration_seconds=info["duration_s"] if info["samples"] >= 0 else None,
            begin_stream_seconds=info["start_s"],
            codec=info["codec"],
            bit_rate=None,
            stream_index=info["stream"],
            media_type="audio",
            sample_rate=info["rate"],
            num_channels=info["channels"],
            channel_layout=info["layout"],
            num_samples=info["samples"] if info["samples"] >= 0 else None,
            exact=info["exact"],
        )
