"""Filter graphs: FFmpeg's filters over video and audio."""

from __future__ import annotations

import json
from collections.abc import Mapping
from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict

from . import _header, _native, _option
from ._arrays import A, Numbers, TorchTensor
from ._awaited import Awaited
from ._narrow import is_mapping
from ._source import Source, source
from ._wait import interruptibly
from .array import Arraylike, numpy_of, to_torch
from .errors import ClosedError
from .spec import Limits

if TYPE_CHECKING:
    from typing_extensions import Never, Self

    from ._option import DType


_END = 38  # SPOOL_END


@dataclass(repr=False, eq=False)
class GraphOutput(Arraylike[A], Generic[A]):
    """A frame, or samples, from a filter graph. It goes where its array ``data`` goes."""

    data: A
    """A frame: (H, W, C) of uint8. Samples: (channels, time), or (time, channels) with ``layout="tc"``."""
    pts_seconds: float
    """When it begins, in seconds of the graph's clock; NaN if unknown."""
    output: str
    """The label of the output in the description; empty for one without a label."""
    sample_rate: int
    """Samples of each channel a second; 0 for a frame."""

    @property
    def medium(self) -> Literal["video", "audio"]:
        """``video`` for a frame, ``audio`` for samples."""
        return "audio" if self.sample_rate else "video"

    def to_torch(self) -> GraphOutput[TorchTensor]:
        """Return the same output with a torch tensor, which shares the memory.

        Returns:
            The output.
        """
        return GraphOutput(to_torch(self.data), self.pts_seconds, self.output, self.sample_rate)

    def __repr__(self) -> str:
        return f"spool.GraphOutput(shape={self.shape}, pts_seconds={self.pts_seconds}, output={self.output!r})"


class InputOptions(TypedDict, total=False):
    """What a graph reads of its inputs.

    Attributes:
        medium: of the stream: ``video``, the default, or ``audio``.
        stream: int, the stream's index in the file. Default: the best stream.
        start: begin of a window, in seconds of the container's clock: of frames that begin in it, or of samples.
            Default: the begin of the stream.
        end: end of the window, exclusive, in seconds of the container's clock. Default: the end of the stream.
        threads: int, threads of each input's decoder. Default: 1.
    """

    medium: Literal["video", "audio"]
    stream: int | None
    start: float | None
    end: float | None
    threads: int


class GraphOptions(InputOptions, Limits, total=False):
    """Inputs and outputs of a filter graph. See also :class:`InputOptions` and :class:`spool.spec.Limits`.

    Attributes:
        color: channels of frames: ``rgb``, the default, ``bgr``, ``gray`` or ``rgba``.
        dtype: of samples: ``float32``, the default, from -1 to 1, ``int16`` or ``int32``.
        layout: of samples: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        files: bool; True lets filters open files, libraries and sockets that the description names. Default: False.
        skip_damage: bool; True drops the output of damaged packets, which is an error otherwise. Default: False.
    """

    color: Literal["rgb", "bgr", "gray", "rgba"]
    dtype: DType
    layout: Literal["ct", "tc"]
    files: bool
    skip_damage: bool


_input: _option.Kinds = {
    "medium": _option.text,
    "stream": _option.integer,
    "start": _option.number,
    "end": _option.number,
    "threads": _option.integer,
}

_kinds: _option.Kinds = {
    "color": _option.text,
    "dtype": _option.audio_dtype,
    "layout": _option.text,
    "files": _option.flag,
    "skip_damage": _option.flag,
    **_option.files,
}


@dataclass(frozen=True)
class GraphInput:
    """An input of a filter graph with options of its own."""

    src: Source
    """A path, a URL, bytes, a buffer, or a file opened for bytes."""
    medium: Literal["video", "audio"] = "video"
    """The medium of the stream: ``video`` or ``audio``."""
    stream: int | None = None
    """The stream's index in the file; None: the best stream."""
    start: float | None = None
    """Begin of a window, in seconds of the container's clock; None: the begin of the stream."""
    end: float | None = None
    """End of the window, exclusive; None: the end of the stream."""
    threads: int = 1
    """Threads of the decoder."""


