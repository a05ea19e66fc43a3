"""Ctrl-C during calls."""

from __future__ import annotations

import gc
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import interrupt

import spool
from spool import _native


@pytest.fixture
def interrupt_soon() -> Any:
    """Return a function. After its call, SIGINT is sent as soon as decoding has allocated memory."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def watch(least: int) -> None:
        while (used := spool.stats()["used_bytes"]) <= least and not ended.is_set():
            least = min(least, used)  # memory of earlier tests may still be freed
            time.sleep(0.001)
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    def start() -> None:
        threads.append(threading.Thread(target=watch, args=(spool.stats()["used_bytes"],)))
        threads[-1].start()

    yield start
    ended.set()
    for thread in threads:
        thread.join()


def test_many_images(photo: Path, interrupt_soon: Any) -> None:
    photos = [photo.read_bytes()] * 50_000
    gc.collect()  # of other tests' arrays
    arrays = spool.stats()["arrays"]
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        spool.decode_images(photos, size=16)
    settle(lambda: spool.stats()["arrays"] <= arrays)  # earlier tests' arrays may be freed meanwhile
    assert spool.decode_images(photos[:3], size=16).shape == (3, 16, 16, 3)


@pytest.mark.slow
def test_one_large_image(tmp_path: Path, interrupt_soon: Any) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (3000, 3000, 3), np.uint8)
    spool.write_image(tmp_path / "large.png", np.tile(noise, (2, 2, 1)), effort=1)
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        spool.decode_image(tmp_path / "large.png", size=16)


@pytest.mark.parametrize("decode", [spool.decode_image, lambda url: spool.decode_images([url], size=16)])
def test_a_server_that_is_silent(decode: Callable[[str], Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/photo.jpg"

        def ring() -> None:
            connection, _ = server.accept()
            with connection:
                os.kill(os.getpid(), signal.SIGINT)
                while connection.recv(1 << 16):
                    pass

        thread = threading.Thread(target=ring)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            decode(url)
        thread.join()


def test_one_small_image_needs_no_thread(photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = spool.decode_image(photo, size=16)
    monkeypatch.setattr("_thread.start_new_thread", None)
    np.testing.assert_array_equal(spool.decode_image(photo, size=16), expected)
    np.testing.assert_array_equal(spool.decode_images([photo.read_bytes()], size=16).data[0], expected)


def settle(condition: Callable[[], bool]) -> None:
    """Wait for the threads of interrupted calls to end, since they hold results."""
    for _ in range(600):
        gc.collect()
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"something is left: {spool.stats()}")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_again_and_again(photo: Path) -> None:
    """At any moment a call either completes or is interrupted, and nothing leaks."""
    photos = [photo.read_bytes()] * 64
    spool.decode_images(photos, size=16)
    arrays, handles = (spool.stats()[k] for k in ("arrays", "handles"))
    for i in range(1, 41):
        interrupt(lambda: spool.decode_images(photos, size=16), i / 2000)
    settle(lambda: spool.stats()["arrays"] <= arrays and spool.stats()["handles"] <= handles)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_as_handles_begin_and_end() -> None:
    """Handles have no finalizer, since Python drops an exception that a handler raises in one."""
    gc.collect()
    handles = spool.stats()["handles"]
    for _ in range(500):
        interrupt(lambda: _native.new("spool_cancel"), 50e-6)
    assert spool.stats()["handles"] <= handles


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_memory_is_not_written_after_the_interrupt(photo: Path) -> None:
    photos = [photo.read_bytes()] * 2000
    out = np.zeros((2000, 16, 16, 3), np.uint8)
    for i in range(1, 11):
        interrupt(lambda: spool.decode_images(photos, size=16, out=out), i / 200)
        then = out.copy()
        time.sleep(0.01)
        np.testing.assert_array_equal(out, then)


def test_go_leaves_handlers_alone(photo: Path) -> None:
    spool.decode_image(photo)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
