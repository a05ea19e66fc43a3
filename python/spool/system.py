"""The environment of the library, and what the library holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from . import _native, _option

if TYPE_CHECKING:
    from typing_extensions import Never, Unpack

    from .reports import Doctor, Store
    from .spec import Stores as StoreOptions


@overload
def doctor(url: None = None) -> Doctor: ...
@overload
def doctor(url: str, **options: Unpack[StoreOptions]) -> Store: ...
def doctor(
    url: str | None = None,
    *,
    endpoint_url: str | None = None,
    region: str | None = None,
    no_sign_request: bool = False,
    max_concurrent_requests: int = 512,
    **unknown: Never,
) -> Doctor | Store:
    """Report what was found, what limits spool and what is missing: the object that ``spool doctor --json`` prints.

    With a URL, measure a store instead, which takes about ten seconds.

    Args:
        url: a URL in the store, like ``s3://bucket/prefix`` or ``https://host/path``. Default: report on this machine.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Returns:
        The report. If a store fails, ``error`` says why.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.

    >>> import spool
    >>> spool.doctor()["formats"]["jpeg"]
    True
    """
    found: Doctor | Store
    stores = _option.given(locals(), doctor)
    options = _option.encode(stores, _option.stores, ("url",))
    if url is None:
        if stores:
            raise ValueError(f"{', '.join(stores)}: only with a URL, whose store is measured")
        found = _native.query("spool_doctor")
    else:
        if "://" not in _option.text("url", url):
            raise ValueError(f"url={url!r}: must be a URL like s3://bucket/prefix or https://host/path")
        found = _native.query("spool_doctor_store", url.encode(), options.encode(), None)
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
