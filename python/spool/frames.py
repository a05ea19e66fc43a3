"""Frames and audio samples with their times: the results of decoding video and audio.

The classes and their fields are torchcodec's. ``data`` is a NumPy array. It is a torch tensor after ``to_torch()``, and
in results of decoders made with ``output="torch"``. Both are views of the memory that was decoded into.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, cast

import numpy as np

from ._arrays import A, Numbers, TorchTensor
from ._sheet import png
from ._types import Index
from .array import Arraylike, to_torch

if TYPE_CHECKING:
    from .reports import Work


class _Samples(Arraylike[A], Generic[A]):
    """Frames or audio samples, with their description in fields."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}:"]
        for f in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            if f.repr:
                value = getattr(self, f.name)
                lines.append(f"  data (shape): {self.shape}" if f.name == "data" else f"  {f.name}: {value}")
        return "\n".join(lines)


@dataclass(repr=False, eq=False)
class Frame(_Samples[A], Generic[A]):
    """A frame of a video.

    >>> from spool import VideoDecoder
    >>> data, pts, duration = VideoDecoder("testdata/video/vfr.mp4").get_frame_at(0)
    >>> data.shape, pts
    ((3, 48, 64), 0.0)
    """

    data: A
    """The pixels: (C, H, W), or (H, W, C) from a decoder with the dimension order NHWC."""
    pts_seconds: float
    """When the frame begins, in seconds of the container's clock: a video need not begin at 0."""
    duration_seconds: float
    """How long the frame is shown, in seconds: until the next frame begins."""
    index: int = field(default=-1, repr=False)
    """The index of the frame in the video, from 0 in presentation order. Default: -1, unknown."""
    state: int = field(default=0, repr=False)
    """The state of the frame, see :class:`FrameBatch`. Default: 0, good."""

    def __iter__(self) -> Iterator[A | float]:
        return iter((self.data, self.pts_seconds, self.duration_seconds))

    def _repr_png_(self) -> bytes | None:
        return png(self.data)

    def to_torch(self) -> Frame[TorchTensor]:
        """Return the same frame with a torch tensor, which shares the memory.

        Returns:
            The frame.
        """
        return Frame(to_torch(self.data), self.pts_seconds, self.duration_seconds, self.index, self.state)


@dataclass(repr=False, eq=False)
class FrameBatch(_Samples[A], Generic[A]):
    """Frames of a video, all of one size; or clips of them, with one more axis in front.

    It goes where its array goes: ``np.asarray(batch)`` and ``torch.from_dlpack(batch)`` give ``data`` without a copy.
    Indexing and iterating give parts of the batch, with their times.

    The state of a frame is 0, 1, 2 or 3:

    - 0: good.
    - 1: damaged, with the pixels that the decoder delivered.
    - 2: missing or damaged, and replaced by the last good frame.
    - 3: missing, and filled with the fill color.

    Other states than 0 occur only if ``on_damage`` allows them.
    """

    data: A
    """The pixels: (N, C, H, W) or (N, H, W, C); of clips (clips, N, C, H, W) or (clips, N, H, W, C)."""
    pts_seconds: A
    """When each frame begins, in seconds of the container's clock: (N,) or (clips, N) float64."""
    duration_seconds: A
    """How long each frame is shown, in seconds: like ``pts_seconds``."""
    index: A = field(default=cast("A", None), repr=False)
    """The index of each frame in the video, from 0 in presentation order: int64. Default: -1, unknown."""
    state: A = field(default=cast("A", None), repr=False)
    """The state of each frame: int32. Default: 0, good."""
    work: Work | None = field(default=None, repr=False, kw_only=True)
    """What it took to decode the frames: counts of packets and seeks. Parts of a batch do not have it."""

    def __post_init__(self) -> None:
        data, frames, durations = (tuple(part.shape) for part in self._parts()[:3])
        if data[: len(frames)] != frames or durations != frames:
            shapes = f"{data}, {frames} and {durations}"
            raise ValueError(f"data, pts_seconds and duration_seconds: the shapes {shapes} are of different frames")
        if self.index is None:
            self.index = self._like(np.full(frames, -1, np.int64))
        if self.state is None:
            self.state = self._like(np.zeros(frames, np.int32))

    def _like(self, values: Numbers) -> A:
        """Return values as an array of the type of ``data``."""
        return cast("A", values if isinstance(self.data, np.ndarray) else to_torch(values))

    def __getitem__(self, key: Index) -> FrameBatch[A]:
        return FrameBatch(*(part[key] for part in self._parts()))

    def __iter__(self) -> Iterator[FrameBatch[A]]:
        return (self[i] for i in range(len(self)))

    def _repr_png_(self) -> bytes | None:
        return png(self.data)

    def frame(self, i: int) -> Frame[A]:
        """Return a frame of the batch.

        Args:
            i: int, its position in the batch.

        Returns:
            The frame, whose data are a view of the batch.
        """
        data, pts, duration, index, state = (part[i] for part in self._parts())
        return Frame(data, float(pts), float(duration), int(index), int(state))

    def to_torch(self) -> FrameBatch[TorchTensor]:
        """Return the same frames and times as torch tensors, which share the memory.

        Returns:
            The batch.
        """
        return FrameBatch(*(to_torch(part) for part in self._parts()), work=self.work)

    def _parts(self) -> tuple[Any, ...]:
        return self.data, self.pts_seconds, self.duration_seconds, self.index, self.state


@dataclass(repr=False, eq=False)
class AudioSamples(_Samples[A], Generic[A]):
    """A window of audio.

    >>> from spool import decode_audio
    >>> decode_audio("testdata/audio/s16.wav", start=0.1, end=0.2, rate=16000).shape
    (2, 1600)
    """

    data: A
    """The samples: (channels, time), or (time, channels) with that layout. Full scale is 1 for floats."""
    pts_seconds: float
    """The time of the first sample, in seconds, on the clock that the call documents."""
    duration_seconds: float
    """The duration in seconds."""
    sample_rate: int
    """Samples of each channel a second."""

    def __iter__(self) -> Iterator[A | float]:
        return iter((self.data, self.pts_seconds, self.duration_seconds, self.sample_rate))

    def to_torch(self) -> AudioSamples[TorchTensor]:
        """Return the same samples as a torch tensor, which shares the memory.

        Returns:
            The samples.
        """
        return AudioSamples(to_torch(self.data), self.pts_seconds, self.duration_seconds, self.sample_rate)
