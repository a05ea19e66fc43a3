"""Decoding packets to frames, and frames to arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from ...audio import decode_audio
from ...graph import FilterGraph, GraphInput
from ...image import decode_image
from ...video import decode_video
from ...video_decoder import VideoDecoder
from ._filters import DEFAULT, SAMPLES, FilterDesc, color, cropped, get_video_filter_desc, image_arguments, split_crop
from .absent import ABSENT, refuse
from .packets import AudioPackets, ImagePackets, Packets, VideoPackets, best_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..._arrays import Numbers


@dataclass(frozen=True)
class DecodeConfig:
    """A decoder of FFmpeg, and its options."""

    decoder: str | None = None
    """FFmpeg's name of the decoder; None for that of the codec."""
    decoder_options: Mapping[str, str] | None = None
    """FFmpeg's options of the decoder. ``threads`` is the number of its threads."""

    @property
    def threads(self) -> int:
        """The number of the decoder's threads."""
        return int((self.decoder_options or {}).get("threads", 1))

    @property
    def rest(self) -> dict[str, str] | None:
        """The other options; None if there are none."""
        return {k: v for k, v in (self.decoder_options or {}).items() if k != "threads"} or None


decode_config = DecodeConfig


@dataclass(frozen=True, eq=False)
class ImageFrames:
    """An image, or a frame of a video."""

    data: Numbers
    """The pixels, (H, W, C) of uint8."""
    pts: float = 0.0
    """When a frame of a video begins, in seconds."""
    pix_fmt: str = "rgb24"
    """FFmpeg's name of the pixel format."""

    @property
    def width(self) -> int:
        """The width in pixels."""
        return int(self.data.shape[1])

    @property
    def height(self) -> int:
        """The height in pixels."""
        return int(self.data.shape[0])

    def clone(self) -> ImageFrames:
        """Return the same frames: decoding and converting use nothing up.

        Returns:
            The frames.
        """
        return self


@dataclass(frozen=True, eq=False)
class VideoFrames:
    """Frames of a video."""

    data: Numbers
    """The pixels, (N, H, W, C) of uint8."""
    pts: NDArray[np.float64]
    """When each frame begins, in seconds of the container's clock, or of the filters'."""
    pix_fmt: str = "rgb24"
    """FFmpeg's name of the pixel format."""

    @property
    def num_frames(self) -> int:
        """The number of frames."""
        return len(self.data)

    @property
    def width(self) -> int:
        """The width in pixels."""
        return int(self.data.shape[2])

    @property
    def height(self) -> int:
        """The height in pixels."""
        return int(self.data.shape[1])

    def get_timestamps(self) -> list[float]:
        """Return when each frame begins.

        Returns:
            The times, in seconds.
        """
        times: list[float] = self.pts.tolist()
        return times

    def clone(self) -> VideoFrames:
        """Return the same frames: decoding and converting use nothing up.

        Returns:
            The frames.
        """
        return self

    def __len__(self) -> int:
        return len(self.data)

    @overload
    def __getitem__(self, key: int) -> ImageFrames: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int]) -> VideoFrames: ...
    def __getitem__(self, key: int | slice | Sequence[int]) -> ImageFrames | VideoFrames:
        if isinstance(key, int):
            return ImageFrames(self.data[key], float(self.pts[key]), self.pix_fmt)
        index = key if isinstance(key, slice) else list(key)
        return VideoFrames(self.data[index], self.pts[index], self.pix_fmt)

    def __iter__(self) -> Iterator[ImageFrames]:
        return (self[i] for i in range(len(self)))


@dataclass(frozen=True, eq=False)
class AudioFrames:
    """Audio samples."""

    data: Numbers
    """The samples: (channels, time), or (time, channels) for an interleaved format."""
    sample_rate: int
    """Samples of each channel a second."""
    sample_fmt: str = "fltp"
    """FFmpeg's name of the sample format."""

    @property
    def num_channels(self) -> int:
        """The number of channels."""
        return int(self.data.shape[0 if self.sample_fmt.endswith("p") else 1])

    @property
    def num_frames(self) -> int:
        """The number of samples of each channel."""
        return int(self.data.shape[1 if self.sample_fmt.endswith("p") else 0])

    def clone(self) -> AudioFrames:
        """Return the same samples: decoding and converting use nothing up.

        Returns:
            The samples.
        """
        return self


