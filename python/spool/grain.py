"""Grain: decoding as a transformation.

::

    dataset = grain.MapDataset.source(paths).batch(32, batch_fn=list).map(spool.grain.Decode(size=224))

``docs/loaders/grain.md`` is the guide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import grain
import numpy as np

from .stage import Stage, StageOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .stage import Transform


class Decode(grain.transforms.Map, grain.transforms.RandomMap):  # type: ignore[misc]
    """A transformation of lists of samples, for ``map``, and for ``random_map`` with random crops and flips.

    With ``random_map``, the draws of a batch depend only on the seed of the pipeline and on the position of the batch
    in it. So they are the same after a resume, and with any number of threads.

    Args:
        transform: as for :class:`spool.stage.Stage`.
        **options: the other arguments of :class:`spool.stage.Stage`. ``threads`` is 1 by default, since Grain decodes
            several batches at a time, by ``ReadOptions(num_threads)`` or processes.
    """

    def __init__(self, transform: Transform | None = None, **options: Unpack[StageOptions]) -> None:
        options.setdefault("threads", 1)
        self._stage = Stage(transform, **options)

    def map(self, element: Sequence[Any]) -> Any:
        """Decode a list of samples.

        Args:
            element: the samples.

        Returns:
            The batch, see :class:`spool.stage.Stage`.
        """
        return self._stage(element)

    def random_map(self, element: Sequence[Any], rng: np.random.Generator) -> Any:
        """Decode a list of samples, with random crops and flips drawn from a generator.

        Args:
            element: the samples.
            rng: Grain's generator for this batch.

        Returns:
            The batch, see :class:`spool.stage.Stage`.
        """
        seed, epoch = (int(n) for n in rng.integers(1 << 64, size=2, dtype=np.uint64))
        return self._stage(element, seed=(seed, epoch))
