"""Times a loader, and measures the memory of its processes."""

from __future__ import annotations

import os
import resource
import threading
import time
from typing import Any

import psutil
from loaders.work import Peer, Work


class PeakMemory(threading.Thread):
    """The peak of the resident memory of this process and its children, sampled twenty times a second.

    Of this process alone, the kernel keeps the peak, which no sample exceeds. So it is exact without children.

    It looks for new children twice a second, since psutil reads a file of each process of the machine for that. What
    the sampling costs is kept, and is not the peer's.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = self.read = 0
        self.cpu = 0.0
        self._end = threading.Event()

    def run(self) -> None:
        me = psutil.Process()
        processes: list[psutil.Process] = []
        samples = 0
        while not self._end.wait(0.05):
            if samples % 10 == 0:
                processes = [me, *me.children(recursive=True)]
            samples += 1
            total = 0
            for process in processes:
                try:
                    total += process.memory_info().rss
                except psutil.Error:  # the process has ended
                    pass
            self.peak = max(self.peak, total)
        self.cpu, self.read = time.thread_time(), read_bytes("thread-self")

    def stop(self) -> int:
        self._end.set()
        self.join()
        return max(self.peak, own_peak())


def own_peak() -> int:
    """Return the peak of this process's resident memory, its imports included."""
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    return sum(os.times()[:4])


def read_bytes(of: str = "self") -> int:
    """Return the bytes that this process and its ended children, or a thread, have read by system calls."""
    with open(f"/proc/{of}/io") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("rchar:"))


def page_faults() -> int:
    """Return the faults of this process, and of its children that have ended, for which no disk was read."""
    return sum(resource.getrusage(who).ru_minflt for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def measure(peer: Peer, work: Work) -> dict[str, Any]:
    """Run a peer once. Imports are not timed, since a peer imports before it returns its loader."""
    load = peer(work)
    memory = PeakMemory()
    memory.start()
    read, faults, cpu, began = read_bytes(), page_faults(), cpu_seconds(), time.perf_counter()
    first = last = began
    items = of_first = 0.0
    delivered = 0
    for batch in load():
        n = work.items(batch)
        items += n
        delivered += work.bytes(batch)
        last = time.perf_counter()
        if first == began:
            first, of_first = last, n
    peak = memory.stop()
    cpu = cpu_seconds() - cpu - memory.cpu
    read = read_bytes() - read - memory.read
    faults = page_faults() - faults
    return {
        "items": round(items, 1),
        "rate": round((items - of_first) / max(last - first, 1e-9), 1),
        "ttfb_s": round(first - began, 3),
        "cpu_ms": round(1e3 * cpu / items, 4),
        "read_kb": round(read / 1024 / items, 3),
        "out_kb": round(delivered / 1024 / items, 3),
        "faults": round(faults / items, 3),
        "rss_mb": round(peak / 2**20),
        "wall_s": round(last - began, 2),
    }
