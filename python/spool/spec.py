"""Options of pictures: what the keywords of the calls may be, parsed once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

from . import _native, _option

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option import DType, Size


class Stores(TypedDict, total=False):
    """How stores on the network are asked, for files at addresses: ``s3://bucket/key``, ``https://host/path``.

    ``endpoint_url``: an S3 server in place of AWS's, as ``AWS_ENDPOINT_URL`` has it. ``region`` of the buckets, as
    ``AWS_REGION`` has it. ``no_sign_request``: use no credentials, for buckets that anybody may read; else they are
    looked for where AWS's tools look. ``max_concurrent_requests``: most at a time to one store, 512; up to there, as
    many as pay are found.
    """

    endpoint_url: str
    region: str
    no_sign_request: bool
    max_concurrent_requests: int


class Limits(Stores, total=False):
    """What one input may cost, 0 for no limit; and for addresses what :class:`Stores` has."""

    max_pixels: int
    max_bytes: int | str
    max_frames: int
    max_memory: int | str


class ImageOptions(Limits, total=False):
    """What is wanted of a picture. What is left out has the default that is named first.

    ``size``: own size; ``N`` for N x N; ``(height, width)``, as results have their shape; ``"WxH"``, as the
    command has it. ``mode``: how ``size`` is meant: ``stretch``, ``fit`` (the whole picture, padded), ``cover``
    (filled, cut).
    ``resize_shorter``, ``crop``: torchvision's ``Resize(N)`` and ``CenterCrop``.
    ``profile``: ``exact`` gives torchvision's bytes, ``pillow`` Pillow's, ``fast`` close to exact.
    ``dtype``: ``uint8``, ``uint16``, ``float16``, ``float32``, by name or as NumPy's or torch's type. Floats are
    x/255, then ``mean`` and ``std``: one value, or one a channel.
    ``layout``: ``nhwc`` or ``nchw``.
    ``color``: ``rgb``, ``bgr``, ``gray``, ``rgba``; ``index``: the indices of a palette, for masks, resized by a
    nearest filter only. ``alpha``: ``drop``, ``keep``, ``over:#rrggbb``.
    ``filter``: ``nearest`` is Pillow's, ``nearest-floor`` and ``nearest-exact`` are torchvision's.
    ``frame``: which of an animation, or which page, from 0; ``"all"`` puts their number in front of the shape.
    ``accept``: take a damaged picture if this fraction of it was read; the rest is ``fill``.
    ``allow``: loaders that are blocked otherwise: ``svg``, ``exr``, ``hdr``, ``magick``, ``pdf``.

    For training, drawn for each picture of a batch: ``random_scale`` and ``random_ratio``, either of which asks for
    torchvision's RandomResizedCrop; ``random_crop``: ``crop`` is taken from a random place of the picture, which has
    so many pixels around it before (one number, or left, top, right, bottom); ``flip_x``, ``flip_y``: the probability
    of mirroring. ``box`` is a part of the picture that the caller has chosen: left, top, width, height.
    """

    size: Size
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int
    crop: Size
    filter: Literal["bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-floor", "nearest-exact"]
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba", "index"]
    alpha: str
    dtype: DType
    mean: float | Sequence[float]
    std: float | Sequence[float]
    layout: Literal["nhwc", "nchw"]
    orient: bool
    icc: bool
    frame: int | Literal["all"]
    accept: float
    fill: str
    pad_color: str
    jpeg: Literal["auto", "turbo"]
    allow: str | Sequence[str]
    box: Sequence[int]
    random_scale: Sequence[float]
    random_ratio: Sequence[float]
    random_crop: int | Sequence[int]
    flip_x: float
    flip_y: float


class Parsed:
    """A spec in the library: its handle, and what is known of its results.

    ``shape`` is empty where it depends on the picture.
    """

    __slots__ = ("dtype", "handle", "shape")

    def __init__(self, json: str) -> None:
        self.handle = _native.new("spool_image_spec", json.encode())
        self.dtype, self.shape = _native.described("spool_image_spec_describe", self.handle)


class ImageSpec:
    """What is wanted of pictures, parsed once: for calls as their ``spec=``.

    Takes the keywords of :func:`spool.decode_image`. It can be pickled, compared, used as a key, and used from any
    number of threads. To make one does not load the library, so a parent may make it for workers that it forks:
    values are judged by the first call.

    Raises:
        TypeError: an unknown keyword, or a value of a wrong type; it is named.

    """

    __slots__ = ("_json", "_parsed")

    _options: ClassVar[_option.Kinds] = {
        "size": _option.size,
        "mode": _option.text,
        "resize_shorter": _option.integer,
        "crop": _option.size,
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
        "allow": _option.texts,
        "box": _option.integers,
        "random_scale": _option.numbers,
        "random_ratio": _option.numbers,
        "random_crop": _option.integers,
        "flip_x": _option.number,
        "flip_y": _option.number,
        **_option.files,
    }

    def __init__(self, **options: Unpack[ImageOptions]) -> None:
        self._json = _option.encode(options, self._options)
        self._parsed: Parsed | None = None

    @classmethod
    def check(cls, options: Mapping[str, Any], named: Collection[str], also: _option.Problems) -> None:
        """Refuse options of a call that makes a spec of them. For the arguments see :func:`spool._option.encode`."""
        _option.encode(options, cls._options, named, also)

    def parsed(self) -> Parsed:
        """Give what the library made of it.

        Raises:
            ValueError: values that are wrong or contradict each other; all of them are named.

        """
        if self._parsed is None:  # two threads may both parse it: one of the results stays, each is used
            self._parsed = Parsed(self._json)
        return self._parsed

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._json,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImageSpec) and self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        return f"spool.ImageSpec({self._json})"


def image_spec(options: ImageOptions, named: Collection[str] = ()) -> ImageSpec:
    """Give the spec of some keywords, made when they were first used; named are the call's other arguments."""
    try:
        return _kept(**options)  # type: ignore[arg-type]  # what cannot be hashed is caught
    except (TypeError, ValueError):  # a list among them, which is no key; or something that is wrong
        ImageSpec.check(options, named, _option.Problems())
        return ImageSpec(**options)


_kept = lru_cache(maxsize=256, typed=True)(ImageSpec)


def _restored(json: str) -> ImageSpec:
    spec = ImageSpec()
    spec._json = json
    return spec
