"""Decoding images: one, or many in parallel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _header, _native
from ._option import Problems, integer, one_of
from ._source import Source, source
from ._wait import interruptibly
from .array import Arraylike, address, numpy_of, writable
from .errors import Error
from .spec import ImageOptions, ImageSpec, Parsed, image_spec

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

# A file of more bytes is decoded interruptibly.
_LARGE = 4 << 20

_policies = {"fail": 0, "skip": 1, "placeholder": 2}

# The arguments of the calls that are not options.
_NAMED = ("src", "spec", "out")
_NAMED_OF_MANY = ("sources", "spec", "on_error", "threads", "out", "seed", "epoch", "ids", "regions")


@dataclass(repr=False, eq=False)
class DecodedImages(Arraylike):
    """Images in one array. It goes where its array goes: ``np.asarray(batch)``, ``torch.from_dlpack(batch)``."""

    data: NDArray[Any]
    """The pixels: (N, H, W, C) or (N, C, H, W). With ``on_error="skip"`` N counts only the good sources."""
    valid: NDArray[np.bool_]
    """True for each source that was decoded: of shape (number of sources,), with every policy."""
    errors: dict[int, Error]
    """The errors of the other sources, by their position."""
    regions: NDArray[Any] | None = None
    """With ``regions=True``, the rectangle of the upright image that each row shows, for boxes and key points.
    The fields are ``left``, ``top``, ``width``, ``height``, ``flip_x`` and ``flip_y``, in pixels of the image."""

    def __repr__(self) -> str:
        return f"spool.DecodedImages(shape={self.shape}, dtype={self.dtype}, failed={len(self.errors)})"


def decode_image(
    src: Source, spec: ImageSpec | None = None, *, out: Any = None, **options: Unpack[ImageOptions]
) -> NDArray[Any]:
    """Decode an image to an array.

    The format is detected from the content, not from the name. Any number of threads may call this function. The GIL is
    released while it decodes. Ctrl-C interrupts the decoding of a file of more than 4 MiB.

    Args:
        src: a path, a URL, bytes, any buffer, or a file opened for bytes.
        spec: options as an :class:`ImageSpec`, made once for many calls. Not together with keywords.
        out: array to write to: a NumPy array, a torch tensor in host memory, pinned or not, or any array with DLPack or
            the buffer protocol. It has to be in C order, with exactly the result's shape and type. Default: a new
            array.
        **options: see :class:`spool.spec.ImageOptions`.

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
    parsed = _spec(spec, options, _NAMED)
    s = source(src)
    decode = partial(_decoded, parsed, s) if out is None else partial(_into, parsed, s, out)
    return interruptibly(decode) if _is_large(s) else decode(None)


