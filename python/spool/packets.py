"""Compressed packets of video and audio: reading, filtering and writing them without decoding."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np

from . import _header, _native, _option
from ._source import Source, encoded, source
from ._wait import interruptibly
from .array import numpy_of
from .spec import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Never, TypedDict
else:
    from typing import TypedDict

# FFmpeg's flags of packets, and its mark for a time that a packet does not have.
_KEY, _CORRUPT, _DISCARD, _DISPOSABLE = 1, 2, 4, 16
_NO_TIME = -(1 << 63)


class _Payload:
    """The memory of a packet as an array for NumPy. It keeps the packets alive."""

    __slots__ = ("__array_interface__", "_packets")

    def __init__(self, packets: _native.Handle, address: int, size: int) -> None:
        self._packets = packets
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (size,), "data": (address, True)}


class Packet:
    """A compressed packet of a stream, usually of one frame. The attributes have PyAV's names.

    ``bytes(packet)`` copies the payload. ``packet.data`` views it in place, and keeps it valid.

    Attributes:
        pts: int, when the frame is shown, in units of ``time_base``; None if unknown.
        dts: int, when the packet is decoded, in units of ``time_base``; None if unknown.
        duration: int, how long the frame is shown, in units of ``time_base``; 0 if unknown.
        time_base: the seconds of a unit of time.
        flags: int, FFmpeg's flags AV_PKT_FLAG_KEY, _CORRUPT, _DISCARD and _DISPOSABLE.
        data: the payload, a read-only memoryview without a copy.

    Args:
        packets: the packets' handle, which keeps the payload valid.
        row: the packet's row in the table.
        time_base: the seconds of a unit of time.
    """

    __slots__ = ("data", "dts", "duration", "flags", "pts", "time_base")

    pts: int | None
    dts: int | None
    duration: int
    time_base: Fraction
    flags: int
    data: memoryview

    def __init__(self, packets: _native.Handle, row: tuple[int, ...], time_base: Fraction) -> None:
        place, size, pts, dts, self.duration, self.flags = row
        self.pts, self.dts = (None if t == _NO_TIME else t for t in (pts, dts))
        self.time_base = time_base
        payload: Any = np.asarray(_Payload(packets, place, size)) if size else b""
        self.data = memoryview(payload)

    @property
    def size(self) -> int:
        """The size of the payload in bytes."""
        return self.data.nbytes

    @property
    def is_keyframe(self) -> bool:
        """Whether decoding can begin with this packet."""
        return bool(self.flags & _KEY)

    @property
    def is_corrupt(self) -> bool:
        """Whether the demuxer found the packet damaged."""
        return bool(self.flags & _CORRUPT)

    @property
    def is_discard(self) -> bool:
        """Whether the packet is outside of the window, and needed only to decode packets in it."""
        return bool(self.flags & _DISCARD)

    @property
    def is_disposable(self) -> bool:
        """Whether no other packet needs this one."""
        return bool(self.flags & _DISPOSABLE)

    @property
    def pts_seconds(self) -> float | None:
        """When the frame is shown, in seconds of the container's clock; None if unknown."""
        return None if self.pts is None else float(self.pts * self.time_base)

    def __bytes__(self) -> bytes:
        return self.data.tobytes()

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"spool.Packet(pts={self.pts}, dts={self.dts}, size={self.size}, is_keyframe={self.is_keyframe})"


