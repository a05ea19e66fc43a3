"""S3 servers for tests, each in its own process: versitygw, which `make stores` builds, and moto."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import need
import pages

VERSITYGW = pages.ROOT / "bin" / "tools" / "versitygw"
KEY, SECRET = "AKSPOOLTEST", "a-secret-of-the-tests"
NAMES = ["moto", "versitygw"]


@contextmanager
def serve(name: str, folder: Path) -> Iterator[str]:
    """Run a server and yield its URL. The test is skipped if the server is not installed."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if name == "moto":
        need.peer("moto")
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    else:
        if not VERSITYGW.exists():
            need.skip("stores", "no bin/tools/versitygw, which make stores builds")
        listen = ["--port", f"127.0.0.1:{port}", "--access", KEY, "--secret", SECRET]
        command = [str(VERSITYGW), *listen, "--quiet", "--keep-alive", "posix", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _listens(port, server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


def _listens(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server does not listen")


def environment(url: str) -> dict[str, str]:
    """Return the environment variables that clients need."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def fill(url: str, bucket: str, objects: dict[str, bytes]) -> None:
    """Create a bucket with objects."""
    import boto3

    client = boto3.client(
        "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET
    )
    client.create_bucket(Bucket=bucket)
    for key, data in objects.items():
        client.put_object(Bucket=bucket, Key=key, Body=data)
