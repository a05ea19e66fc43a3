"""Decoding audio: in one call, and by a decoder with torchcodec's methods."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Generic, Literal, cast, overload

from . import _header, _native, _option
from ._arrays import A
from ._opened import Decoder, Opened
from ._source import Source
from ._source import source as source_of
from ._wait import interruptibly
from .array import numpy_of
from .frames import AudioSamples
from .spec import Limits
from .streams import AudioStreamMetadata
from .video_spec import parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Never, Unpack

    from ._arrays import Numbers, TorchTensor
    from ._option import DType


class StreamOptions(Limits, total=False):
    """How audio is decoded. The keywords are flags of ``spool decode audio``.

    Attributes:
        quality: of resampling: ``default``, ``fast`` or ``best``. ``default`` is libswresample's quality.
        on_damage: damaged packets: ``fail``, the default, or ``fill``, which puts silence in their place.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
        isolate: decoding in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
    """

    quality: Literal["default", "fast", "best"]
    on_damage: Literal["fail", "fill"]
    language: str | None
    codec: str | None
    codec_option: Mapping[str, str] | None
    isolate: Literal["off", "heic", "auto", "all"]


if TYPE_CHECKING:

    class Keywords(StreamOptions, total=False):
        """The keywords of a decoder beside ``output``."""

        stream_index: int | None
        sample_rate: int | None
        num_channels: int | None
        output_dtype: DType


_stream: _option.Kinds = {
    "quality": _option.text,
    "on_damage": _option.text,
    "language": _option.text,
    "codec": _option.text,
    "codec_option": _option.mapping,
    "isolate": _option.text,
    **_option.files,
}

_kinds: _option.Kinds = {
    "rate": _option.integer,
    "channels": _option.integer,
    "start": _option.number,
    "end": _option.number,
    "dtype": _option.audio_dtype,
    "layout": _option.text,
    "stream": _option.integer,
    **_stream,
}

# The keywords of a decoder, with the checks of their types.
_decoder: _option.Kinds = {
    "stream_index": _option.integer,
    "sample_rate": _option.integer,
    "num_channels": _option.integer,
    "output_dtype": _option.audio_dtype,
    **_stream,
}


def _spec(options: dict[str, Any]) -> _native.Handle:
    return parsed("spool_audio_spec", _option.encode(options, _kinds, ("src",)))


def decode_audio(
    src: Source,
    *,
    rate: int | None = None,
    channels: int | None = None,
    start: float | None = None,
    end: float | None = None,
    dtype: DType = "float32",
    layout: Literal["ct", "tc"] = "ct",
    stream: int | None = None,
    quality: Literal["default", "fast", "best"] = "default",
    on_damage: Literal["fail", "fill"] = "fail",
    language: str | None = None,
    codec: str | None = None,
    codec_option: Mapping[str, str] | None = None,
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
) -> AudioSamples:
    """Decode audio, or a window of it. The file may have video as well.

    The format is detected from the content. Any number of threads may call this function. The GIL is released while it
    decodes, and Ctrl-C interrupts it.

    Args:
        src: a path, a URL, bytes, any buffer, a tensor of uint8, or a file opened for bytes, which is read as a whole.
        rate: int, sample rate in Hz to resample to. Default: the stream's own.
        channels: int, number of channels to mix to. Default: the stream's own.
        start: begin of the window, in seconds from the first sample. Default: the first sample.
        end: end of the window, exclusive, in seconds from the first sample. Default: the end of the stream. The result
            equals that window of the whole, bit for bit, and ends where the stream ends.
        dtype: ``float32``, the default, ``int16`` or ``int32``, as a name or as NumPy's or torch's type. Full scale is
            1 for floats.
        layout: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        stream: int, the stream's index in the file. Default: the best stream.
        quality: of resampling: ``default``, ``fast`` or ``best``. ``default`` is libswresample's quality.
        on_damage: damaged packets: ``fail``, the default, or ``fill``, which puts silence in their place.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
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

    Returns:
        The samples. ``pts_seconds`` counts from the first sample of the stream. The library's memory is released with
        the last view of it.

    Raises:
        DecodeError: the input is bad. If the file does not exist, the error is also a FileNotFoundError.
        TypeError, ValueError: an argument is wrong. The message names it.
        KeyboardInterrupt: decoding was interrupted.
        ForkError: the process was forked from one that had used spool.

    >>> import spool
    >>> samples = spool.decode_audio("testdata/audio/s16.wav", rate=16000, channels=1)
    >>> samples.shape, samples.dtype, samples.sample_rate
    ((1, 3200), dtype('float32'), 16000)
    """
    spec = _spec(_option.given(locals(), decode_audio))
    s = source_of(src)

    def decode(cancel: _native.Handle | None) -> AudioSamples:
        audio = _native.new("spool_audio", spec, s, cancel, by="open", end="close")
        return _decoded(audio, spec, None, cancel, layout)

    return interruptibly(decode)


def _decoded(
    audio: _native.Handle, spec: _native.Handle, window: Any, cancel: _native.Handle | None, layout: str
) -> AudioSamples:
    """Decode a window, or with None the window of the spec."""
    result = _header.AudioSamplesStruct()
    _native.call("spool_audio_decode", audio, spec, window, cancel, result)
    data = numpy_of(_native.array(result.samples))
    n = data.shape[layout.index("t")]
    return AudioSamples(data, result.first / result.rate, n / result.rate, result.rate)


class AudioDecoder(Decoder, Generic[A]):
    """An open audio stream. The methods are torchcodec's.

    Times are the container's, like those of the video frames of the same file: a stream need not begin at 0.
    ``docs/python-video.md`` lists the differences from torchcodec.

    Any number of threads may share a decoder. It runs one call at a time, so a decoder for each thread is faster. The
    GIL is released while it decodes, and Ctrl-C interrupts a call. A decoder is closed by ``close()``, at the end of a
    ``with`` block, or when it is garbage collected. Its results stay valid.

    Args:
        source: a path, a URL, bytes, any buffer, a tensor of uint8, or a file opened for bytes, which is read as a
            whole. The decoder uses the caller's memory until it is closed.
        stream_index: int, the stream's index in the file. Default: the best stream.
        sample_rate: int, sample rate in Hz to resample to. Default: the stream's own.
        num_channels: int, number of channels to mix to. Default: the stream's own.
        output_dtype: ``float32``, the default, ``int16`` or ``int32``, as a name or as NumPy's or torch's type.
        output: ``numpy`` arrays, the default, or ``torch`` tensors. Neither is a copy.
        quality: of resampling: ``default``, ``fast`` or ``best``. ``default`` is libswresample's quality.
        on_damage: damaged packets: ``fail``, the default, or ``fill``, which puts silence in their place.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
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
        metadata: what the stream is, an :class:`AudioStreamMetadata`.
        stream_index: the stream's index in the file.

    Raises:
        DecodeError: the input is bad. If the file does not exist, the error is also a FileNotFoundError. If it does not
            have the stream, the error is also an IndexError.
        TypeError, ValueError: an argument is wrong. The message names it.
        ForkError: the process was forked from one that had used spool.

    >>> from spool import AudioDecoder
    >>> decoder = AudioDecoder("testdata/audio/s16.wav", sample_rate=16000)
    >>> decoder.get_samples_played_in_range(0.1, 0.2).shape
    (2, 1600)
    """

    metadata: AudioStreamMetadata
    stream_index: int

    @overload
    def __init__(
        self: AudioDecoder[Numbers], source: Source, *, output: Literal["numpy"] = ..., **keywords: Unpack[Keywords]
    ) -> None: ...
    @overload
    def __init__(
        self: AudioDecoder[TorchTensor], source: Source, *, output: Literal["torch"], **keywords: Unpack[Keywords]
    ) -> None: ...
    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        sample_rate: int | None = None,
        num_channels: int | None = None,
        output_dtype: DType = "float32",
        output: Literal["numpy", "torch"] = "numpy",
        quality: Literal["default", "fast", "best"] = "default",
        on_damage: Literal["fail", "fill"] = "fail",
        language: str | None = None,
        codec: str | None = None,
        codec_option: Mapping[str, str] | None = None,
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
        keywords = _option.given(locals(), AudioDecoder.__init__)
        asked = {name: value for name, value in keywords.items() if name != "output"}
        problems = _option.Problems()
        with problems:
            _option.one_of("output", output, "numpy", "torch")
        _option.encode(asked, _decoder, ("source", "output"), problems)
        renamed = {"sample_rate": "rate", "num_channels": "channels", "output_dtype": "dtype", "stream_index": "stream"}
        spec = _spec({renamed.get(name, name): value for name, value in asked.items()})
        s = source_of(source)
        self._file = os.fsdecode(s.path or b"")
        self._torch = output == "torch"
        self._opened = Opened("spool_audio", spec, s)
        self._keep(source, keywords)
        self.metadata = AudioStreamMetadata._of(_native.query("spool_audio_info", self._opened.handle))
        self.stream_index = self.metadata.stream_index
        self._rate = sample_rate or self.metadata.sample_rate

    def __repr__(self) -> str:
        m = self.metadata
        return f"<spool.AudioDecoder {self._file or 'bytes'}: {m.num_channels} channels, {m.sample_rate} Hz, {m.codec}>"

    def get_all_samples(self) -> AudioSamples[A]:
        """Return all samples of the stream.

        Returns:
            The samples, of shape (channels, time).

        Raises:
            DecodeError: the stream is damaged.
            ClosedError: the decoder was closed.
        """
        return self.get_samples_played_in_range()

    def get_samples_played_in_range(
        self, start_seconds: float = 0.0, stop_seconds: float | None = None
    ) -> AudioSamples[A]:
        """Return the samples in [start_seconds, stop_seconds).

        Args:
            start_seconds: begin of the window, in seconds of the container's clock. Default: 0.
            stop_seconds: end of the window, exclusive, in seconds of the container's clock. Default: the end of the
                stream.

        Returns:
            The samples, of shape (channels, time). A window that extends beyond the stream has fewer samples, or none.

        Raises:
            ValueError: ``stop_seconds`` is before ``start_seconds``.
            DecodeError: the stream is damaged.
            ClosedError: the decoder was closed.
        """
        if stop_seconds is not None and not start_seconds <= stop_seconds:
            raise ValueError(f"start_seconds: {start_seconds} is after stop_seconds, {stop_seconds}")
        opened = self._open()
        window = _native.window(self._offset(start_seconds), self._offset(stop_seconds))
        samples = opened.run(lambda cancel: _decoded(opened.handle, opened.spec, window, cancel, "ct"))
        samples.pts_seconds = max(start_seconds, self.metadata.begin_stream_seconds)
        return cast("AudioSamples[A]", samples.to_torch() if self._torch else samples)

    def _offset(self, seconds: float | None) -> float:
        """Convert a time of the container to one from the first sample, rounded to a sample like torchcodec."""
        if seconds is None:
            return math.inf
        sample = math.floor((seconds - self.metadata.begin_stream_seconds) * self._rate + 0.5)
        return max(0, sample) / self._rate