class Packets(Sequence[Packet]):
    """Packets of one stream in decoding order, as :func:`demux` reads them. They never change.

    Packets can be decoded by ``spool.VideoDecoder(packets)``, written by :func:`mux`, and pickled, which copies them.
    Any number of threads may use them. Their memory is FFmpeg's. It is released with the last reference to the packets
    and to the ``data`` of a packet.

    Attributes:
        medium: ``video`` or ``audio``.
        stream_index: int, the stream's index in the file.
        codec: FFmpeg's name of the codec.
        extradata: bytes, the codec's parameters outside of packets.
        time_base: the seconds of a unit of packets' times.
        num_frames: int, how many packets are in the window. Others are needed only to decode these.
        width: int, of video, as stored; 0 for audio.
        height: int, of video, as stored; 0 for audio.
        pix_fmt: FFmpeg's name of the stored pixel format; empty for audio.
        num_channels: int, of audio; 0 for video.
        sample_rate: int, of audio; 0 for video.

    Args:
        handle: the library's packets. Programs call :func:`demux`.
    """

    def __init__(self, handle: _native.Handle) -> None:
        self._handle = handle
        info = _native.query("spool_packets_info", handle)
        rows = _native.array()
        _native.call("spool_packets_list", handle, rows.out)
        self._rows: NDArray[Any] = np.frombuffer(numpy_of(rows), _header.PACKET)
        self.medium: Literal["video", "audio"] = info["medium"]
        self.stream_index: int = info["stream"]
        self.codec: str = info["codec"]
        self.extradata: bytes = base64.b64decode(info["extradata"] or "")
        self.time_base = Fraction(*info["time_base"])
        self.num_frames: int = info["frames"]
        self.width: int = info["width"]
        self.height: int = info["height"]
        self.pix_fmt: str = info["pix_fmt"]
        self.num_channels: int = info["channels"]
        self.sample_rate: int = info["rate"]

    @classmethod
    def from_bytes(cls, data: bytes) -> Packets:
        """Return the packets that :meth:`to_bytes` saved, in any process.

        Args:
            data: the bytes, which are copied.

        Returns:
            The packets.

        Raises:
            DecodeError: the bytes are not packets, or damaged.
        """
        return cls(_native.new("spool_packets", data, len(data), by="load"))

    def to_bytes(self) -> bytes:
        """Return a copy of the packets as bytes, with all that decoding needs.

        Returns:
            The bytes, for :meth:`from_bytes`.
        """
        saved = _native.array()
        _native.call("spool_packets_save", self._handle, saved.out)
        return _native.content(saved)

    def filter(self, bsf: str) -> Packets:
        """Apply FFmpeg's bitstream filters, which change packets without decoding them.

        Args:
            bsf: the filters, like ``"h264_mp4toannexb"`` or ``"a,b=option=value"``.

        Returns:
            Other packets. These do not change.

        Raises:
            ValueError: FFmpeg lacks the filters or their options.
            DecodeError: the filters are for other codecs, or cannot parse a packet.
        """
        text = _option.text("bsf", bsf).encode()
        return Packets(
            interruptibly(lambda cancel: _native.new("spool_packets", self._handle, text, cancel, by="filter"))
        )

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, key: int) -> Packet: ...
    @overload
    def __getitem__(self, key: slice) -> list[Packet]: ...
    def __getitem__(self, key: int | slice) -> Packet | list[Packet]:
        found: Any = self._rows[key].tolist()
        if isinstance(key, slice):
            return [self._packet(row) for row in found]
        return self._packet(found)

    def __iter__(self) -> Iterator[Packet]:
        return (self._packet(row.tolist()) for row in self._rows)

    def _packet(self, row: tuple[int, ...]) -> Packet:
        return Packet(self._handle, row[:-1], self.time_base)

    def __reduce__(self) -> tuple[object, ...]:
        return Packets.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"spool.Packets({len(self)} of {self.codec}, {int(self._rows['size'].sum())} bytes)"


class DemuxOptions(Limits, total=False):
    """Which packets of a file are read. See also :class:`spool.spec.Limits`.

    Attributes:
        medium: of the stream: ``video``, the default, or ``audio``.
        stream: int, the stream's index in the file. Default: the best stream.
        language: the best stream of this language.
        start: begin of a window, in seconds of the container's clock. Default: the begin of the stream.
        end: end of the window, exclusive, in seconds of the container's clock. Default: the end of the stream.
        bsf: FFmpeg's bitstream filters, which change packets without decoding them, like ``"h264_mp4toannexb"``.
    """

    medium: Literal["video", "audio"]
    stream: int | None
    language: str | None
    start: float | None
    end: float | None
    bsf: str | None


