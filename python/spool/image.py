"""Decoding pictures, one and many."""

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

# A file of so many bytes may take so long that one wants to interrupt it.
_LARGE = 4 << 20

_policies = {"raise": 0, "skip": 1, "mask": 2}

# What calls take beside options.
_NAMED = ("src", "spec", "out")
_NAMED_OF_MANY = ("sources", "spec", "errors", "threads", "out", "seed", "epoch", "ids", "regions")


@dataclass(repr=False, eq=False)
class ImageBatch(Arraylike):
    """Pictures side by side. It goes where its array goes: ``np.asarray(batch)``, ``torch.from_dlpack(batch)``."""

    data: NDArray[Any]
    """The pixels: (N, H, W, C), or (N, C, H, W). Under ``errors="skip"`` N counts the good ones only."""
    mask: NDArray[np.bool_]
    """Which sources were decoded: of shape (number of sources,), whatever became of the others."""
    errors: dict[int, Error]
    """Why the others were not, by their place among the sources."""
    regions: NDArray[Any] | None = None
    """If asked for: for each source the part of the upright picture that its row shows, for boxes and key points.
    Fields ``left top width height flip_x flip_y``, in pixels of the picture."""

    def __repr__(self) -> str:
        return f"spool.ImageBatch(shape={self.shape}, dtype={self.dtype}, failed={len(self.errors)})"


def decode_image(
    src: Source, spec: ImageSpec | None = None, *, out: Any = None, **options: Unpack[ImageOptions]
) -> NDArray[Any]:
    """Decode a picture.

    Args:
        src: a path, bytes, any buffer, or a file opened for bytes. Its format is told by content.
        spec: what is wanted, made once for many calls; instead of keywords.
        out: where to write: a NumPy array, a torch tensor in the host's memory (pinned or not), or any array with
            DLPack or the buffer protocol; in C order, of exactly the result's shape and type.
        **options: what is wanted, see :class:`spool.spec.ImageOptions`.

    Returns:
        An array of shape (H, W, C), with ``layout="nchw"`` (C, H, W), with ``frame="all"`` one more dimension in
        front; uint8 unless ``dtype`` says otherwise. Its memory is the library's and goes back to it with the last
        view. With ``out`` that very object.

    Raises:
        DecodeError: the input is bad. Of a file that is not there also a FileNotFoundError, and so on.
        TypeError, ValueError: an argument is wrong; it is named. On an error the contents of ``out`` are
            unspecified.
        ForkError: this process is a fork of one that had used spool.

    Safe to call from any number of threads; the GIL is released while it decodes.

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
    errors: Literal["raise", "skip", "mask"] = "raise",
    threads: int | None = None,
    out: Any = None,
    seed: int = 0,
    epoch: int = 0,
    ids: ArrayLike | None = None,
    regions: bool = False,
    **options: Unpack[ImageOptions],
) -> ImageBatch:
    """Decode pictures into one batch, in parallel.

    Args:
        sources: paths, bytes, buffers or files, as :func:`decode_image` takes them.
        spec: what is wanted, made once for many calls; instead of keywords. It has to give all pictures one shape.
        errors: what becomes of bad ones: ``raise`` raises the error of the first, ``skip`` leaves them out, ``mask``
            leaves their rows zero. The mask says which, in both cases.
        threads: how many are decoded at a time. None: one for each CPU that the process may use.
        out: where to write, as of :func:`decode_image`: of shape (N, H, W, C) for all sources, also under ``skip``.
        seed, epoch, ids: what random crops and flips are drawn from: the same three give the same draw. None of ids:
            0, 1, 2, ...
        regions: also give the part of each picture that is seen.
        **options: what is wanted, see :class:`spool.spec.ImageOptions`.

    Returns:
        An :class:`ImageBatch`. Its memory goes back with the last view of it.

    Raises:
        DecodeError: under ``raise``, of the first bad source in their order.
        TypeError, ValueError: an argument is wrong; it is named.
        KeyboardInterrupt: decoding was stopped.
        ForkError: this process is a fork of one that had used spool.

    >>> import spool
    >>> photos = [f"testdata/photos/animal/{i:02}.jpg" for i in range(3)]
    >>> batch = spool.decode_images([*photos, "none.jpg"], size=224, errors="mask")
    >>> batch.shape, batch.mask.tolist()
    ((4, 224, 224, 3), [True, True, True, False])
    >>> print(batch.errors[3])
    none.jpg: not-found: no such file or directory

    """
    o = _header.ImagesOptions()
    problems = Problems()
    with problems:
        one_of("errors", errors, *_policies)
        o.errors = _policies[errors]
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
            raise ValueError(f"ids: of shape {keys.shape} for {n} sources")
        o.ids = address(keys)
    codes = np.zeros(n, np.int32)
    o.codes = address(codes)
    seen = np.zeros(n, _header.REGION) if regions else None
    if seen is not None:
        o.regions = address(seen)

    def decode(cancel: _native.Handle | None) -> tuple[Any, dict[int, Error]]:
        return _native.decode_images(parsed.handle, structs, o, cancel)

    pixels, failed = interruptibly(decode)
    data = numpy_of(pixels) if pixels is not None else np.asarray(view)[: n - len(failed) if errors == "skip" else n]
    return ImageBatch(data, codes == 0, failed, seen)


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
    if view.shape != shape:  # of as many bytes: of a picture turned, say
        raise ValueError(f"out: of shape {view.shape}, the result has {shape}")
    return out


def _fits(view: NDArray[Any], spec: Parsed, shape: tuple[int, ...] | None) -> None:
    if view.dtype != spec.dtype:
        raise ValueError(f"out: of {view.dtype}, the result is {np.dtype(spec.dtype)}")
    if shape and view.shape != shape:
        raise ValueError(f"out: of shape {view.shape}, the result has {shape}")


def _spec(spec: ImageSpec | None, options: ImageOptions, named: Sequence[str]) -> Parsed:
    if spec is None:
        return image_spec(options, named).parsed()
    if options:
        raise TypeError(f"spec: not together with {', '.join(options)}")
    if not isinstance(spec, ImageSpec):
        raise TypeError(f"spec: expected a spool.ImageSpec, got {type(spec).__name__}; options go by keyword")
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
        return False  # the library says what is wrong with it
