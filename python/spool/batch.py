"""Batches of loaders: samples side by side in the library's memory, with their metadata."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, cast

import numpy as np

from . import _delivery, _native, bfloat16
from ._arrays import A, Exported, JaxArray, Memory, Numbers, Rows, TorchTensor
from ._sheet import png
from .array import Array, Arraylike, to_torch
from .device import DeviceArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CPU = 1  # kDLCPU

# A conversion of arrays.
Convert: TypeAlias = "Callable[[Memory], A]"


def _numpy(data: Memory) -> Numbers:
    return bfloat16.typed(np.asarray(data))


def _torch(data: Memory) -> TorchTensor:
    if isinstance(data, DeviceArray):
        return cast("TorchTensor", importlib.import_module("torch").from_dlpack(data))
    return to_torch(np.asarray(data))


def _jax(data: Memory) -> JaxArray:
    if isinstance(data, DeviceArray):
        return cast("JaxArray", importlib.import_module("jax.dlpack").from_dlpack(data))
    return cast("JaxArray", importlib.import_module("jax.numpy").asarray(_numpy(data)))


def _dlpack(data: Memory) -> Memory:
    return data


def memory(handle: _native.Handle) -> Exported:
    """Return an array of the library, of the host or of a device, for a conversion.

    Args:
        handle: the library's array.

    Returns:
        The array.
    """
    layout = _native.layout(handle)
    return Array(handle, layout) if layout[3] == _CPU else DeviceArray(handle, _native.view(handle))


# The conversions of arrays, by the loaders' keyword ``output``.
outputs: dict[str, Convert[object]] = {"numpy": _numpy, "torch": _torch, "jax": _jax, "dlpack": _dlpack}


class Batch(Arraylike[A], Generic[A]):
    """A batch of a loader.

    It goes where its array ``data`` goes, and unpacks as ``data, labels = batch``. The data are a view of the library's
    memory, without a copy. The memory is released with the last array or tensor that views it, and the loader uses
    other memory meanwhile. Memory grows only by the batches that a program keeps. To keep a part of a batch, copy it: a
    view keeps the whole batch.

    A batch can be pickled, and so be sent to another process. Pickling copies its data. If torch sends the batch, as
    from workers of a DataLoader, tensors go through torch's shared memory. Data on a device with ``output="dlpack"``
    cannot be pickled.

    Args:
        delivery: the batch as the library delivered it.
        convert: converts arrays to the type that ``output`` names.
    """

    __slots__ = ("_metadata", "_convert", "_labels", "data")

    data: A
    """All samples, contiguous, as an array of the type that ``output`` names: NumPy's, torch's or JAX's."""

    def __init__(self, delivery: _delivery.Delivery, convert: Convert[A]) -> None:
        self._metadata: _delivery.Delivery | _delivery.Metadata = delivery
        self._convert = convert
        self._labels: A | None = None
        self.data = convert(memory(delivery))

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), self.data, self._metadata, self._convert)

    def _each(self, field: str) -> NDArray[Any]:
        return np.array(self._metadata.samples[field])

    @property
    def epoch(self) -> int:
        """The epoch of the batch, from 0."""
        return self._metadata.epoch

    @property
    def index(self) -> int:
        """The position of the batch in its epoch, from 0."""
        return self._metadata.index

    @property
    def padded(self) -> int:
        """How many slots at the end repeat the last sample of the batch.

        ``padding`` marks these slots, and those that only fill a rank's share.
        """
        return self._metadata.padded

    @property
    def labels(self) -> A:
        """The class of each sample, -1 for none: int64 of shape (N,), an array of the type that ``output`` names."""
        if self._labels is None:
            self._labels = self._convert(self._each("label"))
        return self._labels

    @property
    def ids(self) -> NDArray[np.int64]:
        """The id of each sample, which is its position in the sources: int64 of shape (N,)."""
        return self._each("id")

    @property
    def names(self) -> list[str]:
        """The file of each sample, with the member's name if it is in a shard."""
        return self._metadata.names

    @property
    def keys(self) -> list[str]:
        """The key of each sample in its data set; empty if it has none."""
        return self._metadata.keys

    @property
    def padding(self) -> NDArray[np.bool_]:
        """Which slots only fill the batch or the rank's share, with a sample that another slot delivers: of shape (N,).

        The other slots of all ranks together hold each sample of an epoch once. Distributed evaluation counts those.
        """
        padding: NDArray[np.bool_] = self._metadata.samples["padding"] != 0
        return padding

    @property
    def occurrences(self) -> NDArray[np.int32]:
        """How often each sample came before in the epoch: int32 of shape (N,).

        Each occurrence has other random choices, such as crops.
        """
        return self._each("occurrence")

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which slots hold a decoded sample, neither a placeholder nor padding: of shape (N,)."""
        valid: NDArray[np.bool_] = (self._metadata.samples["state"] != 2) & ~self.padding
        return valid

    @property
    def warnings(self) -> NDArray[np.int32]:
        """How many oddities the decoder found in each sample that it accepted: int32 of shape (N,)."""
        return self._each("warnings")

    def __iter__(self) -> Iterator[A]:
        return iter((self.data, self.labels))

    def __repr__(self) -> str:
        where = f"epoch={self.epoch}, index={self.index}"
        return f"spool.{type(self).__name__}({where}, shape={self.shape}, dtype={self.dtype})"


def _restored(kind: type[Batch[A]], data: A, metadata: _delivery.Metadata, convert: Convert[A]) -> Batch[A]:
    batch = kind.__new__(kind)
    batch.data, batch._metadata, batch._convert, batch._labels = data, metadata, convert, None
    return batch


class FramesBatch(Batch[A], Generic[A]):
    """A batch of images or of clips. Notebooks show it as a contact sheet."""

    __slots__ = ()

    def _repr_png_(self) -> bytes | None:
        return png(self.data)

    @property
    def regions(self) -> Rows:
        """The rectangle of the upright image that each slot shows, for boxes and key points: of shape (N,).

        The fields are ``left``, ``top``, ``width``, ``height``, ``flip_x`` and ``flip_y``, in pixels of the image.
        """
        return self._each("region")


class ImageBatch(FramesBatch[A], Generic[A]):
    """A batch of :class:`spool.ImageLoader`."""

    __slots__ = ()

    @property
    def images(self) -> A:
        """The images: (N, H, W, C) or (N, C, H, W). The same as ``data``."""
        return self.data


class ClipBatch(FramesBatch[A], Generic[A]):
    """A batch of :class:`spool.VideoLoader`."""

    __slots__ = ()

    @property
    def clips(self) -> A:
        """The clips: (N, frames, H, W, C) or (N, frames, C, H, W). The same as ``data``."""
        return self.data

    @property
    def frames(self) -> Rows:
        """The frames of each clip, of shape (N, frames).

        The fields are ``index``, the frame's index in its file; ``pts`` and ``duration`` in seconds; and ``state``, 0
        for a good frame.
        """
        return self._metadata.frames


class AudioBatch(Batch[A], Generic[A]):
    """A batch of :class:`spool.AudioLoader`."""

    __slots__ = ()

    @property
    def samples(self) -> A:
        """The audio: (N, channels, time) or (N, time, channels). The same as ``data``."""
        return self.data

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Audio samples of each channel before the padding with silence: int64 of shape (N,)."""
        return self._each("length")

    @property
    def starts(self) -> NDArray[np.float64]:
        """When each window begins in its file, in seconds: float64 of shape (N,)."""
        return self._each("start")
