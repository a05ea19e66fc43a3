"""torchcodec's decoders: arguments, results and texts of errors are torchcodec's."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import torch

from .. import audio, video_decoder
from ..errors import NoSuchFrameError
from ..frames import AudioSamples, FrameBatch
from ..streams import AudioStreamMetadata as AudioStreamMetadata
from ..streams import VideoStreamMetadata as VideoStreamMetadata
from ..torchvision import CenterCrop, Compose, Resize, Transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from .._source import Readable, Source
    from .._types import Indices

_ORDERS = ("NCHW", "NHWC")
_MODES = ("exact", "approximate")


class NotPlayedError(NoSuchFrameError, RuntimeError):
    """No frame or sample is played at a time. It is an IndexError, and a RuntimeError as in torchcodec."""


class VideoDecoder(video_decoder.VideoDecoder["torch.Tensor"]):
    """torchcodec's decoder: frames are tensors (C, H, W), views of (H, W, C) in memory.

    It is a :class:`spool.VideoDecoder` with torchcodec's arguments, so it has that class's other methods too. With
    ``torch.compile``, a call breaks the graph; ``fullgraph=True`` raises an error that says so.

    Args:
        source: a path, a URL, bytes, a tensor of uint8, or a file with ``read`` and ``seek``, which is read as a whole.
        stream_index: int, the stream's index in the file. Default: the best stream.
        dimension_order: ``NCHW``, the default, or ``NHWC``.
        num_ffmpeg_threads: int, decoder threads. 0 is one for each CPU. Default: 1.
        device: None, the default, or ``cpu``; or ``cuda:N``, whose NVDEC decodes and where frames stay.
        seek_mode: ``exact`` or ``approximate``. Both are exact, since an index finds frames.
        transforms: Resize and CenterCrop of :mod:`spool.torchvision` or of torchvision, in this order, as part of
            decoding.
        output_dtype: ``torch.uint8``, the default, ``torch.float32``, or ``"auto"``: float32 for HDR, else uint8.
        custom_frame_mappings: torchcodec's JSON, as text or a file. It is checked, and the frames have to be as many as
            in the video. Their times are those of spool's index.

    Raises:
        DecodeError: the input is bad.
        TypeError, ValueError: an argument is wrong. The message names it.

    >>> from spool.torchcodec.decoders import VideoDecoder
    >>> decoder = VideoDecoder("testdata/video/vfr.mp4")
    >>> decoder[0].shape, decoder.get_frames_played_at([0.1, 0.5]).data.shape
    (torch.Size([3, 48, 64]), torch.Size([2, 3, 48, 64]))
    """

    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        dimension_order: Literal["NCHW", "NHWC"] = "NCHW",
        num_ffmpeg_threads: int = 1,
        device: str | torch.device | None = None,
        seek_mode: Literal["exact", "approximate"] = "exact",
        transforms: Sequence[Transform | torch.nn.Module] | None = None,
        output_dtype: torch.dtype | Literal["auto"] = torch.uint8,
        custom_frame_mappings: str | bytes | Readable | None = None,
    ) -> None:
        if seek_mode not in _MODES:
            raise ValueError(f"Invalid seek mode ({seek_mode}): seek_mode is one of {', '.join(_MODES)}")
        if dimension_order not in _ORDERS:
            raise ValueError(
                f"Invalid dimension order ({dimension_order}): dimension_order is one of {', '.join(_ORDERS)}"
            )
        if custom_frame_mappings is not None and seek_mode == "approximate":
            raise ValueError("custom_frame_mappings: not together with seek_mode='approximate'")
        mapped = None if custom_frame_mappings is None else _mapped(custom_frame_mappings)
        super().__init__(
            source,
            stream_index=stream_index,
            dimension_order="NHWC",
            num_ffmpeg_threads=num_ffmpeg_threads,
            device=device,
            output_dtype="uint8" if output_dtype == "auto" else cast("Any", output_dtype),
            output="torch",
            **_options(transforms or ()),
        )
        keywords = {
            "stream_index": stream_index,
            "dimension_order": dimension_order,
            "num_ffmpeg_threads": num_ffmpeg_threads,
            "device": device,
            "transforms": transforms,
            "output_dtype": output_dtype,
        }
        self._keep(source, keywords)
        if mapped not in (None, len(self)):
            raise ValueError(f"custom_frame_mappings: {mapped} frames, the video has {len(self)}")
        if output_dtype == "auto" and self.metadata.color_transfer_characteristic in ("smpte2084", "arib-std-b67"):
            self._change(dtype="float32")
        self._planar = dimension_order == "NCHW"

    def __getitem__(self, key: int | slice) -> torch.Tensor:
        """Return a frame, or the frames of a slice, without times.

        Args:
            key: index of a frame, or a slice.

        Returns:
            The tensor.

        Raises:
            IndexError: the video does not have the frame.
            TypeError: ``key`` is neither.
        """
        if not isinstance(key, slice) and not hasattr(key, "__index__"):
            raise TypeError(f"Unsupported key type: {type(key).__name__}; expected int or slice")
        return super().__getitem__(key)

    def _batch(self, numbers: npt.NDArray[np.int64]) -> FrameBatch[torch.Tensor]:
        self._check(numbers)
        batch = super()._batch(numbers)
        if self._planar:
            batch.data = batch.data.permute(0, 3, 1, 2)
        return batch

    def _numbers(self, indices: int | Indices) -> npt.NDArray[np.int64]:
        if isinstance(indices, torch.Tensor):
            indices = indices.to("cpu", torch.int64)
        return super()._numbers(indices)

    def get_frames_played_in_range(
        self, start_seconds: float, stop_seconds: float, fps: float | None = None
    ) -> FrameBatch[torch.Tensor]:
        """Return the frames that are shown in the window [start_seconds, stop_seconds).

        Args:
            start_seconds: begin of the window, in seconds of the container's clock.
            stop_seconds: end of the window, exclusive.
            fps: resample to this number of frames a second. Default: frames stay as they are.

        Returns:
            The frames.

        Raises:
            ValueError: the window is not within the video.
        """
        begin, end = self.metadata.begin_stream_seconds, self.metadata.end_stream_seconds
        if not start_seconds <= stop_seconds or not begin <= start_seconds < end:
            raise ValueError(
                f"Invalid start seconds: {start_seconds}; stop_seconds is {stop_seconds}, the video is [{begin}, {end})"
            )
        if stop_seconds > end:
            raise ValueError(f"Invalid stop seconds: {stop_seconds}; the video is [{begin}, {end})")
        return super().get_frames_played_in_range(start_seconds, stop_seconds, fps)

    def _no_frame(self, number: int) -> Exception:
        text = (
            f"Invalid frame index={number}: it must be less than {len(self)}, and "
            "negative indices must have an absolute value less than the number of frames"
        )
        return self._no_such(text)

    def _no_time(self, seconds: float) -> Exception:
        m = self.metadata
        return NotPlayedError(
            f"Invalid pts in seconds: {seconds}. It must be greater than or equal to {m.begin_stream_seconds} "
            f"and must be less than {m.end_stream_seconds}",
            error_class="no-such-frame",
            file=self._file,
            op="decode",
        )


class AudioDecoder(audio.AudioDecoder["torch.Tensor"]):
    """torchcodec's decoder of audio: samples are tensors (channels, time) of float32.

    Args:
        source: as for :class:`VideoDecoder`.
        stream_index: int, the stream's index in the file. Default: the best stream.
        sample_rate: int, sample rate in Hz to resample to. Default: the stream's own.
        num_channels: int, number of channels to mix to. Default: the stream's own.

    Raises:
        DecodeError: the input is bad.
        TypeError, ValueError: an argument is wrong. The message names it.
    """

    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        sample_rate: int | None = None,
        num_channels: int | None = None,
    ) -> None:
        super().__init__(
            source, stream_index=stream_index, sample_rate=sample_rate, num_channels=num_channels, output="torch"
        )
        self._keep(source, {"stream_index": stream_index, "sample_rate": sample_rate, "num_channels": num_channels})

    def get_samples_played_in_range(
        self, start_seconds: float = 0.0, stop_seconds: float | None = None
    ) -> AudioSamples[torch.Tensor]:
        """Return the samples in [start_seconds, stop_seconds).

        Args:
            start_seconds: begin of the window, in seconds of the container's clock. Default: 0.
            stop_seconds: end of the window, exclusive. Default: the end of the stream.

        Returns:
            The samples, of shape (channels, time).

        Raises:
            ValueError: ``stop_seconds`` is before ``start_seconds``.
            NotPlayedError: no sample is played in the window.
        """
        begin = self.metadata.begin_stream_seconds
        stop = math.inf if stop_seconds is None else stop_seconds
        if not start_seconds <= stop:
            raise ValueError(f"Invalid start seconds: {start_seconds}; it is after stop_seconds, {stop_seconds}")
        samples = super().get_samples_played_in_range(start_seconds, stop_seconds)
        if start_seconds < stop and (stop <= begin or not samples.data.shape[1] and start_seconds > begin):
            raise NotPlayedError(
                f"No audio frames were decoded in [{start_seconds}, {stop}); the stream begins at {begin}",
                error_class="no-such-frame",
                file=self._file,
                op="decode",
            )
        return samples


def _options(transforms: Sequence[Any]) -> dict[str, Any]:
    """Return the keywords of a decoder that stand for transforms."""
    return dict(Compose([_of(t) for t in transforms]).options)


def _of(transform: Any) -> Transform:
    """Return a transform of torchvision as spool's, by its name and its fields."""
    if isinstance(transform, (Resize, CenterCrop)):
        return transform
    name = type(transform).__name__
    if name == "Resize" and hasattr(transform, "antialias"):
        t = transform
        return Resize(t.size, t.interpolation, t.max_size, t.antialias)
    if name == "CenterCrop":
        return CenterCrop(transform.size)
    raise TypeError(f"transforms: {transform!r} is not torchvision's Resize or CenterCrop; apply it to the frames")


