#!/usr/bin/env python3
"""Compares two builds of the command by CPU time, in pairs: pairs.py STATIC SYSTEM MEDIA [ROUNDS]

MEDIA has the folders photos, large, formats, video and audio. Each round runs both builds, in turns, and every other
round the second one first. It prints for each work the median of SYSTEM's CPU time to STATIC's, with the smallest and
the largest ratio: 1.1 means that STATIC needs a tenth less.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

# What is decoded: the name, the work of `spool bench`, files, and how often.
WORKS = [
    ("photos", "images", "photos/*", 3),
    ("12 Mpx", "images", "large/*", 10),
    ("formats", "images", "formats/*", 2),
    ("clips", "video", "video/clip*.mp4", 1),
    ("every frame", "videofull", "video/clip*.mp4", 1),
    ("audio", "audio", "audio/a.*", 10),
]


def cost(command: str, work: str, files: str, repeat: int) -> float:
    """Return the CPU time of a sample, in milliseconds."""
    said = subprocess.run(
        [command, "bench", work, "--files", files, "--repeat", str(repeat), "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = json.loads(said.stdout)
    return found["cpu_ms"]


def main() -> None:
    """Print a line for each work."""
    static, system, media = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 7
    for name, work, files, repeat in WORKS:
        ratios = []
        for i in range(rounds):
            costs = {}
            for command in (static, system) if i % 2 else (system, static):
                costs[command] = cost(command, work, f"{media}/{files}", repeat)
            ratios.append(costs[system] / costs[static])
        print(f"{name:12} {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


if __name__ == "__main__":
    main()
