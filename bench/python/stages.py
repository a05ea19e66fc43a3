#!/usr/bin/env python3
"""Measures the claims of the pages of docs/loaders: their loaders before and after, on the same images.

  stages.py [--photos 6000] [--rounds 3] [--ray-cpus N] [PAGE[:NAME] ...]

The measured code is that of the pages. Each loader runs in a new process, in rounds, one after the other. Ratios are
those of loaders in the same round, and the median of the rounds is printed. Before anything is measured, the batches of
every loader with spool are compared with torchvision's pixels. --ray-cpus has Ray schedule as if the machine had N
CPUs.

The output is one JSON line for each loader, with the keys of the peers' benchmark. rate is items a second after the
first batch. cpu_ms is milliseconds of CPU time for an item, and rss_mb the peak of resident memory, both including
children. ttfb_s is seconds from the start of loading to the first batch.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "tests" / "peers"))
import pages

# The loaders of each page. The others are compared with the first.
LOADERS = {
    "pytorch.md": ["before", "after", "single", "threaded"],
    "torchvision.md": ["before", "after"],
    "spdl.md": ["before", "after"],
    "webdataset.md": ["before", "after", "single"],
    "huggingface.md": ["before", "after"],
    "grain.md": ["before", "after"],
    "fsspec.md": ["before", "after"],
    "ray.md": ["before", "after"],
}
# Pages whose pixels are not torchvision's, since they are random or another library's.
UNHELD = {"torchvision.md"}


class Memory(threading.Thread):
    """Records the peak of the resident memory of this process and its children."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.start()

    def run(self) -> None:
        import psutil

        me = psutil.Process()
        while True:
            total = 0
            for process in [me, *me.children(recursive=True)]:
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            self.peak = max(self.peak, total)
            time.sleep(0.2)  # often enough for the plateau, without much load


def measure(page: str, name: str, ray_cpus: int | None) -> dict[str, Any]:
    """Measure one loader in this process."""
    import torch

    torch.set_num_threads(1)
    if page == "ray.md" and ray_cpus:
        import ray

        ray.init(num_cpus=ray_cpus)
    loader = pages.run(pages.PAGES / page)[name]
    memory = Memory()
    cpu, start = sum(os.times()[:4]), time.perf_counter()
    first, items, begun = 0.0, 0, 0
    for batch in loader:
        count = len(pages.contents(batch)[0])
        items += count
        if not first:
            first, begun = time.perf_counter(), count
    end = time.perf_counter()
    cpu = sum(os.times()[:4]) - cpu
    return {
        "page": page, "name": name, "items": items, "rate": round((items - begun) / (end - first), 1),
        "ttfb_s": round(first - start, 3), "cpu_ms": round(1e3 * cpu / items, 4), "rss_mb": memory.peak >> 20,
    }  # fmt: skip


def child(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "HF_HOME": str(folder / "huggingface"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}:\n{done.stderr[-4000:]}")
    return done.stdout


def chosen(asked: list[str]) -> dict[str, list[str]]:
    if not asked:
        return LOADERS
    loaders: dict[str, list[str]] = {}
    for word in asked:
        page, _, name = word.partition(":")
        loaders.setdefault(page, LOADERS[page][:1] if name else list(LOADERS[page]))
        if name:
            loaders[page].append(name)
    return loaders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("loaders", nargs="*", metavar="PAGE[:NAME]")
    parser.add_argument("--photos", type=int, default=6000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ray-cpus", type=int, metavar="N", help="logical CPUs of Ray; default: the machine's")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.measure:
        print(json.dumps(measure(*a.measure, a.ray_cpus)))
        return

    cpus = ["--ray-cpus", str(a.ray_cpus)] if a.ray_cpus else []
    loaders = chosen(a.loaders)
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        pages.prepare(Path(few), 96)
        for page, names in loaders.items():
            if page not in UNHELD:
                child(Path(few), pages.__file__, page, *names[1:])
        print("batches are torchvision's", file=sys.stderr)
        pages.prepare(Path(many), a.photos, shards="webdataset.md" in loaders)
        for page, names in loaders.items():
            rounds: list[dict[str, Any]] = [{} for _ in range(a.rounds)]
            for measured in rounds:
                for name in names:
                    measured[name] = json.loads(child(Path(many), __file__, *cpus, "--measure", page, name))
                    print(measured[name], file=sys.stderr)
            for name in names:
                rows = sorted((r[name] for r in rounds), key=lambda row: row["rate"])
                ratios = [round(r[name]["rate"] / r[names[0]]["rate"], 2) for r in rounds]
                row = {**rows[len(rows) // 2], "ratio": statistics.median(ratios), "ratios": ratios}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
