#!/usr/bin/env python3
"""Packs photos on a Ray cluster of this machine and in one process, in turns, and prints the efficiency of the cluster.

    bench/peers/ray_pack.py [--photos DIR] [--samples 50000] [--rounds 3] [--folder /dev/shm]

The samples are a table of photos, repeated. Both resize to a shorter side of 224 and encode JPEG of quality 90:
`spool pack --workers 4`, and `spool.ray.pack` on a cluster with four worker processes, which has run one task before.
The efficiency is the time of the first divided by that of the second. The shards must have the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault(
    "RAY_worker_niceness", "0"
)  # else other processes of the machine come first

import ray

import spool.ray

SPOOL = str(Path(__file__).resolve().parents[2] / "bin" / "spool")
WORKERS = 4


def digests(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }


def timed(work: Callable[[], object], out: Path) -> tuple[float, dict[str, str]]:
    shutil.rmtree(out, ignore_errors=True)
    start = time.perf_counter()
    work()
    took = time.perf_counter() - start
    return took, digests(out)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", default="testdata/photos")
    parser.add_argument("--samples", type=int, default=50000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default="/dev/shm")
    a = parser.parse_args()
    folder = Path(a.folder) / f"spool-ray-pack-{os.getpid()}"
    folder.mkdir()
    try:
        compare(a.photos, a.samples, a.rounds, folder)
    finally:
        ray.shutdown()
        shutil.rmtree(folder)


def compare(photos: str, samples: int, rounds: int, folder: Path) -> None:
    files = [path.resolve() for path in sorted(Path(photos).rglob("*.jpg"))]
    (folder / "list.txt").write_text(
        "".join(f"{files[i % len(files)]}\n" for i in range(samples))
    )
    table = folder / "table.arrow"
    subprocess.run([SPOOL, "list", f"@{folder}/list.txt", "--out", table], check=True)
    work = [
        str(table),
        "--resize-shorter",
        "224",
        "--quality",
        "90",
        "--per-shard",
        "250",
    ]
    ray.init(
        num_cpus=WORKERS,
        include_dashboard=False,
        logging_level=logging.ERROR,
        log_to_driver=False,
    )
    start = ray.remote(lambda: os.getpid())
    ray.get([start.remote() for _ in range(WORKERS)])

    alone, cluster = folder / "alone", folder / "cluster"
    command = [SPOOL, "pack", *work, "--out", str(alone), "--workers", str(WORKERS)]
    ratios = []
    for i in range(rounds):
        one, want = timed(
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
            alone,
        )
        many, got = timed(lambda: spool.ray.pack(work, cluster, command=SPOOL), cluster)
        assert got == want, "the cluster wrote other bytes"
        ratios.append(one / many)
        print(
            f"round {i + 1}: one process {one:.2f} s, cluster {many:.2f} s, efficiency {one / many:.3f}",
            flush=True,
        )
    load = os.getloadavg()[0]
    print(
        f"efficiency {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), load {load:.1f}"
    )


if __name__ == "__main__":
    main()
