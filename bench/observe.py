#!/usr/bin/env python3
"""Measures what metrics, a page and a trace cost a run: CPU time for each sample, and peak memory.

    bench/observe.py [--spool bin/spool] [--rounds 9] [--epochs 40] SRC...

Runs with and without alternate, so that other work on the machine meets both. It prints medians, and the least and
greatest ratio of two neighbours. A scrape or a viewer asks once a second, as Prometheus and the page would or more
often.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import tempfile
import threading
import urllib.request
from pathlib import Path

PAUSE = 1.0  # seconds between two scrapes


def run(command: list[str], ask: str) -> dict[str, float]:
    """Run the command to its end, ask its server, and return its summary."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        assert p.stdout is not None and p.stderr is not None
        ended = threading.Event()
        if ask:
            url = ""
            while not url:
                line = p.stderr.readline()
                if not line:
                    raise SystemExit(f"no server: {command}")
                if m := re.search(r"at (http://\S+)", line):
                    url = m[1].removesuffix("metrics") + ask
            threading.Thread(target=asks, args=(url, ended), daemon=True).start()
        out, _ = p.communicate()
        ended.set()
        if p.returncode:
            raise SystemExit(f"exit {p.returncode}: {command}")
    return json.loads(out)


def asks(url: str, ended: threading.Event) -> None:
    while not ended.wait(PAUSE):
        try:
            urllib.request.urlopen(url, timeout=10).read()
        except OSError:
            return


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--spool", default="bin/spool")
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("src", nargs="+")
    o = p.parse_args()
    plain = [o.spool, "run", "images", *o.src, "--size", "224", "--epochs", str(o.epochs), "--json"]
    with tempfile.TemporaryDirectory() as folder:
        ways = {
            "metrics": (["--metrics", "127.0.0.1:0"], "metrics"),
            "page": (["--serve", "127.0.0.1:0"], "state"),
            "trace": (["--trace", str(Path(folder) / "trace.json")], ""),
        }
        run(plain, "")  # the page cache
        print("| with | CPU ms a sample | without | ratio of medians | ratios | more MB |")
        print("|---|--:|--:|--:|--:|--:|")
        for name, (flags, ask) in ways.items():
            pairs = [(run(plain, ""), run([*plain, *flags], ask)) for _ in range(o.rounds)]
            without, with_ = (statistics.median(x["cpu_ms"] for x in side) for side in zip(*pairs, strict=True))
            ratios = [b["cpu_ms"] / a["cpu_ms"] for a, b in pairs]
            more = statistics.median(b["rss_mb"] - a["rss_mb"] for a, b in pairs)
            print(
                f"| {name} | {with_:.4f} | {without:.4f} | {with_ / without:.3f} | "
                f"{min(ratios):.3f} to {max(ratios):.3f} | {more:+.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
