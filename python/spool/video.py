"""Decoding frames of a video in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _header, _native, _option, video_spec
from ._source import Source, source
from ._wait import interruptibly
from .array import address, numpy_of, writable
from .frames import FrameBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .video_spec import VideoOptions


def decode_video(
    src: Source,
    *,
    frames: Iterable[int] | None = None,
    range: range | tuple[int, int] | tuple[int, int, int] | str | None = None,
    times: Iterable[float] | float | None = None,
    start: float | None = None,
    end: float | None = None,
    sample: int | None = None,
    out: Any = None,
    **options: Unpack[VideoOptions],
) -> FrameBatch:
    """Decode frames of a video: all of them, or those that one of the arguments selects.

    The format is detected from the content. Any number of threads may call this function. The GIL is released while it
    decodes, and Ctrl-C interrupts it.

    Args:
        src: a path, a URL, bytes, any buffer, or a file opened for bytes, which is read as a whole.
        frames: indices of frames, from 0 in presentation order; in any order, and also repeated.
        range: frames ``start``, ``start + step`` and so on, below ``stop``: a range, a tuple, or text like
            ``"0:100:10"``.
        times: the frames that are shown at these times, in seconds of the container's clock.
        start: the frames that begin at or after this time, in seconds of the container's clock.
        end: the frames that begin before this time, in seconds of the container's clock.
        sample: int, this number of frames, evenly spread: frame i is the middle of the i-th of as many equal parts.
        out: array to write to: a NumPy array, a torch tensor in host memory, pinned or not, or any array with DLPack or
            the buffer protocol. It has to be in C order, with exactly the result's shape and type. Default: a new
            array.
        **options: see :class:`spool.video_spec.VideoOptions`.

    Returns:
        A batch with the time of each frame. The shape of ``data`` is (N, H, W, C), or (N, C, H, W) with
        ``layout="nchw"``. Its type is uint8 unless ``dtype`` sets another. The library's memory is released with the
        last view of it. With ``out``, ``data`` is ``out``, or its first frames if ``on_damage="skip"`` has left frames
        out.

    Raises:
        DecodeError: the input is bad. If the file does not exist, the error is also a FileNotFoundError. If a frame or
            a time is beyond the end, it is also an IndexError, whose text has the number of frames.
        TypeError, ValueError: an argument is wrong. The message names it. After an error the contents of ``out`` are
            unspecified.
        KeyboardInterrupt: decoding was interrupted.
        ForkError: the process was forked from one that had used spool.

    >>> import spool
    >>> clip = spool.decode_video("testdata/video/vfr.mp4", sample=3, size=32)
    >>> clip.shape, clip.pts_seconds.round(3).tolist()
    ((3, 32, 32, 3), [0.136, 0.524, 0.856])
    """
    wanted = {"frames": frames, "range": range, "times": times, "start": start, "end": end, "sample": sample}
    spec = video_spec.parsed(
        "spool_video_spec", _option.encode({**wanted, **options}, video_spec.video, ("src", "out"))
    )
    s = source(src)

    def decode(cancel: _native.Handle | None) -> FrameBatch:
        video = _native.new("spool_video", spec, s, cancel, by="open", end="close")
        return decoded(video, spec, None, cancel, out)

    return interruptibly(decode)


def decoded(
    video: _native.Handle,
    spec: _native.Handle,
    frames: NDArray[np.int64] | None,
    cancel: _native.Handle | None,
    out: Any = None,
) -> FrameBatch:
    """Decode frames of an open video.

    Args:
        video: the open video.
        spec: how frames are made.
        frames: indices of frames. None: the frames that the spec selects.
        cancel: ends the call early. None: the call cannot be interrupted.
        out: array to write to. None: a new array.

    Returns:
        The frames.

    Raises:
        Error: the frames cannot be decoded.
        ValueError: ``out`` has another shape or type than the result.
    """
    clip = _header.ClipStruct()
    wanted = (None, 0) if frames is None else (address(frames), len(frames))
    if out is None:
        _native.call("spool_video_decode", video, spec, *wanted, cancel, clip)
        data = numpy_of(_native.array(clip.pixels))
        rows = table(_native.array(clip.frames))
    else:
        view = writable(out)
        _native.call("spool_video_decode_into", video, spec, *wanted, cancel, address(view), view.nbytes, clip)
        rows = table(_native.array(clip.frames))
        dtype, shape = _native.describe(clip.view)
        if view.shape[1:] != shape[1:] or view.dtype != dtype:
            raise ValueError(f"out: {view.shape} of {view.dtype}, the result is {shape} of {np.dtype(dtype)}")
        data = out if len(rows) == len(view) else out[: len(rows)]
    return FrameBatch(data, rows["pts"], rows["duration"], rows["index"], rows["state"])


def table(frames: _native.Handle) -> NDArray[Any]:
    """Return a table of frames as a structured NumPy array.

    Args:
        frames: an array of spool_frame.

    Returns:
        An array with the fields index, pts, duration, state and key.
    """
    rows: NDArray[Any] = np.frombuffer(numpy_of(frames), _header.FRAME)
    return rows
