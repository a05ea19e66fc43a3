"""The servers of loaders: metrics for Prometheus, OTLP, and the live page."""

from __future__ import annotations

import gc
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

SCRIPT = '<script>alert("x")</script>'


def get(url: str, **headers: str) -> str:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        text: str = answer.read().decode()
        return text


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


@pytest.fixture
def mixed(testdata: Path, tmp_path: Path) -> list[Path]:
    """Good images, and a bad file of a strange name."""
    (tmp_path / (SCRIPT.replace("/", "") + ".jpg")).write_text("no image")
    return [testdata / "photos", tmp_path]


def test_metrics(mixed: list[Path]) -> None:
    """The text has the counts of the loop. No file is named."""
    url = f"http://127.0.0.1:{free_port()}/metrics"
    with spool.ImageLoader(mixed, batch=4, size=16, metrics=url[len("http://127.0.0.1") : -len("/metrics")]) as loader:
        n = sum(1 for _ in loader)
        text = get(url)
        values = dict(re.findall(r"(?m)^(\w+(?:{.*})?) (\S+)$", text))
        assert float(values["spool_loader_batches_total"]) >= n
        bad = 'spool_stage_failures_total{error_type="not-media",spool_stage_name="decode"}'
        assert float(values[bad]) >= 1
        assert float(values["process_resident_memory_bytes"]) > 1e6
        assert "alert" not in text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(url.removesuffix("metrics"))
    with pytest.raises(urllib.error.URLError):
        get(url)


def test_page(mixed: list[Path]) -> None:
    """The page streams the state, shows names of files as text, and is for this machine."""
    with spool.ImageLoader(mixed, batch=4, size=16) as loader:
        n = sum(1 for _ in loader)
        server = loader.serve()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", server.url)
        assert "<title>spool images</title>" in get(server.url)
        state = json.loads(get(server.url + "state"))
        assert state["batches"] >= n
        (failure,) = state["failures"]
        assert failure["file"].endswith(SCRIPT.replace("/", "") + ".jpg")
        with urllib.request.urlopen(server.url + "events", timeout=60) as events:
            assert events.headers["Content-Type"] == "text/event-stream"
            for _ in range(2):
                assert json.loads(events.readline().removeprefix(b"data: "))["stages"]
                assert events.readline() == b"\n"
        for path, host, code in (
            ("", "evil.example", "403"),
            ("thumbnail/0", "localhost", "404"),  # not a bad one
            (f"thumbnail/{failure['id']}", "localhost", "404"),  # nothing of it can be decoded
            ("metrics", "localhost", "404"),
        ):
            with pytest.raises(urllib.error.HTTPError, match=code):
                get(server.url + path, Host=host)
        shown = server._repr_html_()
        assert f'src="{server.url}"' in shown


def test_thumbnail(testdata: Path, tmp_path: Path) -> None:
    """A truncated photo is shown as far as it goes."""
    whole = min((testdata / "photos").rglob("*.jpg")).read_bytes()
    (tmp_path / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "whole.jpg").write_bytes(whole)
    with spool.ImageLoader(tmp_path, size=16) as loader:
        list(loader)
        url = loader.serve().url
        (failure,) = json.loads(get(url + "state"))["failures"]
        with urllib.request.urlopen(f"{url}thumbnail/{failure['id']}", timeout=60) as answer:
            assert answer.headers["Content-Type"] == "image/jpeg"
            assert spool.decode_image(answer.read()).shape == (72, 96, 3)


def test_sheet(testdata: Path) -> None:
    """The page draws the next batch of the loop. A loader whose batches are no images of 8 bits has none."""
    with spool.ImageLoader(testdata / "photos", batch=4, size=64, epochs=1000) as loader:
        url = loader.serve().url
        assert json.loads(get(url + "state"))["sheets"]
        sheets: list[Any] = []

        def view() -> None:
            with urllib.request.urlopen(url + "sheet?1", timeout=60) as answer:
                assert answer.headers["Content-Type"] == "image/png"
                sheets.append(spool.decode_image(answer.read()))

        viewer = threading.Thread(target=view)
        viewer.start()
        while viewer.is_alive():
            for _ in loader:
                if not viewer.is_alive():
                    break
        (sheet,) = sheets
        assert sheet.shape[0] > 2 * 64
        assert sheet.shape[1] > 2 * 64
        assert len(np.unique(np.asarray(sheet).reshape(-1, 3), axis=0)) > 100
    with spool.ImageLoader(testdata / "photos", size=64, dtype="float32") as loader:
        url = loader.serve().url
        assert not json.loads(get(url + "state"))["sheets"]
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(url + "sheet")


