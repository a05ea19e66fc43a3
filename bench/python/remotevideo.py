"""Frames of a remote video: spool, torchcodec with fsspec, and torchcodec with FFmpeg's own HTTP.

    PYTHONPATH=python remotevideo.py VIDEO [--latency 50] [--frames 16] [--repeat 5]

A server on this machine delays the answer to each request. The time is from opening the file to the last frame, after
imports, in one process, in turn. torchcodec runs with one thread, and with one for each CPU. fsspec runs with its
defaults, and with each of three caches at each of four block sizes. Before the first run the frames of all of them are
compared: they have the same bytes. The output is one line of JSON for each peer: the best time of all its settings and
runs, the setting, and the requests of that run.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import multiprocessing
import re
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any


def serve(file: Path, latency: float, port: Connection, requests: Synchronized[int], sent: Synchronized[int]) -> None:
    """Serve ranges of one file, each answer after the latency."""
    data = file.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # it would wait for an acknowledgement of the headers

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

        def answer(self, body: bool) -> None:
            time.sleep(latency)
            first, last, status = 0, len(data) - 1, 200
            wanted = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if wanted:
                first, last, status = int(wanted[1]), min(int(wanted[2] or last), last), 206
            self.send_response(status)
            self.send_header("Content-Length", str(last + 1 - first))
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("ETag", '"one"')
            if wanted:
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
            self.end_headers()
            with requests.get_lock():
                requests.value += 1
                sent.value += last + 1 - first if body else 0
            if body:
                self.wfile.write(memoryview(data)[first : last + 1])

        def do_GET(self) -> None:
            self.answer(True)

        def do_HEAD(self) -> None:
            self.answer(False)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_address[1])
    server.serve_forever()


CACHES = ("readahead", "blockcache", "background")
BLOCKS = (64 << 10, 256 << 10, 1 << 20, 5 << 20)
Way = Callable[[], Any]  # returns the frames


def sample(length: int, frames: int) -> list[int]:
    """Return the indices of evenly spread frames."""
    return [min(length - 1, int((i + 0.5) * length / frames)) for i in range(frames)]


def by_spool(url: str, frames: int) -> Any:
    """Decode with spool, which decodes distant frames in parallel on all CPUs."""
    from spool import VideoDecoder

    with VideoDecoder(url, num_ffmpeg_threads=1) as decoder:
        return decoder.get_frames_at(sample(len(decoder), frames)).data


def by_torchcodec(url: str, frames: int, threads: int, cache: dict[str, Any] | None) -> Any:
    """Decode with torchcodec, from fsspec's file, or without a cache with FFmpeg's HTTP."""
    import fsspec  # type: ignore[import-untyped, import-not-found, unused-ignore]
    from torchcodec.decoders import VideoDecoder  # type: ignore[import-untyped, import-not-found, unused-ignore]

    source: Any = url
    if cache is not None:
        source = fsspec.filesystem("http", skip_instance_cache=True).open(url, "rb", **cache)
    decoder = VideoDecoder(source, num_ffmpeg_threads=threads)
    return decoder.get_frames_at(sample(decoder.metadata.num_frames, frames)).data


def ways(url: str, frames: int) -> dict[str, dict[str, Way]]:
    """Return the settings of each peer."""
    tuned = {
        f"{cache}, {block >> 10} KiB": {"cache_type": cache, "block_size": block}
        for cache, block in itertools.product(CACHES, BLOCKS)
    }
    torchcodec: dict[str, dict[str, Any]] = {
        "torchcodec, fsspec": {"defaults": {}},
        "torchcodec, fsspec tuned": tuned,
        "torchcodec, FFmpeg's HTTP": {"": None},
    }
    peers: dict[str, dict[str, Way]] = {"spool": {"": functools.partial(by_spool, url, frames)}}
    for name, caches in torchcodec.items():
        peers[name] = {}
        for (setting, cache), threads in itertools.product(caches.items(), (1, 0)):
            label = ", ".join(filter(None, [setting, f"{threads or 'all'} threads"]))
            peers[name][label] = functools.partial(by_torchcodec, url, frames, threads, cache)
    return peers


def check(peers: dict[str, dict[str, Way]]) -> None:
    """Compare the frames of all settings. This also imports packages, and reads the file from the disk."""
    import numpy as np

    expected = None
    for name, settings in peers.items():
        for setting, way in settings.items():
            frames = np.asarray(way())
            expected = frames if expected is None else expected
            if not np.array_equal(frames, expected):
                raise SystemExit(f"{name}, {setting}: other frames than spool's")


def main() -> None:
    """Run all settings in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("--latency", type=float, default=50)
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    requests, sent = multiprocessing.Value("q", 0), multiprocessing.Value("q", 0)
    arguments = args.video, args.latency / 1000, theirs, requests, sent
    server = multiprocessing.Process(target=serve, args=arguments, daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/{args.video.name}"
    peers = ways(url, args.frames)
    check(peers)
    best: dict[str, dict[str, Any]] = {}
    for _ in range(args.repeat):
        for name, settings in peers.items():
            for setting, way in settings.items():
                requests.value, sent.value = 0, 0
                began = time.perf_counter()
                way()
                wall = round(time.perf_counter() - began, 3)
                if name not in best or wall < best[name]["wall_s"]:
                    asked = {"requests": requests.value, "bytes": sent.value}
                    best[name] = {"peer": name, "setting": setting, "wall_s": wall, **asked}
    for line in best.values():
        print(json.dumps({**line, "file_bytes": args.video.stat().st_size, "latency_ms": args.latency}))
    server.terminate()


if __name__ == "__main__":
    main()
