"""Measures how long processes take to start: start.py --command FILE --photos FOLDER [--rounds N] [--limit]

  image      the command decodes one photo, from its start to its exit
  bench 2    the first batch of 32 photos of `spool bench images`, with 2 workers, from its start
  bench 64   the same with 64 workers
  python     the first batch of spool.ImageLoader in a process that has imported numpy: imports of spool, loading of
             the library, the loader, and the batch
  isolated   the same with two helper processes, isolate="all"

The output is one JSON line with the median and the least time of each, in ms. Each round starts one process for each.
"helpers" in it is the difference that helpers make to the first batch: the median and the least of those of the rounds.
PYTHONPATH or the environment chooses the package. With --limit, the exit code is 1 if a median is above its
limit: 40 ms for image, 60 ms for python, 30 ms for helpers, and 1.2 times bench 2 for bench 64. These are for the
tarball's and the wheel's build, on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCH = 32
IMAGE, PYTHON, HELPERS = 40, 60, 30  # limits in ms
MANY = 1.2  # limit of 64 workers, as a multiple of 2
FIRST = """
import sys, time
import numpy
begin = time.perf_counter()
import spool
loader = spool.ImageLoader(sys.argv[2:], batch=32, size=224, workers=2, isolate=sys.argv[1])
next(iter(loader))
print(1e3 * (time.perf_counter() - begin))
"""


def image(command: str, photo: Path, folder: str) -> float:
    begin = time.perf_counter()
    subprocess.run([command, "decode", "image", photo, "--out", f"{folder}/photo.npy"], check=True, capture_output=True)
    return 1e3 * (time.perf_counter() - begin)


def bench(command: str, photos: list[Path], workers: int) -> float:
    """Return the time of the first batch, with the time that the process takes beside loading."""
    files = [argument for photo in photos for argument in ("--files", str(photo))]
    begin = time.perf_counter()
    arguments = [command, "bench", "images", *files, "--batch", str(BATCH), "--workers", str(workers), "--json"]
    report = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
    outside = time.perf_counter() - begin - report["wall_s"]
    return 1e3 * (outside + report["ttfb_s"])


def python(photos: list[Path], isolate: str) -> float:
    command = [sys.executable, "-c", FIRST, isolate, *map(str, photos)]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def beyond(medians: dict[str, float]) -> list[str]:
    """Return the measurements that are above their limits."""
    limits = {"image": IMAGE, "bench 64": MANY * medians["bench 2"], "python": PYTHON, "helpers": HELPERS}
    above = {name: limit for name, limit in limits.items() if medians[name] > limit}
    return [f"{name}: {medians[name]:.1f} ms, limit {limit:.1f}" for name, limit in above.items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, help="the spool command")
    parser.add_argument("--photos", required=True, type=Path, help="a folder with at least 64 JPEG files")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--limit", action="store_true", help="exit with 1 if a median is above its limit")
    o = parser.parse_args()
    photos = sorted(o.photos.glob("*.jpg"))[: 2 * BATCH]
    if len(photos) < 2 * BATCH:
        parser.error(f"{o.photos} has {len(photos)} JPEG files")
    times: dict[str, list[float]] = {"image": [], "bench 2": [], "bench 64": [], "python": [], "isolated": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(o.rounds + 1):
            times["image"].append(image(o.command, photos[0], folder))
            times["bench 2"].append(bench(o.command, photos, 2))
            times["bench 64"].append(bench(o.command, photos, 64))
            times["python"].append(python(photos, "off"))
            times["isolated"].append(python(photos, "all"))
    measured = {name: runs[1:] for name, runs in times.items()}  # the first round fills the page cache
    measured["helpers"] = [a - b for a, b in zip(measured["isolated"], measured["python"], strict=True)]
    medians = {name: statistics.median(runs) for name, runs in measured.items()}
    print(json.dumps({name: [round(medians[name], 1), round(min(runs), 1)] for name, runs in measured.items()}))
    slow = beyond(medians) if o.limit else []
    for line in slow:
        print(line, file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
