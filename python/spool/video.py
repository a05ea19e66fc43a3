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
    """Decode frames of a video: all of them, or what one of the first arguments says.

    Args:
        src: a path, bytes, any buffer, or a file opened for bytes, which is read as a whole. Its format is told by
            content.
        frames: their numbers, from 0 in the order of presentation; in any order, also more than once.
        range: frames ``start``, ``start + step``, ... below ``stop``.
        times: the frames that are shown at these times, in seconds as the container counts them.
        start: the frames that begin at or after this time, in seconds.
        end: and before this time.
        sample: so many, evenly spread: frame i is the middle of the i-th of so many equal parts.
        out: where to write: a NumPy array, a torch tensor in the host's memory (pinned or not), or any array with
            DLPack or the buffer protocol; in C order, of exactly the result's shape and type.
        **options: what is wanted, see :class:`spool.video_spec.VideoOptions`.

    Returns:
        A batch whose ``data`` has the shape (N, H, W, C), with ``layout="nchw"`` (N, C, H, W), uint8 unless
        ``dtype`` says otherwise, and each frame's time. Memory is the library's and goes back to it with the last
        view. With ``out`` that is ``data``, or the first of it where ``on_damage="skip"`` has left frames out.

    Raises:
        DecodeError: the input is bad. Of a file that is not there also a FileNotFoundError; of a frame or a time
            beyond the end also an IndexError, which says how many there are.
        TypeError, ValueError: an argument is wrong; it is named. On an error the contents of ``out`` are
            unspecified.
        ForkError: this process is a fork of one that had used spool.

    Safe to call from any number of threads; the GIL is released while it decodes, and Ctrl-C ends it.

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
    """Decode frames by their numbers, or those that the spec says."""
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
    """Give a table of frames as NumPy has it, by columns: index, pts, duration, state, key."""
    rows: NDArray[Any] = np.frombuffer(numpy_of(frames), _header.FRAME)
    return rows
