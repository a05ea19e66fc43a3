"""Decoding many images in parallel, into one batch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _header, _many, _native, _option, bfloat16
from ._option import Problems
from ._source import Source, source
from ._wait import interruptibly
from .array import Array, Arraylike, address, numpy_of, writable
from .errors import Error
from .image import fits, is_long, spec_of
from .spec import ImageSpec

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Never

    from ._arrays import Numbers, Rows
    from ._option import Augment, DType, Filter, Size
    from ._types import HostArray
    from .spec import Parsed


# The arguments of the call that are not options.
_NAMED = ("sources", "spec", "on_error", "threads", "out", "seed", "epoch", "ids", "regions")


@dataclass(repr=False, eq=False)
class DecodedImages(Arraylike["Numbers"]):
    """Images in one array. It goes where its array goes: ``np.asarray(batch)``, ``torch.from_dlpack(batch)``."""

    data: Numbers
    """The pixels: (N, H, W, C) or (N, C, H, W). With ``on_error="skip"`` N counts only the good sources."""
    valid: NDArray[np.bool_]
    """True for each source that was decoded: of shape (number of sources,), with every policy."""
    errors: dict[int, Error]
    """The errors of the other sources, by their position."""
    regions: Rows | None = None
    """With ``regions=True``, the rectangle of the upright image that each row shows, for boxes and key points.
    The fields are ``left``, ``top``, ``width``, ``height``, ``flip_x`` and ``flip_y``, in pixels of the image."""

    def __repr__(self) -> str:
        return f"spool.DecodedImages(shape={self.shape}, dtype={self.dtype}, failed={len(self.errors)})"


def decode_images(
    sources: Sequence[Source],
    spec: ImageSpec | None = None,
    *,
    on_error: Literal["fail", "skip", "placeholder"] = "fail",
    threads: int | None = None,
    out: HostArray | None = None,
    seed: int = 0,
    epoch: int = 0,
    ids: ArrayLike | None = None,
    regions: bool = False,
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
) -> DecodedImages:
    """Decode images into one batch, in parallel.

    Any number of threads may call this function. The GIL is released while it decodes, and Ctrl-C interrupts it.
    A single source is interrupted as for :func:`decode_image`.

    Args:
        sources: paths, URLs, bytes, buffers or files, as for :func:`decode_image`.
        spec: options as an :class:`ImageSpec`, made once for many calls. Not together with keywords. It has to give all
            images the same shape.
        on_error: the policy for bad sources. ``fail``, the default, raises the error of the first. ``skip`` leaves them
            out. ``placeholder`` leaves their rows zero. With both of these, ``valid`` says which are good.
        threads: int, how many images are decoded at a time. Default: one for each CPU that the process may use.
        out: array to write to, as for :func:`decode_image`. Its shape is (N, H, W, C) for all sources, also with
            ``skip``.
        seed: int, part of the key that random choices are drawn from: crops, flips and ``augment``. Default: 0. The
            same seed, epoch and id give the same draw.
        epoch: int, part of that key. Default: 0.
        ids: part of that key, one integer for each source. Default: 0, 1, 2 and so on.
        regions: bool, whether to report the crop of each image. Default: False.
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
        The batch. Its memory is released with the last view of it.

    Raises:
        DecodeError: a source is bad, with ``fail``. The error is that of the first in the order of sources.
        TypeError, ValueError: an argument is wrong. The message names it.
        KeyboardInterrupt: decoding was interrupted.
        ForkError: the process was forked from one that had used spool.

    >>> import spool
    >>> photos = [f"testdata/photos/animal/{i:02}.jpg" for i in range(3)]
    >>> batch = spool.decode_images([*photos, "none.jpg"], size=224, on_error="placeholder")
    >>> batch.shape, batch.valid.tolist()
    ((4, 224, 224, 3), [True, True, True, False])
    >>> print(batch.errors[3])
    none.jpg: not-found: no such file or directory
    """
    options = _option.given(locals(), decode_images)
    options = {name: value for name, value in options.items() if name not in _NAMED}
    problems = Problems()
    o = _many.options(problems, on_error, threads, seed, epoch)
    if isinstance(sources, (str, bytes, bytearray, memoryview, os.PathLike)):
        problems.add(
            TypeError(
                f"sources: expected a sequence of sources, got one {type(sources).__name__}; use decode_image for one"
            )
        )
    try:
        parsed = spec_of(spec, options, _NAMED)
    except (TypeError, ValueError) as e:
        problems.add(e)
        problems.settle()
        raise
    problems.settle()
    structs = [source(src) for src in sources]
    n = len(structs)
    view = None
    if out is not None:
        view = writable(out)
        fits(view, parsed, (n, *parsed.shape) if parsed.shape else None)
        o.out, o.out_size = address(view), view.nbytes
    arrays = _many.Samples(o, n, ids, "source")
    seen = np.zeros(n, _header.REGION) if regions else None
    if seen is not None:
        o.regions = address(seen)

    def decode(cancel: _native.Handle | None) -> tuple[Any, dict[int, Error]]:
        return _native.decode_images(parsed.handle, structs, o, cancel)

    short = n == 1 and not is_long(structs[0])
    pixels, failed = decode(None) if short else interruptibly(decode)
    if pixels is not None:
        data = numpy_of(pixels)
    else:
        data = bfloat16.typed(np.asarray(view)[: n - len(failed) if on_error == "skip" else n])
    return DecodedImages(data, arrays.statuses == 0, failed, seen)


def decode_one(src: Source, spec: Parsed, seed: int, epoch: int) -> Numbers:
    """Decode an image as :func:`decode_images` decodes the first of a list, without its checks of options.

    Args:
        src: the source.
        spec: a spec of a fixed size.
        seed: where random numbers begin.
        epoch: the epoch, which varies them.

    Returns:
        The pixels. Those of bfloat16 have the type of :mod:`spool.bfloat16` without package ml_dtypes.
    """
    struct = source(src)
    o = _header.ImagesOptions(threads=1, seed=seed, epoch=epoch)

    def decode(cancel: _native.Handle | None) -> tuple[Any, dict[int, Error]]:
        return _native.decode_images(spec.handle, [struct], o, cancel)

    pixels, _ = interruptibly(decode) if is_long(struct) else decode(None)
    first: Numbers = np.asarray(Array(pixels, _native.layout(pixels)))[0]
    return first
