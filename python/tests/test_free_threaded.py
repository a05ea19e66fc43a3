"""Threads without a global interpreter lock, and interpreters within a process.

The tests pass with the lock too. `python/freethreaded.sh` gives an interpreter without it.
"""

from __future__ import annotations

import http.server
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

THREADS = 8
FREE = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def together(work: Callable[[int], Any]) -> list[Any]:
    """Run some work in threads that start at the same time, and return their results in order."""
    ready = threading.Barrier(THREADS)

    def one(i: int) -> Any:
        ready.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(one, range(THREADS)))


class Meeting(http.server.BaseHTTPRequestHandler):
    """Answers the requests for a file when all threads have sent one."""

    server: Meetings

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Wait for the others."""
        try:
            self.server.barrier.wait(60)
        except threading.BrokenBarrierError:
            self.send_error(504)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.server.data)))
        self.end_headers()
        self.wfile.write(self.server.data)


class Meetings(http.server.ThreadingHTTPServer):
    """A server of one file."""

    daemon_threads = True

    def __init__(self, data: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Meeting)
        self.data, self.barrier = data, threading.Barrier(THREADS)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"


@pytest.fixture
def meetings(photo: Path) -> Iterator[Meetings]:
    with Meetings(photo.read_bytes()) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server
        server.shutdown()


def test_no_lock_is_held_during_a_call(meetings: Meetings, photo: Path) -> None:
    """Decoding goes on only when all threads are in it: a lock that one held would keep the others out."""
    spec = spool.ImageSpec(size=64)
    want = spool.decode_image(photo, spec)
    results = together(lambda i: spool.decode_image(f"{meetings.url}{i}.jpg", spec))
    assert all(np.array_equal(result, want) for result in results)


def test_threads_share_everything(photos: list[Path], testdata: Path) -> None:
    """A spec, decoders and arrays that threads use at a time give each the same as one thread alone."""
    spec = spool.ImageSpec(size=48, random_scale=(0.2, 1), flip_x=0.5, augment=spool.RandAugment())
    batch = spool.decode_images(photos[:8], spec, seed=3)
    with (
        spool.VideoDecoder(testdata / "video/bframes.mp4") as video,
        spool.AudioDecoder(testdata / "audio/s16.wav") as audio,
    ):

        def work(i: int) -> list[Any]:
            found: list[Any] = []
            for k in range(6):
                shown = spool.decode_images(photos[:8], spec, seed=3, threads=1 + (i + k) % 2)
                frames = video.get_frames_at([(k * 3) % 11, 1])
                heard = audio.get_samples_played_in_range(0.0, 0.05)
                found += [np.array(shown), np.array(frames.data), np.array(heard.data), np.array(batch)]
            return found

        alone = work(0)
        for found in together(work):
            assert all(np.array_equal(a, b) for a, b in zip(found, alone, strict=True))


def test_threads_release_one_array(photo: Path) -> None:
    """Views of an array are made and dropped by all threads, and its memory is returned once."""
    before = spool.stats()["arrays"]
    for _ in range(20):
        image = spool.decode_image(photo, size=32)
        want = image.copy()
        views = [memoryview(image) for _ in range(THREADS)]
        del image
        assert all(together(lambda i, views=views, want=want: np.array_equal(np.asarray(views[i]), want)))
        views.clear()
    assert spool.stats()["arrays"] <= before


@pytest.mark.skipif(not FREE, reason="this Python has a global interpreter lock")
def test_the_lock_stays_off(python: Callable[..., Any]) -> None:
    """Nothing that the package loads turns the lock on."""
    assert python("import sys, spool; spool.decode_image(photo); print(int(sys._is_gil_enabled()))") == 0


INTERPRETER = """
import json, sys, warnings
import spool
want = spool.decode_image(photo, size=32).tobytes()
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
else:
    import _xxsubinterpreters as interpreters
other = interpreters.create()
code = f'''
import warnings
warnings.simplefilter("ignore")  # NumPy warns where it does not refuse
refused = False
try:
    import spool
    got = spool.decode_image({photo!r}, size=32).tobytes()
except ImportError as error:
    refused = True
assert refused or got == {want!r}
'''
failure = interpreters.run_string(other, code)
interpreters.destroy(other)  # or Python 3.14 warns at its end
assert spool.decode_image(photo, size=32).tobytes() == want
print(json.dumps(str(failure)))
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="this Python's interpreters have other names")
def test_interpreters_within_a_process(python: Callable[..., Any]) -> None:
    """Another interpreter decodes the same pixels, or refuses to import; the first one goes on in any case."""
    assert python(INTERPRETER) == "None"