def test_sheet_ends(testdata: Path) -> None:
    """A viewer who waits for a batch does not keep the loader open."""
    loader = spool.ImageLoader(testdata / "photos", size=64)
    url = loader.serve().url
    answers: list[str] = []

    def view() -> None:
        try:
            get(url + "sheet")
        except urllib.error.HTTPError as e:
            e.close()
            answers.append(str(e))
        except OSError as e:
            answers.append(str(e))

    viewer = threading.Thread(target=view)
    viewer.start()
    get(url + "state")
    loader.close()
    viewer.join(60)
    assert answers


def test_viewers_lose_no_batch(testdata: Path) -> None:
    want = [b.ids.tolist() for b in spool.ImageLoader(testdata / "photos", batch=4, size=16, epochs=3)]
    loader = spool.ImageLoader(testdata / "photos", batch=4, size=16, epochs=3)
    url = loader.serve().url
    ended = threading.Event()

    def view() -> None:
        while not ended.is_set():
            get(url + "state")

    viewers = [threading.Thread(target=view) for _ in range(8)]
    for viewer in viewers:
        viewer.start()
    got = [b.ids.tolist() for b in loader]
    ended.set()
    for viewer in viewers:
        viewer.join()
    assert got == want
    loader.close()


def test_end(testdata: Path) -> None:
    """A server ends with its loader, which it does not keep alive."""
    loader = spool.ImageLoader(testdata / "photos", size=16)
    url, gone = loader.serve().url, weakref.ref(loader)
    get(url)
    del loader
    gc.collect()
    assert gone() is None
    with pytest.raises(urllib.error.URLError):
        get(url)


def test_fork(testdata: Path) -> None:
    """A forked process leaves the parent's server alone."""
    program = f"""
import os, urllib.request, spool
loader = spool.ImageLoader({str(testdata / "photos")!r}, size=16)
url = loader.serve().url
if (child := os.fork()) == 0:
    loader.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert urllib.request.urlopen(url).status == 200
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


@pytest.mark.parametrize("address", ["9464", "host:port", ":70000", "a/b:80", ""])
def test_wrong_address(testdata: Path, address: str) -> None:
    with pytest.raises(ValueError, match="must be :PORT, or HOST:PORT"):
        spool.ImageLoader(testdata / "photos", metrics=address)
    with spool.ImageLoader(testdata / "photos") as loader, pytest.raises(ValueError, match="must be :PORT"):
        loader.serve(address)


def test_address_in_use(testdata: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        spool.ImageLoader(testdata / "photos") as loader,
        pytest.raises(OSError, match="in use"),
    ):
        loader.serve(f":{taken.getsockname()[1]}")


def test_otlp(testdata: Path) -> None:
    """A loader sends its totals to a collector when it is closed."""
    received: list[Any] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    program = f"""
import spool
with spool.ImageLoader({str(testdata / "photos")!r}, size=16, metrics="otlp") as loader:
    print(sum(len(b.ids) for b in loader))
"""
    with http.server.HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        endpoint = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            out = subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_SERVICE_NAME": "trainer"},
                check=True,
                timeout=300,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
        finally:
            server.shutdown()
            thread.join()
    path, sent = received[-1]
    assert path == "/v1/metrics"
    (resource,) = sent["resourceMetrics"]
    assert {"key": "service.name", "value": {"stringValue": "trainer"}} in resource["resource"]["attributes"]
    metrics = {m["name"]: m for m in resource["scopeMetrics"][0]["metrics"]}
    assert int(metrics["spool.loader.samples"]["sum"]["dataPoints"][0]["asInt"]) >= int(out)
