"""What loaders give: batches of samples that lie side by side in the library's memory."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _header, _native
from .array import Array, Arraylike, to_torch
from .device import DeviceArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAMPLE = np.dtype(_header.SAMPLE)
_FRAME = np.dtype(_header.FRAME)
_CPU = 1  # kDLCPU


def _numpy(data: Any) -> Any:
    return np.asarray(data)


def _torch(data: Any) -> Any:
    if isinstance(data, DeviceArray):
        return importlib.import_module("torch").from_dlpack(data)
    return to_torch(np.asarray(data))


def _jax(data: Any) -> Any:
    if isinstance(data, DeviceArray):
        return importlib.import_module("jax.dlpack").from_dlpack(data)
    return importlib.import_module("jax.numpy").asarray(np.asarray(data))


def _dlpack(data: Any) -> Any:
    return data


# How arrays are given, by the loaders' keyword ``format``.
formats: dict[str, Callable[[Any], Any]] = {"numpy": _numpy, "torch": _torch, "jax": _jax, "dlpack": _dlpack}


class _About:
    """What C says of a batch, read where it lies. Pickled it is a :class:`_Kept`."""

    __slots__ = ("_memory", "_struct")

    def __init__(self, delivery: _native.Delivery) -> None:
        self._struct, self._memory = delivery.struct, delivery.about

    @property
    def epoch(self) -> int:
        return int(self._struct.epoch)

    @property
    def index(self) -> int:
        return int(self._struct.index)

    @property
    def padded(self) -> int:
        return int(self._struct.padded)

    @property
    def samples(self) -> NDArray[Any]:
        count = self._struct.count
        memory = _native.memory(self._struct.samples, count * _SAMPLE.itemsize)
        return np.frombuffer(memory, _SAMPLE, count)

    @property
    def names(self) -> list[str]:
        return [os.fsdecode(_native.string(at)) for at in self.samples["name"].tolist()]

    @property
    def keys(self) -> list[str]:
        return [_native.string(at).decode(errors="replace") for at in self.samples["key"].tolist()]

    @property
    def frames(self) -> NDArray[Any]:
        s = self._struct
        shape = (s.count, s.frames_each)
        if not s.frames or s.frames_each == 0:  # no clips, or placeholders only
            return np.empty(shape, _FRAME)
        return np.array(np.ndarray(shape, _FRAME, _native.memory(s.frames, s.count * s.frames_each * _FRAME.itemsize)))

    def __reduce__(self) -> Any:
        samples = self.samples.copy()
        samples["name"] = samples["key"] = 0  # addresses
        return _Kept, (self.epoch, self.index, self.padded, samples, self.names, self.keys, self.frames)


@dataclass(frozen=True)
class _Kept:
    """The description of a batch that was pickled."""

    epoch: int
    index: int
    padded: int
    samples: NDArray[Any]
    names: list[str]
    keys: list[str]
    frames: NDArray[Any]


class Batch(Arraylike):
    """A batch of a loader.

    It goes where its array ``data`` goes, and unpacks as ``data, labels = batch``. The data are a view of the
    library's memory, without a copy: it goes back with the last array, or tensor, that views it, and the loader goes on
    in other memory meanwhile. Memory grows with the batches that a program keeps; copy a part of a batch rather than
    keep a view of it.

    A batch can be pickled, and so be sent to another process: its data are copied. Tensors go by torch's shared memory
    where torch sends them, as from workers of a DataLoader. Data on a device, in the format ``dlpack``, cannot.
    """

    __slots__ = ("_about", "_format", "_labels", "data")

    data: Any
    """All samples, side by side, as an array of the loader's format: NumPy's, torch's or JAX's."""

    def __init__(self, delivery: _native.Delivery, form: Callable[[Any], Any]) -> None:
        self._format = form
        self._about: _About | _Kept = _About(delivery)
        view = _native.view(delivery.pixels)
        self.data = form((Array if view.device_type == _CPU else DeviceArray)(delivery.pixels, view))
        self._labels: Any = None

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.data, self._about, self._format)

    def _each(self, field: str) -> NDArray[Any]:
        return np.array(self._about.samples[field])

    @property
    def epoch(self) -> int:
        """The epoch that it is of, from 0."""
        return self._about.epoch

    @property
    def index(self) -> int:
        """Its number in the epoch, from 0."""
        return self._about.index

    @property
    def padded(self) -> int:
        """How many slots at the end the batch repeats; ``padding`` marks these, and what pads a rank's share."""
        return self._about.padded

    @property
    def labels(self) -> Any:
        """The class of each sample, -1 for none: int64 of shape (N,), an array of the loader's format."""
        if self._labels is None:
            self._labels = self._format(self._each("label"))
        return self._labels

    @property
    def ids(self) -> NDArray[np.int64]:
        """The position of each sample in the sources: int64 of shape (N,)."""
        return self._each("id")

    @property
    def names(self) -> list[str]:
        """The file of each sample, with the name in its shard."""
        return self._about.names

    @property
    def keys(self) -> list[str]:
        """What the data set calls each sample; empty where it does not."""
        return self._about.keys

    @property
    def padding(self) -> NDArray[np.bool_]:
        """Which slots only fill the batch, or the rank's share, with a sample that comes elsewhere: of shape (N,).

        The other slots of all ranks have each sample of an epoch once: distributed evaluation counts those.
        """
        padding: NDArray[np.bool_] = self._about.samples["padding"] != 0
        return padding

    @property
    def occurrences(self) -> NDArray[np.int32]:
        """How often each sample came before in the epoch: of shape (N,). Each time it is cropped and flipped anew."""
        return self._each("occurrence")

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which slots hold a sample of their own, neither placeholders nor padding: of shape (N,)."""
        valid: NDArray[np.bool_] = (self._about.samples["state"] != 2) & ~self.padding
        return valid

    @property
    def warnings(self) -> NDArray[np.int32]:
        """How much the decoder found odd in each sample but read: of shape (N,)."""
        return self._each("warnings")

    def __iter__(self) -> Iterator[Any]:
        return iter((self.data, self.labels))

    def __repr__(self) -> str:
        where = f"epoch={self.epoch}, index={self.index}"
        return f"spool.{type(self).__name__}({where}, shape={self.shape}, dtype={self.dtype})"


def _restored(kind: type[Batch], data: Any, about: _Kept, form: Callable[[Any], Any]) -> Batch:
    batch = kind.__new__(kind)
    batch.data, batch._about, batch._format, batch._labels = data, about, form, None
    return batch


class FramesBatch(Batch):
    """A batch of pictures, or of clips."""

    __slots__ = ()

    @property
    def regions(self) -> NDArray[Any]:
        """The part of the upright picture that each slot shows, for boxes and key points: of shape (N,).

        Fields ``left top width height flip_x flip_y``, in pixels of the picture.
        """
        return self._each("region")


class PictureBatch(FramesBatch):
    """A batch of :class:`spool.ImageLoader`."""

    __slots__ = ()

    @property
    def images(self) -> Any:
        """The pictures: (N, H, W, C), or (N, C, H, W). The same as ``data``."""
        return self.data


class ClipBatch(FramesBatch):
    """A batch of :class:`spool.VideoLoader`."""

    __slots__ = ()

    @property
    def clips(self) -> Any:
        """The clips: (N, frames, H, W, C), or (N, frames, C, H, W). The same as ``data``."""
        return self.data

    @property
    def frames(self) -> NDArray[Any]:
        """What lies where, of shape (N, frames).

        Fields ``index`` (of the frame in its file), ``pts`` and ``duration`` in seconds, and ``state``: 0 of a whole
        one.
        """
        return self._about.frames


class SoundBatch(Batch):
    """A batch of :class:`spool.AudioLoader`."""

    __slots__ = ()

    @property
    def samples(self) -> Any:
        """The sound: (N, channels, time), or (N, time, channels). The same as ``data``."""
        return self.data

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many samples of each channel are not the silence behind the sound: of shape (N,)."""
        return self._each("length")

    @property
    def starts(self) -> NDArray[np.float64]:
        """When in its file each begins, in seconds: of shape (N,)."""
        return self._each("start")
