"""Batches as the library delivers them: of a loader, and of records that are decoded in one call."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._header import FRAME, SAMPLE, BatchStruct, ErrorStruct, ImagesOptions, SourceStruct
from ._native import Handle, array, call, exception, failure, library, memory, string, text

if TYPE_CHECKING:
    from ._arrays import Rows
    from .errors import Error

_SAMPLE, _FRAME = np.dtype(SAMPLE), np.dtype(FRAME)

# Statuses of spool_loader_next: a timeout, and the end of the epoch.
_TIMEOUT, _END = 12, 38


@dataclass(frozen=True)
class Metadata:
    """The metadata of a batch that was pickled."""

    epoch: int
    index: int
    padded: int
    samples: Rows
    names: list[str]
    keys: list[str]
    frames: Rows


class Delivery(Handle):
    """The result of spool_loader_next: a batch with its metadata, or the end of an epoch.

    It is made before the call, and owns what C writes into it. So nothing leaks if a signal's handler raises right
    after the call. As an argument of calls, it is the first array of the batch. Pickling keeps the metadata only, as
    :class:`Metadata`.

    Args:
        error: the struct for errors, used again by the next delivery, since it has 8 KiB. Default: a new one.
    """

    __slots__ = ("_error", "struct")

    def __init__(self, error: ErrorStruct | None = None) -> None:
        self.struct = struct = BatchStruct()
        self._error = error = error or ErrorStruct()
        error.status = 0
        super().__init__(struct.pixels, "spool_batch_release", byref(struct))

    @property
    def has_batch(self) -> bool:
        """Whether it has a batch."""
        return bool(self.struct.about)

    @property
    def ended(self) -> bool:
        """Whether it is the end of an epoch."""
        return int(self._error.status) == _END

    @property
    def epoch(self) -> int:
        """The epoch of the batch."""
        return int(self.struct.epoch)

    @property
    def index(self) -> int:
        """The position of the batch in its epoch."""
        return int(self.struct.index)

    @property
    def padded(self) -> int:
        """How many slots at the end repeat the last sample."""
        return int(self.struct.padded)

    @property
    def samples(self) -> Rows:
        """The samples of the batch, in C's memory, which the array does not keep."""
        count = self.struct.count
        return np.frombuffer(memory(self.struct.samples, count * _SAMPLE.itemsize), _SAMPLE, count)

    @property
    def names(self) -> list[str]:
        """The file of each sample."""
        return [os.fsdecode(string(at)) for at in self.samples["name"].tolist()]

    @property
    def keys(self) -> list[str]:
        """The key of each sample in its data set."""
        return [string(at).decode(errors="replace") for at in self.samples["key"].tolist()]

    @property
    def frames(self) -> Rows:
        """A copy of the frames of each clip."""
        s = self.struct
        shape = (s.count, s.frames_each)
        if not s.frames or s.frames_each == 0:  # no clips, or placeholders only
            return np.empty(shape, _FRAME)
        return np.array(np.ndarray(shape, _FRAME, memory(s.frames, s.count * s.frames_each * _FRAME.itemsize)))

    def __reduce__(self) -> tuple[object, ...]:
        samples = self.samples.copy()
        samples["name"] = samples["key"] = 0  # addresses in this process
        return Metadata, (self.epoch, self.index, self.padded, samples, self.names, self.keys, self.frames)

    def fetch(self, loader: Handle, timeout_ms: int) -> None:
        """Call spool_loader_next.

        Args:
            loader: the loader.
            timeout_ms: int, the most milliseconds to wait.

        Raises:
            TimeoutError: there is no batch yet.
            Exception: the error of the loader.
        """
        status = library().spool_loader_next(loader, timeout_ms, byref(self.struct), byref(self._error))
        if status and status != _END:
            if status == _TIMEOUT and self._error.op == b"next":  # not a sample's timeout
                raise TimeoutError
            raise exception(self._error)

    def again(self, loader: Handle, step: int, receipts: bytes | None, cancel: Handle | None) -> list[str]:
        """Call spool_loader_again.

        Args:
            loader: the loader.
            step: int, the step.
            receipts: name of a file of receipts, or None.
            cancel: ends the call early.

        Returns:
            How the batch differs from its receipt.
        """
        differences = array()
        call("spool_loader_again", loader, step, receipts, cancel, byref(self.struct), differences.out)
        lines: list[str] = text(differences)
        return lines


def decode_records(
    spec: Handle, sources: list[SourceStruct], count: int, options: ImagesOptions, cancel: Handle | None
) -> tuple[Delivery, dict[int, Error]]:
    """Call spool_decode_records.

    Args:
        spec: the fields.
        sources: the inputs of all records.
        count: int, the number of records.
        options: options of the call.
        cancel: ends the call early. None: the call cannot be interrupted.

    Returns:
        The batch, and the failures by their position.
    """
    options.struct_size = ctypes.sizeof(options)
    options.cancel = None if cancel is None else cancel._as_parameter_
    delivery, failures = Delivery(), array()
    side_by_side = (SourceStruct * len(sources))(*sources)
    call("spool_decode_records", spec, side_by_side, count, options, byref(delivery.struct), failures.out)
    return delivery, {f["index"]: failure(f) for f in text(failures)} if failures else {}
