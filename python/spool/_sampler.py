"""Samplers: the caller's choice of samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

import numpy as np

from . import _native
from .array import address
from .samplers import LengthBuckets

if TYPE_CHECKING:
    from numpy.typing import NDArray

_IDS = "ids, which are integers"
NamedSampler: TypeAlias = Literal["balanced", "shards"]


class SamplerOptions(TypedDict, total=False):
    """Keywords of loaders that choose samples."""

    sampler: Iterable[int] | LengthBuckets | NamedSampler | None
    weights: Iterable[float] | None
    draws: int


def chosen(sampler: Iterable[int] | LengthBuckets | NamedSampler | None) -> Sampler | Bucketed | None:
    """Return the caller's choice of samples. None: all samples, or those of a sampler that the library has."""
    if isinstance(sampler, LengthBuckets):
        return Bucketed(sampler)
    return None if sampler is None or isinstance(sampler, str) else Sampler(sampler)


def conflicts(sampler: object, weights: object, draws: object, shuffle: object) -> Iterator[str]:
    """Yield what is wrong with a combination of arguments that choose samples."""
    if sampler is not None and weights is not None:
        yield "sampler and weights exclude each other: each chooses samples; give one"
    if sampler is not None and not isinstance(sampler, str) and shuffle:  # the library checks its own samplers
        yield "sampler and shuffle=True exclude each other: the sampler gives the order; shuffle its ids"
    if draws and weights is None:
        yield "draws needs weights: it is the number of samples that are drawn by them; limit= takes fewer samples"


class Bucketed:
    """The use of a :class:`LengthBuckets` by one loader.

    Args:
        by: the lengths.
    """

    fixed = True

    def __init__(self, by: LengthBuckets) -> None:
        self._lengths = numbers("lengths", by.lengths)
        self._buckets, self._set = by.buckets, False

    def choose(self, handle: _native.Handle, _: int) -> None:
        """Set the sampler of the library's loader, unless it is set already. It has all epochs."""
        if not self._set:
            n = len(self._lengths)
            _native.call("spool_loader_bucket", handle, address(self._lengths), n, self._buckets)
            self._set = True


class Sampler:
    """The caller's choice of samples: a sequence, for all epochs; or an object that is iterated for each epoch.

    Args:
        ids: the ids of samples, or the object.

    Raises:
        TypeError: ``ids`` is a generator, or its elements are not integers.
    """

    def __init__(self, ids: Any) -> None:
        self.fixed = isinstance(ids, (Sequence, np.ndarray, range))
        if not self.fixed and iter(ids) is ids:
            raise TypeError("sampler: a generator can be iterated only once: pass a list, or an object with __iter__")
        self.ids: Any = numbers("sampler", ids, _IDS) if self.fixed else ids
        self.epoch: int | None = None  # the epoch that was drawn last

    def choose(self, handle: _native.Handle, epoch: int) -> None:
        """Set the samples of an epoch of the library's loader, unless they are set already."""
        if self.epoch is None or not (self.fixed or self.epoch == epoch):
            ids = self._draw(epoch)
            _native.call("spool_loader_choose", handle, address(ids), len(ids), epoch, not self.fixed)

    def _draw(self, epoch: int) -> NDArray[np.int64]:
        """Return the ids of an epoch. A sampler's ``set_epoch`` is called first, if it has one."""
        set_epoch = getattr(self.ids, "set_epoch", None)
        if set_epoch is not None:
            set_epoch(epoch)
        ids: NDArray[np.int64] = self.ids if self.fixed else numbers("sampler", self.ids, _IDS)
        self.epoch = epoch
        return ids


def numbers(name: str, values: Any, what: str = "integers") -> NDArray[np.int64]:
    """Convert integers, one for each sample."""
    array: NDArray[Any] = np.asarray(values if hasattr(values, "dtype") else list(values))
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"{name}: expected a sequence of {what}, got an array of {array.dtype}, {array.ndim}-D")
    return np.ascontiguousarray(array, dtype=np.int64)


def floats(name: str, values: Iterable[float]) -> Any:
    """Convert numbers, one for each sample."""
    try:
        array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected numbers") from None
    if array.ndim != 1:
        raise TypeError(f"{name}: expected numbers, one a sample")
    return np.ascontiguousarray(array)
