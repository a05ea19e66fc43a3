"""What the library runs with, and what it holds."""

from __future__ import annotations

from typing import Any

from . import _native


def doctor() -> dict[str, Any]:
    """Say what was found, what limits it and what is missing: what ``spool doctor --json`` prints.

    >>> import spool
    >>> spool.doctor()["formats"]["jpeg"]
    True

    """
    found: dict[str, Any] = _native.said("spool_doctor")
    return found


def stats() -> dict[str, int]:
    """Say what the library holds: arrays, handles, bytes by kind, goroutines."""
    held: dict[str, int] = _native.said("spool_stats")
    return held


def library_version() -> str:
    """Give the version or commit of the native library, and load it."""
    version: bytes = _native.library().spool_version()
    return version.decode()
