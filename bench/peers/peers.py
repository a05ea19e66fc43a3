"""Measures other loaders, and spool from Python, on the works of `spool bench`.

  peers.py WORK --files 'GLOB' [--peer NAME ...]     WORK: images, train, video, videofull or audio

Each peer runs in its own process, and prints one JSON line with its figures or its error. The keys are those of
`spool bench --json`:

  items      images, frames, or seconds of audio that the consumer received
  rate       items a second after the first batch
  ttfb_s     seconds from the start of loading, after imports, to the first batch
  cpu_ms     milliseconds of CPU time for an item, including child processes
  read_kb    KiB for an item that system calls read, including child processes: files, and pipes between processes
  out_kb     KiB for an item that the consumer received
  faults     pages for an item that the kernel maps because they are used for the first time, including child processes
  rss_mb     peak resident memory in MB, including child processes
  wall_s     seconds from the start of loading to the last batch

images and train give uint8 batches of size x size. video gives 16 evenly sampled frames of each file, videofull all
frames, and audio the whole file as float32 mono.
"""

from __future__ import annotations

import argparse
import glob
import json
import subprocess
import sys

from loaders import find, names
from loaders.work import Work
from measure import measure


def parse() -> tuple[Work, list[str], str | None]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["images", "train", "video", "videofull", "audio"])
    parser.add_argument("--files", nargs="+", required=True, metavar="GLOB")
    parser.add_argument("--peer", nargs="+", metavar="NAME", help="default: all peers of the work")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--rate", type=int, default=16_000)
    parser.add_argument("--repeat", type=int, default=1, help="repetitions of the files")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # the peer that this process measures
    a = parser.parse_args()
    files = sorted(name for pattern in a.files for name in glob.glob(pattern)) * a.repeat
    if not files:
        parser.error(f"no files match {' '.join(a.files)}")
    return Work(a.work, files, a.batch, a.size, a.workers, a.frames, a.rate), a.peer or names(a.work), a.one


def main() -> None:
    work, peers, one = parse()
    if one:
        print(json.dumps({"work": work.name, "peer": one, **measure(find(work.name, one), work)}), flush=True)
        return
    for peer in peers:
        command = [sys.executable, __file__, *sys.argv[1:], "--one", peer]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        if process.returncode == 0 and process.stdout.strip():
            print(process.stdout.strip().splitlines()[-1], flush=True)
        else:
            said = (process.stderr.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
            print(json.dumps({"work": work.name, "peer": peer, "error": said[:300]}), flush=True)


if __name__ == "__main__":
    main()
