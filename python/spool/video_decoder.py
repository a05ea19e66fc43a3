"""Videos that stay open, with torchcodec's methods and decord's."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _native, _option, video_spec
from ._opened import Opened
from ._source import Source
from ._source import source as source_of
from .errors import ClosedError, error_for
from .frames import Frame, FrameBatch
from .streams import VideoStreamMetadata
from .video import decoded, table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self, Unpack

    from ._option import DType
    from .video_spec import FrameOptions


# The keywords of a decoder, for their types.
_kinds: _option.Kinds = {
    "stream_index": _option.integer,
    "num_ffmpeg_threads": _option.integer,
    "output_dtype": _option.dtype,
    **video_spec.frame,
}


class VideoDecoder:
    """An open video, whose frames are got by number and by time. The methods are torchcodec's, and decord's.

    ``len(decoder)`` is the number of frames, ``decoder[i]`` one of them, ``decoder[a:b:c]`` several, with negative
    indices and steps as lists have them. Frame i is the same however it is reached. What differs from torchcodec
    and decord: ``docs/python-video.md``.

    Args:
        source: a path, bytes, any buffer, or a file opened for bytes, which is read as a whole. Memory is lent to
            the decoder until it is closed.
        stream_index: the stream's number in the file; None is the best one.
        dimension_order: ``NCHW`` or ``NHWC``; both are in C order.
        num_ffmpeg_threads: threads of the decoder. 0 is one a CPU.
        device: None or ``cpu``. See ``hwaccel`` for devices.
        seek_mode: ``exact`` or ``approximate``, which are the same here: frames are found by an index.
        output_dtype: ``uint8``, ``uint16``, ``float16``, ``float32``, by name or as NumPy's or torch's type. Floats
            are x/255.
        output: ``numpy`` arrays or ``torch`` tensors; neither is copied.
        **options: size, color, damage and so on, see :class:`spool.video_spec.FrameOptions`.

    Attributes:
        metadata: what the video is.
        stream_index: the stream's number in the file.

    Raises:
        DecodeError: the input is bad. Of a file that is not there also a FileNotFoundError; of a stream that it
            does not have also an IndexError.
        TypeError, ValueError: an argument is wrong; it is named.
        ForkError: this process is a fork of one that had used spool.

    Any number of threads may use a decoder; their calls wait for each other, so one each is faster. The GIL is
    released while it decodes, and Ctrl-C ends a long call. It is closed by ``close()``, at the end of a ``with``,
    and when it is garbage collected; what it gave stays valid.

    >>> from spool import VideoDecoder
    >>> decoder = VideoDecoder("testdata/video/vfr.mp4", dimension_order="NHWC")
    >>> len(decoder), decoder[-1].shape, decoder[::10].shape
    (22, (48, 64, 3), (3, 48, 64, 3))

    """

    metadata: VideoStreamMetadata
    stream_index: int

    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        dimension_order: Literal["NCHW", "NHWC"] = "NCHW",
        num_ffmpeg_threads: int = 1,
        device: Any = None,
        seek_mode: Literal["exact", "approximate"] = "exact",
        output_dtype: DType = "uint8",
        output: Literal["numpy", "torch"] = "numpy",
        **options: Unpack[FrameOptions],
    ) -> None:
        problems = _option.Problems()
        with problems:
            _option.one_of("dimension_order", dimension_order, "NCHW", "NHWC")
        with problems:
            _option.one_of("seek_mode", seek_mode, "exact", "approximate")
        with problems:
            _option.one_of("output", output, "numpy", "torch")
        if device is not None and str(device) != "cpu":
            problems.add(
                ValueError(f"device: frames are given in the host's memory, not on {device}; hwaccel= decodes there")
            )
        given: dict[str, Any] = {
            "stream_index": stream_index,
            "num_ffmpeg_threads": num_ffmpeg_threads,
            "output_dtype": output_dtype,
            **options,
        }
        _option.encode(given, _kinds, ("source", "dimension_order", "seek_mode", "output", "device"), problems)
        self._options = {
            "stream": stream_index,
            "layout": dimension_order.lower(),
            "threads": num_ffmpeg_threads or os.cpu_count(),
            "dtype": output_dtype,
            **options,
        }
        s = source_of(source)
        self._torch = output == "torch"
        self._opened: Opened | None = Opened("spool_video", self._spec(), s)
        self._file = os.fsdecode(s.path or b"")
        self.metadata = VideoStreamMetadata.of(_native.said("spool_video_info", self._opened.handle))
        self.stream_index = self.metadata.stream_index

    def close(self) -> None:
        """Give up the video. Calls of other threads that are under way end first; frames stay valid."""
        self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a VideoDecoder cannot be pickled or copied: open the file in each process")

    def __repr__(self) -> str:
        m = self.metadata
        name = self._file or "bytes"
        return f"<spool.{type(self).__name__} {name}: {m.num_frames} frames, {m.width}x{m.height}, {m.codec}>"

    def __len__(self) -> int:
        return self.metadata.num_frames

    def __getitem__(self, key: int | slice) -> Any:
        """Give a frame, (C, H, W), or those of a slice, (N, C, H, W), without times.

        Raises:
            IndexError: there is no such frame.

        """
        if isinstance(key, slice):
            return self._slice(key).data
        return self.get_frame_at(key).data

    def __iter__(self) -> Iterator[Any]:
        """Give all frames in their order, each decoded when it is asked for."""
        return (self[i] for i in range(len(self)))

    def get_frame_at(self, index: int) -> Frame:
        """Give a frame by its number, with its time. Negative ones count from the end.

        Raises:
            IndexError: there is no such frame.

        """
        return self.get_frames_at([operator.index(index)]).frame(0)

    def get_frames_at(self, indices: Any) -> FrameBatch:
        """Give frames by their numbers, in any order, also more than once: a list, a range, an array or a tensor.

        Much faster than one by one: each group of pictures is decoded once.

        Raises:
            IndexError: there is no such frame.

        """
        return self._batch(self._numbers(indices))

    def get_frames_in_range(self, start: int, stop: int, step: int = 1) -> FrameBatch:
        """Give frames ``start``, ``start + step``, ... below ``stop``, as slices of lists have them."""
        return self._slice(slice(start, stop, step))

    def get_frame_played_at(self, seconds: float) -> Frame:
        """Give the frame that is shown at a time, in seconds as the container counts them.

        Raises:
            IndexError: no frame is shown then: before the first begins, or from the end of the last one on.

        """
        return self.get_frames_played_at([seconds]).frame(0)

    def get_frames_played_at(self, seconds: Any) -> FrameBatch:
        """Give the frames that are shown at some times: a list, an array or a tensor.

        Raises:
            IndexError: no frame is shown at one of them.

        """
        return self._batch(self._shown(np.asarray(seconds, np.float64)))

    def get_frames_played_in_range(
        self, start_seconds: float, stop_seconds: float, fps: float | None = None
    ) -> FrameBatch:
        """Give the frames that are shown in a time, [start_seconds, stop_seconds).

        The first of them may have begun before. (``decode_video(start=, end=)`` has those that begin in it.)

        Args:
            start_seconds: in seconds as the container counts them.
            stop_seconds: is not part of the time.
            fps: resample to so many frames a second: frame k is the one that is shown at ``start_seconds + k / fps``,
                which is its time then. None leaves the frames and their times as they are.

        Raises:
            ValueError: the video has not begun by then, or has ended.

        """
        begin, end = self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds
        if not start_seconds <= stop_seconds:
            raise ValueError(f"start_seconds: {start_seconds} is after stop_seconds, {stop_seconds}")
        if not begin <= start_seconds < end:
            raise ValueError(f"start_seconds: {start_seconds} is not in the video, [{begin}, {end})")
        if not stop_seconds <= end:
            raise ValueError(f"stop_seconds: {stop_seconds} is beyond the video's end, {end}")
        if fps is not None:
            return self._resampled(start_seconds, stop_seconds, fps)
        if start_seconds == stop_seconds:
            return self._batch(np.empty(0, np.int64))
        first = int(self._shown(np.asarray([start_seconds]))[0])
        return self._batch(np.arange(first, np.searchsorted(self._frames["pts"], stop_seconds, "left")))

    def get_all_frames(self, fps: float | None = None) -> FrameBatch:
        """Give all frames, or what ``get_frames_played_in_range`` makes of them at another rate."""
        if fps is None:
            return self._batch(np.arange(len(self)))
        return self._resampled(self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds, fps)

    def get_batch(self, indices: Any) -> Any:
        """Give frames by their numbers, as ``get_frames_at`` does, without times. The name is decord's."""
        return self.get_frames_at(indices).data

    def get_key_indices(self) -> list[int]:
        """Give the numbers of the frames at which decoding can begin. The name is decord's."""
        keys: list[int] = np.flatnonzero(self._frames["key"]).tolist()
        return keys

    def get_avg_fps(self) -> float:
        """Give the frames a second: their number by the duration. The name is decord's."""
        return self.metadata.average_fps or 0.0

    def get_frame_timestamp(self, idx: Any) -> NDArray[np.float64]:
        """Give begin and end of frames in seconds: (2,) of an index, (N, 2) of several. The name is decord's."""
        numbers = np.arange(len(self))[idx] if isinstance(idx, slice) else self._numbers(idx)
        self._check(numbers)
        begin = self._frames["pts"][numbers]
        return np.stack([begin, begin + self._frames["duration"][numbers]], axis=-1)

    @cached_property
    def _frames(self) -> NDArray[Any]:
        """All frames, by columns."""
        frames = _native.array()
        _native.call("spool_video_frames", self._open().handle, frames.out)
        return table(frames)

    def _spec(self) -> _native.Handle:
        return video_spec.parsed("spool_video_spec", _option.encode(self._options, video_spec.video))

    def _resize(self, height: int, width: int) -> None:
        """Give frames of another size from now on."""
        self._options["size"] = (height, width)
        self._open().spec = self._spec()

    def _open(self) -> Opened:
        if self._opened is None:
            raise ClosedError("the decoder was closed", kind="closed", file=self._file)
        return self._opened

    def _numbers(self, indices: Any) -> NDArray[np.int64]:
        """Give numbers of frames as C takes them, negative ones from the end."""
        given = np.asarray(indices)
        if given.size and given.dtype.kind not in "iub":
            raise TypeError(f"indices: expected integers, got {given.dtype}")
        numbers = given.astype(np.int64, order="C")
        numbers[numbers < 0] += len(self)
        if (numbers < 0).any():  # the library tells of those that are too high
            raise self._no_such(f"there is no frame {numbers.min() - len(self)}: the video has {len(self)}")
        return numbers

    def _shown(self, seconds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Give the numbers of the frames that are shown at some times."""
        begin, end = self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds
        outside = ~((begin <= seconds) & (seconds < end))  # NaN is outside
        if outside.any():
            raise self._no_such(f"no frame is shown at {seconds[outside].tolist()[0]} s; the video is [{begin}, {end})")
        return np.asarray(np.searchsorted(self._frames["pts"], seconds, "right") - 1, np.int64)

    def _check(self, numbers: NDArray[np.int64]) -> None:
        outside = (numbers < 0) | (numbers >= len(self))
        if outside.any():
            raise self._no_such(f"frame {numbers[outside].tolist()[0]}; the video has {len(self)} frames")

    def _no_such(self, text: str) -> Exception:
        return error_for("no-such-frame")(text, kind="no-such-frame", file=self._file, op="decode")

    def _slice(self, key: slice) -> FrameBatch:
        return self._batch(np.arange(*key.indices(len(self))))

    def _resampled(self, start: float, stop: float, fps: float) -> FrameBatch:
        if not fps > 0:
            raise ValueError(f"fps: {fps} is not above 0")
        whole, rest = divmod((stop - start) * fps, 1)
        times = start + np.arange(whole + (rest >= 0.5)) * (1 / fps)  # rounded as torchcodec rounds
        batch = self._batch(self._shown(times))
        return FrameBatch(batch.data, times, np.full(len(times), 1 / fps), batch.index, batch.state)

    def _batch(self, numbers: NDArray[np.int64]) -> FrameBatch:
        if numbers.ndim != 1:
            raise ValueError(f"indices: expected one dimension, got {numbers.ndim}")
        opened = self._open()
        batch = opened.run(lambda cancel: decoded(opened.handle, opened.spec, numbers, cancel), len(numbers))
        return batch.to_torch() if self._torch else batch
