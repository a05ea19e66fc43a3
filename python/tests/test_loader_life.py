"""Loaders that are interrupted, forgotten, broken off or forked leave nothing behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spool

Python = Callable[..., Any]

# How many loaders are left, one way after the other. SPOOL_STRESS=1 asks for all of them.
OFTEN = 1000 if os.environ.get("SPOOL_STRESS") else 100

LEAVE = """
import gc, json, os, sys, threading
import spool
from spool import _native

folder, often = sys.argv[1], int(sys.argv[2])

def made():
    return spool.ImageLoader(folder, batch=4, size=32, workers=2, shuffle=True)

def broken_off():
    for batch in made():
        break

def raises():
    try:
        for batch in made():
            raise KeyError
    except KeyError:
        pass

def forgotten():
    loader = made()
    loop = iter(loader)
    return [next(loop) for _ in range(3)][-1].images[0]

def closed_by_another():
    loader = made()
    closing = threading.Thread(target=loader.close)
    try:
        for i, batch in enumerate(loader):
            if i == 1:
                closing.start()
    except spool.Error:
        pass
    closing.join()

def never_run():
    made()

def jumps():
    loader = made()
    for epoch in 3, 1:
        loader.set_epoch(epoch)
        next(iter(loader))
    loader.load_state_dict(loader.state_dict())

def in_a_circle():
    loader = made()
    loader.itself = loader
    next(iter(loader))

ways = [broken_off, raises, forgotten, closed_by_another, never_run, jumps, in_a_circle]

def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def held():
    gc.collect()
    stats = _native.said("spool_stats")
    return [stats["arrays"], stats["handles"], stats["decoders"]]

for i in range(often):
    ways[i % len(ways)]()
    if i == often // 2:
        gc.collect()
        early = rss()
counts, late = held(), rss()
print(json.dumps([counts, threading.active_count(), late - early]))
"""


def test_nothing_is_left(python: Python, testdata: Path) -> None:
    counts, threads, grown = python(LEAVE, str(testdata / "photos"), str(OFTEN), timeout=600)
    assert counts == [0, 0, 0]
    assert threads == 1
    assert grown < 48 << 20


INTERRUPT = """
import json, os, signal, sys, threading, time
import spool

loader = spool.ImageLoader(sys.argv[1], batch=44, size=256, workers=1, cpu_share=0.02)
next(iter(spool.ImageLoader(sys.argv[1], batch=1, size=8)))  # the library is there
loop = iter(loader)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    while True:  # an epoch takes seconds with that share
        if next(loop, None) is None:
            loop = iter(loader)
except KeyboardInterrupt:
    waited = time.monotonic() - begin
loader2 = spool.ImageLoader(sys.argv[1], batch=4, size=32)
print(json.dumps([waited, sum(len(b) for b in loader2), len(next(iter(loader)))]))
"""


def test_interrupt(python: Python, testdata: Path) -> None:
    """Ctrl-C ends a wait at once, and the loader can be used on."""
    waited, samples, again = python(INTERRUPT, str(testdata / "photos"))
    assert waited < 5
    assert samples == 44
    assert again == 44


EXIT = """
import sys, threading
import spool

loader = spool.ImageLoader(sys.argv[1], batch=4, size=64, shuffle=True)
batch = next(iter(loader))
if sys.argv[2] == "thread":
    def consume():
        for _ in range(10**6):
            for batch in loader:
                pass
    threading.Thread(target=consume, daemon=True).start()
if sys.argv[2] == "raise":
    sys.exit(0)
"""


@pytest.mark.parametrize("way", ["end", "thread", "raise"])
def test_exit(python: Python, testdata: Path, way: str) -> None:
    """An interpreter ends with a loader at work."""
    python(EXIT, str(testdata / "photos"), way)


FORK = """
import json, os, sys, warnings
import spool

warnings.simplefilter("ignore", DeprecationWarning)
loader = spool.ImageLoader(sys.argv[1], batch=4, size=64)
loop = iter(loader)
batch = next(loop)
read, write = os.pipe()
child = os.fork()
if child == 0:
    said = []
    for what in (lambda: next(loop), lambda: iter(loader), loader.state_dict, lambda: spool.ImageLoader(sys.argv[1])):
        try:
            what()
        except BaseException as e:
            said.append(type(e).__name__)
    said.append(int(batch.images.sum()) > 0)
    del batch, loop
    loader.close()
    os.write(write, json.dumps(said).encode())
    os._exit(0)
os.close(write)
with open(read, "rb") as answer:
    said = json.loads(answer.read())
assert os.waitpid(child, 0)[1] == 0
print(json.dumps([said, sum(len(b) for b in loop) + len(batch)]))
"""


def test_fork(python: Python, testdata: Path) -> None:
    """A child is told; its parent goes on."""
    said, samples = python(FORK, str(testdata / "photos"))
    assert said == ["ForkError"] * 4 + [True]
    assert samples == 44


def test_no_pickle(testdata: Path) -> None:
    import pickle

    with pytest.raises(TypeError, match="make one in each process"):
        pickle.dumps(spool.ImageLoader(testdata / "photos"))


RANKS = """
import json, os, sys
import spool

seen = []
for rank in "0", "1":
    os.environ.update(RANK=rank, WORLD_SIZE="2")
    loader = spool.ImageLoader(sys.argv[1], batch=4, size=8, shuffle=True)
    seen.append([loader.rank, len(loader), [i for b in loader for i in b.ids.tolist()]])
os.environ["RANK"] = "x"
try:
    spool.ImageLoader(sys.argv[1])
except ValueError as e:
    seen.append(str(e))
print(json.dumps(seen))
"""


def test_ranks_of_the_environment(python: Python, testdata: Path) -> None:
    """Also when it changes behind the library's back."""
    (rank, batches, ids), (other, others, rest), wrong = python(RANKS, str(testdata / "photos"))
    assert (rank, other) == ([0, 2], [1, 2])
    assert batches == others == 6
    assert sorted(ids + rest) == list(range(44))
    assert "RANK=x" in wrong
