"""Frames and samples with their times: what decoding a video or a sound gives.

The classes and their fields are torchcodec's. ``data`` is a NumPy array, or a torch tensor after ``to_torch()``
and of decoders made with ``output="torch"``; both lie in the memory that was decoded into.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from .array import Arraylike, to_torch


class _Samples(Arraylike):
    """Frames or samples of sound, with what is said of them in fields."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}:"]
        for f in fields(self):  # type: ignore[arg-type]  # those that derive are dataclasses
            if f.repr:
                value = getattr(self, f.name)
                lines.append(f"  data (shape): {self.shape}" if f.name == "data" else f"  {f.name}: {value}")
        return "\n".join(lines)


@dataclass(repr=False, eq=False)
class Frame(_Samples):
    """A frame of a video.

    >>> from spool import VideoDecoder
    >>> data, pts, duration = VideoDecoder("testdata/video/vfr.mp4").get_frame_at(0)
    >>> data.shape, pts
    ((3, 48, 64), 0.0)
    """

    data: Any
    """The pixels: (C, H, W), or (H, W, C) from a decoder whose dimension order is NHWC."""
    pts_seconds: float
    """When it begins to be shown, in seconds as the container counts them: a video need not begin at 0."""
    duration_seconds: float
    """How long it is shown, in seconds: until the next frame begins."""
    index: int = field(repr=False)
    """Its number in the video, from 0 in the order of presentation."""
    state: int = field(repr=False)
    """One of :class:`FrameBatch`'s states."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.data, self.pts_seconds, self.duration_seconds))

    def to_torch(self) -> Frame:
        """Give the same frame as a torch tensor, which shares the memory."""
        return Frame(to_torch(self.data), self.pts_seconds, self.duration_seconds, self.index, self.state)


@dataclass(repr=False, eq=False)
class FrameBatch(_Samples):
    """Frames of a video, all of one size.

    It is what its array is: ``np.asarray(batch)`` and ``torch.from_dlpack(batch)`` give ``data`` without a copy.
    Indexing and iterating give parts of it with their times.

    States of a frame are 0, whole; 1, damaged, as far as the decoder could make it; 2, the last whole frame in
    its place; 3, nothing but the fill colour. Other than 0 come only where ``on_damage`` lets them.
    """

    data: Any
    """The pixels: (N, C, H, W) or (N, H, W, C)."""
    pts_seconds: Any
    """When each begins to be shown, in seconds as the container counts them: (N,) float64."""
    duration_seconds: Any
    """How long each is shown, in seconds: (N,) float64."""
    index: Any = field(repr=False)
    """Their numbers in the video, from 0 in the order of presentation: (N,) int64."""
    state: Any = field(repr=False)
    """Their states: (N,) int32."""

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> FrameBatch:
        return FrameBatch(*(part[key] for part in self._parts()))

    def __iter__(self) -> Iterator[FrameBatch]:
        return (self[i] for i in range(len(self)))

    def frame(self, i: int) -> Frame:
        """Give one of them."""
        data, pts, duration, index, state = (part[i] for part in self._parts())
        return Frame(data, float(pts), float(duration), int(index), int(state))

    def to_torch(self) -> FrameBatch:
        """Give the same frames as torch tensors, the times as well, which share the memory."""
        return FrameBatch(*(to_torch(part) for part in self._parts()))

    def _parts(self) -> tuple[Any, ...]:
        return self.data, self.pts_seconds, self.duration_seconds, self.index, self.state


@dataclass(repr=False, eq=False)
class AudioSamples(_Samples):
    """A window of a sound.

    >>> from spool import decode_audio
    >>> decode_audio("testdata/audio/s16.wav", start=0.1, end=0.2, rate=16000).shape
    (2, 1600)
    """

    data: Any
    """The samples: (channels, time), or (time, channels) where that was asked for. Full scale is 1 in floats."""
    pts_seconds: float
    """When the first sample is heard, in seconds. See the call that gave it for what is 0."""
    duration_seconds: float
    """How long it is, in seconds."""
    sample_rate: int
    """Samples a second."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.data, self.pts_seconds, self.duration_seconds, self.sample_rate))

    def to_torch(self) -> AudioSamples:
        """Give the same samples as a torch tensor, which shares the memory."""
        return AudioSamples(to_torch(self.data), self.pts_seconds, self.duration_seconds, self.sample_rate)
