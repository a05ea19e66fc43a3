#!/usr/bin/env python3
"""Measures how the loading of photos scales with workers. It needs Python, the command and photos, and no network.

  cores.py --spool COMMAND --photos FOLDER [--workers 1,2,4,8,16] [--rounds 5] [--seconds 4] [--out FILE]

COMMAND is the `spool` of a release's tarball. In each round, `spool bench images` runs once for each number of workers,
in another random order, and passes over the photos as often as fills the seconds. Batches have the order of the files.
The output is JSON: the machine; all runs; and for each number of workers the median rate (images a second), the median
of the CPU milliseconds of an image, the range of the rates, and the efficiency. The efficiency is the rate per worker,
as a share of the rate of one worker in the same round; the median counts.

The floor is as many processes of one worker each, at the same time: they share the machine (its memory, caches, clock
rates and neighbors), but no lock. of_floor is the rate as a share of theirs.

A worker is busy only if there is a core for it. Other work of the machine lowers the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any


def run(o: argparse.Namespace, workers: int, repeat: int, processes: int = 1) -> dict[str, Any]:
    """Runs the command, or several of them at a time, whose rates are added."""
    command = [o.spool, "bench", "images", "--files", o.photos, "--workers", str(workers), "--repeat", str(repeat)]
    command += ["--size", str(o.size), "--batch", str(o.batch), "--json"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    printed = [p.communicate()[0] for p in started]
    if any(p.returncode for p in started):
        sys.exit(f"failed: {' '.join(command)}")
    results = [json.loads(text) for text in printed]
    return {
        "workers": workers,
        "processes": processes,
        "rate": sum(r["rate"] for r in results),
        "cpu_ms": statistics.mean(r["cpu_ms"] for r in results),
        "items": results[0]["items"],
    }


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "kernel": platform.release(),
    }


def summary(runs: list[dict[str, Any]], workers: int, first: int) -> dict[str, Any]:
    """The figures of a number of workers."""
    own = [r for r in runs if r["workers"] == workers and r["processes"] == 1]
    rates = [r["rate"] for r in own]
    base = {r["round"]: r["rate"] / first for r in runs if r["workers"] == first and r["processes"] == 1}
    floor = {r["round"]: r["rate"] for r in runs if r["processes"] == workers and r["workers"] == 1}
    return {
        "workers": workers,
        "rate": round(statistics.median(rates), 1),
        "lowest": round(min(rates), 1),
        "highest": round(max(rates), 1),
        "cpu_ms": round(statistics.median(r["cpu_ms"] for r in own), 3),
        "efficiency": round(statistics.median(r["rate"] / workers / base[r["round"]] for r in own), 3),
        "of_floor": round(statistics.median(r["rate"] / floor[r["round"]] for r in own), 3),
    }


def main() -> None:
    """Measures, and prints the result."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--spool", required=True, help="the command")
    arguments.add_argument("--photos", required=True, help="a folder, or what --files accepts")
    arguments.add_argument("--workers", default="1,2,4,8,16")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=4, help="the approximate time of a run")
    arguments.add_argument("--size", type=int, default=224)
    arguments.add_argument("--batch", type=int, default=32)
    arguments.add_argument("--out", help="write the JSON here as well")
    o = arguments.parse_args()
    numbers = [int(n) for n in o.workers.split(",")]
    photos = run(o, numbers[0], 1)["items"]  # also fills the page cache
    rates = {n: run(o, n, max(1, 500 * n // photos))["rate"] for n in numbers}
    steps = [(n, 1) for n in numbers] + [(1, n) for n in numbers if n > 1]
    runs: list[dict[str, Any]] = []
    for turn in range(o.rounds):
        for workers, processes in random.sample(steps, len(steps)):
            one = run(o, workers, max(2, round(rates[workers] * o.seconds / photos)), processes)
            runs.append({"round": turn, **one})
            what = f"{workers:3} workers in {processes:2} processes"
            print(f"round {turn}: {what}, {one['rate']:8.1f} images a second, {one['cpu_ms']:.3f} ms", file=sys.stderr)
    result = {
        "machine": machine(),
        "photos": photos,
        "size": o.size,
        "workers": [summary(runs, n, numbers[0]) for n in numbers],
        "runs": runs,
    }
    text = json.dumps(result, indent=1)
    if o.out:
        Path(o.out).write_text(text + "\n")
    for s in result["workers"]:
        print(json.dumps(s))


if __name__ == "__main__":
    main()
