"""The environment of the library, and what the library holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native, _option

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .spec import Stores


def doctor(url: str | None = None, **stores: Unpack[Stores]) -> dict[str, Any]:
    """Report what was found, what limits spool and what is missing: the object that ``spool doctor --json`` prints.

    With a URL, measure a store instead, which takes about ten seconds.

    Args:
        url: a URL in the store, ``s3://bucket/prefix`` or ``https://host/path``. Default: report on this machine.
        **stores: how the store is accessed, see :class:`spool.spec.Stores`. Only with a URL.

    Returns:
        The report. If a store fails, ``error`` says why.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.

    >>> import spool
    >>> spool.doctor()["formats"]["jpeg"]
    True
    """
    found: dict[str, Any]
    if url is None:
        _option.encode(stores, {}, ("url",))
        found = _native.query("spool_doctor")
    else:
        options = _option.encode(stores, _option.stores, ("url",))
        found = _native.query("spool_doctor_store", _option.text("url", url).encode(), options.encode(), None)
    return found


def stats() -> dict[str, int]:
    """Count what the library holds: arrays, handles, bytes by kind, and goroutines.

    Returns:
        Counts by name.
    """
    held: dict[str, int] = _native.query("spool_stats")
    return held


def library_version() -> str:
    """Return the version or commit of the native library. This loads the library.

    Returns:
        The version.
    """
    version: bytes = _native.library().spool_version()
    return version.decode()
