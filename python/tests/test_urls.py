"""Sources that are URLs: the results, the requests and the errors, with a server in the test's own process."""

from __future__ import annotations

import http.server
import json
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pytest

import spool
from spool import errors

KEY, SECRET = "AKOFTESTS", "a-secret-of-the-tests"


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the folder of the server, as plain files and as S3 with one bucket, data."""

    protocol_version = "HTTP/1.1"
    server: Store

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Answer with a file, a range of a file, or a listing."""
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        self.server.asked.append(self.headers.get("Authorization", ""))
        bucket, _, key = urllib.parse.unquote(url.path).lstrip("/").partition("/")
        if bucket == "closed":
            self.answer(403, b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
        elif bucket != "data":
            self.answer(404, b"<Error><Code>NoSuchBucket</Code><Message>no such bucket</Message></Error>")
        elif not key:
            self.answer(200, self.server.listing(query.get("prefix", [""])[0], query.get("start-after", [""])[0]))
        elif not (self.server.folder / key).is_file():
            self.answer(404, b"<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>")
        else:
            self.give((self.server.folder / key).read_bytes())

    do_HEAD = do_GET

    def give(self, data: bytes) -> None:
        """Answer with a file, or with the requested range of it."""
        asked = self.headers.get("Range", "").removeprefix("bytes=")
        if not asked:
            self.answer(200, data)
            return
        begin, _, end = asked.partition("-")
        first, last = int(begin), min(int(end or len(data) - 1), len(data) - 1)
        self.answer(206, data[first : last + 1], {"Content-Range": f"bytes {first}-{last}/{len(data)}"})

    def answer(self, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "ETag": '"1"', **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Store(http.server.ThreadingHTTPServer):
    """A server with a thread for each connection."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.asked: list[str] = []  # the Authorization header of each request
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close the connection early."""

    def listing(self, prefix: str, after: str) -> bytes:
        """Return all keys at once, in the format of ListObjectsV2."""
        keys = sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())
        sizes = {k: (self.folder / k).stat().st_size for k in keys if k.startswith(prefix) and k > after}
        rows = "".join(
            f'<Contents><Key>{escape(k)}</Key><Size>{size}</Size><ETag>"1"</ETag></Contents>'
            for k, size in sizes.items()
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>".encode()


@pytest.fixture
def store(testdata: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Serve the test media of the repository. The caller's AWS settings are removed from the environment."""
    for name in (
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3",
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_SESSION_TOKEN",
    ):
        monkeypatch.delenv(name, raising=False)
    with Store(testdata) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server
        server.shutdown()


def test_single_files(store: Store, testdata: Path, photo: Path) -> None:
    """A URL of HTTP or S3 is accepted in place of a path."""
    at = f"{store.url}/data/{photo.relative_to(testdata)}"
    key = f"s3://data/{photo.relative_to(testdata)}"
    want = spool.decode_image(photo, size=64)
    assert np.array_equal(spool.decode_image(at, size=64), want)
    assert np.array_equal(spool.decode_image(key, size=64, endpoint_url=store.url), want)
    batch = spool.decode_images([at, str(photo), key], size=64, endpoint_url=store.url)
    assert np.array_equal(batch, np.stack([want] * 3))
    remote, local = spool.probe(at), spool.probe(photo)
    assert remote.pop("bytes_fetched") == remote.pop("bytes_file") == photo.stat().st_size
    assert {**remote, "file": ""} == {**local, "file": ""}
    clip, audio = "video/bframes.mp4", "audio/mp3.mp3"
    with spool.VideoDecoder(f"{store.url}/data/{clip}") as video, spool.VideoDecoder(testdata / clip) as local_video:
        assert np.array_equal(video[1:4], local_video[1:4])
    assert np.array_equal(
        spool.decode_video(f"{store.url}/data/{clip}", frames=[3]), spool.decode_video(testdata / clip, frames=[3])
    )
    reader = spool.decord.VideoReader(f"{store.url}/data/{clip}")
    assert np.array_equal(reader[3], spool.decord.VideoReader(testdata / clip)[3])
    with (
        spool.AudioDecoder(f"s3://data/{audio}", endpoint_url=store.url) as remote_audio,
        spool.AudioDecoder(testdata / audio) as local_audio,
    ):
        assert np.array_equal(remote_audio.get_all_samples().data, local_audio.get_all_samples().data)


def test_loader(store: Store, testdata: Path) -> None:
    """A prefix is loaded like a folder: the same images, labels and order."""
    options = {"batch": 4, "size": 32, "shuffle": True, "seed": 3}
    remote = spool.ImageLoader("s3://data/photos/", endpoint_url=store.url, max_concurrent_requests=8, **options)
    local = spool.ImageLoader(testdata / "photos", **options)
    batches = 0
    for a, b in zip(remote, local, strict=True):
        batches += 1
        assert np.array_equal(a.images, b.images)
        assert np.array_equal(a.labels, b.labels)
    assert batches > 3
    assert remote.classes == local.classes
    report = remote.report()
    assert report["remote"]["requests"] > batches
    assert "remote" not in local.report() or local.report()["remote"] is None


@pytest.mark.slow
def test_credentials(store: Store, testdata: Path, photo: Path, python: Callable[..., Any]) -> None:
    """Requests are signed, for the given region, unless no_sign_request is set."""
    code = f"""
import sys
import spool
key, options = "s3://data/{photo.relative_to(testdata)}", dict(endpoint_url="{store.url}", region="eu-north-1")
spool.decode_image(key, no_sign_request="unsigned" in sys.argv, **options)
"""
    credentials = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    python(code, **credentials)
    assert store.asked
    assert all(f"Credential={KEY}/" in a and "/eu-north-1/s3/" in a for a in store.asked), store.asked
    store.asked.clear()
    python(code, "unsigned", **credentials)
    assert {*store.asked} == {""}


@pytest.mark.parametrize(
    ("url", "error", "says"),
    [
        ("s3://other/a.jpg", errors.NotFoundError, "no such bucket"),
        ("s3://data/none.jpg", errors.NotFoundError, "no such object"),
        ("s3://closed/a.jpg", errors.NoPermissionError, "AccessDenied"),
        ("http://user:hush@no-such-host.invalid/a.jpg?sign=hush", errors.NotFoundError, "no host no-such-host.invalid"),
    ],
)
def test_errors(store: Store, url: str, error: type[spool.Error], says: str) -> None:
    """Each error is one line, names the cause, and contains no secrets."""
    with pytest.raises(error, match=says) as e:
        spool.decode_image(url, endpoint_url=store.url)
    text = str(e.value)
    assert "\n" not in text
    assert "hush" not in text + json.dumps({k: str(v) for k, v in vars(e.value).items()})
    with pytest.raises(spool.Error, match=says):
        list(spool.ImageLoader([url], endpoint_url=store.url, size=8, batch=1, on_error="fail"))


def test_settings_are_checked(store: Store) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        spool.decode_image("s3://data/a.jpg", endpoint_url="no address")
    with pytest.raises((ValueError, TypeError), match="max_concurrent_requests"):
        spool.decode_image("s3://data/a.jpg", endpoint_url=store.url, max_concurrent_requests=-1)