def _mapped(mappings: str | bytes | Readable) -> int:
    """Return how many frames custom frame mappings have."""
    text: Any = mappings if isinstance(mappings, (str, bytes)) else mappings.read()
    try:
        frames = json.loads(text).get("frames")
    except (ValueError, AttributeError) as e:
        raise ValueError(f"Invalid custom frame mappings: {e}") from e
    if not frames:
        raise ValueError("Invalid custom frame mappings. The input is empty or missing the required 'frames' key.")
    needed = (("pts", "pkt_pts"), ("duration", "pkt_duration"), ("key_frame",))
    if not all(any(key in frames[0] for key in keys) for keys in needed):
        names = ", ".join("/".join(keys) for keys in needed)
        raise ValueError(f"Invalid custom frame mappings. The {names} keys are required in the frame metadata.")
    return len(frames)


# With torch.compile, these calls break the graph; with fullgraph=True, its error has the reason.
_DECODING = {
    VideoDecoder: (
        "__init__",
        "__getitem__",
        "__iter__",
        "get_all_frames",
        "get_batch",
        "get_frame_at",
        "get_frame_played_at",
        "get_frames_at",
        "get_frames_in_range",
        "get_frames_played_at",
        "get_frames_played_in_range",
    ),
    AudioDecoder: ("__init__", "get_all_samples", "get_samples_played_in_range"),
}
for _class, _names in _DECODING.items():
    for _name in _names:
        _method = torch.compiler.disable(getattr(_class, _name), reason="spool decodes outside of PyTorch")
        setattr(_class, _name, _method)
