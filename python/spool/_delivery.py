"""Batches as the library delivers them: of a loader, and of records that are decoded in one call."""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import TYPE_CHECKING

from ._header import BatchStruct, ErrorStruct, ImagesOptions, Pointer, SourceStruct
from ._native import Handle, Part, array, call, exception, failure, library, text

if TYPE_CHECKING:
    from .errors import Error

# Statuses of spool_loader_next: a timeout, and the end of the epoch.
_TIMEOUT, _END = 12, 38


class Delivery:
    """The result of spool_loader_next: a batch, or the end of an epoch.

    It is made before the call, and owns what C writes into it. So nothing leaks if a signal's handler raises right
    after the call.

    Args:
        error: the struct for errors, used again by the next delivery, since it has 8 KiB. Default: a new one.
    """

    __slots__ = ("_error", "owner", "struct")

    def __init__(self, error: ErrorStruct | None = None) -> None:
        self.struct, self._error = BatchStruct(), error or ErrorStruct()
        self._error.status = 0
        self.owner = Handle(byref(self.struct), "spool_batch_release")

    @property
    def pixels(self) -> Handle:
        """The first array of the batch, which keeps the batch's memory."""
        return Part(Pointer(self.struct.pixels), self.owner)

    @property
    def has_batch(self) -> bool:
        """Whether it has a batch."""
        return bool(self.struct.about)

    @property
    def ended(self) -> bool:
        """Whether it is the end of an epoch."""
        return int(self._error.status) == _END

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
        if status == _TIMEOUT and self._error.op == b"next":  # not a sample's timeout
            raise TimeoutError
        if status and status != _END:
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
