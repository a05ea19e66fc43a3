"""Addresses of servers."""

from __future__ import annotations

from . import _option


def parsed(address: str) -> tuple[str, int]:
    """Return host and port of ``[HOST]:PORT``. Without a host it is that of this machine alone."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535 or set(host) & set("/@"):
        raise ValueError("must be :PORT, or HOST:PORT for other machines, like :9464 or 0.0.0.0:9464")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def checked(name: str, value: object) -> str:
    """Return an address."""
    address = _option.text(name, value)
    try:
        parsed(address)
    except ValueError as e:
        raise ValueError(f"{name}={address!r}: {e}") from None
    return address


def destination(name: str, value: object) -> str:
    """Return where metrics go: an address, or ``otlp``."""
    return "otlp" if value == "otlp" else checked(name, value)
