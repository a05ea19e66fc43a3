"""Measures what another helper process costs after one was killed: restart.py [ROUNDS]

A line for each round: the processor time of the helper up to the end of its first task, and the time that the caller
waited for this task, in ms. The time includes what other processes of the machine took.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import spool


def helpers() -> list[int]:
    """Return the processes that this one has started."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(status.parent.name))
    return found


def consumed(process: int) -> float:
    """Return the processor time of a process in ms."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6


def main() -> None:
    image = spool.encode_image(np.zeros((8, 8, 3), np.uint8))
    spec = spool.ImageSpec(isolate="all")
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        begin = time.perf_counter()
        spool.decode_image(image, spec)
        waited = (time.perf_counter() - begin) * 1e3
        (helper,) = helpers()
        print(f"cpu {consumed(helper):.1f} ms, waited {waited:.1f} ms")
        os.kill(helper, signal.SIGKILL)
        while helpers():
            time.sleep(0.01)
        time.sleep(0.2)  # until the library knows


if __name__ == "__main__":
    main()
