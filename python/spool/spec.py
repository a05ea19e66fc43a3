"""Options of images: the keywords of the calls, parsed once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal, TypedDict

from . import _native, _option
from ._operation import operations

if TYPE_CHECKING:
    from typing_extensions import Never

    from ._option import Augment, DType, Filter, Size


class Stores(TypedDict, total=False):
    """How stores are accessed, for sources that are URLs: ``s3://``, ``https://`` and ``hf://``, see docs/remote.md.

    Attributes:
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for
            credentials where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is
            tuned automatically, up to this limit.
    """

    endpoint_url: str | None
    region: str | None
    no_sign_request: bool
    max_concurrent_requests: int


class FileLabels(TypedDict, total=False):
    """Labels of files that the caller names one by one.

    Attributes:
        labels: integers, a label for each source, in their order; -1 is none. Each source is then one file. Default:
            labels come from class folders and tables.
    """

    labels: Collection[int] | None


class Limits(Stores, total=False):
    """What one input may cost, and how object stores are accessed, see :class:`Stores`.

    0 removes a limit. An input beyond a limit raises a DecodeError of the error class ``too-large`` or ``timeout``.

    Attributes:
        max_pixels: int, width times height of an image or a frame. Default: 178956970.
        max_bytes: size of a file, in bytes or as text like ``"1GiB"``, the default.
        max_frames: int, frames of an animated image, or pages. Default: 4096.
        max_memory: memory to decode one image, the result included, in bytes or as text. Default: ``"2GiB"``.
        max_cpu: seconds of processor time for an image or a request. Default: 10 or 60, and more for large ones.
    """

    max_pixels: int
    max_bytes: int | str
    max_frames: int
    max_memory: int | str
    max_cpu: float | None


class ImageOptions(Limits, total=False):
    """How an image is decoded. The keywords are the flags of ``spool decode image``.

    Attributes:
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
    """

    size: Size | None
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int | None
    max_size: int | None
    crop: Size | None
    crops: Literal["one", "five", "ten"]
    filter: Filter
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba", "index"]
    alpha: str
    dtype: DType
    mean: float | Sequence[float] | None
    std: float | Sequence[float] | None
    layout: Literal["nhwc", "nchw"]
    orient: bool
    icc: bool
    frame: int | Literal["all"]
    accept: float | None
    fill: str
    pad_color: str
    jpeg: Literal["auto", "turbo"]
    isolate: Literal["off", "heic", "auto", "all"]
    allow: str | Sequence[str] | None
    box: Sequence[int] | None
    random_scale: Sequence[float] | None
    random_ratio: Sequence[float] | None
    random_crop: int | Sequence[int] | None
    flip_x: float
    flip_y: float
    augment: Augment | None


class Parsed:
    """A spec that the library has parsed, with what is known of its results.

    Args:
        json: options as JSON, from :func:`spool._option.encode`.

    Attributes:
        handle: the library's spec.
        dtype: NumPy's name of the results' type.
        shape: shape of the results; empty if it depends on the image.
    """

    __slots__ = ("dtype", "handle", "shape")

    def __init__(self, json: str) -> None:
        self.handle = _native.new("spool_image_spec", json.encode())
        self.dtype, self.shape = _native.described("spool_image_spec_describe", self.handle)


class ImageSpec:
    """Options of images as an object, parsed once, for the argument ``spec`` of several calls.

    A spec can be pickled, compared, used as a key of a dict, and shared by any number of threads. Making one does not
    load the library, so a parent process may make it for workers that it forks. The first call checks the values.

    Args:
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

    Raises:
        TypeError: a keyword is unknown, or a value has a wrong type. The message names all of them.
    """

    __slots__ = ("_json", "_parsed")

    _options: ClassVar[_option.Kinds] = {
        **_option.geometry,
        "crops": _option.text,
        "filter": _option.text,
        "profile": _option.text,
        "color": _option.text,
        "alpha": _option.text,
        "dtype": _option.dtype,
        "mean": _option.numbers,
        "std": _option.numbers,
        "layout": _option.text,
        "orient": _option.flag,
        "icc": _option.flag,
        "frame": _option.frame,
        "accept": _option.number,
        "fill": _option.text,
        "pad_color": _option.text,
        "jpeg": _option.text,
        "isolate": _option.text,
        "allow": _option.texts,
        "box": _option.integers,
        "random_scale": _option.numbers,
        "random_ratio": _option.numbers,
        "random_crop": _option.integers,
        "flip_x": _option.number,
        "flip_y": _option.number,
        "augment": operations,
        **_option.files,
    }

    names: ClassVar[Collection[str]] = _options.keys()
    """The known keywords."""

    def __init__(
        self,
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
        self._json = _option.encode(_option.given(locals(), ImageSpec.__init__), self._options)
        self._parsed: Parsed | None = None

    @classmethod
    def check(cls, options: Mapping[str, object], named: Collection[str], also: _option.Problems) -> None:
        """Check options of a call that makes a spec of them, for unknown keywords and wrong types.

        Args:
            options: options by keyword.
            named: the other arguments of the call, for hints.
            also: problems of other arguments, which are raised together with those of the options.

        Raises:
            TypeError, ValueError: an argument is wrong. The message names all of them.
        """
        _option.encode(options, cls._options, named, also)

    def parsed(self) -> Parsed:
        """Return the library's parsed spec, made by the first call.

        Returns:
            The parsed spec.

        Raises:
            ValueError: values are wrong, or contradict each other. The message names all of them.
        """
        if self._parsed is None:  # two threads may both parse it; each uses its result, and one of them is kept
            self._parsed = Parsed(self._json)
        return self._parsed

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._json,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImageSpec) and self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        return f"spool.ImageSpec({self._json})"


def image_spec(options: ImageOptions, named: Collection[str] = ()) -> ImageSpec:
    """Return the spec of some keywords, from a cache of the latest 256.

    Args:
        options: options by keyword.
        named: the other arguments of the call, for hints.

    Returns:
        The spec.

    Raises:
        TypeError, ValueError: an option is wrong. The message names all of them.
    """
    try:
        return _cached(**options)  # type: ignore[arg-type]  # unhashable values are caught
    except (TypeError, ValueError):  # an option is a list, which cannot be a key of the cache; or an option is wrong
        ImageSpec.check(options, named, _option.Problems())
        return ImageSpec(**options)  # pyright: ignore[reportArgumentType]


_cached = lru_cache(maxsize=256, typed=True)(ImageSpec)


def _restored(json: str) -> ImageSpec:
    spec = ImageSpec()
    spec._json = json
    return spec
