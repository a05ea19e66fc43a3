"""torchcodec's samplers: clips of frames at random or regular places of a video.

All results are a :class:`spool.FrameBatch` of clips: ``data`` is (clips, frames, C, H, W), and the times and indices
are (clips, frames). Random places are drawn from torch's generator as torchcodec draws them, so the same seed gives the
same clips.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import torch

from .._arrays import A
from ..frames import FrameBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..video_decoder import VideoDecoder

Policy: TypeAlias = Literal["repeat_last", "wrap", "error"]
_POLICIES = ("repeat_last", "wrap", "error")


def clips_at_random_indices(
    decoder: VideoDecoder[A],
    *,
    num_clips: int = 1,
    num_frames_per_clip: int = 1,
    num_indices_between_frames: int = 1,
    sampling_range_start: int = 0,
    sampling_range_end: int | None = None,
    policy: Policy = "repeat_last",
) -> FrameBatch[A]:
    """Sample clips that begin at random frames.

    Args:
        decoder: the video.
        num_clips: int, how many clips. Default: 1.
        num_frames_per_clip: int, frames of each clip. Default: 1.
        num_indices_between_frames: int, distance from each frame of a clip to the next. Default: 1.
        sampling_range_start: int, the first frame at which a clip may begin. Negative ones count from the end.
        sampling_range_end: int, the frame before which clips begin. Default: so that all clips end within the video.
        policy: frames beyond the end of the video: ``repeat_last``, the default, repeats the clip's last frame;
            ``wrap`` begins the clip anew; ``error`` raises a ValueError.

    Returns:
        The clips.

    Raises:
        ValueError: an argument is wrong. The message names it.
    """
    _check(decoder, num_frames_per_clip, policy)
    step = num_indices_between_frames
    begin, end = _frames(decoder, num_clips, num_frames_per_clip, step, sampling_range_start, sampling_range_end)
    starts = torch.randint(low=begin, high=end, size=(num_clips,)).numpy()
    return _at_frames(decoder, starts, num_frames_per_clip, step, policy)


def clips_at_regular_indices(
    decoder: VideoDecoder[A],
    *,
    num_clips: int = 1,
    num_frames_per_clip: int = 1,
    num_indices_between_frames: int = 1,
    sampling_range_start: int = 0,
    sampling_range_end: int | None = None,
    policy: Policy = "repeat_last",
) -> FrameBatch[A]:
    """Sample clips that begin at evenly spaced frames. More clips than frames in the range repeat some.

    Args:
        decoder: the video.
        num_clips: int, how many clips. Default: 1.
        num_frames_per_clip: int, frames of each clip. Default: 1.
        num_indices_between_frames: int, distance from each frame of a clip to the next. Default: 1.
        sampling_range_start: as for :func:`clips_at_random_indices`.
        sampling_range_end: as for :func:`clips_at_random_indices`.
        policy: as for :func:`clips_at_random_indices`.

    Returns:
        The clips.

    Raises:
        ValueError: an argument is wrong. The message names it.
    """
    _check(decoder, num_frames_per_clip, policy)
    step = num_indices_between_frames
    begin, end = _frames(decoder, num_clips, num_frames_per_clip, step, sampling_range_start, sampling_range_end)
    starts = torch.linspace(begin, end - 1, steps=num_clips, dtype=torch.int).numpy()
    return _at_frames(decoder, starts, num_frames_per_clip, step, policy)


def clips_at_random_timestamps(
    decoder: VideoDecoder[A],
    *,
    num_clips: int = 1,
    num_frames_per_clip: int = 1,
    seconds_between_frames: float | None = None,
    sampling_range_start: float | None = None,
    sampling_range_end: float | None = None,
    policy: Policy = "repeat_last",
) -> FrameBatch[A]:
    """Sample clips that begin at random times.

    Args:
        decoder: the video.
        num_clips: int, how many clips. Default: 1.
        num_frames_per_clip: int, frames of each clip. Default: 1.
        seconds_between_frames: time from each frame of a clip to the next. Default: the average duration of a frame.
        sampling_range_start: the first time at which a clip may begin, in seconds. Default: the video's begin.
        sampling_range_end: the time before which clips begin. Default: so that all clips end within the video.
        policy: as for :func:`clips_at_random_indices`.

    Returns:
        The clips.

    Raises:
        ValueError: an argument is wrong. The message names it.
    """
    _check(decoder, num_frames_per_clip, policy)
    if num_clips <= 0:
        raise ValueError(f"num_clips ({num_clips}) must be > 0")
    step = _step(decoder, seconds_between_frames)
    begin, end = _seconds(decoder, num_frames_per_clip, step, sampling_range_start, sampling_range_end)
    starts = (torch.rand(num_clips, dtype=torch.float64) * (end - begin) + begin).numpy()
    return _at_times(decoder, starts, num_frames_per_clip, step, policy)


def clips_at_regular_timestamps(
    decoder: VideoDecoder[A],
    *,
    seconds_between_clip_starts: float,
    num_frames_per_clip: int = 1,
    seconds_between_frames: float | None = None,
    sampling_range_start: float | None = None,
    sampling_range_end: float | None = None,
    policy: Policy = "repeat_last",
) -> FrameBatch[A]:
    """Sample clips that begin at evenly spaced times, as many as begin in the range.

    Args:
        decoder: the video.
        seconds_between_clip_starts: time from the begin of each clip to that of the next.
        num_frames_per_clip: int, frames of each clip. Default: 1.
        seconds_between_frames: as for :func:`clips_at_random_timestamps`.
        sampling_range_start: as for :func:`clips_at_random_timestamps`.
        sampling_range_end: as for :func:`clips_at_random_timestamps`.
        policy: as for :func:`clips_at_random_indices`.

    Returns:
        The clips.

    Raises:
        ValueError: an argument is wrong. The message names it.
    """
    _check(decoder, num_frames_per_clip, policy)
    step = _step(decoder, seconds_between_frames)
    begin, end = _seconds(decoder, num_frames_per_clip, step, sampling_range_start, sampling_range_end)
    if seconds_between_clip_starts <= 0:
        raise ValueError(f"seconds_between_clip_starts ({seconds_between_clip_starts}) must be > 0")
    starts = torch.arange(begin, end, seconds_between_clip_starts, dtype=torch.float64).numpy()
    return _at_times(decoder, starts[starts < end], num_frames_per_clip, step, policy)


def _check(decoder: VideoDecoder[A], frames: int, policy: str) -> None:
    if len(decoder) < 1:
        raise ValueError(f"Decoder must have at least one frame, found {len(decoder)} frames.")
    if frames <= 0:
        raise ValueError(f"num_frames_per_clip ({frames}) must be strictly positive")
    if policy not in _POLICIES:
        raise ValueError(f"Invalid policy ({policy}): policy is one of {', '.join(_POLICIES)}")


def _frames(
    decoder: VideoDecoder[A], clips: int, frames: int, step: int, begin: int, end: int | None
) -> tuple[int, int]:
    """Return the range of frames at which clips begin."""
    total = len(decoder)
    if clips <= 0:
        raise ValueError(f"num_clips ({clips}) must be > 0")
    if step <= 0:
        raise ValueError(f"num_indices_between_frames ({step}) must be strictly positive")
    begin += total if begin < 0 else 0
    if begin >= total:
        raise ValueError(f"sampling_range_start ({begin}) must be smaller than the number of frames ({total}).")
    if end is None:
        end = max(total - step * (frames - 1), 1)
        if begin >= end:
            why = f"which is not after sampling_range_start ({begin})"
            raise ValueError(f"We determined that sampling_range_end should be {end}, {why}")
        return begin, end
    end = min(end + total if end < 0 else end, total)
    if begin >= end:
        raise ValueError(f"sampling_range_start ({begin}) must be smaller than sampling_range_end ({end}).")
    return begin, end


def _step(decoder: VideoDecoder[A], seconds: float | None) -> float:
    """Return the time between the frames of a clip."""
    if seconds is None:
        if decoder.metadata.average_fps is None:
            raise ValueError("seconds_between_frames: the video has no frame rate to take it from")
        return 1 / decoder.metadata.average_fps
    if seconds <= 0:
        raise ValueError(f"seconds_between_frames ({seconds}) must be > 0")
    return seconds


def _seconds(
    decoder: VideoDecoder[A], frames: int, step: float, begin: float | None, end: float | None
) -> tuple[float, float]:
    """Return the range of times at which clips begin."""
    first, last = float(decoder.metadata.begin_stream_seconds), float(decoder.metadata.end_stream_seconds)
    if begin is not None and begin < first:
        raise ValueError(f"sampling_range_start ({begin}) must be at least {first}")
    if begin is not None and begin >= last:
        raise ValueError(f"sampling_range_start ({begin}) must be smaller than {last}")
    if end is not None and end <= first:
        raise ValueError(f"sampling_range_end ({end}) must be at least {first}")
    begin = first if begin is None else begin
    end = last - (frames - 1) * step if end is None else end
    if begin >= end:
        raise ValueError(f"sampling_range_start ({begin}) must be smaller than sampling_range_end ({end})")
    return begin, min(end, last)


def _places(starts: NDArray[Any], frames: int, step: float, end: float, policy: str) -> NDArray[Any]:
    """Return where the frames of clips are: (clips, frames). The policy moves those that are not before the end."""
    starts, numbers = starts[:, None], np.arange(frames)
    within = (starts + numbers * step < end).sum(axis=1, keepdims=True)
    if policy == "error" and (within < frames).any():
        raise ValueError(
            "policy='error': a clip has frames beyond the number of frames in the video; "
            "is sampling_range_end better left to its default?"
        )
    places: NDArray[Any] = starts + (numbers % within if policy == "wrap" else np.minimum(numbers, within - 1)) * step
    return places


def _at_frames(decoder: VideoDecoder[A], starts: NDArray[Any], frames: int, step: int, policy: str) -> FrameBatch[A]:
    places = _places(starts, frames, step, len(decoder), policy)
    return _clips(decoder.get_frames_at(places.ravel()), places.shape)


def _at_times(decoder: VideoDecoder[A], starts: NDArray[Any], frames: int, step: float, policy: str) -> FrameBatch[A]:
    places = _places(starts, frames, step, decoder.metadata.end_stream_seconds, policy)
    return _clips(decoder.get_frames_played_at(places.ravel()), places.shape)


def _clips(batch: FrameBatch[A], clips: tuple[int, ...]) -> FrameBatch[A]:
    """Return frames as clips. Nothing is copied."""
    parts: tuple[Any, ...] = batch._parts()
    return FrameBatch(*(part.reshape((*clips, *part.shape[1:])) for part in parts))
