"""SPDL's pipelines: an op that decodes batches.

::

    builder.add_source(paths).aggregate(32).pipe(spool.spdl.decode(size=224), concurrency=2)

``docs/loaders/spdl.md`` is the guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .stage import Stage, StageOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .stage import Transform


def decode(transform: Transform | None = None, **options: Unpack[StageOptions]) -> Stage:
    """Make an op for ``PipelineBuilder.pipe`` that decodes a list of samples, from ``aggregate``, to a batch.

    With ``on_error="fail"`` a batch with a bad sample is a failed item, which ``max_failures`` counts.

    Args:
        transform: as for :class:`spool.stage.Stage`.
        **options: the other arguments of :class:`spool.stage.Stage`. ``threads`` is 1 by default, since the pipe's
            ``concurrency`` sets how many batches are decoded at a time.

    Returns:
        The op.
    """
    options.setdefault("threads", 1)
    return Stage(transform, **options)
