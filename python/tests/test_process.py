"""The library in processes that import, fork, spawn and exit, since it has its own threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import need
import pytest
from conftest import IN_FORK

Python = Callable[..., Any]

FORK = (
    IN_FORK
    + """
import sys
import numpy as np
import spool

def decode():
    return list(spool.decode_image(photo, size=8).shape)
"""
)

POOL = """
import json, multiprocessing, sys
import spool

SPEC = spool.ImageSpec(size=8)

def decode(path):
    return list(spool.decode_image(path, SPEC).shape)

if __name__ == "__main__":
    if "used" in sys.argv:
        spool.decode_image(photo)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(json.dumps(pool.map(decode, [photo] * 8)))
"""


def test_import_loads_nothing(python: Python) -> None:
    """``import spool`` loads neither the library nor NumPy."""
    assert python("""
import json, pathlib, sys
import spool
print(json.dumps(["numpy" in sys.modules, "libspool" in pathlib.Path("/proc/self/maps").read_text()]))
""") == [False, False]


def test_sets_up_what_it_needs(python: Python, testdata: Path) -> None:
    """A JPEG file is decoded without setting up FFmpeg and libvips, which other media do at their first use.

    Asked are the system's libraries: GLib knows no type of libvips before, and FFmpeg has its own level of messages.
    """
    files = str(testdata / "hard/good/gray.tiff"), str(testdata / "video/bframes.mp4")
    said = python(
        """
import ctypes, json, pathlib, re, sys
import spool
spool.decode_image(photo)
mapped = pathlib.Path("/proc/self/maps").read_text()
gobject, avutil = (re.search(rf"/\\S*/{name}\\S*", mapped) for name in ("libgobject-2.0.so", "libavutil.so"))
if not gobject or not avutil:
    print(json.dumps(None))
    sys.exit()
type_of, level = ctypes.CDLL(gobject.group()).g_type_from_name, ctypes.CDLL(avutil.group()).av_log_get_level
type_of.restype = ctypes.c_size_t
said = [type_of(b"VipsObject") != 0, level()]
spool.decode_image(sys.argv[1])
said += [type_of(b"VipsObject") != 0, level()]
spool.decode_video(sys.argv[2], frames=[0])
print(json.dumps([*said, level()]))
""",
        *files,
    )
    if said is None:
        need.skip("system", "the library has its codecs inside")
    info, quiet = 32, -8  # AV_LOG_INFO, the default, and AV_LOG_QUIET
    assert said == [False, info, True, info, quiet]


def test_loaders_import_what_they_use(python: Python) -> None:
    """A loader does without the modules of operations, hints, HTML and paths if it has none of these."""
    unused = python("""
import json, sys
import numpy
before = set(sys.modules)
from spool import ImageLoader
others = {"spool.augment", "difflib", "html", "pathlib", "urllib.parse", "importlib.util"}
print(json.dumps(sorted(others & (set(sys.modules) - before))))
""")
    assert unused == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "imports", "limit"),
    [
        ("json", "import spool", 0.03),
        ("numpy", "from spool import decode_image, decode_images, ImageSpec, Array, Error, encode_image, probe", 0.05),
    ],
    ids=["package", "names"],
)
def test_import_is_quick(python: Python, before: str, imports: str, limit: float) -> None:
    """The package takes little CPU time, and so do all its modules that need only NumPy, without NumPy's own time."""
    times = [
        python(f"""
import json, time, {before}
began = time.process_time()
{imports}
print(json.dumps(time.process_time() - began))
""")
        for _ in range(5)
    ]
    assert min(times) < limit


def test_names(python: Python) -> None:
    """The names at run time are those that type checkers see."""
    assert python("""
import ast, json, pathlib, spool
tree = ast.parse(pathlib.Path(spool.__file__).read_text())
imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level and node.module]
declared = {name.asname: node.module for node in imports for name in node.names}
declared.pop("__version__")
assert declared == spool._names, declared.items() ^ spool._names.items()
assert all(getattr(spool, name).__name__ == name for name in declared)
assert {*declared} <= {*dir(spool)}
assert spool.lerobot.Loader.__module__ == "spool.lerobot"  # a module that needs no other package
try:
    spool.nothing
except AttributeError:
    print(json.dumps(len(declared)))
""") > 10  # fmt: skip


