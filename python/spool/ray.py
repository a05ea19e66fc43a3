"""Ray Data: decoding on the CPUs of a cluster.

::

    dataset = ray.data.read_binary_files(folder)
    dataset = dataset.map_batches(
        spool.ray.DecodeImages, fn_constructor_kwargs={"size": 224},
        batch_size=32, compute=ray.data.ActorPoolStrategy(size=2), num_cpus=1,
    )

``docs/loaders/ray.md`` is the guide.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import ray

from .stage import Stage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .stage import StageOptions, Transform


class DecodeImages:
    """A class for ``Dataset.map_batches``. Each actor makes one object, and decodes its batches with it.

    Args:
        transform: a :class:`spool.torchvision.Compose`, instead of keywords or with them.
        column: name of the column with bytes or paths, which is not in the result. Default: ``bytes``.
        to: name of the column that gets the pixels, (N,H,W,C). Default: ``image``.
        **options: the other arguments of :class:`spool.stage.Stage`. ``threads`` is the actor's ``num_cpus`` by
            default. ``on_error="skip"`` leaves out rows that cannot be decoded. ``on_error="placeholder"`` adds a
            column ``valid`` that is False for these rows.
    """

    def __init__(
        self,
        transform: Transform | None = None,
        *,
        column: str = "bytes",
        to: str = "image",
        **options: Unpack[StageOptions],
    ) -> None:
        context = ray.get_runtime_context()
        assigned: dict[str, float] = context.get_assigned_resources()  # type: ignore[no-untyped-call, unused-ignore]
        options.setdefault("threads", max(1, math.ceil(assigned.get("CPU", 1))))
        self._stage = Stage(transform, **options)
        self._column, self._to = column, to

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Decode a batch in the format "numpy".

        Args:
            batch: arrays by the names of their columns.

        Returns:
            The batch with pixels.
        """
        decoded = self._stage.columns(batch, self._column)
        return {self._to if name == self._column else name: values for name, values in decoded.items()}
