"""The common part of the stages for other loaders: a list of samples goes in, and one batch comes out.

A sample is a source (path, bytes, buffer), or a tuple, list or dict of a source and other values, which are collated.
:class:`Stage` decodes a list in one call, without the GIL. It can be pickled, and loads the library at its first call.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, Union, cast

import numpy as np

from . import _option
from ._many import cpus
from ._narrow import is_mapping
from ._option import Problems, one_of
from .images import decode_images
from .records import RecordSpec, Schema, decode_records
from .spec import ImageOptions, ImageSpec, Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Never

    from ._option import Augment, DType, Filter, Size
    from ._source import Source

K = TypeVar("K")
OnError: TypeAlias = Literal["fail", "skip", "placeholder"]
# A function of the data set's own values, which are of any type, to their bytes or exceptions.
Read: TypeAlias = Callable[..., Sequence["Source | Exception"]]
# The values of a column.
Column: TypeAlias = Union[Sequence[object], "NDArray[np.generic]"]

_log = logging.getLogger("spool")


class Transform(Protocol):
    """An object that stands for keywords of :class:`Stage`, such as a :class:`spool.torchvision.Compose`."""

    @property
    def options(self) -> ImageOptions:
        """The keywords."""
        ...


class StageOptions(ImageOptions, total=False):
    """The keywords of :class:`Stage`, and of functions that make a stage.

    Attributes:
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
    """

    key: int | str | None
    threads: int | None
    on_error: OnError
    read: Read | None
    fields: Schema | None


class Stage:
    """Decodes a list of samples into one batch.

    A batch has the structure of a sample: pixels (N,H,W,C) alone, a list of columns, or a dict of columns. Columns of
    numbers are NumPy arrays, other columns are lists. Any number of threads may call a stage.

    Args:
        transform: a :class:`spool.torchvision.Compose`, instead of keywords or with them.
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

    Raises:
        TypeError, ValueError: an argument is wrong. The message names all of them.
    """

    def __init__(
        self,
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
        threads: int | None = None,
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
    ) -> None:
        asked = _option.given(locals(), Stage.__init__)
        problems = Problems()
        with problems:
            one_of("on_error", on_error, "fail", "skip", "placeholder")
        own = ("transform", "key", "threads", "on_error", "read", "fields")
        given: dict[str, Any] = {**(transform.options if transform else {}), **asked}
        self.fields = None if fields is None else _record_spec(fields, given, problems)
        ignored = own if fields is None else (*own, *ImageSpec.names)
        given = {name: value for name, value in given.items() if name not in ignored}
        ImageSpec.check(given, own, problems)
        self.spec = ImageSpec(**given)
        self._on_error: OnError = on_error
        self._key, self._threads, self._read = key, threads, read

    def __call__(self, samples: Sequence[object], seed: tuple[int, int] | None = None) -> object:
        """Decode samples.

        Args:
            samples: at least one sample. All have the same structure.
            seed: two integers that random choices are drawn from, together with the position of the image in the list.
                Default: different draws in each call.

        Returns:
            The batch.

        Raises:
            DecodeError: a sample cannot be decoded and ``on_error`` is ``fail``, or no sample can be decoded.
            ValueError: ``samples`` is empty.
        """
        if not samples:
            raise ValueError("samples: the list is empty")
        first, rows = samples[0], cast("Sequence[Any]", samples)
        if self.fields is not None:
            return self.records(samples, seed)
        if is_mapping(first):
            key: Any = "image" if self._key is None else self._key
            columns = {name: [row[name] for row in rows] for name in rows[0]}
            return self.columns(columns, key, seed)
        if isinstance(first, (tuple, list)):
            key = 0 if self._key is None else self._key
            return list(self.columns(dict(enumerate(zip(*rows, strict=True))), key, seed).values())
        batch = list(self.columns({0: samples}, 0, seed).values())
        return batch if self._on_error == "placeholder" else batch[0]

    def columns(
        self, columns: Mapping[K, Column], key: K | None, seed: tuple[int, int] | None = None
    ) -> dict[K, object]:
        """Decode samples that are given as columns.

        Args:
            columns: the values of all samples, by the names of the columns.
            key: name of the column with the sources; not used with ``fields``.
            seed: as for a call.

        Returns:
            The columns of the batch.

        Raises:
            DecodeError: a sample cannot be decoded and ``on_error`` is ``fail``, or no sample can be decoded.
        """
        if self.fields is not None:
            rows = zip(*columns.values(), strict=True)
            return cast("dict[K, object]", self.records([dict(zip(columns, row, strict=True)) for row in rows], seed))
        sources, unread = self._fetch(columns[cast("K", key)])
        threads = self._cpus() if self._threads is None else self._threads
        out = self._memory(len(sources))
        drawn, epoch = self.draw() if seed is None else seed
        batch = decode_images(
            sources, self.spec, threads=threads, on_error=self._on_error, out=out, seed=drawn, epoch=epoch
        )
        errors = {**batch.errors, **unread}
        if self._on_error == "skip" and errors:
            if not batch.valid.any():
                raise errors[0]
            for i, error in errors.items():
                _log.warning("sample %d of a batch is left out: %s", i, error)
            columns = {name: list(compress(values, batch.valid)) for name, values in columns.items()}
        if out is None:
            pixels = self._array(batch.data)
        else:
            pixels = out if len(batch.data) == len(out) else out[: len(batch.data)]
        result = {name: pixels if name == key else self._column(values) for name, values in columns.items()}
        if self._on_error == "placeholder":
            result[cast("K", "valid")] = self._array(batch.valid)
        return result

    def records(self, samples: Sequence[object], seed: tuple[int, int] | None = None) -> dict[str, object]:
        """Decode samples by the fields.

        Args:
            samples: dicts, tuples whose inputs are named by their positions, or inputs named ``"0"``.
            seed: as for a call.

        Returns:
            The fields, and the values of the samples that are no input of a field.

        Raises:
            DecodeError: a sample cannot be decoded and ``on_error`` is ``fail``, or no sample can be decoded.
        """
        spec = cast("RecordSpec", self.fields)
        rows = [_row(sample) for sample in samples]
        threads = self._cpus() if self._threads is None else self._threads
        drawn, epoch = self.draw() if seed is None else seed
        batch = decode_records(rows, spec, threads=threads, on_error=self._on_error, seed=drawn, epoch=epoch)
        if self._on_error == "skip" and batch.errors:
            if not batch.valid.any():
                raise batch.errors[0]
            for i, error in batch.errors.items():
                _log.warning("sample %d of a batch is left out: %s", i, error)
            rows = list(compress(rows, batch.valid))
        inputs = spec.columns()
        result = {name: self._value(value) for name, value in batch.fields.items()}
        for name in rows[0]:
            if name not in inputs and name not in result:
                result[name] = self._column([row[name] for row in rows])
        if self._on_error == "placeholder":
            result["valid"] = self._array(batch.valid)
        return result

    def _value(self, value: Any) -> Any:
        """Return a field of a batch: an array, or a list of the views' arrays or of the samples' values."""
        if isinstance(value, list):
            return [self._value(v) if isinstance(v, np.ndarray) else v for v in value]  # pyright: ignore
        return self._array(value)

    def _fetch(self, values: Column) -> tuple[list[Any], dict[int, Exception]]:
        """Return the input of the decoder for each source, and the errors of sources that could not be read."""
        if self._read is None:
            return list(values), {}
        data = self._read(list(values))
        unread = {i: d for i, d in enumerate(data) if isinstance(d, Exception)}
        if self._on_error == "fail":
            for error in unread.values():
                raise error
        return [b"" if i in unread else d for i, d in enumerate(data)], unread

    # Overridden by stages for particular loaders.

    def _cpus(self) -> int:
        return cpus()

    def draw(self) -> tuple[int, int]:
        """Return a random seed for one call.

        Returns:
            A seed and an epoch.
        """
        return secrets.randbits(64), 0

    def _memory(self, count: int) -> Any:
        """Return memory for this number of images, or None to use the library's."""
        return None

    def _array(self, values: Any) -> Any:
        return values

    def _column(self, values: Column) -> object:
        return np.asarray(values) if isinstance(values[0], (bool, int, float, np.generic, np.ndarray)) else values


# Keywords of a stage that records have, too: they are not of images.
_shared = frozenset({"jpeg", "isolate", *Limits.__annotations__})


def _record_spec(fields: Any, given: Mapping[str, Any], problems: Problems) -> RecordSpec | None:
    """Return the spec of a stage for records. Problems of the keywords are added."""
    shared = {name: value for name, value in given.items() if name in _shared}
    wrong = [name for name in given if name in ("key", "read", *ImageSpec.names) and name not in (*_shared, "layout")]
    if wrong:
        problems.add(ValueError(f"fields excludes {', '.join(wrong)}: each field has options of its own"))
    with problems:
        if not isinstance(fields, RecordSpec):
            return RecordSpec(fields, **shared)
        if shared:
            raise ValueError(f"fields is a RecordSpec, which has {', '.join(shared)}: give them to it")
        return fields
    return None


def _row(sample: object) -> Mapping[str, Any]:
    """Return a sample as a mapping of inputs."""
    if isinstance(sample, Mapping):
        return cast("Mapping[str, Any]", sample)
    if isinstance(sample, (tuple, list)):
        return {str(i): value for i, value in enumerate(cast("Sequence[Any]", sample))}
    return {"0": sample}