class FilterGraph(Awaited["GraphOutput[Numbers]"]):
    """A graph of FFmpeg's filters over video and audio, which yields frames and samples.

    Iterating yields a :class:`spool.graph.GraphOutput` for each frame and each run of samples, of all outputs, as they
    are ready. Frames are at their stored orientation. Any number of threads may share a graph. It runs one call at a
    time. The GIL is released while it filters, and Ctrl-C interrupts it. ``async for`` waits in a thread of asyncio's
    default executor. A graph is closed by ``close()``, at the end of a ``with`` block, or when it is garbage collected.
    Its outputs stay valid.

    Filters that would open a file are refused, unless ``files=True`` allows them. The published wheel has a
    part of FFmpeg's filters, which ``docs/python-video.md`` lists; a library that was built from source has those of
    the system's FFmpeg.

    >>> import spool
    >>> graph = spool.FilterGraph("fps=5,scale=32:24,hflip", "testdata/video/bframes.mp4")
    >>> [(frame.shape, frame.pts_seconds) for frame in graph][:2]
    [((24, 32, 3), 0.0), ((24, 32, 3), 0.2)]

    Args:
        description: the graph in FFmpeg's language, as for its option -filter_complex: ``"[a][b]hstack[out]"``. Its
            unconnected pads are inputs and outputs, by their labels. A single input needs no label.
        inputs: one source, or sources by label: paths, URLs, bytes, buffers, files opened for bytes, or a
            :class:`spool.graph.GraphInput` with options of its own. None: the graph has sources of its own. Memory of
            the caller is used until the graph is closed.
        medium: of the stream: ``video``, the default, or ``audio``.
        stream: int, the stream's index in the file. Default: the best stream.
        start: begin of a window, in seconds of the container's clock: of frames that begin in it, or of samples.
            Default: the begin of the stream.
        end: end of the window, exclusive, in seconds of the container's clock. Default: the end of the stream.
        threads: int, threads of each input's decoder. Default: 1.
        color: channels of frames: ``rgb``, the default, ``bgr``, ``gray`` or ``rgba``.
        dtype: of samples: ``float32``, the default, from -1 to 1, ``int16`` or ``int32``.
        layout: of samples: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        files: bool; True lets filters open files, libraries and sockets that the description names. Default: False.
        skip_damage: bool; True drops the output of damaged packets, which is an error otherwise. Default: False.
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

    Raises:
        TypeError, ValueError: an argument is wrong, or FFmpeg does not accept the description. The message names it.
        DecodeError: an input is bad.
    """

    def __init__(
        self,
        description: str,
        inputs: Source | GraphInput | Mapping[str, Source | GraphInput] | None = None,
        *,
        medium: Literal["video", "audio"] = "video",
        stream: int | None = None,
        start: float | None = None,
        end: float | None = None,
        threads: int = 1,
        color: Literal["rgb", "bgr", "gray", "rgba"] = "rgb",
        dtype: DType = "float32",
        layout: Literal["ct", "tc"] = "ct",
        files: bool = False,
        skip_damage: bool = False,
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
        given = _option.given(locals(), FilterGraph.__init__)
        common = {name: given.pop(name) for name in _input if name in given}
        options = _option.encode(given, {**_kinds, **_input}, ("description", "inputs"))
        text = _option.text("description", description).encode()
        structs, self._keep = _structs(inputs, common)
        self._description = description
        self._handle: _native.Handle | None = interruptibly(
            lambda cancel: _native.new(
                *("spool_graph", text, structs, len(structs), options.encode(), cancel), by="open", end="close"
            )
        )
        self.outputs: tuple[str, ...] = tuple(_native.query("spool_graph_info", self._handle)["outputs"])
        """The labels of the outputs, in FFmpeg's order."""

    def __next__(self) -> GraphOutput[Numbers]:
        handle = self._handle
        if handle is None:
            raise ClosedError("the graph is closed", error_class="closed")
        struct, error = _header.GraphOutputStruct(), _header.ErrorStruct()
        data = _native.array(_header.Pointer.from_buffer(struct, _header.GraphOutputStruct.data.offset))
        pull = _native.library().spool_graph_next
        status = interruptibly(lambda cancel: int(pull(handle, cancel, byref(struct), byref(error))))
        if status == _END:
            raise StopIteration
        if status:
            raise _native.exception(error)
        return GraphOutput(numpy_of(data), struct.pts, self.outputs[int(struct.output)], struct.rate)

    def __repr__(self) -> str:
        closed = ", closed" if self._handle is None else ""
        return f"<spool.FilterGraph {self._description!r}, outputs {list(self.outputs)}{closed}>"

    def close(self) -> None:
        """Close the graph and its inputs. Calls of other threads end first. Outputs stay valid."""
        self._handle, self._keep = None, []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _structs(inputs: Any, common: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """Return C's array of inputs, and what they point to."""
    if inputs is None:
        labeled: dict[str, Any] = {}
    elif is_mapping(inputs):
        labeled = {_option.text("inputs", label): src for label, src in inputs.items()}
    else:
        labeled = {"": inputs}
    structs = (_header.GraphInputStruct * len(labeled))()
    keep: list[Any] = [structs]
    for struct, (label, src) in zip(structs, labeled.items(), strict=True):
        own = dict(common)
        if isinstance(src, GraphInput):
            own = {name: getattr(src, name) for name in _input}
            src = src.src
        options = json.loads(_option.encode(own, _input))
        read = source(src)
        keep.append(read)
        struct.source, struct.options = read, json.dumps({**options, "label": label}).encode()
    return structs, keep
