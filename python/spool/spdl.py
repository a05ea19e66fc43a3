"""SPDL's pipelines: an op that decodes batches.

::

    builder.add_source(paths).aggregate(32).pipe(spool.spdl.decode(size=224), concurrency=2)

``docs/loaders/spdl.md`` has the whole page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .stage import Stage, StageOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .stage import Transform


def decode(transform: Transform | None = None, **options: Unpack[StageOptions]) -> Stage:
    """Make an op for ``PipelineBuilder.pipe``: a list of samples, as ``aggregate`` gives them, to a batch.

    Takes what :class:`spool.stage.Stage` takes. ``threads`` is 1 unless said otherwise: how many batches are decoded at
    a time is the ``concurrency`` of the pipe. Under ``errors="raise"`` a batch with a bad sample is an item that
    failed, which ``max_failures`` counts.
    """
    options.setdefault("threads", 1)
    return Stage(transform, **options)