@overload
def decode_packets(
    packets: ImagePackets,
    filter_desc: str | None = ...,
    decode_config: DecodeConfig | None = ...,
    *,
    num_frames: int = ...,
) -> ImageFrames: ...
@overload
def decode_packets(
    packets: VideoPackets,
    filter_desc: str | None = ...,
    decode_config: DecodeConfig | None = ...,
    *,
    num_frames: int = ...,
) -> VideoFrames: ...
@overload
def decode_packets(
    packets: AudioPackets,
    filter_desc: str | None = ...,
    decode_config: DecodeConfig | None = ...,
    *,
    num_frames: int = ...,
) -> AudioFrames: ...
def decode_packets(
    packets: Packets,
    filter_desc: str | None = DEFAULT,
    decode_config: DecodeConfig | None = None,
    *,
    num_frames: int = -1,
) -> ImageFrames | VideoFrames | AudioFrames:
    """Decode packets. Any number of threads may call this function, and it releases the GIL.

    Frames of video and audio pass FFmpeg's filters as in SPDL. Images are decoded by ``spool.decode_image``, whose
    pixels are torchvision's; their ``filter_desc`` is one of :func:`get_video_filter_desc`.

    Args:
        packets: of video, audio or an image. They stay usable.
        filter_desc: a description in FFmpeg's language, for one input and one output. Default: RGB frames, or samples
            of float32. None: the stored format, which is for PCM audio only.
        decode_config: the decoder, and its options.
        num_frames: int, the most frames of video, or runs of samples. Default: -1, all.

    Returns:
        The frames.

    Raises:
        DecodeError: the source is bad.
        ValueError: the description asks for what is not offered. The message has the alternative.
    """
    how = decode_config or DecodeConfig()
    if isinstance(packets, ImagePackets):
        asked, crop = split_crop(image_arguments(filter_desc))
        pixels = decode_image(packets.src, orient=False, **asked)
        return ImageFrames(cropped(pixels, crop), pix_fmt=_pix_fmt(filter_desc))
    if isinstance(packets, AudioPackets):
        return _decoded_audio(packets, filter_desc, how, num_frames)
    if not isinstance(packets, VideoPackets):
        raise TypeError(f"packets: expected packets of demux_video, demux_audio or demux_image, got {packets!r}")
    if filter_desc is None:
        raise ValueError(
            "filter_desc: None, the stored planes, is not offered; use spool.decode_video(planes='planar')"
        )
    if filter_desc == DEFAULT and num_frames < 0:
        batch = decode_video(
            packets.src,
            orient=False,
            start=packets.start,
            end=packets.end,
            codec=how.decoder,
            codec_option=how.rest,
            threads=how.threads,
        )
        return VideoFrames(batch.data, batch.pts_seconds.astype(np.float64, copy=False))
    return _filtered(packets, "null" if filter_desc == DEFAULT else filter_desc, how, num_frames)


def _filtered(packets: VideoPackets, description: str, how: DecodeConfig, count: int) -> VideoFrames:
    pix_fmt = _pix_fmt(description)
    graph = FilterGraph(description, _input(packets, "video", how), color=color(pix_fmt))
    with graph:
        outputs = list(islice(graph, count if count >= 0 else None))
    if not outputs:
        return VideoFrames(np.empty((0, 0, 0, 3), np.uint8), np.empty(0), pix_fmt)
    return VideoFrames(np.stack([o.data for o in outputs]), np.array([o.pts_seconds for o in outputs]), pix_fmt)


