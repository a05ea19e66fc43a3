"""Loaders that are interrupted, garbage collected, left early or forked leak nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import IN_FORK, within

import spool
from spool import _delivery

Python = Callable[..., Any]

# How many loaders are dropped, in each of the ways in turn. SPOOL_STRESS=1 runs all of them.
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
    stats = _native.query("spool_stats")
    return [stats["arrays"], stats["handles"], stats["decoders"]]

for i in range(often):
    ways[i % len(ways)]()
    if i == often // 2:
        gc.collect()
        early = rss()
counts, late = held(), rss()
print(json.dumps([counts, threading.active_count(), late - early]))
"""


@pytest.mark.slow
def test_nothing_is_left(python: Python, testdata: Path) -> None:
    counts, threads, grown = python(LEAVE, str(testdata / "photos"), str(OFTEN), timeout=600)
    assert counts == [0, 0, 0]
    assert threads == 1
    assert grown < 48 << 20


INTERRUPT = """
import json, os, signal, sys, threading, time
import spool

loader = spool.ImageLoader(sys.argv[1], batch=44, size=256, workers=1, cpu_share=0.02)
next(iter(spool.ImageLoader(sys.argv[1], batch=1, size=8)))  # loads the library
loop = iter(loader)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    while True:  # an epoch takes seconds with this cpu_share
        if next(loop, None) is None:
            loop = iter(loader)
except KeyboardInterrupt:
    waited = time.monotonic() - begin
loader2 = spool.ImageLoader(sys.argv[1], batch=4, size=32)
print(json.dumps([waited, sum(len(b) for b in loader2), len(next(iter(loader)))]))
"""


def test_interrupt(python: Python, testdata: Path) -> None:
    """Ctrl-C ends a wait at once, and the loader stays usable."""
    waited, samples, again = python(INTERRUPT, str(testdata / "photos"))
    within(waited, 5)
    assert samples == 44
    assert again == 44


