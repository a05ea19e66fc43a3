"""Grain: decoding as a transformation.

::

    dataset = grain.MapDataset.source(paths).batch(32, batch_fn=list).map(spool.grain.Decode(size=224))

``docs/loaders/grain.md`` has the whole page.
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
    """A transformation for ``map``, and for ``random_map`` where crops and flips are drawn: of lists of samples.

    Takes what :class:`spool.stage.Stage` takes. ``threads`` is 1 unless said otherwise: how many batches are decoded
    at a time is Grain's, by ``ReadOptions(num_threads)`` or processes.

    With ``random_map`` what is drawn for a batch depends on the seed of the pipeline and the batch's place in it,
    however it is reached: by a run that was resumed, or by any number of threads.
    """

    def __init__(self, transform: Transform | None = None, **options: Unpack[StageOptions]) -> None:
        options.setdefault("threads", 1)
        self._stage = Stage(transform, **options)

    def map(self, element: Sequence[Any]) -> Any:
        """Decode a list of samples."""
        return self._stage(element)

    def random_map(self, element: Sequence[Any], rng: np.random.Generator) -> Any:
        """Decode a list of samples with draws from rng."""
        seed, epoch = (int(n) for n in rng.integers(1 << 64, size=2, dtype=np.uint64))
        return self._stage(element, seed=(seed, epoch))
