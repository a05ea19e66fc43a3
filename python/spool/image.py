"""Decoding one image."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar, cast, overload

from . import _header, _native, _option, bfloat16
from ._source import Source, source
from ._wait import interruptibly
from .array import address, numpy_of, writable
from .spec import ImageOptions, ImageSpec, Parsed, image_spec

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

    from ._arrays import Numbers
    from ._option import Augment, DType, Filter, Size
    from ._types import HostArray

Out = TypeVar("Out", bound="HostArray")

# A file of more bytes is decoded interruptibly.
_LARGE = 4 << 20

# The arguments of the call that are not options.
_NAMED = ("src", "spec", "out")


def _decode(
    src: Source, spec: ImageSpec | None = None, *, out: HostArray | None = None, **options: object
) -> HostArray:
    parsed = spec_of(spec, options and _option.unlike(options, ImageSpec.__init__), _NAMED)
    s = source(src)
    decode = partial(_decoded, parsed, s) if out is None else partial(_into, parsed, s, out)
    return interruptibly(decode) if is_long(s) else decode(None)


@overload
def decode_image(
    src: Source, spec: ImageSpec | None = None, *, out: None = None, **keywords: Unpack[ImageOptions]
) -> Numbers: ...
@overload
def decode_image(src: Source, spec: ImageSpec | None = None, *, out: Out, **keywords: Unpack[ImageOptions]) -> Out: ...
@_option.shows(_decode)
def decode_image(
    src: Source,
    spec: ImageSpec | None = None,
    *,
    out: HostArray | None = None,
    size: Size | None = None,
    mode: Literal["stretch", "fit", "cover"] = "stretch",
    resize_shorter: int | None = None,
    max_size: int | None = None,
    crop: Size | None = None,
    crops: Literal["one", "five", "ten"] = "one",
    filter: Filter = "bilinear",
    profile: Literal["exact", "pillow", "fast"] = "exact",
    color: Literal["rgb", "bgr", "gray", "rgba", "index"] = "rgb",
    alpha: str = "drop",
    dtype: DType = "uint8",
    mean: float | Sequence[float] | None = None,
    std: float | Sequence[float] | None = None,
    layout: Literal["nhwc", "nchw"] = "nhwc",
    orient: bool = True,
    icc: bool = False,
    frame: int | Literal["all"] = 0,
    accept: float | None = None,
    fill: str = "#808080",
    pad_color: str = "#000000",
    jpeg: Literal["auto", "turbo"] = "auto",
    isolate: Literal["off", "heic", "auto", "all"] = "off",
    allow: str | Sequence[str] | None = None,
    box: Sequence[int] | None = None,
    random_scale: Sequence[float] | None = None,
    random_ratio: Sequence[float] | None = None,
    random_crop: int | Sequence[int] | None = None,
    flip_x: float = 0,
    flip_y: float = 0,
    augment: Augment | None = None,
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
) -> HostArray:
    """Decode an image to an array.

    The format is detected from the content, not from the name. Any number of threads may call this function. The GIL is
    released while it decodes. Ctrl-C interrupts it for a URL, and for a file of more than 4 MiB.

    Args:
        src: a path, a URL, bytes, any buffer, a tensor of uint8, or a file opened for bytes.
        spec: options as an :class:`ImageSpec`, made once for many calls. Not together with keywords.
        out: array to write to: a NumPy array, a torch tensor in host memory, pinned or not, or any array with DLPack or
            the buffer protocol. It has to be in C order, with exactly the result's shape and type. Default: a new
            array.
        size: N for N x N pixels, (height, width) like the shape of results, or ``"WxH"`` like the command. Default: the
            image's own size.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole image, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side, like torchvision's ``Resize(N)``. Not together with ``size``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after the resize, like torchvision's ``CenterCrop``. Default: none.
        crops: several crops of an image of the size ``crop``, which is decoded once: ``five``, the corners and the
            center, or ``ten``, these and those of the mirrored image, like torchvision's FiveCrop and TenCrop. The
            shape has their number in front. Default: ``one``.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, gives torchvision's bytes; ``pillow`` gives Pillow's; ``fast`` is close to
            ``exact``.
        color: ``rgb``, the default, ``bgr``, ``gray`` or ``rgba``. ``index`` gives the indices of a palette, for masks;
            it can be resized by a nearest filter only.
        alpha: ``drop``, the default, ``keep``, or ``over:#rrggbb``, which blends over a color.
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``, as a name or as NumPy's or
            torch's type. Floats are x/255. NumPy arrays of bfloat16 need package ml_dtypes.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        layout: ``nhwc``, the default, or ``nchw``.
        orient: bool, whether to turn the image upright by its EXIF orientation. Default: True.
        icc: bool, whether to convert to sRGB by the color profile in the file. Default: False.
        frame: int, which frame of an animation or which page, from 0, the default. ``"all"`` puts their number in front
            of the shape.
        accept: fraction, from 0 to 1. A damaged image is accepted if at least this fraction of it was read, and the
            rest is filled with ``fill``. Default: damaged images are refused.
        fill: color of the rest of a damaged image, like ``"#808080"``, the default.
        pad_color: color that ``fit`` and crops pad with, like ``"#000000"``, the default.
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
        isolate: images decoded in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
        allow: loaders that are blocked by default: ``svg``, ``exr``, ``hdr``, ``magick``, ``pdf``. One name or several.
        box: a rectangle of the image that the caller has chosen, in pixels: left, top, width, height.
        random_scale: (least, most) share of the area. It or ``random_ratio`` asks for torchvision's RandomResizedCrop,
            drawn for each image of a batch.
        random_ratio: (least, most) aspect ratio of that crop.
        random_crop: pixels around the image, one number, or left, top, right, bottom. ``crop`` is then taken at a
            random position of the image with these pixels around it, drawn for each image of a batch.
        flip_x: probability of a flip from left to right, drawn for each image of a batch. Default: 0.
        flip_y: probability of a flip from top to bottom, drawn for each image of a batch. Default: 0.
        augment: operations on the pixels of results, drawn for each image of a batch: one of :mod:`spool.augment`, like
            ``spool.RandAugment()``, or a sequence of them. Default: none.
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
        An array of shape (H, W, C), or (C, H, W) with ``layout="nchw"``. With ``frame="all"`` the number of frames is
        the first dimension. The type is uint8 unless ``dtype`` sets another. The library's memory is released with the
        last view of it. With ``out``, the result is ``out`` itself.

    Raises:
        DecodeError: the input is bad. If the file does not exist, the error is also a FileNotFoundError, and so on.
        TypeError, ValueError: an argument is wrong. The message names it. After an error the contents of ``out`` are
            unspecified.
        KeyboardInterrupt: decoding was interrupted.
        ForkError: the process was forked from one that had used spool.

    >>> import spool
    >>> spool.decode_image("testdata/photos/animal/00.jpg", size=(192, 224)).shape
    (192, 224, 3)
    """
    raise NotImplementedError


def _decoded(spec: Parsed, s: _header.SourceStruct, cancel: _native.Handle | None) -> Numbers:
    pixels = _native.array()
    _native.call("spool_decode_image", spec.handle, s, cancel, pixels.out, None)
    return numpy_of(pixels)


def _into(spec: Parsed, s: _header.SourceStruct, out: Out, cancel: _native.Handle | None) -> Out:
    view = writable(out)
    fits(view, spec, spec.shape)
    report = _header.ReportStruct()
    try:
        _native.call("spool_decode_image_into", spec.handle, s, cancel, address(view), view.nbytes, report)
    except _native.ShapeError as e:
        raise ValueError(f"out: {e}") from None
    shape = tuple(report.shape[: report.ndim])
    if view.shape != shape:  # another shape of the same number of bytes, as for a rotated image
        raise ValueError(f"out: the shape is {view.shape}, must be that of the result, {shape}")
    return out


def fits(view: Numbers, spec: Parsed, shape: tuple[int, ...] | None) -> None:
    """Raise an error if the argument ``out`` does not fit a result.

    Args:
        view: the array that was passed.
        spec: the spec of the result.
        shape: shape of the result, or None if it depends on the image.

    Raises:
        ValueError: the type or the shape differs.
    """
    if view.dtype != spec.dtype:
        raise ValueError(f"out: the type is {view.dtype}, must be that of the result, {bfloat16.name(spec.dtype)}")
    if shape and view.shape != shape:
        raise ValueError(f"out: the shape is {view.shape}, must be that of the result, {shape}")


def spec_of(spec: ImageSpec | None, options: Mapping[str, object], named: Sequence[str]) -> Parsed:
    """Return the parsed spec of a call.

    Args:
        spec: the argument ``spec`` of the call.
        options: its options by keyword, without those that have their default.
        named: its other arguments, for hints.

    Returns:
        The parsed spec.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names all of them.
    """
    options = {name: value for name, value in options.items() if name not in named}
    if spec is None:
        return image_spec(cast(ImageOptions, options), named).parsed()
    if options:
        raise TypeError(f"spec: excludes {', '.join(options)}: options are in the spec, or keywords")
    if not isinstance(spec, ImageSpec):
        raise TypeError(
            f"spec: expected a spool.ImageSpec, got {type(spec).__name__}; use spool.ImageSpec(...) or keywords"
        )
    return spec.parsed()


def is_long(s: _header.SourceStruct) -> bool:
    """Report whether decoding a source may take long enough to be interrupted: a large file, or one of a server.

    Args:
        s: the source.

    Returns:
        Whether it is decoded interruptibly.
    """
    if not s.path:
        return int(s.size) > _LARGE
    try:
        return os.stat(s.path).st_size > _LARGE
    except OSError:
        return b"://" in s.path  # the library reports the error of other paths
