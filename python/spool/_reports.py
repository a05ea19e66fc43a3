"""What a loader tells about itself: counts, failures, its sources, and servers of these."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, cast

from . import _address, _native, _option
from ._shown import Shown
from ._wait import interruptibly
from .errors import ClosedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .live import Server
    from .prediction import Profile
    from .reports import Failure, LoaderReport


class Reports:
    """The reports of a loader, which is open or opened by them."""

    _handle: _native.Handle | None
    _servers: list[Server]

    def _open(self) -> _native.Handle:
        raise NotImplementedError

    def _number(self, key: str) -> int:
        raise NotImplementedError

    def _query(self, name: str) -> Any:
        return _native.query(name, self._open())

    @property
    def stats(self) -> LoaderReport:
        """Counts and times of the run so far, with the keys of ``spool run --json``, such as ``samples`` and ``rate``.

        Stages are counted since the last change of position: ``set_epoch`` to another epoch, ``load_state_dict``, or a
        loop that was left early.
        """
        report: LoaderReport = self._query("spool_loader_report")
        return report

    def report(self) -> LoaderReport:
        """Return ``stats``, which ``print``, a notebook and the package rich show as a table of stages.

        Returns:
            The same dict as ``stats``.
        """
        return cast("LoaderReport", Shown(self.stats))

    @property
    def verdict(self) -> str:
        """The bottleneck, by how much it limits throughput, and what to change, in a sentence or two."""
        return self.stats["verdict"]

    @property
    def failures(self) -> list[Failure]:
        """The first 10,000 failed samples.

        Each is a dict with ``id``, ``file``, ``stage``, ``class``, ``text``, ``attempts`` and ``action``; ``field``, if
        it is that of a record's field; ``start``, ``end`` and ``stream`` of a part of a file; and ``epoch`` and
        ``occurrence`` unless they are 0.
        """
        lines = _native.array()
        _native.call("spool_loader_failures", self._open(), lines.out)
        return [json.loads(line) for line in _native.content(lines).splitlines()]

    @property
    def classes(self) -> list[str]:
        """The class names of the labels 0, 1, 2 and so on: of class folders, or of a manifest."""
        return self._query("spool_loader_info")["classes"] or []

    @property
    def samples(self) -> int:
        """The number of samples in the sources.

        Raises:
            TypeError: with ``streaming=True``, since the number is not known.
        """
        return self._number("samples")

    @property
    def rank(self) -> tuple[int, int]:
        """The rank of this process and the world size: (rank, world)."""
        info = self._query("spool_loader_info")
        return info["rank"], info["world"]

    @property
    def note(self) -> str:
        """A problem with the memory of ``device="pinned"`` or ``"cuda:N"`` that costs time. Empty if there is none."""
        text: str = self._query("spool_loader_info").get("note", "")
        return text

    def profile(self, items: int = 256, workers: Iterable[int] | None = None) -> Profile:
        """Measure the speed of each stage alone, with more and more workers, from epoch 0 on.

        The position of the loader stays. A loop over it should not run meanwhile, since it takes cores.

        Args:
            items: int, the samples for each number of workers, which are in memory at a time.
            workers: the numbers of workers to try, ascending. Default: 1, 2, 4 and so on up to 32, until twice as many
                make a stage less than a fifth faster.

        Returns:
            The speeds by stage.

        Raises:
            TypeError, ValueError: an argument is wrong, or the loader has ``streaming=True``.
        """
        from .prediction import profiled  # noqa: PLC0415 - few programs need it

        return profiled(self._open(), items, workers)

    def trace(self, file: str | os.PathLike[str], seconds: float = 10) -> None:
        """Write a trace of the next seconds, for ui.perfetto.dev, and return then.

        Loops over the loader go on in other threads, so a training script calls this in a thread of its own. Option
        ``trace`` of the loader writes one of all its work instead.

        Args:
            file: path of the trace.
            seconds: float, how long the trace is.

        Raises:
            TypeError, ValueError: an argument is wrong, or another such trace is being written.
            DecodeError: the file cannot be written.
            CancelledError: the loader was closed before. The file is whole.
        """
        handle, name, time = self._open(), os.fsencode(file), _option.number("seconds", seconds)
        interruptibly(lambda cancel: _native.call("spool_loader_trace", handle, name, time, cancel))

    def serve(self, address: str = ":0") -> Server:
        """Serve a page about the loader, until it is closed: rate, wait of the consumer, stages, memory, bad files.

        A notebook shows the page. Viewers delay no batch.

        Args:
            address: ``[HOST]:PORT``. Without a host only this machine can connect. With one, everyone who reaches it
                sees names of files. Port 0 is any free port.

        Returns:
            The server. ``url`` is where the page is.

        Raises:
            ValueError: the address is wrong.
            OSError: the address cannot be served.
        """
        self._open()
        return self._serve_at(_address.checked("address", address), metrics=False)

    def page_content(self, path: str) -> bytes:
        """Return what is at a path of the loader's page, for servers.

        Args:
            path: str, as for ``spool_loader_page`` in spool_loader.h.

        Returns:
            The content.

        Raises:
            Error: there is nothing at the path, or the loader is closed.
        """
        handle = self._handle
        if handle is None:
            raise ClosedError("the loader is closed", error_class="closed")
        content = _native.array()
        _native.call("spool_loader_page", handle, path.encode(), content.out)
        return _native.content(content)

    def _serve_at(self, address: str, metrics: bool) -> Server:
        from .live import Server  # noqa: PLC0415 - it takes longer than the rest of a loader

        server = Server(self, address, metrics)
        self._servers.append(server)
        return server
