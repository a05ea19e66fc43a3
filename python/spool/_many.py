"""What the calls that decode many samples have in common."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _header
from ._option import Problems, integer, one_of
from .array import address

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

policies = {"fail": 0, "skip": 1, "placeholder": 2}


def cpus() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def options(problems: Problems, on_error: str, threads: int | None, seed: int, epoch: int) -> _header.ImagesOptions:
    """Return C's options of a call, or add what is wrong with them.

    Args:
        problems: takes the problems.
        on_error: a policy.
        threads: how many samples are decoded at a time. None: C decides.
        seed: where random numbers begin.
        epoch: the epoch, which varies them.

    Returns:
        The options.
    """
    o = _header.ImagesOptions()
    with problems:
        one_of("on_error", on_error, *policies)
        o.on_error = policies[on_error]
    with problems:
        o.threads = 0 if threads is None else positive("threads", threads)
    with problems:
        o.seed, o.epoch = integer("seed", seed), integer("epoch", epoch)
    return o


class Samples:
    """The arrays of a call with an element for each sample. C uses them while this object lives.

    Args:
        o: takes their addresses.
        n: the number of samples.
        ids: positions of the samples in their data set. None: 0, 1, 2 ...
        what: a sample's name in messages.

    Attributes:
        statuses: C's status of each sample, 0 for a good one.

    Raises:
        ValueError: ids has another length.
    """

    def __init__(self, o: _header.ImagesOptions, n: int, ids: ArrayLike | None, what: str) -> None:
        self._ids = None if ids is None else np.ascontiguousarray(ids, np.uint64)
        if self._ids is not None:
            if self._ids.shape != (n,):
                raise ValueError(f"ids: the shape is {self._ids.shape}, must be ({n},): one for each {what}")
            o.ids = address(self._ids)
        self.statuses: NDArray[np.int32] = np.zeros(n, np.int32)
        o.statuses = address(self.statuses)


def positive(name: str, value: Any) -> int:
    """Convert an integer from 1 up.

    Args:
        name: name of the argument, for messages.
        value: the integer.

    Returns:
        The integer.

    Raises:
        TypeError, ValueError: it is none, or below 1.
    """
    n = integer(name, value)
    if n < 1:
        raise ValueError(f"{name}={n}: must be at least 1")
    return n
