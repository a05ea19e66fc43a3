"""What the library runs with, and what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native, _option

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .spec import Stores


def doctor(address: str | None = None, **stores: Unpack[Stores]) -> dict[str, Any]:
    """Say what was found, what limits it and what is missing: what ``spool doctor --json`` prints.

    With an address, ``s3://bucket/prefix`` or ``https://host/path``, ask that store for about ten seconds how well it
    answers; ``stores`` says how, see :class:`spool.spec.Stores`. What is wrong with it is under ``error``.

    >>> import spool
    >>> spool.doctor()["formats"]["jpeg"]
    True

    """
    found: dict[str, Any]
    if address is None:
        _option.encode(stores, {}, ("address",))
        found = _native.said("spool_doctor")
    else:
        options = _option.encode(stores, _option.stores, ("address",))
        found = _native.said("spool_doctor_store", _option.text("address", address).encode(), options.encode(), None)
    return found


def stats() -> dict[str, int]:
    """Say what the library holds: arrays, handles, bytes by kind, goroutines."""
    held: dict[str, int] = _native.said("spool_stats")
    return held


def library_version() -> str:
    """Give the version or commit of the native library, and load it."""
    version: bytes = _native.library().spool_version()
    return version.decode()
