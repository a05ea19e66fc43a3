#!/usr/bin/env python3
"""Measures what helper processes cost a run: its rate, CPU time, first batch, and peak memory.

    bench/isolated.py [--spool bin/spool] [--rounds 7] images --epochs 20 --size 224 SRC...
    bench/isolated.py video --epochs 20 --frames 16 --size 224 SRC...

The arguments are those of `spool run`. Runs with `--isolate off` and `--isolate all` alternate, and each pair begins
with the other one than the pair before it. The script prints medians of the pairs, the least and the greatest in
brackets. Memory is that of the command, without its helpers.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess


def run(command: list[str], isolate: str) -> dict[str, float]:
    """Run the command to its end, and return its summary, with the CPU time and the rate after the first batch."""
    before = cpu()
    out = subprocess.run([*command, "--isolate", isolate, "--json"], check=True, capture_output=True).stdout
    summary: dict[str, float] = json.loads(out)
    summary["total_cpu_s"] = cpu() - before
    if summary["failed"]:
        raise SystemExit(f"{summary['failed']} samples failed")
    rest = summary["samples"] - summary["samples"] / summary["batches"]
    summary["rest_rate"] = rest / (summary["wall_s"] - summary["ttfb_s"])
    return summary


def cpu() -> float:
    """Return the seconds of CPU time of processes that have ended, with their children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spread(values: list[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--spool", default="bin/spool")
    p.add_argument("--rounds", type=int, default=7)
    o, arguments = p.parse_known_args()
    command = [o.spool, "run", *arguments]
    for isolate in ("off", "all"):
        run(command, isolate)  # the page cache
    pairs: list[dict[str, dict[str, float]]] = []
    for i in range(o.rounds):
        order = ["off", "all"] if i % 2 else ["all", "off"]
        pairs.append({isolate: run(command, isolate) for isolate in order})

    def ratios(key: str) -> list[float]:
        return [pair["all"][key] / pair["off"][key] for pair in pairs]

    for isolate in ("off", "all"):
        rate = statistics.median(pair[isolate]["rate"] for pair in pairs)
        print(f"--isolate {isolate}: {rate:.0f} samples/s")
    print(f"rate: {spread(ratios('rate'), 3)} of that without helpers")
    print(f"rate after the first batch: {spread(ratios('rest_rate'), 3)}")
    print(f"CPU, helpers included: {spread(ratios('total_cpu_s'), 3)}")
    later = [1000 * (pair["all"]["ttfb_s"] - pair["off"]["ttfb_s"]) for pair in pairs]
    print(f"first batch: {spread(later, 0)} ms later")
    memory = [pair["all"]["rss_mb"] - pair["off"]["rss_mb"] for pair in pairs]
    print(f"memory of the command: {spread(memory, 0)} MB more")


if __name__ == "__main__":
    main()