_demux: _option.Kinds = {
    "medium": _option.text,
    "stream": _option.integer,
    "language": _option.text,
    "start": _option.number,
    "end": _option.number,
    "bsf": _option.text,
    **_option.files,
}


def demux(
    src: Source,
    *,
    medium: Literal["video", "audio"] = "video",
    stream: int | None = None,
    language: str | None = None,
    start: float | None = None,
    end: float | None = None,
    bsf: str | None = None,
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
) -> Packets:
    """Read the packets of a stream without decoding them. The name is PyAV's.

    A window selects the packets that are needed to decode the frames that begin in it, or the samples in it. It costs
    reading the window, and for video indexing the file. Ctrl-C ends the call between packets.

    Args:
        src: a path, a URL, bytes, a buffer, or a file opened for bytes.
        medium: of the stream: ``video``, the default, or ``audio``.
        stream: int, the stream's index in the file. Default: the best stream.
        language: the best stream of this language.
        start: begin of a window, in seconds of the container's clock. Default: the begin of the stream.
        end: end of the window, exclusive, in seconds of the container's clock. Default: the end of the stream.
        bsf: FFmpeg's bitstream filters, which change packets without decoding them, like ``"h264_mp4toannexb"``.
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
        The packets.

    Raises:
        DecodeError: the input is bad, or the bitstream filters are for other codecs. If the file does not have the
            stream, the error is also an IndexError.
        TypeError, ValueError: an argument is wrong. The message names it.

    >>> import spool
    >>> packets = spool.demux("testdata/video/bframes.mp4", end=0.5)
    >>> packets.codec, packets[0].is_keyframe, packets[0].pts, packets[1].time_base
    ('h264', True, 0, Fraction(1, 12800))
    >>> spool.VideoDecoder(packets)[0].shape
    (3, 48, 64)
    """
    options = _option.encode(_option.given(locals(), demux), _demux, ("src",)).encode()
    data = source(src)
    return Packets(interruptibly(lambda cancel: _native.new("spool_packets", data, options, cancel, by="read")))


class MuxOptions(TypedDict, total=False):
    """The container that packets are written to.

    Attributes:
        format: FFmpeg's name of the container. Default: by the extension of the file's name.
        format_option: FFmpeg's options of the container, by name, like ``{"movflags": "faststart"}``.
    """

    format: str | None
    format_option: Mapping[str, str] | None


_mux: _option.Kinds = {"format": _option.text, "format_option": _option.mapping}


def mux(
    packets: Packets | Sequence[Packets],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    format_option: Mapping[str, str] | None = None,
    **unknown: Never,
) -> None:
    """Write packets to a container without encoding them, in the order of their decoding times. The name is PyAV's.

    Rotation and frame rate are kept, languages are not; :func:`spool.remux` keeps both. The file appears complete or
    not at all. Ctrl-C ends the call between packets.

    Args:
        packets: of one stream, or of several in the order of the new file's streams.
        path: path of the new file. Its extension selects the container.
        format: FFmpeg's name of the container. Default: by the extension of the file's name.
        format_option: FFmpeg's options of the container, by name, like ``{"movflags": "faststart"}``.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: the container does not hold the streams, or the file cannot be written.
    """
    options = _option.encode(_option.given(locals(), mux), _mux, ("packets", "path"))
    streams = [packets] if isinstance(packets, Packets) else list(packets)
    for p in cast("list[Any]", streams):
        if not isinstance(p, Packets):
            raise _option.wrong("packets", p, "a spool.Packets, or a sequence of them")
    handles = (_header.handle * len(streams))(*(p._handle.number for p in streams))
    target, n = encoded("path", path), len(streams)
    interruptibly(partial(_native.call, "spool_mux", target, handles, n, options.encode()))
