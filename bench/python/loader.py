"""Measures spool.ImageLoader against `spool bench images`, on the same images, in the same run.

    python bench/python/loader.py FOLDER [--workers 2] [--batch 32] [--size 224] [--rounds 5] [--images 6000]

The batches of both are compared first. Then they run in turn, each in its own process. A rate is images a second after
the first batch, as in the peers' benchmark.

The script prints a JSON object. It has the rates of all rounds, the ratio of the medians, the time from `import spool`
to the first batch, and the time to return a batch that is ready. It also has the memory that the process uses in
addition to the interpreter, early and late.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

COMMAND = Path(__file__).resolve().parents[2] / "bin" / "spool"


def resident() -> int:
    """Return the resident memory in MB."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def child(a: argparse.Namespace) -> dict[str, Any]:
    """Load a number of images."""
    import numpy as np

    np.zeros(1)
    before = resident()
    begin = time.perf_counter()
    import spool

    loader = spool.ImageLoader(a.folder, workers=a.workers, batch=a.batch, size=a.size)
    loop = iter(loader)
    n = len(next(loop))
    first = time.perf_counter()
    held, early, handed = n, 0, []
    while n < a.images:
        for batch in loop:
            n += len(batch)
            if not early and n >= a.images // 5:
                early = resident()
        loop = iter(loader)
    end = time.perf_counter()
    late = resident()
    replayed = spool.ImageLoader(a.folder, workers=a.workers, batch=a.batch, size=a.size, headspace=True)
    for _ in range(200):
        loop = iter(replayed)
        for _ in range(8):
            from_here = time.perf_counter()
            if next(loop, None) is None:  # the end of an epoch, which takes less time
                break
            handed.append(time.perf_counter() - from_here)
    return {
        "rate": (n - held) / (end - first),
        "import_to_first_s": first - begin,
        "handover_us": statistics.median(handed) * 1e6,
        "rss_mb": [early - before, late - before],
        "verdict": loader.verdict,
    }


def digests(a: argparse.Namespace) -> None:
    """Compare the first batches."""
    import spool

    size = [f"--size={a.size}", f"--batch={a.batch}", f"--limit={10 * a.batch}"]
    expected = subprocess.run(
        [COMMAND, "run", "images", a.folder, *size, "--digest", "--json"],
        capture_output=True,
        check=True,
    )
    lines = expected.stdout.decode().splitlines()[:-1]
    for line, batch in zip(
        lines,
        spool.ImageLoader(a.folder, size=a.size, batch=a.batch, limit=10 * a.batch),
        strict=True,
    ):
        sha = hashlib.sha256(batch.images.tobytes() + batch.labels.astype("<i8").tobytes()).hexdigest()
        if line != f"{batch.epoch} {batch.index} {sha}":
            raise SystemExit(f"batch {batch.index} differs from the batch of the command")


def main() -> None:
    """Compare the batches, then run both in turn."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder")
    for name, default in (
        ("workers", 2),
        ("batch", 32),
        ("size", 224),
        ("rounds", 5),
        ("images", 6000),
    ):
        p.add_argument(f"--{name}", type=int, default=default)
    p.add_argument("--child", action="store_true")
    a = p.parse_args()
    if a.child:
        print(json.dumps(child(a)))
        return
    digests(a)
    files = glob.glob(f"{a.folder}/**/*.*", recursive=True)
    repeat = max(1, round(a.images / len(files)))
    floor = [
        f"--batch={a.batch}",
        f"--size={a.size}",
        f"--workers={a.workers}",
        f"--repeat={repeat}",
        "--json",
    ]
    ours, theirs = [], []
    for _ in range(a.rounds):
        for command, results in (
            ([COMMAND, "bench", "images", "--files", a.folder, *floor], theirs),
            ([sys.executable, __file__, *sys.argv[1:], "--child"], ours),
        ):
            results.append(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))
    python, bench = ([r["rate"] for r in results] for results in (ours, theirs))
    print(
        json.dumps(
            {
                "python": [round(r) for r in python],
                "bench": [round(r) for r in bench],
                "ratio": round(statistics.median(python) / statistics.median(bench), 3),
                "ratios": [round(x / y, 3) for x, y in zip(python, bench, strict=True)],
                **{
                    key: round(statistics.median(r[key] for r in ours), 3)
                    for key in ("import_to_first_s", "handover_us")
                },
                "rss_mb_beyond_interpreter": ours[-1]["rss_mb"],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
