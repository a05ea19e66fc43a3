"""decord's arrays, and where it decodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .._arrays import Numbers


class NDArray(np.ndarray[tuple[int, ...], np.dtype[np.number]]):
    """A NumPy array with decord's method ``asnumpy``."""

    def asnumpy(self) -> Numbers:
        """Return the same memory as a plain NumPy array.

        Returns:
            The array.
        """
        return np.asarray(self)


class Context:
    """Where decord decodes. spool knows only host memory."""

    device_type = 1
    device_id = 0


def cpu(dev_id: int = 0) -> Context:
    """Return the host.

    Args:
        dev_id: accepted for compatibility, and ignored. Default: 0.

    Returns:
        The context.
    """
    return Context()


def gpu(dev_id: int = 0) -> Context:
    """Raise an error: frames are returned in host memory.

    Args:
        dev_id: index of the device. Default: 0.

    Returns:
        Nothing: the function always raises.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"gpu({dev_id}): frames are returned in host memory; VideoDecoder(hwaccel=) decodes on a device")
