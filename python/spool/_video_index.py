"""The index of an open video."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from . import _native
from ._opened import Decoder, Opened
from .errors import error_for
from .streams import VideoStreamMetadata
from .video import table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._arrays import Rows
    from ._types import Indices
    from ._video_device import VideoDevice


class VideoIndex(Decoder):
    """An open video, with the times and key flags of its frames. Its methods decode nothing."""

    metadata: VideoStreamMetadata
    stream_index: int
    _device: VideoDevice | None = None

    def __init__(self, opened: Opened, file: str) -> None:
        self._opened, self._file = opened, file
        self.metadata = VideoStreamMetadata._of(_native.query("spool_video_info", opened.handle))
        self.stream_index = self.metadata.stream_index

    def __len__(self) -> int:
        return self.metadata.num_frames

    @property
    def cpu_fallback(self) -> str:
        """Why the CPU decoded the frames of the last call, though ``device`` is a GPU. Empty if it did not."""
        return "" if self._device is None else self._device.why

    def get_key_indices(self) -> list[int]:
        """Return the indices of the frames at which decoding can begin. The name is decord's.

        Returns:
            The indices, in presentation order.

        Raises:
            ClosedError: the decoder was closed.
        """
        keys: list[int] = np.flatnonzero(self._frames["key"]).tolist()
        return keys

    def get_avg_fps(self) -> float:
        """Return the average frame rate: the number of frames divided by the duration. The name is decord's.

        Returns:
            Frames a second; 0 if the duration is 0.
        """
        return self.metadata.average_fps or 0.0

    def get_frame_timestamp(self, idx: int | slice | Indices) -> NDArray[np.float64]:
        """Return when frames begin and end. The name is decord's.

        Args:
            idx: an index, a slice, or several indices.

        Returns:
            Seconds of the container's clock: of shape (2,) for an index, (N, 2) for several.

        Raises:
            IndexError: the video does not have one of the frames.
            ClosedError: the decoder was closed.
        """
        numbers = np.arange(len(self))[idx] if isinstance(idx, slice) else self._numbers(idx)
        self._check(numbers)
        begin = self._frames["pts"][numbers]
        return np.stack([begin, begin + self._frames["duration"][numbers]], axis=-1)

    @cached_property
    def _frames(self) -> Rows:
        """All frames as a structured array."""
        frames = _native.array()
        _native.call("spool_video_frames", self._open().handle, frames.out)
        return table(frames)

    def _numbers(self, indices: int | Indices) -> NDArray[np.int64]:
        """Convert indices of frames for C. Negative ones count from the end."""
        given = np.asarray(indices)
        if given.size and given.dtype.kind not in "iub":
            raise TypeError(f"indices: expected integers, got {given.dtype}")
        numbers = given.astype(np.int64, order="C")
        numbers[numbers < 0] += len(self)
        if (numbers < 0).any():  # the library checks the upper bound
            raise self._no_frame(numbers.min() - len(self))
        return numbers

    def _shown(self, seconds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the indices of the frames that are shown at some times."""
        begin, end = self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds
        outside = ~((begin <= seconds) & (seconds < end))  # NaN is outside
        if outside.any():
            raise self._no_time(seconds[outside].tolist()[0])
        return np.asarray(np.searchsorted(self._frames["pts"], seconds, "right") - 1, np.int64)

    def _check(self, numbers: NDArray[np.int64]) -> None:
        outside = (numbers < 0) | (numbers >= len(self))
        if outside.any():
            raise self._no_frame(numbers[outside].tolist()[0])

    def _no_frame(self, number: int) -> Exception:
        return self._no_such(f"there is no frame {number}: the video's frame count is {len(self)}")

    def _no_time(self, seconds: float) -> Exception:
        begin, end = self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds
        return self._no_such(f"no frame is shown at {seconds} s; the video is [{begin}, {end})")

    def _no_such(self, text: str) -> Exception:
        return error_for("no-such-frame")(text, error_class="no-such-frame", file=self._file, op="decode")
