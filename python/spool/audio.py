"""Decoding sounds: a call, and a decoder with torchcodec's methods."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Literal

from . import _header, _native, _option
from ._opened import Opened
from ._source import Source
from ._source import source as source_of
from ._wait import interruptibly
from .array import numpy_of
from .errors import ClosedError
from .frames import AudioSamples
from .spec import Limits
from .streams import AudioStreamMetadata
from .video_spec import parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self, Unpack

    from ._option import DType


class StreamOptions(Limits, total=False):
    """What becomes of a sound. What is left out has the default that is named first.

    ``quality`` of a change of rate: ``default`` is libswresample's, ``fast``, ``best``. ``on_damage``: of damaged
    packets: ``fail``; ``skip`` has silence in their place. ``language``: the best stream of it. ``codec``,
    ``codec_option``: FFmpeg's names.
    """

    quality: Literal["default", "fast", "best"]
    on_damage: Literal["fail", "skip"]
    language: str
    codec: str
    codec_option: Mapping[str, str]


def _dtype(name: str, value: Any) -> str:
    """Take the command's name of a type of samples, NumPy's or torch's."""
    said = _option.dtype(name, value)
    return {"int16": "s16", "int32": "s32"}.get(said, said)


_stream: _option.Kinds = {
    "quality": _option.text,
    "on_damage": _option.text,
    "language": _option.text,
    "codec": _option.text,
    "codec_option": _option.mapping,
    **_option.files,
}

_kinds: _option.Kinds = {
    "rate": _option.integer,
    "channels": _option.integer,
    "start": _option.number,
    "end": _option.number,
    "dtype": _dtype,
    "layout": _option.text,
    "stream": _option.integer,
    **_stream,
}

# The keywords of a decoder, for their types.
_decoder: _option.Kinds = {
    "stream_index": _option.integer,
    "sample_rate": _option.integer,
    "num_channels": _option.integer,
    "output_dtype": _dtype,
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
    **options: Unpack[StreamOptions],
) -> AudioSamples:
    """Decode a sound, or a window of it. The file may have pictures as well.

    Args:
        src: a path, bytes, any buffer, or a file opened for bytes, which is read as a whole. Its format is told by
            content.
        rate: samples a second; None is the sound's own.
        channels: mixed to so many; None is the sound's own.
        start: what lies from here on, in seconds from the first sample.
        end: and before here. The window is that part of the whole, to the last bit; behind the sound's end there is
            nothing.
        dtype: ``float32``, ``int16``, ``int32``, by name or as NumPy's or torch's type. Full scale is 1 in floats.
        layout: ``ct`` is (channels, time), ``tc`` (time, channels).
        stream: its number in the file; None is the best one.
        **options: see :class:`StreamOptions`.

    Returns:
        The samples, whose ``pts_seconds`` counts from the first sample of the sound. Memory is the library's and
        goes back to it with the last view.

    Raises:
        DecodeError: the input is bad. Of a file that is not there also a FileNotFoundError.
        TypeError, ValueError: an argument is wrong; it is named.
        ForkError: this process is a fork of one that had used spool.

    Safe to call from any number of threads; the GIL is released while it decodes, and Ctrl-C ends it.

    >>> import spool
    >>> samples = spool.decode_audio("testdata/audio/s16.wav", rate=16000, channels=1)
    >>> samples.shape, samples.dtype, samples.sample_rate
    ((1, 3200), dtype('float32'), 16000)

    """
    wanted = {"rate": rate, "channels": channels, "start": start, "end": end}
    spec = _spec({**wanted, "dtype": dtype, "layout": layout, "stream": stream, **options})
    s = source_of(src)

    def decode(cancel: _native.Handle | None) -> AudioSamples:
        audio = _native.new("spool_audio", spec, s, cancel, by="open", end="close")
        return _decoded(audio, spec, None, cancel, layout)

    return interruptibly(decode)


def _decoded(
    audio: _native.Handle, spec: _native.Handle, window: Any, cancel: _native.Handle | None, layout: str
) -> AudioSamples:
    """Decode a window, or what the spec says."""
    sound = _header.SoundStruct()
    _native.call("spool_audio_decode", audio, spec, window, cancel, sound)
    data = numpy_of(_native.array(sound.samples))
    n = data.shape[layout.index("t")]
    return AudioSamples(data, sound.first / sound.rate, n / sound.rate, sound.rate)


