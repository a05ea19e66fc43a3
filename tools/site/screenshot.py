#!/usr/bin/env python3
"""Takes a picture of a page that changes after it is loaded: screenshot.py URL PICTURE.png WIDTH,HEIGHT SECONDS.

Chromium takes a picture when all of a page is loaded. So the page comes through a proxy, with an image more that takes
SECONDS to come.
"""

from __future__ import annotations

import http.server
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


def main() -> None:
    url, picture, size, text = sys.argv[1:]
    seconds, parts = float(text), urllib.parse.urlsplit(url)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/hold":
                time.sleep(seconds)
            try:
                with urllib.request.urlopen(
                    f"http://{parts.netloc}{self.path}"
                ) as answer:
                    kind = answer.headers["Content-Type"] or ""
                    self.send_response(200)
                    self.send_header("Content-Type", kind)
                    self.end_headers()
                    while piece := answer.read1(1 << 16):
                        if kind.startswith("text/html"):
                            piece = piece.replace(
                                b"</body>", b'<img src="/hold" hidden></body>'
                            )
                        self.wfile.write(piece)
            except urllib.error.HTTPError as e:
                self.send_error(e.code)
            except OSError:
                """The browser is gone."""

        def log_message(self, *_: object) -> None:
            pass

    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server,
        tempfile.TemporaryDirectory() as profile,
    ):
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        seen = parts._replace(netloc=f"127.0.0.1:{server.server_port}").geturl()
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ]
        flags += [
            f"--user-data-dir={profile}",
            f"--window-size={size}",
            f"--timeout={int(10000 * seconds)}",
        ]
        subprocess.run(
            ["chromium", *flags, f"--screenshot={picture}", seen],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        server.shutdown()


main()