def decode_images(
    sources: Sequence[Source],
    spec: ImageSpec | None = None,
    *,
    on_error: Literal["fail", "skip", "placeholder"] = "fail",
    threads: int | None = None,
    out: Any = None,
    seed: int = 0,
    epoch: int = 0,
    ids: ArrayLike | None = None,
    regions: bool = False,
    **options: Unpack[ImageOptions],
) -> DecodedImages:
    """Decode images into one batch, in parallel.

    Any number of threads may call this function. The GIL is released while it decodes, and Ctrl-C interrupts it.

    Args:
        sources: paths, URLs, bytes, buffers or files, as for :func:`decode_image`.
        spec: options as an :class:`ImageSpec`, made once for many calls. Not together with keywords. It has to give all
            images the same shape.
        on_error: the policy for bad sources. ``fail``, the default, raises the error of the first. ``skip`` leaves them
            out. ``placeholder`` leaves their rows zero. With both of these, ``valid`` says which are good.
        threads: int, how many images are decoded at a time. Default: one for each CPU that the process may use.
        out: array to write to, as for :func:`decode_image`. Its shape is (N, H, W, C) for all sources, also with
            ``skip``.
        seed: int, part of the key that random crops and flips are drawn from. Default: 0. The same seed, epoch and id
            give the same draw.
        epoch: int, part of that key. Default: 0.
        ids: part of that key, one integer for each source. Default: 0, 1, 2 and so on.
        regions: bool, whether to report the crop of each image. Default: False.
        **options: see :class:`spool.spec.ImageOptions`.

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
    o = _header.ImagesOptions()
    problems = Problems()
    with problems:
        one_of("on_error", on_error, *_policies)
        o.on_error = _policies[on_error]
    with problems:
        o.threads = 0 if threads is None else _positive("threads", threads)
    with problems:
        o.seed, o.epoch = integer("seed", seed), integer("epoch", epoch)
    if isinstance(sources, (str, bytes, bytearray, memoryview, os.PathLike)):
        problems.add(TypeError(f"sources: expected a sequence of sources, got one {type(sources).__name__}"))
    try:
        parsed = _spec(spec, options, _NAMED_OF_MANY)
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
        _fits(view, parsed, (n, *parsed.shape) if parsed.shape else None)
        o.out, o.out_size = address(view), view.nbytes
    keys = None if ids is None else np.ascontiguousarray(ids, np.uint64)
    if keys is not None:
        if keys.shape != (n,):
            raise ValueError(f"ids: the shape is {keys.shape}, and there are {n} sources")
        o.ids = address(keys)
    statuses = np.zeros(n, np.int32)
    o.statuses = address(statuses)
    seen = np.zeros(n, _header.REGION) if regions else None
    if seen is not None:
        o.regions = address(seen)

    def decode(cancel: _native.Handle | None) -> tuple[Any, dict[int, Error]]:
        return _native.decode_images(parsed.handle, structs, o, cancel)

    pixels, failed = interruptibly(decode)
    data = numpy_of(pixels) if pixels is not None else np.asarray(view)[: n - len(failed) if on_error == "skip" else n]
    return DecodedImages(data, statuses == 0, failed, seen)


def _decoded(spec: Parsed, s: _header.SourceStruct, cancel: _native.Handle | None) -> NDArray[Any]:
    pixels = _native.array()
    _native.call("spool_decode_image", spec.handle, s, cancel, pixels.out, None)
    return numpy_of(pixels)


def _into(spec: Parsed, s: _header.SourceStruct, out: Any, cancel: _native.Handle | None) -> Any:
    view = writable(out)
    _fits(view, spec, spec.shape)
    report = _header.ReportStruct()
    try:
        _native.call("spool_decode_image_into", spec.handle, s, cancel, address(view), view.nbytes, report)
    except _native.ShapeError as e:
        raise ValueError(f"out: {e}") from None
    shape = tuple(report.shape[: report.ndim])
    if view.shape != shape:  # another shape of the same number of bytes, as for a rotated image
        raise ValueError(f"out: the shape is {view.shape}, the result's is {shape}")
    return out


def _fits(view: NDArray[Any], spec: Parsed, shape: tuple[int, ...] | None) -> None:
    if view.dtype != spec.dtype:
        raise ValueError(f"out: the type is {view.dtype}, the result's is {np.dtype(spec.dtype)}")
    if shape and view.shape != shape:
        raise ValueError(f"out: the shape is {view.shape}, the result's is {shape}")


def _spec(spec: ImageSpec | None, options: ImageOptions, named: Sequence[str]) -> Parsed:
    if spec is None:
        return image_spec(options, named).parsed()
    if options:
        raise TypeError(f"spec: cannot be combined with {', '.join(options)}")
    if not isinstance(spec, ImageSpec):
        raise TypeError(f"spec: expected a spool.ImageSpec, got {type(spec).__name__}; pass options by keyword")
    return spec.parsed()


def _positive(name: str, value: Any) -> int:
    n = integer(name, value)
    if n < 1:
        raise ValueError(f"{name}: {n} is not positive")
    return n


def _is_large(s: _header.SourceStruct) -> bool:
    if not s.path:
        return int(s.size) > _LARGE
    try:
        return os.stat(s.path).st_size > _LARGE
    except OSError:
        return False  # the library reports the error
