"""Samples that take long: they are named, or are bad samples at their deadline."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spool

PATIENCE = 120  # seconds of a test


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves one photo under all names. What is called slow waits for the event of the server."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Answer with the photo, or with the requested range of it."""
        data, status, headers = self.server.photo, 200, {"ETag": '"1"'}
        asked = self.headers.get("Range", "").removeprefix("bytes=")
        if asked:
            begin, _, end = asked.partition("-")
            first, last = int(begin), min(int(end or len(data) - 1), len(data) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            data, status = data[first : last + 1], 206
        if "slow" in self.path:
            self.server.asked += 1
            self.server.released.wait(PATIENCE)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_HEAD = do_GET


class Server(http.server.ThreadingHTTPServer):
    """A server with a thread for each connection."""

    daemon_threads = True

    def __init__(self, photo: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.photo, self.released, self.asked = photo, threading.Event(), 0

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close the connection early."""

    def urls(self, *names: str) -> list[str]:
        """Return the URLs of files."""
        return [f"http://127.0.0.1:{self.server_address[1]}/{name}.jpg" for name in names]


@pytest.fixture
def server(photos: list[Path]) -> Iterator[Server]:
    """A server of a photo."""
    with Server(photos[0].read_bytes()) as s:
        thread = threading.Thread(target=s.serve_forever)
        thread.start()
        yield s
        s.released.set()
        s.shutdown()
        thread.join()


def test_a_stuck_sample_is_named(server: Server) -> None:
    with spool.ImageLoader(server.urls("a", "b", "slow", "c"), batch=4, size=32, watch=0.1) as loader:
        ids: list[list[int]] = []
        consumer = threading.Thread(target=lambda: ids.extend(b.ids.tolist() for b in loader))
        consumer.start()
        pause = threading.Event()
        for _ in range(10 * PATIENCE):
            # on a busy machine, others may be there for a moment
            if stuck := [s for s in loader.report().get("stuck", ()) if s["file"].endswith("/slow.jpg")]:
                break
            pause.wait(0.1)
        assert stuck, "the report names the sample"
        assert stuck[0]["stage"] in ("locate", "fetch")
        assert stuck[0]["seconds"] >= 0.1
        server.released.set()
        consumer.join()
        assert ids == [[0, 1, 2, 3]]


def test_a_deadline_makes_a_bad_sample(server: Server) -> None:
    # the others need far less than two seconds, also on a busy machine
    with spool.ImageLoader(server.urls("a", "b", "slow", "c"), batch=4, size=32, deadline=2, attempts=2) as loader:
        batches = [b.ids.tolist() for b in loader]
        failure = loader.failures[0]
    assert batches == [[0, 1, 3]]
    assert (failure["class"], failure["attempts"]) == ("timeout", 2)
    assert failure["file"].endswith("/slow.jpg")
    assert failure["stage"] in ("locate", "fetch")
    assert server.asked >= 2


@pytest.mark.parametrize("name", ["deadline", "attempts", "watch"])
def test_all_loaders_have_the_options(name: str, photos: list[Path]) -> None:
    wrong: dict[str, Any] = {name: -1}
    for make in (
        lambda: spool.ImageLoader(photos[:1], **wrong),
        lambda: spool.VideoLoader(photos[:1], **wrong),
        lambda: spool.AudioLoader(photos[:1], **wrong),
        lambda: spool.Loader(photos[:1], fields={"image": spool.Image("jpg", size=32)}, **wrong),
    ):
        with pytest.raises(ValueError, match=name):
            list(make())
