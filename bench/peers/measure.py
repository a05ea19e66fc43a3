"""Times a loader, and samples the memory of its processes."""

from __future__ import annotations

import itertools
import os
import threading
import time
from typing import Any

import psutil
from loaders.work import Peer, Work


class PeakMemory(threading.Thread):
    """Samples the resident memory of this process and its children, ten times a second.

    Finding the children reads the state of each process of the machine, which takes milliseconds. So that the sampler
    does not slow down what is measured, it looks for new ones once a second.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._end = threading.Event()

    def run(self) -> None:
        me = psutil.Process()
        processes = [me]
        for turn in itertools.count():
            if turn % 10 == 0:
                processes = [me, *me.children(recursive=True)]
            total = 0
            for process in processes:
                try:
                    total += process.memory_info().rss
                except psutil.Error:  # the process has ended
                    pass
            self.peak = max(self.peak, total)
            if self._end.wait(0.1):
                break

    def stop(self) -> int:
        self._end.set()
        self.join()
        return self.peak


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    return sum(os.times()[:4])


def measure(peer: Peer, work: Work) -> dict[str, Any]:
    """Run a peer once. Imports are not timed, since a peer imports before it returns its loader."""
    load = peer(work)
    memory = PeakMemory()
    memory.start()
    cpu, began = cpu_seconds(), time.perf_counter()
    first = last = began
    items = of_first = 0.0
    for batch in load():
        n = work.items(batch)
        items += n
        last = time.perf_counter()
        if first == began:
            first, of_first = last, n
    cpu = cpu_seconds() - cpu
    return {
        "items": round(items, 1),
        "rate": round((items - of_first) / max(last - first, 1e-9), 1),
        "ttfb_s": round(first - began, 3),
        "cpu_ms": round(1e3 * cpu / items, 4),
        "rss_mb": round(memory.stop() / 2**20),
        "wall_s": round(last - began, 2),
    }
