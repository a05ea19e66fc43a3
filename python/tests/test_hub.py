"""Data sets of Hugging Face: hf:// URLs, and folders that its library has saved."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import spool

ROOT = Path(__file__).resolve().parents[2]
SAVED = ROOT / "source/arrow/testdata/saved/train"
TOKEN = "hf_secret"  # of the simulated server


class Hub(BaseHTTPRequestHandler):
    """Answers like Hugging Face, for one private data set: the project's folder ``source``."""

    protocol_version = "HTTP/1.1"

    def answer(self, status: int, body: bytes = b"", **header: str) -> None:
        self.send_response(status)
        for name, value in {**header, "Content-Length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self) -> None:  # noqa: N802
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        files, tree = "/datasets/user/robots/resolve/v1/", "/api/datasets/user/robots/tree/v1/"
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer(401, X_Error_Code="RepoNotFound")
        elif path.startswith(tree) or path + "/" == tree:
            folder = ROOT / "source" / path[len(tree) :]
            found = [f for f in sorted(folder.rglob("*"), reverse=True) if f.is_file()]
            entries = [
                {"type": "file", "path": str(f.relative_to(ROOT / "source")), "size": f.stat().st_size, "oid": f.name}
                for f in found
            ]
            self.answer(
                200 if found else 404, json.dumps(entries).encode(), X_Error_Code="" if found else "EntryNotFound"
            )
        elif not path.startswith(files) or not (ROOT / "source" / path[len(files) :]).is_file():
            self.answer(404, X_Error_Code="EntryNotFound")
        else:
            file = ROOT / "source" / path[len(files) :]
            data = file.read_bytes()
            first, last = 0, len(data) - 1
            if wanted := self.headers.get("Range"):
                first, last = (int(n) for n in wanted.removeprefix("bytes=").split("-"))
                last = min(last, len(data) - 1)
            body = data[first : last + 1]
            span = {"Content_Range": f"bytes {first}-{last}/{len(data)}"} if wanted else {}
            self.answer(206 if wanted else 200, body, ETag=f'"{file.name}"', **span)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


FIELDS = {"image": spool.Image(size=16), "caption": spool.Text(), "vector": spool.Number(shape=2)}


def test_saved() -> None:
    batch = next(iter(spool.Loader(SAVED, FIELDS, columns=["label"], batch=9, ignore_columns="*")))
    assert batch["caption"] == [f"flower {i}" for i in range(9)]
    np.testing.assert_array_equal(batch["vector"], [[i, i + 0.5] for i in range(9)])
    np.testing.assert_array_equal(batch["image"][:, 0, 0, 0], [10 * i for i in range(9)])
    assert batch.columns_dict()["label"] == [0, 1, 0, 1, 0, 1, 0, 1, 0]
    fewer = spool.Loader(SAVED, FIELDS, where="label == 1", shuffle=True, batch=9, ignore_columns="*")
    assert sorted(next(iter(fewer))["caption"]) == [f"flower {i}" for i in (1, 3, 5, 7)]
    assert spool.ImageLoader(SAVED, size=16, ignore_columns="*").samples == 9


# A program of its own, since the library reads variables when it is loaded.
PROGRAM = """
import sys
import numpy as np
import spool, spool.lerobot

root = sys.argv[1] + "/source/"
hub = "hf://datasets/user/robots@v1/"
fields = {"image": spool.Image(size=16), "caption": spool.Text()}
for name in ("arrow/testdata/saved/train", "arrow/testdata/saved/train/*.arrow"):
    there = next(iter(spool.Loader(hub + name, fields, batch=9, ignore_columns="*")))
    here = next(iter(spool.Loader(root + name, fields, batch=9, ignore_columns="*")))
    assert there["caption"] == here["caption"] and len(there["caption"]) == 9
    np.testing.assert_array_equal(there["image"], here["image"])
robots = [spool.lerobot.Loader(at + "lerobot/testdata/arm", batch=4, output="numpy") for at in (hub, root)]
there, here = (next(iter(robot)) for robot in robots)
assert there.keys() == here.keys()
for key in there:
    np.testing.assert_array_equal(there[key], here[key])
try:
    spool.Loader(hub + "nothing.tar", fields)
except spool.DecodeError as e:
    print(e)
"""


@pytest.mark.slow
def test_hub(endpoint: str) -> None:
    def run(**also: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": "/none", "HF_TOKEN": "", **also}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, str(ROOT)],
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    done = run(HF_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr
    assert "no such file in this data set" in done.stdout
    refused = run()
    assert refused.returncode != 0
    assert "no such data set, or it is private" in refused.stderr
    assert TOKEN not in done.stdout + done.stderr
