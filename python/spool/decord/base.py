"""decord's errors."""

from ..errors import DecodeError


class DECORDError(DecodeError):
    """The video cannot be decoded: frames are damaged, or the file has no video."""


class DECORDLimitReachedError(DecodeError):
    """More frames are damaged than ``fault_tol`` allows."""
