"""Shared fixtures: test media, and Python code in a new process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import need
import pytest

ROOT = Path(__file__).resolve().parents[2]

# The beginning of a program that calls functions in forked children.
IN_FORK = """
import json, os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns about forks of processes with threads

def in_fork(work):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except BaseException as e:
            said = [type(e).__name__, isinstance(e, RuntimeError), str(e)]
        os.write(write, json.dumps(said).encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        said = json.loads(answer.read())
    assert os.waitpid(child, 0)[1] == 0
    return said
"""

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let background commands ignore SIGINT


def within(took: float, limit: float) -> None:
    """Check a time limit in seconds if SPOOL_TIMING is set, as by ``make timing``: a busy machine may exceed it."""
    if os.environ.get("SPOOL_TIMING"):
        assert took < limit


@pytest.fixture(scope="session")
def testdata() -> Path:
    """The media of the repository."""
    return ROOT / "testdata"


@pytest.fixture(scope="session")
def photos(testdata: Path) -> list[Path]:
    """JPEG files of several sizes."""
    files = sorted((testdata / "photos").glob("*/*.jpg"))
    assert len(files) >= 8
    return files


@pytest.fixture(scope="session")
def photo(photos: list[Path]) -> Path:
    """A JPEG file, 451 x 300."""
    return photos[0]


@pytest.fixture(scope="session")
def shared() -> Path:
    """More media, outside of the repository, if they are available."""
    media = ROOT.parent / "shared" / "media"
    if not media.is_dir():
        need.skip("shared", "no ../shared/media")
    return media


@pytest.fixture
def python(photo: Path, tmp_path: Path) -> Callable[..., Any]:
    """Return a function that runs Python code in a new interpreter and returns the last line it printed, parsed as
    JSON.

    The code has ``photo``, a path. It runs from a file, so that multiprocessing can run it again. The test fails if the
    process does not exit in time with status 0, or if it writes to stderr.
    """

    def run(code: str, *arguments: str, timeout: float = 60, **environment: str) -> Any:
        script = tmp_path / "script.py"
        script.write_text(f"photo = {str(photo)!r}\n{code}")
        ended = subprocess.run(
            [sys.executable, "-W", "error", str(script), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **environment},
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
        lines = ended.stdout.splitlines()
        return json.loads(lines[-1]) if lines else None

    return run


def interrupt(work: Callable[[], Any], seconds: float) -> None:
    """Repeat some work until a KeyboardInterrupt is raised in the main thread after a number of seconds.

    Python drops exceptions that are raised in a finalizer. So the loop also ends when the signal has arrived.
    """
    armed = True

    def ring(*_: Any) -> None:
        nonlocal armed
        armed = False
        raise KeyboardInterrupt

    def repeat() -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while armed:
            work()

    before = signal.signal(signal.SIGALRM, ring)
    try:
        repeat()  # a function, since Python 3.13 has gaps in what try covers: the end of a loop is one
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
