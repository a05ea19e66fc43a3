"""Files at addresses: what is read, and what is told of it, with a server in the test's own process."""

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
    """The folder of the server, as a plain server of files and as S3 with one bucket, data."""

    protocol_version = "HTTP/1.1"
    server: Store

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer with a file, a part of one, or a list."""
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
        """Answer with a file, or the part that is asked for."""
        asked = self.headers.get("Range", "").removeprefix("bytes=")
        if not asked:
            self.answer(200, data)
            return
        begin, _, end = asked.partition("-")
        first, last = int(begin), min(int(end or len(data) - 1), len(data) - 1)
        self.answer(206, data[first : last + 1], {"Content-Range": f"bytes {first}-{last}/{len(data)}"})

    def answer(self, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
        """Answer."""
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
        self.asked: list[str] = []  # Authorization of each request
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that have heard enough."""

    def listing(self, prefix: str, after: str) -> bytes:
        """All keys at once, as ListObjectsV2 has them."""
        keys = sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())
        rows = "".join(
            f'<Contents><Key>{escape(k)}</Key><Size>{(self.folder / k).stat().st_size}</Size><ETag>"1"</ETag></Contents>'
            for k in keys
            if k.startswith(prefix) and k > after
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>".encode()


@pytest.fixture
def store(testdata: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The project's test media in a store. The tester's own settings are those of processes that begin later."""
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
    """Whatever takes a path takes an address, of HTTP and of S3."""
    at = f"{store.url}/data/{photo.relative_to(testdata)}"
    key = f"s3://data/{photo.relative_to(testdata)}"
    want = spool.decode_image(photo, size=64)
    assert np.array_equal(spool.decode_image(at, size=64), want)
    assert np.array_equal(spool.decode_image(key, size=64, endpoint_url=store.url), want)
    batch = spool.decode_images([at, str(photo), key], size=64, endpoint_url=store.url)
    assert np.array_equal(batch, np.stack([want] * 3))
    far, near = spool.probe(at), spool.probe(photo)
    assert far.pop("bytes_fetched") == far.pop("bytes_file") == photo.stat().st_size
    assert {**far, "file": ""} == {**near, "file": ""}
    clip, sound = "video/bframes.mp4", "audio/mp3.mp3"
    with spool.VideoDecoder(f"{store.url}/data/{clip}") as film, spool.VideoDecoder(testdata / clip) as local:
        assert np.array_equal(film[1:4], local[1:4])
    assert np.array_equal(
        spool.decode_video(f"{store.url}/data/{clip}", frames=[3]), spool.decode_video(testdata / clip, frames=[3])
    )
    reader = spool.decord.VideoReader(f"{store.url}/data/{clip}")
    assert np.array_equal(reader[3], spool.decord.VideoReader(testdata / clip)[3])
    with (
        spool.AudioDecoder(f"s3://data/{sound}", endpoint_url=store.url) as far_sound,
        spool.AudioDecoder(testdata / sound) as near_sound,
    ):
        assert np.array_equal(far_sound.get_all_samples().data, near_sound.get_all_samples().data)


def test_loader(store: Store, testdata: Path) -> None:
    """A prefix is what a folder is: the same pictures, labels and order."""
    options = {"batch": 4, "size": 32, "shuffle": True, "seed": 3}
    far = spool.ImageLoader("s3://data/photos/", endpoint_url=store.url, max_concurrent_requests=8, **options)
    near = spool.ImageLoader(testdata / "photos", **options)
    batches = 0
    for a, b in zip(far, near, strict=True):
        batches += 1
        assert np.array_equal(a.images, b.images)
        assert np.array_equal(a.labels, b.labels)
    assert batches > 3
    assert far.classes == near.classes
    report = far.report()
    assert report["remote"]["requests"] > batches
    assert "remote" not in near.report() or near.report()["remote"] is None


@pytest.mark.slow
def test_credentials(store: Store, testdata: Path, photo: Path, python: Callable[..., Any]) -> None:
    """They sign requests unless that is refused, and the region is the one that is given."""
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
    ("address", "error", "says"),
    [
        ("s3://other/a.jpg", errors.NotFoundError, "no such bucket"),
        ("s3://data/none.jpg", errors.NotFoundError, "no such object"),
        ("s3://closed/a.jpg", errors.NoPermissionError, "AccessDenied"),
        ("http://user:hush@no-such-host.invalid/a.jpg?signature=hush", errors.NotFoundError, "no host no-such-host.invalid"),
    ],
)  # fmt: skip
def test_errors(store: Store, address: str, error: type[spool.Error], says: str) -> None:
    """One line each, with what to check and no secrets."""
    with pytest.raises(error, match=says) as e:
        spool.decode_image(address, endpoint_url=store.url)
    text = str(e.value)
    assert "\n" not in text
    assert "hush" not in text + json.dumps({k: str(v) for k, v in vars(e.value).items()})
    with pytest.raises(spool.Error, match=says):
        list(spool.ImageLoader([address], endpoint_url=store.url, size=8, batch=1, on_error="fail"))


def test_settings_are_checked(store: Store) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        spool.decode_image("s3://data/a.jpg", endpoint_url="no address")
    with pytest.raises((ValueError, TypeError), match="max_concurrent_requests"):
        spool.decode_image("s3://data/a.jpg", endpoint_url=store.url, max_concurrent_requests=-1)
