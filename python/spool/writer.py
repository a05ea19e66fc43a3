"""Files of video and audio: encoding them, and moving their packets to other containers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from . import _native, _option
from ._source import Source, encoded, source
from ._wait import interruptibly
from .array import address
from .errors import ClosedError
from .spec import Stores

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Never

    from ._option import DType, Size
    from ._types import HostArray, Seconds


class WriterOptions(TypedDict, total=False):
    """What a file holds. It has video if ``size`` is given, and audio if ``rate`` is.

    Attributes:
        size: of the frames: (height, width), N for N x N, or ``"WxH"``. Default: no video.
        fps: frames a second. 23.976, 29.97 and 59.94 mean the exact fractions of NTSC. Default: 25.
        pixels: of the frames that are given: ``rgb``, the default, ``gray``, ``rgba``, ``yuv420p``, or of 16 bits
            ``rgb16`` and ``gray16``.
        timed: bool; True takes the time of each frame. Default: False.
        codec: FFmpeg's name of the video's codec or encoder. Default: the container's.
        codec_option: FFmpeg's options of the encoder, by name, like ``{"crf": "18"}``.
        stored: FFmpeg's name of the stored pixel format. Default: that of the frames if the codec is lossless and has
            it, otherwise ``yuv420p``, or ``yuv444p`` for odd sizes, and of 10 bits for frames of 16 bits.
        threads: int, threads of the encoder. Default: 1.
        rate: int, audio samples a second. Default: no audio.
        channels: int, channels of the audio. Default: 1.
        dtype: of the samples that are given: ``float32``, the default, from -1 to 1, ``int16`` or ``int32``.
        layout: of the samples that are given: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        audio_codec: FFmpeg's name of the audio's codec or encoder. Default: the container's.
        audio_codec_option: FFmpeg's options of the encoder, by name, like ``{"b": "96k"}``.
        format: FFmpeg's name of the container. Default: by the extension of the file's name.
        format_option: FFmpeg's options of the container, by name.
    """

    size: Size | None
    fps: float
    pixels: Literal["rgb", "gray", "rgba", "yuv420p", "rgb16", "gray16"]
    timed: bool
    codec: str | None
    codec_option: Mapping[str, str] | None
    stored: str | None
    threads: int
    rate: int | None
    channels: int
    dtype: DType
    layout: Literal["ct", "tc"]
    audio_codec: str | None
    audio_codec_option: Mapping[str, str] | None
    format: str | None
    format_option: Mapping[str, str] | None


_options: _option.Kinds = {
    "size": _option.size,
    "fps": _option.number,
    "pixels": _option.text,
    "timed": _option.flag,
    "codec": _option.text,
    "codec_option": _option.mapping,
    "stored": _option.text,
    "threads": _option.integer,
    "rate": _option.integer,
    "channels": _option.integer,
    "dtype": _option.audio_dtype,
    "layout": _option.text,
    "audio_codec": _option.text,
    "audio_codec_option": _option.mapping,
    "format": _option.text,
    "format_option": _option.mapping,
}


class MediaWriter:
    """Writes a file of video, audio or both, in any codec and container that FFmpeg has.

    The file appears when it is finished, and an existing file stays until then. Leaving a ``with`` block finishes it,
    or removes it after an error. Any number of threads may call the methods: calls wait for each other.

    >>> import spool
    >>> frames = spool.decode_video("testdata/video/bframes.mp4", frames=range(5))
    >>> writer = spool.MediaWriter(size=frames.shape[1:3], fps=10, codec="ffv1", format="matroska")
    >>> writer.write_frames(frames)
    >>> file = writer.finish()
    >>> bool((spool.decode_video(file).data == frames.data).all())
    True

    Args:
        path: path of the file. Its extension selects the container. None: a file in memory, with ``format``, which
            :meth:`finish` returns.
        size: of the frames: (height, width), N for N x N, or ``"WxH"``. Default: no video.
        fps: frames a second. 23.976, 29.97 and 59.94 mean the exact fractions of NTSC. Default: 25.
        pixels: of the frames that are given: ``rgb``, the default, ``gray``, ``rgba``, ``yuv420p``, or of 16 bits
            ``rgb16`` and ``gray16``.
        timed: bool; True takes the time of each frame. Default: False.
        codec: FFmpeg's name of the video's codec or encoder. Default: the container's.
        codec_option: FFmpeg's options of the encoder, by name, like ``{"crf": "18"}``.
        stored: FFmpeg's name of the stored pixel format. Default: that of the frames if the codec is lossless and has
            it, otherwise ``yuv420p``, or ``yuv444p`` for odd sizes, and of 10 bits for frames of 16 bits.
        threads: int, threads of the encoder. Default: 1.
        rate: int, audio samples a second. Default: no audio.
        channels: int, channels of the audio. Default: 1.
        dtype: of the samples that are given: ``float32``, the default, from -1 to 1, ``int16`` or ``int32``.
        layout: of the samples that are given: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        audio_codec: FFmpeg's name of the audio's codec or encoder. Default: the container's.
        audio_codec_option: FFmpeg's options of the encoder, by name, like ``{"b": "96k"}``.
        format: FFmpeg's name of the container. Default: by the extension of the file's name.
        format_option: FFmpeg's options of the container, by name.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: FFmpeg lacks the codec or the container, or the file cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        size: Size | None = None,
        fps: float = 25,
        pixels: Literal["rgb", "gray", "rgba", "yuv420p", "rgb16", "gray16"] = "rgb",
        timed: bool = False,
        codec: str | None = None,
        codec_option: Mapping[str, str] | None = None,
        stored: str | None = None,
        threads: int = 1,
        rate: int | None = None,
        channels: int = 1,
        dtype: DType = "float32",
        layout: Literal["ct", "tc"] = "ct",
        audio_codec: str | None = None,
        audio_codec_option: Mapping[str, str] | None = None,
        format: str | None = None,
        format_option: Mapping[str, str] | None = None,
        **unknown: Never,
    ) -> None:
        given = _option.given(locals(), MediaWriter.__init__)
        options = _option.encode(given, _options, ("path",))
        target = None if path is None else encoded("path", path)
        self._layout, self._name = given.get("layout", "ct"), "memory" if target is None else os.fsdecode(target)
        self._handle: _native.Handle | None = _native.new(
            "spool_writer", target, options.encode(), None, by="open", end="close"
        )

    def _open(self) -> _native.Handle:
        handle = self._handle
        if handle is None:
            raise ClosedError("the writer is closed", error_class="closed")
        return handle

    def write_frames(self, frames: HostArray, seconds: Seconds | None = None) -> None:
        """Encode the next frames. Ctrl-C ends the call between frames, and makes the file unusable.

        Args:
            frames: an array of shape (H, W), (H, W, C) or (N, H, W, C), of uint8, or of uint16 for ``rgb16`` and
                ``gray16``: NumPy's, torch's in host memory, or any array with DLPack or the buffer protocol. One that
                is not in C order is copied first.
            seconds: the time of each frame, in increasing order, with ``timed=True``.

        Raises:
            TypeError, ValueError: an argument is wrong, such as frames of another size.
            DecodeError: the file cannot be written.
            ClosedError: the writer is finished or closed, or had an error.
        """
        data = _array("frames", frames)
        times: NDArray[np.float64] | None = None
        if seconds is not None:
            times = np.ascontiguousarray(seconds, np.float64)
            count = data.shape[0] if data.ndim == 4 else 1
            if times.shape != (count,):
                raise ValueError(f"seconds: the shape is {times.shape}, must be ({count},)")
        self._write("spool_writer_frames", "frames", data, None if times is None else address(times))

    def write_samples(self, samples: HostArray) -> None:
        """Encode the next samples of each channel.

        If the file has video too, the stream that is ahead is kept in memory: write both alternately.

        Args:
            samples: an array of shape (channels, time), or (time, channels) with ``layout="tc"``, of ``dtype``; of one
                channel also (time,).

        Raises:
            TypeError, ValueError: an argument is wrong, such as samples of another type.
            DecodeError: the file cannot be written.
            ClosedError: the writer is finished or closed, or had an error.
        """
        data = _array("samples", samples)
        if data.ndim == 1:
            data = data[:, None] if self._layout == "tc" else data[None]
        self._write("spool_writer_samples", "samples", data)

    def _write(self, name: str, argument: str, data: NDArray[Any], *more: Any) -> None:
        handle, view = self._open(), _native.view_of(data)
        try:
            interruptibly(lambda cancel: _native.call(name, handle, view, *more, cancel))
        except _native.ShapeError as e:
            raise ValueError(f"{argument}: {e}") from None

    def finish(self) -> bytes | None:
        """Complete the file, which then appears under its path. Nothing can be written after it.

        Returns:
            The bytes of a file in memory; None for a file with a path.

        Raises:
            DecodeError: nothing was written, or the file cannot be written.
            ClosedError: the writer is finished or closed, or had an error.
        """
        handle, file = self._open(), _native.array()
        interruptibly(lambda cancel: _native.call("spool_writer_finish", handle, cancel, file.out))
        self.close()
        return _native.content(file) if file else None

    def close(self) -> None:
        """Close the writer. A file that is not finished is removed. Further calls do nothing."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _native.library().spool_writer_close(handle)

    def __repr__(self) -> str:
        return f"<spool.MediaWriter to {self._name}{', closed' if self._handle is None else ''}>"

    def __enter__(self) -> MediaWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self._handle is not None:
            self.finish()
        self.close()


def _array(name: str, value: Any) -> NDArray[Any]:
    try:
        data = np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(memoryview(value))
    except (TypeError, BufferError, RuntimeError) as e:
        raise TypeError(f"{name}: {type(value).__name__} is not an array in host memory: {e}") from e
    if data.dtype.kind not in "iuf" or data.ndim > 4:
        raise ValueError(f"{name}: an array of {data.dtype} with {data.ndim} dimensions cannot be written")
    return np.ascontiguousarray(data)


class RemuxOptions(Stores, total=False):
    """What is written to the other container. See also :class:`spool.spec.Stores`.

    Attributes:
        start: seconds of the container's time. Video begins with the last key frame at or before it. Default: 0.
        end: seconds of the container's time. Video ends before the first key frame at or after it. Default: the end.
        streams: indices of streams, in the order of the new file. Default: all video and audio.
        format: FFmpeg's name of the container. Default: by the extension of the file's name.
        format_option: FFmpeg's options of the container, by name, like ``{"movflags": "faststart"}``.
    """

    start: float | None
    end: float | None
    streams: Sequence[int] | None
    format: str | None
    format_option: Mapping[str, str] | None


_remux: _option.Kinds = {
    "start": _option.number,
    "end": _option.number,
    "streams": _option.integers,
    "format": _option.text,
    "format_option": _option.mapping,
    **_option.stores,
}


def remux(
    src: Source,
    path: str | os.PathLike[str],
    *,
    start: float | None = None,
    end: float | None = None,
    streams: Sequence[int] | None = None,
    format: str | None = None,
    format_option: Mapping[str, str] | None = None,
    endpoint_url: str | None = None,
    region: str | None = None,
    no_sign_request: bool = False,
    max_concurrent_requests: int = 512,
    **unknown: Never,
) -> None:
    """Write the packets of a video or audio file to another container, without encoding them.

    It costs reading and writing the file; with a window it is read twice. The file appears complete or not at all.
    Ctrl-C ends the call between packets.

    Args:
        src: a path, a URL, bytes, a buffer, or a file opened for bytes.
        path: path of the new file. Its extension selects the container.
        start: seconds of the container's time. Video begins with the last key frame at or before it. Default: 0.
        end: seconds of the container's time. Video ends before the first key frame at or after it. Default: the end.
        streams: indices of streams, in the order of the new file. Default: all video and audio.
        format: FFmpeg's name of the container. Default: by the extension of the file's name.
        format_option: FFmpeg's options of the container, by name, like ``{"movflags": "faststart"}``.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: the input is bad, the container does not hold its streams, or the file cannot be written.
    """
    options = _option.encode(_option.given(locals(), remux), _remux, ("src", "path"))
    target, data = encoded("path", path), source(src)
    interruptibly(partial(_native.call, "spool_remux", target, data, options.encode()))
