"""Frames of a video at an address: spool beside torchcodec over fsspec.

    PYTHONPATH=python remotevideo.py VIDEO [--latency 50] [--frames 16] [--repeat 5]

A server on this machine lets each request wait. The time is that from opening the file on to the last frame, with imports
behind it, in one process, in turn; of torchcodec the better one of one thread and of as many as there are processors. One line of
JSON a peer: the best time of all, and what a run asked for.
"""

from __future__ import annotations

import argparse
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
    """Serve one file by ranges, each answer after the latency."""
    data = file.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # which would wait for an acknowledgement of the headers

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

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


def by_spool(url: str, frames: int, threads: int) -> None:
    """Decode by spool, which decodes what lies far apart side by side on all processors by itself."""
    from spool import VideoDecoder

    with VideoDecoder(url, num_ffmpeg_threads=threads) as decoder:
        n = len(decoder)
        decoder.get_frames_at([min(n - 1, int((i + 0.5) * n / frames)) for i in range(frames)])


def by_torchcodec(url: str, frames: int, threads: int) -> None:
    """Decode by torchcodec, over fsspec's file."""
    import fsspec  # type: ignore[import-untyped, import-not-found, unused-ignore]
    from torchcodec.decoders import VideoDecoder  # type: ignore[import-untyped, import-not-found, unused-ignore]

    decoder = VideoDecoder(fsspec.filesystem("http", skip_instance_cache=True).open(url, "rb"), num_ffmpeg_threads=threads)
    n = decoder.metadata.num_frames
    decoder.get_frames_at([min(n - 1, int((i + 0.5) * n / frames)) for i in range(frames)])


def main() -> None:
    """Run both, in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("--latency", type=float, default=50)
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    requests, sent = multiprocessing.Value("q", 0), multiprocessing.Value("q", 0)
    server = multiprocessing.Process(target=serve, args=(args.video, args.latency / 1000, theirs, requests, sent), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/{args.video.name}"
    peers: dict[str, list[Callable[[], None]]] = {
        "spool": [lambda: by_spool(url, args.frames, 1)],
        "torchcodec": [lambda: by_torchcodec(url, args.frames, 1), lambda: by_torchcodec(url, args.frames, 0)],
    }
    for ways in peers.values():  # imports, and files that come from the disk
        ways[0]()
    best: dict[str, dict[str, Any]] = {}
    for _ in range(args.repeat):
        for name, peer in ((name, way) for name, ways in peers.items() for way in ways):
            requests.value, sent.value = 0, 0
            began = time.perf_counter()
            peer()
            wall = time.perf_counter() - began
            if name not in best or wall < best[name]["wall_s"]:
                best[name] = {"peer": name, "wall_s": round(wall, 3), "requests": requests.value, "bytes": sent.value}
    for line in best.values():
        print(json.dumps({**line, "file_bytes": args.video.stat().st_size, "latency_ms": args.latency}))
    server.terminate()


if __name__ == "__main__":
    main()
