"""Repeated forks, threads, interrupts, exceptions and garbage: no hang, no leak, no crash.

Each test runs a small number of rounds, or 1000 with SPOOL_STRESS=1. Leaks are looked for in the library's counts and
in the memory of the process.
"""

from __future__ import annotations

import gc
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import interrupt

import spool

FULL = os.environ.get("SPOOL_STRESS", "0") != "0"
ROUNDS = 1000 if FULL else 40

# Python 3.12 warns about forks. An interrupt within a finalizer is dropped with a warning.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.slow,
]


def held() -> dict[str, int]:
    """Count what the library holds. Decoders belong to cached specs, whose number is bounded."""
    gc.collect()
    now = spool.stats()
    return {k: now[k] for k in ("arrays", "used_bytes")}


def resident() -> int:
    """Return the memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def level() -> Any:
    """Check that a test leaks nothing after a first round, which warms up."""
    before: list[Any] = []
    yield lambda: before.extend([held(), resident(), spool.stats()["goroutines"], threading.active_count()])
    counts, memory, goroutines, threads = before
    assert all(n <= counts[name] for name, n in held().items())
    assert spool.stats()["goroutines"] <= goroutines + 2
    assert threading.active_count() <= threads
    assert resident() - memory < (64 << 20)


def test_forks(python: Callable[..., Any]) -> None:
    """In children of a process that uses spool in threads, calls fail at once, and arrays can be read and dropped."""
    refused = python(
        """
import json, os, signal, sys, threading, warnings
import spool
warnings.simplefilter("ignore", DeprecationWarning)
rounds = int(sys.argv[1])
pixels = spool.decode_image(photo)
total = int(pixels.sum())
running = True

def work():
    while running:
        spool.decode_images([photo] * 4, size=16)

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
refused = 0
for _ in range(rounds):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        code = 1
        try:
            spool.decode_image(photo)
        except spool.ForkError:
            code = 0 if int(pixels.sum()) == total else 2
        pixels = None
        os._exit(code)
    refused += os.waitpid(child, 0)[1] == 0
running = False
for thread in threads:
    thread.join()
print(json.dumps(refused))
""",
        str(ROUNDS),
        timeout=600,
    )
    assert refused == ROUNDS


def test_threads(photos: list[Path], testdata: Path, level: Any) -> None:
    """Many threads make all kinds of calls, good and bad."""
    bad = (testdata / "hard/bad/truncated.png").read_bytes()
    good = [p.read_bytes() for p in photos[:4]]
    expected = [spool.decode_image(d, size=32) for d in good]
    wrong: list[BaseException] = []

    def work(number: int, rounds: int) -> None:
        draw = random.Random(number)
        try:
            for _ in range(rounds):
                i = draw.randrange(len(good))
                np.testing.assert_array_equal(spool.decode_image(good[i], size=32), expected[i])
                out = np.empty((32, 32, 3), np.uint8)
                spool.decode_image(good[i], size=32, out=out)
                np.testing.assert_array_equal(out, expected[i])
                batch = spool.decode_images([good[i], bad, good[0]], size=32, on_error="placeholder", threads=2)
                assert batch.valid.tolist() == [True, False, True]
                spool.probe(good[i])
                with pytest.raises(spool.DecodeError):
                    spool.decode_image(bad)
                spool.decode_image(good[i], size=draw.randrange(1, 40))
        except BaseException as e:
            wrong.append(e)

    def all_at_once(rounds: int) -> None:
        threads = [threading.Thread(target=work, args=(n, rounds)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong

    all_at_once(2)
    level()
    all_at_once(ROUNDS // 4)


def test_short_threads(photo: Path, level: Any) -> None:
    """Short-lived threads leave nothing in Go."""

    def each(rounds: int) -> None:
        for _ in range(rounds):
            threads = [threading.Thread(target=spool.decode_image, args=(photo,), kwargs={"size": 8}) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    each(3)
    level()
    each(ROUNDS)


def test_interrupts(photo: Path, level: Any) -> None:
    photos = [photo.read_bytes()] * 32
    spool.decode_images(photos, size=16)
    level()
    draw = random.Random(1)
    for _ in range(ROUNDS):
        interrupt(lambda: spool.decode_images([*photos, b""], size=16, on_error="skip"), draw.uniform(1e-4, 1e-2))
    assert spool.decode_images(photos, size=16).valid.all()


def test_garbage(photos: list[Path], level: Any) -> None:
    """Results in cycles, some of whose views are kept, are freed by the collector on any thread."""
    kept: list[Any] = []

    def each(rounds: int) -> None:
        for i in range(rounds):
            cycle: list[Any] = [spool.decode_images(photos[:4], size=48), spool.ImageSpec(size=48 + i % 3)]
            cycle.append(cycle)
            kept.append(cycle[0].data[i % 4, ::2])
            del kept[:-8]
        kept.clear()

    each(4)
    level()
    each(ROUNDS)


def test_exceptions_in_what_is_called_back(photo: Path, level: Any) -> None:
    """Sources that raise when they are read, among good ones, leak nothing."""

    class Broken:
        def read(self) -> bytes:
            raise ZeroDivisionError

    def each(rounds: int) -> None:
        for i in range(rounds):
            sources: list[Any] = [photo, photo]
            sources.insert(i % 3, Broken())
            with pytest.raises(ZeroDivisionError):
                spool.decode_images(sources, size=8)

    each(3)
    level()
    each(ROUNDS)


@pytest.mark.parametrize("ends", ["return", "exit", "raise", "interrupt"])
def test_processes_that_end_with_work_running(python: Callable[..., Any], ends: str) -> None:
    end = {
        "return": "pass",
        "exit": "sys.exit(0)",
        "raise": "sys.excepthook = lambda *_: os._exit(0)\nraise ZeroDivisionError",
        "interrupt": "sys.excepthook = lambda *_: os._exit(0)\n"
        "os.kill(os.getpid(), signal.SIGINT); threading.Event().wait()",
    }[ends]
    for _ in range(ROUNDS // 20):
        python(f"""
import os, signal, sys, threading
import spool
photos = [photo] * 64
spool.decode_image(photo)

def work():
    while True:
        spool.decode_images(photos, size=64)

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
spool.decode_images(photos, size=64)
{end}
""")


def test_many_images(photos: list[Path], level: Any) -> None:
    """A long loop uses as much memory as a short one."""
    data = [p.read_bytes() for p in photos]

    def each(batches: int) -> None:
        for _ in range(batches):
            spool.decode_images(data, size=64)

    each(20)
    level()
    each(ROUNDS)