class AudioDecoder:
    """An open sound, of which windows are got. The methods are torchcodec's.

    Times are the container's, as those of the frames of a video beside the sound are: a sound need not begin at 0.
    What differs from torchcodec: ``docs/python-video.md``.

    Args:
        source: a path, bytes, any buffer, or a file opened for bytes, which is read as a whole. Memory is lent to
            the decoder until it is closed.
        stream_index: the stream's number in the file; None is the best one.
        sample_rate: samples a second; None is the sound's own.
        num_channels: mixed to so many; None is the sound's own.
        output_dtype: ``float32``, ``int16``, ``int32``, by name or as NumPy's or torch's type.
        output: ``numpy`` arrays or ``torch`` tensors; neither is copied.
        **options: see :class:`StreamOptions`.

    Attributes:
        metadata: what the sound is.
        stream_index: the stream's number in the file.

    Raises:
        DecodeError: the input is bad. Of a file that is not there also a FileNotFoundError; of a stream that it
            does not have also an IndexError.
        TypeError, ValueError: an argument is wrong; it is named.
        ForkError: this process is a fork of one that had used spool.

    Any number of threads may use a decoder; their calls wait for each other, so one each is faster. The GIL is
    released while it decodes, and Ctrl-C ends a call. It is closed by ``close()``, at the end of a ``with``, and when
    it is garbage collected; what it gave stays valid.

    >>> from spool import AudioDecoder
    >>> decoder = AudioDecoder("testdata/audio/s16.wav", sample_rate=16000)
    >>> decoder.get_samples_played_in_range(0.1, 0.2).shape
    (2, 1600)

    """

    metadata: AudioStreamMetadata
    stream_index: int

    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        sample_rate: int | None = None,
        num_channels: int | None = None,
        output_dtype: DType = "float32",
        output: Literal["numpy", "torch"] = "numpy",
        **options: Unpack[StreamOptions],
    ) -> None:
        problems = _option.Problems()
        with problems:
            _option.one_of("output", output, "numpy", "torch")
        given: dict[str, Any] = {
            "stream_index": stream_index,
            "sample_rate": sample_rate,
            "num_channels": num_channels,
            "output_dtype": output_dtype,
            **options,
        }
        _option.encode(given, _decoder, ("source", "output"), problems)
        wanted = {
            "rate": sample_rate,
            "channels": num_channels,
            "dtype": output_dtype,
            "stream": stream_index,
        }
        spec = _spec({**wanted, **options})
        s = source_of(source)
        self._file = os.fsdecode(s.path or b"")
        self._torch = output == "torch"
        self._opened: Opened | None = Opened("spool_audio", spec, s)
        self.metadata = AudioStreamMetadata.of(_native.said("spool_audio_info", self._opened.handle))
        self.stream_index = self.metadata.stream_index
        self._rate = sample_rate or self.metadata.sample_rate

    def close(self) -> None:
        """Give up the sound. Calls of other threads that are under way end first; samples stay valid."""
        self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("an AudioDecoder cannot be pickled or copied: open the file in each process")

    def __repr__(self) -> str:
        m = self.metadata
        return f"<spool.AudioDecoder {self._file or 'bytes'}: {m.num_channels} channels, {m.sample_rate} Hz, {m.codec}>"

    def get_all_samples(self) -> AudioSamples:
        """Give all samples."""
        return self.get_samples_played_in_range()

    def get_samples_played_in_range(
        self, start_seconds: float = 0.0, stop_seconds: float | None = None
    ) -> AudioSamples:
        """Give the samples in [start_seconds, stop_seconds), in seconds as the container counts them.

        What lies outside of the sound is left out, so a window may have fewer samples, or none.

        Raises:
            ValueError: ``stop_seconds`` is before ``start_seconds``.

        """
        if stop_seconds is not None and not start_seconds <= stop_seconds:
            raise ValueError(f"start_seconds: {start_seconds} is after stop_seconds, {stop_seconds}")
        if self._opened is None:
            raise ClosedError("the decoder was closed", kind="closed", file=self._file)
        opened = self._opened
        window = _native.window(self._offset(start_seconds), self._offset(stop_seconds))
        samples = opened.run(lambda cancel: _decoded(opened.handle, opened.spec, window, cancel, "ct"))
        samples.pts_seconds = max(start_seconds, self.metadata.begin_stream_seconds)
        return samples.to_torch() if self._torch else samples

    def _offset(self, seconds: float | None) -> float:
        """Give a time of the container's as one from the first sample, rounded to a sample as torchcodec does."""
        if seconds is None:
            return math.inf
        sample = math.floor((seconds - self.metadata.begin_stream_seconds) * self._rate + 0.5)
        return max(0, sample) / self._rate
