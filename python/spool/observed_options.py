"""Options of loaders that record what the loader does."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from . import _address, _option

if TYPE_CHECKING:
    import os


class ObservedOptions(TypedDict, total=False):
    """What a loader records, and where.

    Attributes:
        ledger: file that gets a JSON line for each bad sample. Default: none.
        trace: file for a trace of all workers, which Perfetto shows once the loader is closed. Default: none.
        receipts: file of what is in batches, for :meth:`batch`: ``.parquet``, ``.arrow`` or JSON lines. Default: none.
        receipt_digests: bool, add the SHA-256 of each sample to ``receipts``. Default: False.
        costs: file of what samples cost at each stage, for :func:`simulate`, written by ``close()``. Default: none.
        metrics: ``":9464"`` serves metrics and ``otlp`` sends them; see docs/metrics.md. Default: neither.
    """

    ledger: str | os.PathLike[str] | None
    trace: str | os.PathLike[str] | None
    receipts: str | os.PathLike[str] | None
    receipt_digests: bool | None
    costs: str | os.PathLike[str] | None
    metrics: str | None


observed: _option.Kinds = {
    "ledger": _option.path,
    "trace": _option.path,
    "receipts": _option.path,
    "receipt_digests": _option.flag,
    "costs": _option.path,
    "metrics": _address.destination,
}
