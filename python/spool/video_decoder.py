"""Videos that stay open, with the methods of torchcodec and decord."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, cast, overload

import numpy as np

from . import _native, _option, video_spec
from ._arrays import A
from ._awaited import Each
from ._opened import Opened
from ._source import Source
from ._source import source as source_of
from ._video_device import VideoDevice
from ._video_index import VideoIndex
from .frames import Frame, FrameBatch
from .packets import Packets
from .video import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Never, Unpack

    from ._arrays import Numbers, TorchTensor
    from ._option import DType, Filter, Size
    from ._types import Indices, Seconds, TorchDevice
    from .video_spec import DecoderOptions

From: TypeAlias = "Source | Packets"


class VideoDecoder(VideoIndex, Generic[A]):
    """An open video with random access to its frames. The methods are torchcodec's and decord's.

    ``len(decoder)`` is the number of frames. ``decoder[i]`` and ``decoder[a:b:c]`` give frames, as of a list. Frame i
    is the same for each method that returns it. ``docs/python-video.md`` has the differences from torchcodec, decord.

    Threads may share a decoder, which runs one call at a time. The GIL is released while it decodes, and Ctrl-C ends a
    long call. ``close()``, a ``with`` block or garbage collection closes the decoder. Its results stay valid.

    Args:
        source: a path, a URL, bytes, any buffer, a tensor of uint8, or a file opened for bytes, which is read as a
            whole. The decoder uses the caller's memory until it is closed. Or :class:`spool.Packets`, whose frames are
            counted from the begin of their window.
        stream_index: int, the stream's index in the file. Default: the best stream.
        dimension_order: ``NCHW``, the default, or ``NHWC``. Both are in C order.
        num_ffmpeg_threads: int, decoder threads. 0 is one for each CPU. Default: 1.
        device: None, the default, or ``cpu``; with ``output`` torch also ``cuda:N``, where frames stay.
        seek_mode: ``exact`` or ``approximate``. Both are the same here, since an index finds frames.
        output_dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``, as a name or as
            NumPy's or torch's type. Floats are x/255. NumPy arrays of bfloat16 need package ml_dtypes.
        output: ``numpy`` arrays, the default, or ``torch`` tensors. Neither is a copy.
        filters: filters of FFmpeg, as for its option -vf, before everything else, like ``"hflip,crop=64:48"``. Each
            stored frame is filtered by itself. Default: none.
        filter_files: bool; True lets ``filters`` open files, libraries, fonts and sockets that they name, such as the
            table of lut3d, for each frame. Not together with the helpers of ``isolate``. Default: False.
        size: N for N x N pixels, (height, width) like the shape of results, or ``"WxH"`` like the command. Default: the
            video's own size.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole frame, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side, like torchvision's ``Resize(N)``. Not together with ``size``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after the resize, like torchvision's ``CenterCrop``. Default: none.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, or ``fast``.
        color: ``rgb``, the default, ``bgr``, ``gray`` or ``rgba``. ``index`` gives the samples of luma as they are
            stored, for labels and depth maps; it can be resized by a nearest filter only.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        orient: bool, whether to apply the rotation that the container asks for. Default: True.
        planes: ``converted``, the default; or as stored, ``planar`` (yuv420p) or ``pairs`` (NV12).
        chroma: how ``exact`` frames interpolate chroma: ``bicubic``, the default, as the ffmpeg command and torchcodec
            do; ``bilinear``, as decord does.
        pad_color: color that ``fit`` and crops pad with. Default: ``"#000000"``.
        fill: color of frames that could not be decoded. Default: ``"#808080"``.
        on_damage: frames that are damaged or that the decoder does not deliver. ``fail``, the default, is an error.
            ``skip`` leaves out the frames that are not delivered, and keeps the damaged ones. ``repeat`` puts the last
            good frame in their place, and the color ``fill`` before the first good frame.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
        hwaccel: device that decodes if there is one, like ``cuda``. Frames are copied from it to the host.
        index_dir: folder where saved indexes are looked up. Default: the folder of the file.
        isolate: decoding in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        max_pixels: int, width times height of an image or a frame. Default: 178956970.
        max_bytes: size of a file, in bytes or as text like ``"1GiB"``, the default.
        max_frames: int, frames of an animated image, or pages. Default: 4096.
        max_memory: memory to decode one image, the result included, in bytes or as text. Default: ``"2GiB"``.
        max_cpu: seconds of processor time for an image or a request. Default: 10 or 60, and more for large ones.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Attributes:
        metadata: what the video is, a :class:`VideoStreamMetadata`.
        stream_index: the stream's index in the file.

    Raises:
        DecodeError: the input is bad. If the file does not exist, the error is also a FileNotFoundError. If it does not
            have the stream, the error is also an IndexError.
        TypeError, ValueError: an argument is wrong. The message names it.
        ForkError: the process was forked from one that had used spool.

    >>> from spool import VideoDecoder
    >>> decoder = VideoDecoder("testdata/video/vfr.mp4", dimension_order="NHWC")
    >>> len(decoder), decoder[-1].shape, decoder[::10].shape
    (22, (48, 64, 3), (3, 48, 64, 3))
    """

    @overload
    def __init__(
        self: VideoDecoder[Numbers], source: From, *, output: Literal["numpy"] = ..., **keywords: Unpack[DecoderOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: VideoDecoder[TorchTensor], source: From, *, output: Literal["torch"], **keywords: Unpack[DecoderOptions]
    ) -> None: ...
    def __init__(
        self,
        source: From,
        *,
        stream_index: int | None = None,
        dimension_order: Literal["NCHW", "NHWC"] = "NCHW",
        num_ffmpeg_threads: int = 1,
        device: str | TorchDevice | None = None,
        seek_mode: Literal["exact", "approximate"] = "exact",
        output_dtype: DType = "uint8",
        output: Literal["numpy", "torch"] = "numpy",
        filters: str | None = None,
        filter_files: bool = False,
        size: Size | None = None,
        mode: Literal["stretch", "fit", "cover"] = "stretch",
        resize_shorter: int | None = None,
        max_size: int | None = None,
        crop: Size | None = None,
        filter: Filter = "bilinear",
        profile: Literal["exact", "pillow", "fast"] = "exact",
        color: Literal["rgb", "bgr", "gray", "rgba", "index"] = "rgb",
        mean: float | Sequence[float] | None = None,
        std: float | Sequence[float] | None = None,
        orient: bool = True,
        planes: Literal["converted", "planar", "pairs"] = "converted",
        chroma: Literal["bicubic", "bilinear"] = "bicubic",
        pad_color: str = "#000000",
        fill: str = "#808080",
        on_damage: Literal["fail", "skip", "repeat"] = "fail",
        language: str | None = None,
        codec: str | None = None,
        codec_option: Mapping[str, str] | None = None,
        hwaccel: str | None = None,
        index_dir: str | os.PathLike[str] | None = None,
        isolate: Literal["off", "heic", "auto", "all"] = "off",
        endpoint_url: str | None = None,
        region: str | None = None,
        no_sign_request: bool = False,
        max_concurrent_requests: int = 512,
        max_pixels: int = 178956970,
        max_bytes: int | str = "1GiB",
        max_frames: int = 4096,
        max_memory: int | str = "2GiB",
        max_cpu: float | None = None,
        **unknown: Never,
    ) -> None:
        on = None if device is None or str(device) == "cpu" else str(device)
        keywords = _option.given(locals(), VideoDecoder.__init__)
        checked = (dimension_order, num_ffmpeg_threads, seek_mode, output, on)
        self._options = video_spec.of_decoder(keywords, *checked)
        self._torch = output == "torch"
        self._device = VideoDevice(on, self._options) if on else None
        if isinstance(source, Packets):
            super().__init__(Opened("spool_video", self._spec(), source._handle, "open_packets"), "")
        else:
            s = source_of(source)
            super().__init__(Opened("spool_video", self._spec(), s), os.fsdecode(s.path or b""))
        self._keep(source, keywords)

    def __repr__(self) -> str:
        m, name = self.metadata, self._file or "bytes"
        return f"<spool.{type(self).__name__} {name}: {m.num_frames} frames, {m.width}x{m.height}, {m.codec}>"

    def __getitem__(self, key: int | slice) -> A:
        """Return a frame, (C, H, W), or the frames of a slice, (N, C, H, W), without times.

        Args:
            key: index of a frame, or a slice.

        Returns:
            The pixels.

        Raises:
            IndexError: the video does not have the frame.
        """
        if isinstance(key, slice):
            return self._batch(np.arange(*key.indices(len(self)))).data
        return self.get_frame_at(key).data

    def __iter__(self) -> Each[A]:
        """Iterate over the pixels of all frames in presentation order. Each is decoded when it is requested."""
        return Each(self[i] for i in range(len(self)))

    __aiter__ = __iter__

    def get_frame_at(self, index: int) -> Frame[A]:
        """Return a frame with its time, by its index.

        Args:
            index: int, from 0 in presentation order. Negative indices count from the end.

        Returns:
            The frame.

        Raises:
            IndexError: the video does not have the frame.
            DecodeError: the frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        return self.get_frames_at([operator.index(index)]).frame(0)

    def get_frames_at(self, indices: Indices) -> FrameBatch[A]:
        """Return frames with their times, by their indices.

        This is much faster than one call for each frame, since each GOP is decoded once.

        Args:
            indices: a list, a range, an array or a tensor of integers, in any order, and also repeated. Negative
                indices count from the end.

        Returns:
            The frames, in the order of ``indices``.

        Raises:
            IndexError: the video does not have one of the frames.
            DecodeError: a frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        return self._batch(self._numbers(indices))

    def get_frames_in_range(self, start: int, stop: int, step: int = 1) -> FrameBatch[A]:
        """Return frames ``start``, ``start + step`` and so on, below ``stop``, like a slice of a list.

        Args:
            start: int, index of the first frame.
            stop: int, index of the frame at which the range ends, exclusive.
            step: int, the distance from each frame to the next. Default: 1.

        Returns:
            The frames.

        Raises:
            DecodeError: a frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        return self._batch(np.arange(*slice(start, stop, step).indices(len(self))))

    def get_frame_played_at(self, seconds: float) -> Frame[A]:
        """Return the frame that is shown at a time.

        Args:
            seconds: time in seconds of the container's clock.

        Returns:
            The frame.

        Raises:
            IndexError: no frame is shown at that time: it is before the first frame begins, or not before the last one
                ends.
            DecodeError: the frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        return self.get_frames_played_at([seconds]).frame(0)

    def get_frames_played_at(self, seconds: Seconds) -> FrameBatch[A]:
        """Return the frames that are shown at some times.

        Args:
            seconds: a list, an array or a tensor of times, in seconds of the container's clock.

        Returns:
            The frames, in the order of the times.

        Raises:
            IndexError: no frame is shown at one of the times.
            DecodeError: a frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        return self._batch(self._shown(np.asarray(seconds, np.float64)))

    def get_frames_played_in_range(
        self, start_seconds: float, stop_seconds: float, fps: float | None = None
    ) -> FrameBatch[A]:
        """Return the frames that are shown in the window [start_seconds, stop_seconds).

        The first of them may have begun before the window. ``decode_video(start=, end=)`` gives the frames that begin
        in it.

        Args:
            start_seconds: begin of the window, in seconds of the container's clock.
            stop_seconds: end of the window, exclusive, in seconds of the container's clock.
            fps: resample to this number of frames a second. Frame k is the frame that is shown at ``start_seconds + k /
                fps``, and gets this time. Default: frames and times stay as they are.

        Returns:
            The frames.

        Raises:
            ValueError: the window is not within the video, or ``fps`` is not above 0.
            DecodeError: a frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
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

    def get_all_frames(self, fps: float | None = None) -> FrameBatch[A]:
        """Return all frames, or the video resampled to another frame rate.

        Args:
            fps: frames a second, as in :meth:`get_frames_played_in_range`. Default: all frames with their times.

        Returns:
            The frames.

        Raises:
            ValueError: ``fps`` is not above 0.
            DecodeError: a frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        if fps is None:
            return self._batch(np.arange(len(self)))
        return self._resampled(self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds, fps)

    def get_batch(self, indices: Indices) -> A:
        """Return frames by their indices, without times. The name is decord's.

        Args:
            indices: as for :meth:`get_frames_at`.

        Returns:
            The pixels, (N, C, H, W).

        Raises:
            IndexError: the video does not have one of the frames.
            DecodeError: a frame is damaged, with ``on_damage="fail"``.
            ClosedError: the decoder was closed.
        """
        return self.get_frames_at(indices).data

    def _spec(self) -> _native.Handle:
        return video_spec.parsed("spool_video_spec", _option.encode(self._options, video_spec.video))

    def _change(self, **options: Any) -> None:
        """Set options for all further frames."""
        self._options |= options
        self._open().spec = self._spec()

    def _resampled(self, start: float, stop: float, fps: float) -> FrameBatch[A]:
        if not fps > 0:
            raise ValueError(f"fps: {fps} is not above 0")
        whole, rest = divmod((stop - start) * fps, 1)
        times = start + np.arange(whole + (rest >= 0.5)) * (1 / fps)  # rounded as in torchcodec
        batch = self._batch(self._shown(times))
        durations = np.full(len(times), 1 / fps)
        timed = (batch._like(times), batch._like(durations), batch.index, batch.state)
        return FrameBatch(batch.data, *timed, work=batch.work)

    def _batch(self, numbers: NDArray[np.int64]) -> FrameBatch[A]:
        if numbers.ndim != 1:
            raise ValueError(f"indices: expected one dimension, got {numbers.ndim}")
        opened, on = self._open(), self._device
        if on is not None:
            moved = opened.run(lambda cancel: on.decode(opened, numbers, cancel), len(numbers))
            return cast("FrameBatch[A]", on.in_torch(moved))
        batch = opened.run(lambda cancel: decoded(opened.handle, opened.spec, numbers, cancel), len(numbers))
        return cast("FrameBatch[A]", batch.to_torch() if self._torch else batch)
