"""Servers of a loader: its live page, and its metrics for Prometheus.

:meth:`spool.ImageLoader.serve` and option ``metrics`` of loaders make them.
"""

from __future__ import annotations

import html
import ipaddress
import os
import shutil
import socket
import tempfile
import threading
import weakref
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs

from . import _address
from .errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._reports import Reports

_PAUSE = 1  # seconds between two states of a page
_LONGEST = 60  # seconds of a trace
_PAGE = {"/": "text/html; charset=utf-8", "/state": "application/json", "/sheet": "image/png"}
_METRICS = {"/metrics": "text/plain; version=0.0.4; charset=utf-8"}
_HEADERS = {  # browsers load and run nothing but the page itself
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Server:
    """A server of a loader, until it or the loader is closed.

    A notebook shows a page. Threads may use it.

    Args:
        loader: the loader, which it does not keep alive.
        address: ``[HOST]:PORT``. Without a host only this machine can connect.
        metrics: whether it serves metrics, instead of the page.

    Attributes:
        url: where it is.

    Raises:
        OSError: the address cannot be served.
    """

    def __init__(self, loader: Reports, address: str, metrics: bool = False) -> None:
        self._process = os.getpid()
        self._server = _Server(address, weakref.ref(loader), metrics)
        host, port = self._server.where
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}/{'metrics' if metrics else ''}"
        self._thread = threading.Thread(target=self._server.accept, name="spool-serve", daemon=True)
        self._thread.start()
        self.close: Callable[[], object] = weakref.finalize(loader, _end, self._server, self._thread, self._process)

    def __repr__(self) -> str:
        return f"<spool.live.Server at {self.url}>"

    def _repr_html_(self) -> str:
        url = html.escape(self.url)
        return (
            f'<iframe src="{url}" style="width: 100%; height: 40em; border: 0"></iframe>'
            f'<p><a href="{url}" target="_blank">{url}</a></p>'
        )


def _end(server: _Server, thread: threading.Thread, process: int) -> None:
    if process == os.getpid():  # a fork has no such thread
        server.ended.set()
        server.socket.shutdown(socket.SHUT_RDWR)
        thread.join()
    server.server_close()


def _is_local(host: str) -> bool:
    """Report whether a Host header names this machine."""
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: str, loader: weakref.ref[Reports], metrics: bool) -> None:
        host, port = _address.parsed(address)
        self.loader, self.ended = loader, threading.Event()
        self.types = _METRICS if metrics else _PAGE
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)
        self.where: tuple[str, int] = self.socket.getsockname()[:2]
        self.local = ipaddress.ip_address(self.where[0]).is_loopback

    def accept(self) -> None:
        while not self.ended.is_set():
            self.handle_request()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore viewers that are gone."""


class _Handler(BaseHTTPRequestHandler):
    timeout = 10

    @property
    def _own(self) -> _Server:
        return cast(_Server, self.server)

    def do_GET(self) -> None:
        page = self._own.types is _PAGE
        self.path, _, query = self.path.partition("?")  # the page asks for several sheets
        if page and self._own.local and not _is_local(self.headers.get("Host", "")):
            # A page of another site has a name of its own for this machine (DNS rebinding).
            self.send_error(HTTPStatus.FORBIDDEN, "this page is for this machine")
        elif page and self.path == "/events":
            self._events()
        elif page and self.path == "/trace":
            self._trace(query)
        elif self.path in self._own.types:
            self._content(self._own.types[self.path])
        elif page and self.path.startswith("/thumbnail/"):
            self._content("image/jpeg")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _content(self, kind: str) -> None:
        content = self._of_loader(self.path)
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self._head(kind, str(len(content)))
        self.wfile.write(content)

    def _trace(self, query: str) -> None:
        """Send a trace of the next seconds."""
        loader, text = self._own.loader(), parse_qs(query).get("seconds", ["5"])[0]
        if not text.isdecimal() or not 1 <= int(text) <= _LONGEST:
            self.send_error(HTTPStatus.BAD_REQUEST, f"seconds must be from 1 to {_LONGEST}")
            return
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "trace.json")
            try:
                if loader is not None:
                    loader.trace(file, int(text))
            except ValueError:
                self.send_error(HTTPStatus.CONFLICT, "another trace is being written")
                return
            except Error:  # it was closed
                pass
            if not os.path.exists(file):
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            self._head("application/json", str(os.path.getsize(file)))
            with open(file, "rb") as content:
                shutil.copyfileobj(content, self.wfile)

    def _head(self, kind: str, size: str = "") -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        if size:
            self.send_header("Content-Length", size)
        for header in _HEADERS.items():
            self.send_header(*header)
        self.end_headers()

    def _events(self) -> None:
        self._head("text/event-stream")
        while (state := self._of_loader("/state")) is not None:
            self.wfile.write(b"data: %b\n\n" % state)
            if self._own.ended.wait(_PAUSE):
                break

    def _of_loader(self, path: str) -> bytes | None:
        """Return what is at a path; None if there is nothing, or the loader is closed."""
        loader = self._own.loader()
        try:
            return None if loader is None else loader.page_content(path[1:])
        except Error:
            return None

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base
        """Print nothing: stderr belongs to the program."""
