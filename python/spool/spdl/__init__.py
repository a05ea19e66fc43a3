"""SPDL's pipelines: an op that decodes batches, and ``spdl.io``'s functions over spool.

::

    builder.add_source(paths).aggregate(32).pipe(spool.spdl.decode(size=224), concurrency=2)

A script that calls ``spdl.io`` changes one import: ``from spool import spdl``. ``docs/loaders/spdl.md`` is the guide.
"""

from . import io
from .ops import decode

__all__ = ["decode", "io"]