def _decoded_audio(packets: AudioPackets, description: str | None, how: DecodeConfig, count: int) -> AudioFrames:
    sample_fmt = "fltp"
    if description is None:
        sample_fmt = _stored(packets)
    elif isinstance(description, FilterDesc):
        sample_fmt = str(description.arguments["sample_fmt"] or "fltp")
    if sample_fmt not in SAMPLES:
        raise ValueError(f"sample_fmt: {sample_fmt!r} is none of {', '.join(SAMPLES)}; convert the array")
    dtype, layout = SAMPLES[sample_fmt]
    if (description is None or description == DEFAULT) and count < 0:
        samples = decode_audio(
            packets.src,
            dtype=dtype,
            layout=layout,
            start=packets.start,
            end=packets.end,
            codec=how.decoder,
            codec_option=how.rest,
        )
        return AudioFrames(samples.data, samples.sample_rate, sample_fmt)
    text = "anull" if description is None or description == DEFAULT else description
    graph = FilterGraph(text, _input(packets, "audio", how), dtype=dtype, layout=layout)
    with graph:
        outputs = list(islice(graph, count if count >= 0 else None))
    if not outputs:
        return AudioFrames(np.empty((0, 0), dtype), 0, sample_fmt)
    joined = np.concatenate([o.data for o in outputs], layout.index("t"))
    return AudioFrames(joined, outputs[0].sample_rate, sample_fmt)


def _stored(packets: AudioPackets) -> str:
    """Return the stored sample format of PCM audio."""
    codec = best_stream(packets.src, "audio").get("codec", "")
    stored = {"pcm_s16": "s16", "pcm_s32": "s32", "pcm_s24": "s32", "pcm_f32": "flt"}.get(codec[:7])
    if stored is None:
        raise ValueError(
            f"filter_desc: None, the stored format, is for PCM of 16 to 32 bits, not for {codec or 'this source'}; "
            "give get_audio_filter_desc(sample_fmt=...)"
        )
    return stored


def _input(packets: Packets, medium: Literal["video", "audio"], how: DecodeConfig) -> GraphInput:
    if how.decoder or how.rest:
        raise ValueError("decode_config: with filters it has threads only; use spool.VideoDecoder(filters=, codec=)")
    return GraphInput(packets.src, medium, start=packets.start, end=packets.end, threads=how.threads)


def _pix_fmt(description: str | None) -> str:
    if isinstance(description, FilterDesc):
        return str(description.arguments["pix_fmt"] or "rgb24")
    return "rgb24"


def sample_decode_video(
    packets: VideoPackets,
    indices: Sequence[int],
    *,
    decode_config: DecodeConfig | None = None,
    filter_desc: str | None = DEFAULT,
) -> list[ImageFrames]:
    """Decode frames by their index in a window. Only the groups of pictures with these frames are decoded.

    Args:
        packets: of video.
        indices: in ascending order, each once.
        decode_config: the decoder, and its options.
        filter_desc: filters of single frames. Default: none.

    Returns:
        The frames.

    Raises:
        ValueError: there are no indices, or not in ascending order.
        IndexError: an index is not in the window.
    """
    wanted = list(indices)
    if not wanted or wanted != sorted(set(wanted)):
        raise ValueError("indices: expected integers in ascending order, each once, and one at least")
    if wanted[0] < 0 or wanted[-1] >= len(packets):
        raise IndexError(f"indices: the window has {len(packets)} frames")
    none = filter_desc in (None, DEFAULT, get_video_filter_desc())
    how = decode_config or DecodeConfig()
    decoder = VideoDecoder(
        packets.demuxed,
        orient=False,
        dimension_order="NHWC",
        filters=None if none else filter_desc,
        codec=how.decoder,
        codec_option=how.rest,
        num_ffmpeg_threads=how.threads,
    )
    with decoder:
        batch = decoder.get_frames_at(wanted)
    return [ImageFrames(pixels, float(pts)) for pixels, pts in zip(batch.data, batch.pts_seconds, strict=True)]


def convert_frames(
    frames: ImageFrames | VideoFrames | AudioFrames | Sequence[ImageFrames | VideoFrames | AudioFrames],
    storage: None = None,
) -> Numbers:
    """Return frames as one array. Frames of one decoding are not copied; several are.

    Args:
        frames: frames, or a sequence of them, of one shape.
        storage: is not offered: ``spool.decode_images(out=)`` writes to memory of the caller.

    Returns:
        The array; of a sequence with one more dimension in front.
    """
    refuse("storage", storage, ABSENT["cpu_storage"])
    if isinstance(frames, (ImageFrames, VideoFrames, AudioFrames)):
        return frames.data
    return np.stack([f.data for f in frames])
