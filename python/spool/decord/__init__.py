"""decord's names, for programs that use them: ``import spool.decord as decord``.

``docs/python-video.md`` lists the differences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from .._source import Source
from ..errors import DecodeError
from ..video_decoder import VideoDecoder
from . import base as base
from . import bridge as bridge
from . import nd as nd
from .base import DECORDError as DECORDError
from .base import DECORDLimitReachedError as DECORDLimitReachedError
from .bridge import Pixels
from .nd import Context as Context
from .nd import NDArray as NDArray
from .nd import cpu as cpu
from .nd import gpu as gpu

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._arrays import Numbers
    from ..frames import FrameBatch


class VideoReader(VideoDecoder["Pixels"]):
    """decord's reader: frames are (H, W, C), and ``get_batch`` returns (N, H, W, C).

    It is a :class:`spool.VideoDecoder` that can also be read frame by frame. Threads that share a reader share its
    position.

    Args:
        uri: a path, a URL, bytes, any buffer, a tensor of uint8, or a file opened for bytes.
        ctx: ``cpu()``, the default.
        width: int, pixels of the frames. Default: -1, the video's own.
        height: int, pixels of the frames. Default: -1, the video's own.
        num_threads: int, decoder threads. Default: 0, which is one.
        fault_tol: how many damaged frames may be replaced by the last good frame: a number; below 1 a fraction of the
            frames; ``math.inf`` for any number. Default: -1. A call that requests a damaged frame then raises
            DECORDError.

    Raises:
        DECORDError: the file has no video, or a frame is damaged.
        DECORDLimitReachedError: more frames are damaged than ``fault_tol`` allows.
        OSError: the file cannot be read; FileNotFoundError if it does not exist.
        IndexError: the video does not have the frame.
        TypeError, ValueError: an argument is wrong. The message names it.

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
            VideoDecoder.__init__(
                cast("VideoDecoder[Numbers]", self),  # which the bridge converts
                uri,
                dimension_order="NHWC",
                num_ffmpeg_threads=num_threads or 1,
                on_damage=on_damage,
                chroma="bilinear",
            )
        except DecodeError as e:
            raise _as_decord(e) from None
        m = self.metadata
        if width > 0 or height > 0:
            self._change(size=(height if height > 0 else m.height, width if width > 0 else m.width))
        keywords = {"width": width, "height": height, "num_threads": num_threads, "fault_tol": fault_tol}
        self._keep(uri, keywords)
        self._tolerated = fault_tol * len(self) if 0 < fault_tol < 1 else fault_tol
        self._damaged: set[int] = set()
        self._position = 0

    def __getitem__(self, key: int | slice) -> Pixels:
        """Return a frame, after which ``next`` continues, or the frames of a slice.

        Args:
            key: index of a frame, or a slice.

        Returns:
            The pixels.

        Raises:
            IndexError: the video does not have the frame.
        """
        if isinstance(key, slice):
            return super().__getitem__(key)
        frame = self.get_frame_at(key)
        self._position = frame.index + 1
        return frame.data

    def next(self) -> Pixels:
        """Return the next frame.

        Returns:
            The pixels.

        Raises:
            StopIteration: there are no more frames.
        """
        if self._position >= len(self):
            raise StopIteration
        return self[self._position]

    def seek(self, pos: int) -> None:
        """Set the frame that ``next`` returns. It is exactly this frame, unlike decord's.

        Args:
            pos: int, index of the frame.

        Raises:
            IndexError: the video does not have the frame.
        """
        self._check(np.asarray([pos]))
        self._position = pos

    def seek_accurate(self, pos: int) -> None:
        """Set the frame that ``next`` returns.

        Args:
            pos: int, index of the frame.

        Raises:
            IndexError: the video does not have the frame.
        """
        self.seek(pos)

    def skip_frames(self, num: int = 1) -> None:
        """Skip frames that ``next`` would return.

        Args:
            num: int, how many. Default: 1.
        """
        self._position += num

    def _batch(self, numbers: npt.NDArray[np.int64]) -> FrameBatch[Pixels]:
        try:
            batch = super()._batch(numbers)
        except DecodeError as e:
            if isinstance(e, IndexError):  # a frame beyond the end: decord raises an IndexError too
                raise
            raise _as_decord(e) from None
        decoded = cast("FrameBatch[Numbers]", batch)
        self._damaged.update(decoded.index[decoded.state > 0].tolist())
        if 0 <= self._tolerated < len(self._damaged):
            raise DECORDLimitReachedError(
                f"{len(self._damaged)} frames are damaged, more than fault_tol", error_class="corrupt", file=self._file
            )
        batch.data = bridge.bridge_out(batch.data)
        return batch


def _as_decord(e: DecodeError) -> DecodeError:
    """Convert an error of bad content to decord's. If the file cannot be read, the error stays an OSError."""
    if isinstance(e, OSError):
        return e
    return DECORDError(e.text, error_class=e.error_class, file=e.file, library=e.library, code=e.code, op=e.op)
