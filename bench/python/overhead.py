"""Measures what a call of Python costs more than the same call of Go, in pairs of runs that follow one another.

    python bench/python/overhead.py [--image FILE] [--folder FOLDER] [--rounds 15] [--calls 200] [--limit 20]

Two calls are compared: ``decode_image`` of bytes, and taking a batch of an ``ImageLoader`` that is ready. The script
prints a JSON object with the microseconds of both sides and the median of the differences: by the clock, and of the
calling thread's processor time. ``quiet`` has the tenth percentiles of the calls in place of their medians: other
processes empty the caches, which costs processor time, too. ``floor`` is the least that a batch can cost in Python, in
place of a batch: an iterator calls a C function that does nothing, and makes a NumPy array of memory that exists. It is
measured in every second step of the loop that takes batches, so under the same conditions. The script exits with 1 if a
quiet difference of processor time is above the limit, that of the floor aside.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
WORK = 2000  # microseconds that the consumer computes between batches, as in bench/overhead


class Cost(NamedTuple):
    """What a call took, in microseconds: the medians of some calls, and their tenth percentiles."""

    clock: float
    cpu: float
    quiet_clock: float
    quiet_cpu: float


def now() -> tuple[float, float]:
    """Return the time of the clock, and the processor time of this thread."""
    return time.perf_counter_ns() / 1e3, time.thread_time_ns() / 1e3


def cost(took: list[tuple[float, float]]) -> Cost:
    """Return the cost of a call from those of all calls."""
    clocks, cpus = map(sorted, zip(*took, strict=True))
    n = len(took)
    return Cost(clocks[n // 2], cpus[n // 2], clocks[n // 10], cpus[n // 10])


def image(file: Path, calls: int) -> Cost:
    """Return the cost of a decode."""
    import spool

    data = file.read_bytes()
    spool.decode_image(data)
    took: list[tuple[float, float]] = []
    for _ in range(calls):
        begin = now()
        spool.decode_image(data)
        end = now()
        took.append((end[0] - begin[0], end[1] - begin[1]))
    return cost(took)


class Floor:
    """An iterator that does the least for an array of the library."""

    def __init__(self, memory: object) -> None:
        self._memory = memory
        self._nothing = ctypes.CDLL(None).abs

    def __iter__(self) -> Floor:
        return self

    def __next__(self) -> NDArray[np.generic]:
        self._nothing(0)
        return np.asarray(self._memory)


def batch(folder: Path, calls: int) -> tuple[Cost, Cost]:
    """Return the cost to take a batch that is ready, and that of the floor."""
    import spool

    took: list[list[tuple[float, float]]] = [[], []]
    with spool.ImageLoader(folder, size=64, batch=8, headspace=True) as loader:
        kept = next(iter(loader))
        floor, loop = iter(Floor(kept.data.base)), iter(loader)
        for step in range(2 * calls):
            measured = floor if step % 2 else loop
            until = now()[0] + WORK
            while (begin := now())[0] < until:
                pass
            taken = next(measured, None)
            end = now()
            if taken is None:  # the end of the epoch
                loop = iter(loader)
                continue
            del taken  # released outside of the measured time, as in bench/overhead
            took[step % 2].append((end[0] - begin[0], end[1] - begin[1]))
            if measured is floor and next(loop, None) is None:  # so that a batch was taken before each step
                loop = iter(loader)
    return cost(took[0]), cost(took[1])


def ask(go: subprocess.Popen[str], kind: str, calls: int) -> Cost:
    """Return the cost of a call of Go."""
    to, back = go.stdin, go.stdout
    assert to is not None
    assert back is not None
    return _answer(to, back, f"{kind} {calls}\n")


def _answer(to: IO[str], back: IO[str], line: str) -> Cost:
    to.write(line)
    to.flush()
    return Cost(*map(float, back.readline().split()))


def main() -> int:
    """Measure both calls in turn."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--image", type=Path, default=ROOT / "testdata/photos/animal/00.jpg")
    p.add_argument("--folder", type=Path, default=ROOT / "testdata/photos")
    for name, default in (("rounds", 15), ("calls", 200), ("limit", 20)):
        p.add_argument(f"--{name}", type=int, default=default)
    a = p.parse_args()
    program = ROOT / "bin/overhead"
    subprocess.run(["go", "build", "-o", program, "./bench/overhead"], cwd=ROOT, check=True)
    pairs: dict[str, list[tuple[Cost, Cost]]] = {"image": [], "batch": [], "floor": []}
    arguments = [program, a.image, a.folder]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as go:
        for _ in range(a.rounds):
            pairs["image"].append((image(a.image, a.calls), ask(go, "image", a.calls)))
            whole, least = batch(a.folder, a.calls)
            of_go = ask(go, "batch", a.calls)
            pairs["batch"].append((whole, of_go))
            pairs["floor"].append((least, of_go))
        assert go.stdin is not None
        go.stdin.close()
    found = {kind: {part: figures(both, part) for part in Cost._fields} for kind, both in pairs.items()}
    print(json.dumps(found, indent=2))
    return 1 if any(found[kind]["quiet_cpu"]["difference_us"] > a.limit for kind in ("image", "batch")) else 0


def figures(pairs: list[tuple[Cost, Cost]], part: str) -> dict[str, float]:
    """Return the medians of pairs, by the clock or of processor time."""
    both = [(getattr(x, part), getattr(y, part)) for x, y in pairs]
    return {
        "python_us": round(statistics.median(x for x, _ in both), 1),
        "go_us": round(statistics.median(y for _, y in both), 1),
        "difference_us": round(statistics.median(x - y for x, y in both), 1),
        "least_difference_us": round(min(x - y for x, y in both), 1),
    }


if __name__ == "__main__":
    sys.exit(main())
