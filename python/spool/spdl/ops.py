"""The op that decodes batches in SPDL's pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _option
from ..stage import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from typing_extensions import Never

    from .._option import Augment, DType, Filter, Size
    from ..records import Schema
    from ..stage import OnError, Read, Transform


def decode(
    transform: Transform | None = None,
    *,
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
    key: int | str | None = None,
    threads: int = 1,
    on_error: OnError = "fail",
    read: Read | None = None,
    fields: Schema | None = None,
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
) -> Stage:
    """Make an op for ``PipelineBuilder.pipe`` that decodes a list of samples, from ``aggregate``, to a batch.

    With ``on_error="fail"`` a batch with a bad sample is a failed item, which ``max_failures`` counts.

    Args:
        transform: as for :class:`spool.stage.Stage`.
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
        key: where the source is in a sample: an index of a tuple, by default 0, or a key of a dict, by default
            ``"image"``.
        threads: int, how many images are decoded at a time. Default: the CPUs that the process may use.
        on_error: the policy for a sample that cannot be decoded. ``fail``, the default, raises its error. ``skip``
            leaves it out of the batch, together with its labels, and logs it. ``placeholder`` keeps its slot, filled
            with zeros, and adds which slots are valid: as ``valid`` to a batch that is a dict, otherwise as the last
            element.
        read: function that takes a list of sources and returns their bytes, such as :class:`spool.fsspec.Reader`. An
            exception takes the place of bytes that could not be read. Default: the library reads the sources.
        fields: fields of records by their names, as for :class:`spool.Loader`, in place of one image. Their inputs are
            keys of a sample that is a dict, or positions in a tuple, like ``"0"``. The batch is a dict of the fields,
            with the other values of the samples. Not together with ``key``, ``read`` and options of images, which the
            fields have.
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
        The op.
    """
    return Stage(transform, **{**dict[str, Any](threads=1), **_option.given(locals(), decode)})
