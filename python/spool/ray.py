"""Ray Data: decoding on the CPUs of a cluster.

::

    dataset = ray.data.read_binary_files(folder)
    dataset = dataset.map_batches(
        spool.ray.DecodeImages, fn_constructor_kwargs={"size": 224},
        batch_size=32, compute=ray.data.ActorPoolStrategy(size=2), num_cpus=1,
    )

``docs/loaders/ray.md`` has the whole page.
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
    """A class for ``Dataset.map_batches``: an actor makes one, and decodes batch after batch with it.

    Args:
        transform: a :class:`spool.torchvision.Compose`, in place of keywords or beside them.
        column: the column with bytes or paths. It is not in the result.
        to: the column that gets the pixels, (N,H,W,C).
        **options: what :class:`spool.stage.Stage` takes. ``threads`` is the actor's ``num_cpus`` unless said
            otherwise. With ``errors="skip"`` rows that cannot be decoded are left out, with ``mask`` a column
            ``valid`` says which those are.

    """

    def __init__(
        self,
        transform: Transform | None = None,
        *,
        column: str = "bytes",
        to: str = "image",
        **options: Unpack[StageOptions],
    ) -> None:
        assigned: dict[str, float] = ray.get_runtime_context().get_assigned_resources()  # type: ignore[no-untyped-call, unused-ignore]
        options.setdefault("threads", max(1, math.ceil(assigned.get("CPU", 1))))
        self._stage = Stage(transform, **options)
        self._column, self._to = column, to

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Decode a batch in the format "numpy"."""
        decoded = self._stage.columns(batch, self._column)
        return {self._to if name == self._column else name: values for name, values in decoded.items()}
