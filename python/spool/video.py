"""Decoding frames of a video in one call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import numpy as np

from . import _header, _native, _option, bfloat16, video_spec
from ._source import Source, source
from ._wait import interruptibly
from .array import address, numpy_of, writable
from .frames import FrameBatch

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from numpy.typing import NDArray
    from typing_extensions import Never

    from ._arrays import Numbers, Rows
    from ._option import DType, Filter, Size
    from ._types import HostArray
    from .reports import Work


def decode_video(
    src: Source,
    *,
    frames: Iterable[int] | None = None,
    range: range | tuple[int, int] | tuple[int, int, int] | str | None = None,
    times: Iterable[float] | float | None = None,
    start: float | None = None,
    end: float | None = None,
    sample: int | None = None,
    out: HostArray | None = None,
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
    dtype: DType = "uint8",
    layout: Literal["nhwc", "nchw"] = "nhwc",
    crops: Literal["one", "five", "ten"] = "one",
    stream: int | None = None,
    threads: int = 1,
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
) -> FrameBatch:
    """Decode frames of a video: all of them, or those that one of the arguments selects.

    The format is detected from the content. Any number of threads may call this function. The GIL is released while it
    decodes, and Ctrl-C interrupts it.

    Args:
        src: a path, a URL, bytes, any buffer, a tensor of uint8, or a file opened for bytes, which is read as a whole.
        frames: indices of frames, from 0 in presentation order; in any order, and also repeated.
        range: frames ``start``, ``start + step`` and so on, below ``stop``: a range, a tuple, or text like
            ``"0:100:10"``.
        times: the frames that are shown at these times, in seconds of the container's clock.
        start: the frames that begin at or after this time, in seconds of the container's clock.
        end: the frames that begin before this time, in seconds of the container's clock.
        sample: int, this number of frames, evenly spread: frame i is the middle of the i-th of as many equal parts.
        out: array to write to: a NumPy array, a torch tensor in host memory, pinned or not, or any array with DLPack or
            the buffer protocol. It has to be in C order, with exactly the result's shape and type. Default: a new
            array.
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
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``, as a name or as NumPy's or
            torch's type. Floats are x/255. NumPy arrays of bfloat16 need package ml_dtypes.
        layout: ``nhwc``, the default, or ``nchw``.
        crops: several crops of the clip of the size ``crop``: ``five``, the corners and the center, or ``ten``, these
            and those of the mirrored frames, like torchvision's FiveCrop and TenCrop. The shape has their number in
            front. Default: ``one``.
        stream: int, the stream's index in the file. Default: the best stream.
        threads: int, decoder threads. More than one helps with one long video. Default: 1.
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
        A batch with the time of each frame. The shape of ``data`` is (N, H, W, C), or (N, C, H, W) with
        ``layout="nchw"``. Its type is uint8 unless ``dtype`` sets another. The library's memory is released with the
        last view of it. With ``out``, ``data`` is ``out``, or its first frames if ``on_damage="skip"`` has left frames
        out.

    Raises:
        DecodeError: the input is bad. If the file does not exist, the error is also a FileNotFoundError. If a frame or
            a time is beyond the end, it is also an IndexError, whose text has the number of frames.
        TypeError, ValueError: an argument is wrong. The message names it. After an error the contents of ``out`` are
            unspecified.
        KeyboardInterrupt: decoding was interrupted.
        ForkError: the process was forked from one that had used spool.

    >>> import spool
    >>> clip = spool.decode_video("testdata/video/vfr.mp4", sample=3, size=32)
    >>> clip.shape, clip.pts_seconds.round(3).tolist()
    ((3, 32, 32, 3), [0.136, 0.524, 0.856])
    """
    options = _option.given(locals(), decode_video)
    options.pop("out", None)
    spec = video_spec.parsed("spool_video_spec", _option.encode(options, video_spec.video, ("src", "out")))
    s = source(src)

    def decode(cancel: _native.Handle | None) -> FrameBatch:
        video = _native.new("spool_video", spec, s, cancel, by="open", end="close")
        return decoded(video, spec, None, cancel, out)

    return interruptibly(decode)


def decoded(
    video: _native.Handle,
    spec: _native.Handle,
    frames: NDArray[np.int64] | None,
    cancel: _native.Handle | None,
    out: HostArray | None = None,
) -> FrameBatch:
    """Decode frames of an open video.

    Args:
        video: the open video.
        spec: how frames are made.
        frames: indices of frames. None: the frames that the spec selects.
        cancel: ends the call early. None: the call cannot be interrupted.
        out: array to write to. None: a new array.

    Returns:
        The frames.

    Raises:
        Error: the frames cannot be decoded.
        ValueError: ``out`` has another shape or type than the result.
    """
    clip = _header.ClipStruct()
    wanted = (None, 0) if frames is None else (address(frames), len(frames))
    if out is None:
        _native.call("spool_video_decode", video, spec, *wanted, cancel, clip)
        data = numpy_of(_native.array(clip.pixels))
        rows = table(_native.array(clip.frames))
    else:
        view = writable(out)
        _native.call("spool_video_decode_into", video, spec, *wanted, cancel, address(view), view.nbytes, clip)
        rows = table(_native.array(clip.frames))
        dtype, shape = _native.describe(clip.view)
        if view.shape[1:] != shape[1:] or view.dtype != dtype:
            raise ValueError(f"out: {view.shape} of {view.dtype}, the result is {shape} of {bfloat16.name(dtype)}")
        given = cast("Numbers", out)
        data = given if shape == view.shape else given[: shape[0]]
    parts = [rows[name] for name in ("pts", "duration", "index", "state")]
    crops = data.shape[:-4]  # each has the same frames
    return FrameBatch(data, *(np.tile(part, (*crops, 1)) if crops else part for part in parts), work=work_of(clip))


def work_of(clip: _header.ClipStruct) -> Work:
    """Return what it took to decode a clip.

    Args:
        clip: the clip.

    Returns:
        The counts.
    """
    return {
        "read": clip.read,
        "decoded": clip.decoded,
        "skipped": clip.skipped,
        "seeks": clip.seeks,
        "damaged": clip.damaged,
    }


def table(frames: _native.Handle) -> Rows:
    """Return a table of frames as a structured NumPy array.

    Args:
        frames: an array of spool_frame.

    Returns:
        An array with the fields index, pts, duration, state and key.
    """
    rows: Rows = np.frombuffer(numpy_of(frames), _header.FRAME)
    return rows