def test_fork_of_a_process_that_used_it(python: Python) -> None:
    kind, is_runtime_error, text = python(FORK + "decode(); print(json.dumps(in_fork(decode)))")
    assert kind == "ForkError"
    assert is_runtime_error
    for cure in "persistent_workers=True", "spawn or forkserver", "spool.torch.prefetch":
        assert cure in text


def test_fork_with_arrays(python: Python) -> None:
    """A child can read and drop the parent's arrays."""
    assert python(FORK + """
pixels = spool.decode_image(photo)
def work():
    global pixels
    total = int(pixels.sum())
    pixels = None
    return total
print(json.dumps([in_fork(work), in_fork(work), int(pixels.sum()), decode()]))
""")[3] == [8, 8, 3]  # fmt: skip


def test_first_use_in_a_fork(python: Python) -> None:
    assert python(FORK + "print(json.dumps([in_fork(decode), in_fork(decode), decode()]))") == [[8, 8, 3]] * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["spawn", "used"], ["forkserver", "used"], ["fork", "new"]], ids=["spawn", "forkserver", "fork"]
)
def test_workers(python: Python, arguments: list[str]) -> None:
    filters = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}
    assert python(POOL, *arguments, **filters) == [[8, 8, 3]] * 8


def test_timers(python: Python) -> None:
    """Timers of the library's threads may be late by a millisecond; those of the program's threads are unchanged."""
    if os.geteuid() != 0:
        need.skip("system", "only root may read the timer slack of another thread")
    assert python("""
import ctypes, json, os, pathlib, threading
import numpy, spool  # NumPy starts threads, too
ctypes.CDLL(None).prctl(29, ctypes.c_ulong(70_000))  # PR_SET_TIMERSLACK
before = {*os.listdir("/proc/self/task")}
spool.decode_image(photo)
slack = lambda t: int(pathlib.Path(f"/proc/{t}/timerslack_ns").read_text())
new = {*os.listdir("/proc/self/task")} - before
print(json.dumps([slack(threading.get_native_id()), sorted({slack(t) for t in new})]))
""") == [70_000, [1_000_000]]  # fmt: skip


def test_cpus_are_those_of_the_process(python: Python) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        need.skip("system", "no second CPU")
    assert python("""
import json, os
import spool
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
print(json.dumps(spool.doctor()["limits"]["cores_used"]))
""") == 1  # fmt: skip


@pytest.mark.parametrize("daemon", [True, False])
def test_exit_with_work_running(python: Python, daemon: bool) -> None:
    python(f"""
import threading
import spool
photos = [photo] * 500
busy = threading.Event()

def work():
    while True:
        busy.set()
        spool.decode_images(photos, size=64)
        if not {daemon}:
            return

threads = [threading.Thread(target=work, daemon={daemon}) for _ in range(3)]
for thread in threads:
    thread.start()
busy.wait()
kept = spool.decode_image(photo)
""")


def test_arrays_outlive_what_is_torn_down(python: Python) -> None:
    python("""
import sys
import spool
sys.kept = [spool.decode_image(photo), spool.ImageSpec(size=3), spool.Array]
cycle = [spool.decode_images([photo], size=3)]
cycle.append(cycle)
""")


def test_library_not_there(python: Python) -> None:
    kind, text = python(
        """
import json
import spool
try:
    spool.decode_image(photo)
except ImportError as e:
    print(json.dumps([type(e).__name__, str(e)]))
""",
        SPOOL_LIBRARY="/nowhere/libspool.so",
    )
    assert kind == "LibraryError"
    assert "/nowhere/libspool.so" in text
    assert "python -m spool doctor" in text
