"""Measures what a call of Python costs more than the same call of Go, in pairs of runs that follow one another.

    python bench/python/overhead.py [--image FILE] [--folder FOLDER] [--rounds 15] [--calls 200] [--limit 20]

Two calls are compared: ``decode_image`` of bytes, and taking a batch of an ``ImageLoader`` that is ready. The script
prints a JSON object with the microseconds of both sides and the median of the differences. It exits with 1 if one
of these is above the limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
WORK = 0.002  # seconds that the consumer computes between batches, as in bench/overhead


def image(file: Path, calls: int) -> float:
    """Return the mean microseconds of a decode."""
    import spool

    data = file.read_bytes()
    spool.decode_image(data)
    begin = time.perf_counter()
    for _ in range(calls):
        spool.decode_image(data)
    return (time.perf_counter() - begin) / calls * 1e6


def batch(folder: Path, calls: int) -> float:
    """Return the median microseconds to take a batch that is ready."""
    import spool

    took: list[float] = []
    with spool.ImageLoader(folder, size=64, batch=8, headspace=True) as loader:
        while len(took) < calls:
            loop = iter(loader)
            while len(took) < calls:
                until = time.perf_counter() + WORK
                while (begin := time.perf_counter()) < until:
                    pass
                taken = next(loop, None)
                end = time.perf_counter()
                if taken is None:
                    break
                del taken  # released outside of the measured time, as in bench/overhead
                took.append(end - begin)
    return statistics.median(took) * 1e6


def ask(go: subprocess.Popen[str], kind: str, calls: int) -> float:
    """Return the microseconds of a call of Go."""
    to, back = go.stdin, go.stdout
    assert to is not None
    assert back is not None
    return _answer(to, back, f"{kind} {calls}\n")


def _answer(to: IO[str], back: IO[str], line: str) -> float:
    to.write(line)
    to.flush()
    return float(back.readline())


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
    pairs: dict[str, list[tuple[float, float]]] = {"image": [], "batch": []}
    arguments = [program, a.image, a.folder]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as go:
        for _ in range(a.rounds):
            pairs["image"].append((image(a.image, a.calls), ask(go, "image", a.calls)))
            pairs["batch"].append((batch(a.folder, a.calls), ask(go, "batch", a.calls)))
        assert go.stdin is not None
        go.stdin.close()
    found = {
        kind: {
            "python_us": round(statistics.median(x for x, _ in both), 1),
            "go_us": round(statistics.median(y for _, y in both), 1),
            "difference_us": round(statistics.median(x - y for x, y in both), 1),
            "least_difference_us": round(min(x - y for x, y in both), 1),
        }
        for kind, both in pairs.items()
    }
    print(json.dumps(found, indent=2))
    return 1 if any(f["difference_us"] > a.limit for f in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