@pytest.mark.parametrize("kind", ["ImageLoader", "VideoLoader", "AudioLoader"])
def test_interrupt_behind_a_call(testdata: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """If Ctrl-C arrives when C has delivered a batch, the loop still returns it, and a state does not count it."""
    src, options = {
        "ImageLoader": ([testdata / "photos/plant/00.jpg"] * 3, {"size": 8}),
        "VideoLoader": ([testdata / "video/vfr.mp4"] * 3, {"size": 8, "frames": 2}),
        "AudioLoader": ([testdata / "audio/s16.wav"] * 3, {"duration": 0.1}),
    }[kind]
    made = partial(getattr(spool, kind), src, batch=1, **options)
    fetch = _delivery.Delivery.fetch
    for when in range(4):  # three batches, then the end
        loader = made()
        loop, got = iter(loader), []
        for _ in range(when):
            got.append(next(loop))

        def interrupted(delivery: _delivery.Delivery, *arguments: Any) -> None:
            while not (delivery.has_batch or delivery.ended):
                with suppress(TimeoutError):
                    fetch(delivery, *arguments)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(_delivery.Delivery, "fetch", interrupted)
            with pytest.raises(KeyboardInterrupt):
                next(loop)
        state = loader.state_dict()
        got += loop
        assert [(b.epoch, b.index) for b in got] == [(0, 0), (0, 1), (0, 2)]
        again = made()
        again.load_state_dict(state)
        rest = [(b.epoch, b.index) for b in again]
        assert rest == [(0, i) for i in range(when, 3)]
        assert next(iter(loader)).epoch == 1
        again.close()
        loader.close()
    before = spool.stats()["arrays"]
    loader = made()
    with monkeypatch.context() as patched:
        patched.setattr(_delivery.Delivery, "fetch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(iter(loader))
    assert spool.stats()["arrays"] > before
    assert next(iter(loader)).epoch == 1, "the new loop continues the old epoch"
    del loader
    assert spool.stats()["arrays"] == before, "the lost batch leaks"


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
if sys.argv[2] == "all":  # objects of all kinds that hold something of the library
    sys.kept = [iter(spool.VideoLoader(sys.argv[3], frames=2, size=8))]
    sys.kept.append(iter(spool.AudioLoader(sys.argv[4], duration=0.1)))
    sys.kept += [next(sys.kept[0]), next(sys.kept[1]), spool.VideoDecoder(sys.argv[3]), spool.AudioDecoder(sys.argv[4])]
    sys.kept += [iter(sys.kept[-2]), sys.kept]
"""


@pytest.mark.parametrize("way", ["end", "thread", "raise", "all"])
def test_exit(python: Python, testdata: Path, way: str) -> None:
    """An interpreter exits while a loader works."""
    python(EXIT, str(testdata / "photos"), way, str(testdata / "video/vfr.mp4"), str(testdata / "audio/s16.wav"))


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
    """In a forked child, calls raise ForkError. The parent continues."""
    said, samples = python(FORK, str(testdata / "photos"))
    assert said == ["ForkError"] * 4 + [True]
    assert samples == 44


MADE = """
import json, os, pathlib, pickle, sys, copy
import numpy as np
import spool

def loaded():
    return "libspool" in pathlib.Path("/proc/self/maps").read_text()

folder = sys.argv[1]
made = [
    spool.ImageLoader(folder, batch=4, size=32, weights=np.ones(44), draws=3),
    spool.ImageLoader([folder, folder + "/*/*.jpg", "s3://none/a.jpg"], sampler=[1, 2], train=True),
    spool.VideoLoader(folder, frames=3),
    spool.AudioLoader(folder, rate=8000),
]
told = []
for src, options in (
    ("nothing", {}), ("@nothing", {}), (folder, {"sise": 3}), (folder, {"batch": "x"}), (folder, {"sampler": [0.5]}),
    (folder, {"output": "tf"}), (folder, {"weights": ["x"]}), (5, {}),
):
    try:
        spool.ImageLoader(src, **options)
    except Exception as e:
        told.append(type(e).__name__)
copies = [pickle.loads(pickle.dumps(loader)) for loader in made] + [copy.deepcopy(loader) for loader in made]
made[1].close()
closed = spool.ImageLoader(folder)
with closed:
    pass
del made[2:], copies
before = loaded()
late = spool.ImageLoader(folder, mode="nothing")  # the first call checks the values
try:
    iter(late)
except ValueError as e:
    told.append(str(e).startswith("mode=nothing: must be"))
for one in made[1], closed:
    try:
        len(one)
    except spool.ClosedError:
        told.append("closed")
try:
    spool.ImageLoader(folder, mode="nothing")  # now they are checked at once
except ValueError:
    told.append("at once")
print(json.dumps([before, told, len(made[0])]))
"""


def test_making_loads_nothing(python: Python, testdata: Path) -> None:
    """Problems that need no library are reported when a loader is made, others by the first call."""
    loaded, told, batches = python(MADE, str(testdata / "photos"))
    assert not loaded
    early = "NotFoundError NotFoundError TypeError TypeError TypeError ValueError TypeError TypeError".split()
    assert told == [*early, True, "closed", "closed", "at once"]
    assert batches == 1


FORKS = (
    IN_FORK
    + """
import sys
import spool

folder = sys.argv[1]
loader = spool.ImageLoader(folder, batch=4, size=8, shuffle=True)
videos = spool.VideoLoader(sys.argv[2], batch=1, frames=2, size=8)

def count():
    try:
        return [sum(len(b) for b in loader), sum(len(b) for b in videos)]
    except spool.ForkError as e:
        return [type(e).__name__, e.error_class, str(e)]

before = [in_fork(count), in_fork(count)]
here = count()
print(json.dumps([*before, here, in_fork(count)]))
"""
)


@pytest.mark.slow
def test_forks_before_the_first_use(python: Python, testdata: Path) -> None:
    """Forks can use the parent's loaders until the parent has used the library."""
    first, second, here, after = python(FORKS, str(testdata / "photos"), str(testdata / "video/vfr.mp4"))
    assert first == second == here == [44, 1]
    assert after[:2] == ["ForkError", "forked"]
    assert "persistent_workers=True" in after[2]


HELD = """
import json, os, sys, threading, warnings
import spool

warnings.simplefilter("ignore", DeprecationWarning)
loader = spool.ImageLoader(sys.argv[1], batch=44, size=512, workers=1, cpu_share=0.01)
loop = iter(loader)
waiting = threading.Event()

def wait():
    waiting.set()
    try:
        for batch in loop:
            pass
    except spool.Error:
        pass  # the loader was closed

thread = threading.Thread(target=wait)
thread.start()
waiting.wait()
said = []
for _ in range(20):  # some of them while the thread holds the loader's lock
    child = os.fork()
    if child == 0:
        try:
            next(loop)
        except spool.ForkError:
            os._exit(7)
        os._exit(1)
    said.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
loader.close()
thread.join()
print(json.dumps(said))
"""


def test_fork_while_a_thread_waits(python: Python, testdata: Path) -> None:
    assert python(HELD, str(testdata / "photos")) == [7] * 20


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
    """The rank follows the environment, also if it changes after the library was loaded."""
    (rank, batches, ids), (other, others, rest), wrong = python(RANKS, str(testdata / "photos"))
    assert (rank, other) == ([0, 2], [1, 2])
    assert batches == others == 6
    assert sorted(ids + rest) == list(range(44))
    assert "RANK=x" in wrong


def test_batch_that_waits_in_c_is_not_taken(photos: list[Path]) -> None:
    """C has the next batch before the loop asks for it. States, restarts and the end do not count it."""
    with spool.ImageLoader(photos, size=8, batch=2, workers=1) as loader:
        want = [b.ids.tolist() for b in loader]
        first = next(iter(loader))
        state = loader.state_dict()
        for _ in range(50):  # meanwhile the second batch arrives
            time.sleep(0.002)
            assert loader.state_dict() == state
        assert first.ids.tolist() == want[0]
        assert [b.ids.tolist() for b in loader] == want, "the next epoch, from its beginning"
        loader.load_state_dict(state)
        assert [b.ids.tolist() for b in loader] == want[1:]


def test_more_loaders_than_places_in_c(photos: list[Path]) -> None:
    """Batches of 70 loaders wait at the same time. C has places for 64, and each loader gets its own."""
    loaders = [spool.ImageLoader(photos[i % 3 : i % 3 + 4], size=8, batch=1, workers=1) for i in range(70)]
    loops = [iter(loader) for loader in loaders]
    for step in range(4):
        for i, loop in enumerate(loops):
            batch = next(loop)
            assert batch.index == step
            assert batch.names == [str(photos[i % 3 + step])]
    for loop, loader in zip(loops, loaders, strict=True):
        assert next(loop, None) is None
        loader.close()
