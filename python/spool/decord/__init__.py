"""decord's names, for programs that are written for it: ``import spool.decord as decord``.

What differs: ``docs/python-video.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._source import Source
from ..errors import DecodeError
from ..video_decoder import VideoDecoder
from . import bridge
from .bridge import NDArray as NDArray

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..frames import FrameBatch


class Context:
    """Where decord decodes. Only the host's memory is known here."""

    device_type = 1
    device_id = 0


def cpu(dev_id: int = 0) -> Context:
    """Give the host."""
    return Context()


def gpu(dev_id: int = 0) -> Context:
    """Refuse: frames are given in the host's memory."""
    raise ValueError(
        f"gpu({dev_id}): frames are given in the host's memory; VideoDecoder(hwaccel=) decodes on a device"
    )


class DECORDError(DecodeError):
    """A video that cannot be decoded: damaged frames, or a file that holds no video."""


class DECORDLimitReachedError(DecodeError):
    """More frames were damaged than ``fault_tol`` allows."""


class VideoReader(VideoDecoder):
    """decord's reader: frames are (H, W, C), ``get_batch`` gives (N, H, W, C).

    It is a :class:`spool.VideoDecoder` that also goes through the video frame by frame. Threads that share one share
    its place as well.

    Args:
        uri: a path, bytes, any buffer, or a file opened for bytes.
        ctx: ``cpu()``.
        width: of the frames; -1 is the video's own.
        height: of the frames; -1 is the video's own.
        num_threads: threads of the decoder; 0 is one.
        fault_tol: how many damaged frames are replaced by the last whole frame: a number, or a fraction of the
            frames if it is below 1; ``math.inf`` is any number. Negative: a call that asks for a damaged frame raises
            DECORDError.

    Raises:
        DECORDError: the file holds no video, or a frame is damaged.
        DECORDLimitReachedError: more frames were damaged than ``fault_tol`` allows.
        OSError: the file cannot be read; FileNotFoundError if it does not exist.
        IndexError: there is no such frame.
        TypeError, ValueError: an argument is wrong; it is named.

    >>> from spool.decord import VideoReader, cpu
    >>> reader = VideoReader("testdata/video/vfr.mp4", ctx=cpu(0), width=64, height=48)
    >>> reader.get_batch([0, -1]).asnumpy().shape, reader.next().shape
    ((2, 48, 64, 3), (48, 64, 3))

    """

    def __init__(
        self,
        uri: Source,
        ctx: Context | None = None,
        width: int = -1,
        height: int = -1,
        num_threads: int = 0,
        fault_tol: float = -1,
    ) -> None:
        on_damage: Literal["fail", "repeat"] = "fail" if fault_tol < 0 else "repeat"
        try:
            super().__init__(
                uri,
                dimension_order="NHWC",
                num_ffmpeg_threads=num_threads or 1,
                on_damage=on_damage,
                chroma="bilinear",
            )
        except DecodeError as e:
            raise _decords(e) from None
        m = self.metadata
        if width > 0 or height > 0:
            self._resize(height if height > 0 else m.height, width if width > 0 else m.width)
        self._tolerated = fault_tol * len(self) if 0 < fault_tol < 1 else fault_tol
        self._damaged: set[int] = set()
        self._place = 0

    def __getitem__(self, key: int | slice) -> Any:
        """Give a frame, after which ``next`` goes on, or those of a slice.

        Raises:
            IndexError: there is no such frame.

        """
        if isinstance(key, slice):
            return super().__getitem__(key)
        frame = self.get_frame_at(key)
        self._place = frame.index + 1
        return frame.data

    def next(self) -> Any:
        """Give the next frame.

        Raises:
            StopIteration: there is none.

        """
        if self._place >= len(self):
            raise StopIteration
        return self[self._place]

    def seek(self, pos: int) -> None:
        """Go to a frame, which ``next`` gives then. It is exactly this one, unlike decord's.

        Raises:
            IndexError: there is no such frame.

        """
        self._check(np.asarray([pos]))
        self._place = pos

    def seek_accurate(self, pos: int) -> None:
        """Go to a frame, which ``next`` gives then."""
        self.seek(pos)

    def skip_frames(self, num: int = 1) -> None:
        """Leave out so many frames of what ``next`` gives."""
        self._place += num

    def _batch(self, numbers: npt.NDArray[np.int64]) -> FrameBatch:
        try:
            batch = super()._batch(numbers)
        except DecodeError as e:
            if isinstance(e, IndexError):  # there is no such frame, which decord says in the same way
                raise
            raise _decords(e) from None
        self._damaged.update(batch.index[batch.state > 0].tolist())
        if 0 <= self._tolerated < len(self._damaged):
            raise DECORDLimitReachedError(
                f"{len(self._damaged)} frames are damaged, more than fault_tol", kind="corrupt", file=self._file
            )
        batch.data = bridge.bridge_out(batch.data)
        return batch


def _decords(e: DecodeError) -> DecodeError:
    """Give the error of bad content as decord's. A file that cannot be read stays an OSError."""
    if isinstance(e, OSError):
        return e
    return DECORDError(e.text, kind=e.kind, file=e.file, library=e.library, code=e.code, op=e.op)
