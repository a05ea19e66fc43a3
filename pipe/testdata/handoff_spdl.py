"""Items a second that SPDL hands through three stages that do nothing, as BenchmarkHandOff does here.

Usage: python handoff_spdl.py [ITEMS]. Needs the package spdl-core. Prints one JSON object; "sync" stages
are functions that run in threads, "async" ones coroutines on its event loop.
"""

import json
import sys
import time
from importlib.metadata import version

from spdl.pipeline import PipelineBuilder


def same(n):
    return n


async def same_async(n):
    return n


def rate(op, items):
    builder = PipelineBuilder().add_source(range(items))
    for _ in range(3):
        builder = builder.pipe(op)
    pipeline = builder.add_sink(64).build(num_threads=3)
    with pipeline.auto_stop():
        start = time.perf_counter()
        got = sum(1 for _ in pipeline.get_iterator(timeout=60))
        elapsed = time.perf_counter() - start
    assert got == items, got
    return got / elapsed


if __name__ == "__main__":
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    rates = {name: max(rate(op, items) for _ in range(3)) for name, op in {"sync": same, "async": same_async}.items()}
    print(json.dumps({"items": items, "version": version("spdl-core"), "python": sys.version.split()[0], **rates}))
