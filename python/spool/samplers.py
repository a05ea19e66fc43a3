"""Samplers for the loaders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LengthBuckets:
    """A sampler for ``sampler=`` of a loader: batches of similar length, so that little of them is padding.

    Each sample comes once in an epoch. The samples are divided into buckets of equal size by length. A batch has random
    samples of one bucket, and the batches of all buckets come in random order, by the loader's ``seed``. Samples that
    fill no batch of their bucket come in batches of several. At each step all ranks have batches of one bucket.

    >>> import spool
    >>> lengths = [len(name) for name in spool.list_samples("testdata/photos").names]
    >>> loader = spool.ImageLoader("testdata/photos", batch=4, size=64, sampler=spool.LengthBuckets(lengths, 5))
    >>> len(loader)
    11

    Args:
        lengths: int, of each sample, in any unit: frames, audio samples, tokens, bytes.
        buckets: int; more buckets give less padding and less mixing. Default: 10.

    Raises:
        TypeError: an argument is wrong.
    """

    def __init__(self, lengths: Sequence[int] | NDArray[np.integer], buckets: int = 10) -> None:
        self.lengths, self.buckets = lengths, _option.integer("buckets", buckets)

    def __repr__(self) -> str:
        return f"spool.LengthBuckets(of {len(self.lengths)} samples, buckets={self.buckets})"
