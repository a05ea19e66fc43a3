"""Reports for people: as text, as HTML in a notebook, and for rich; and a bar of the progress."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from ._loop import Looped
    from ._reports import Reports

B = TypeVar("B")

_PAUSE = 0.5  # seconds between two texts beside a bar

# The columns of the table of stages: the key in the report, the title, and the form of a value.
_COLUMNS = (
    ("name", "stage", "{}"),
    ("workers", "workers", "{}"),
    ("items", "items", "{}"),
    ("failures", "failures", "{}"),
    ("mean_ms", "mean ms", "{:.3f}"),
    ("p50_ms", "p50", "{:.3f}"),
    ("p99_ms", "p99", "{:.3f}"),
    ("wait_in_s", "wait in s", "{:.2f}"),
    ("wait_out_s", "wait out s", "{:.2f}"),
    ("occupancy", "occupancy", "{:.0%}"),
    ("queue", "queue", "{:.0%}"),
)


class Table:
    """Something that ``print``, notebooks and rich show as a table, with a line above it and one below."""

    def _summary(self) -> str:
        raise NotImplementedError

    def _table(self) -> list[list[str]]:
        """The cells by row, with the titles first."""
        raise NotImplementedError

    def _end(self) -> str:
        return ""

    def __str__(self) -> str:
        rows = self._table()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
            for row in rows
        )
        return "\n".join((self._summary(), *lines, *filter(None, [self._end()])))

    def _repr_html_(self) -> str:
        import html  # here, since its import takes 2 ms

        def row(tag: str, cells: list[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        head, *rows = self._table()
        body = "".join(row("td", cells) for cells in rows)
        end = f"<p>{html.escape(self._end())}</p>" if self._end() else ""
        return f"<p>{html.escape(self._summary())}</p><table>{row('th', head)}{body}</table>{end}"

    def __rich__(self) -> Any:
        console, tables, texts = (_module(f"rich.{name}") for name in ("console", "table", "text"))
        table = tables.Table()
        head, *rows = self._table()
        for i, title in enumerate(head):
            table.add_column(title, justify="left" if i == 0 else "right")
        for cells in rows:
            table.add_row(*map(texts.Text, cells))
        return console.Group(texts.Text(self._summary()), table, *map(texts.Text, filter(None, [self._end()])))


class Shown(dict[str, Any], Table):
    """A report: a dict that is shown as a table of stages."""

    def _summary(self) -> str:
        text = f"{self['samples']} samples in {self['batches']} batches, {self['rate']:.1f} samples/s"
        text += f", {self['failed']} failed, {self['rss_mb']} MB"
        return text

    def _table(self) -> list[list[str]]:
        rows = [[form.format(stage[key]) for key, _, form in _COLUMNS] for stage in self["stages"]]
        return [[title for _, title, _ in _COLUMNS], *rows]

    def _end(self) -> str:
        verdict: str = self["verdict"]
        return verdict

    __str__ = Table.__str__  # dict has its own


def _module(name: str) -> Any:
    """Import a module of a package that spool does not need."""
    return importlib.import_module(name)


class Bar(Protocol):
    """What :func:`progress` uses of a bar like ``tqdm.tqdm``."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> object: ...
    def update(self, n: int, /) -> object: ...
    def set_postfix_str(self, s: str, /) -> object: ...


def progress(
    loader: Looped[B], reports: Reports, bar: Callable[..., Bar] | None, options: Mapping[str, object]
) -> Iterator[B]:
    """Yield the batches of an epoch beside a bar.

    Args:
        loader: the loader.
        reports: the same loader.
        bar: a class like ``tqdm.tqdm``. None: ``tqdm.auto.tqdm``.
        options: options of the bar.

    Yields:
        The batches.
    """
    make: Callable[..., Bar] = bar or _module("tqdm.auto").tqdm
    loop = iter(loader)
    try:
        total: int | None = len(loop)
    except TypeError:  # it is known at the end
        total = None
    shown = 0.0
    with make(**{"total": total, "unit": "batch", **options}) as b:
        for batch in loop:
            yield batch
            b.update(1)
            if time.monotonic() - shown > _PAUSE:
                shown = time.monotonic()
                _tell(b, reports)
        _tell(b, reports)


def _tell(bar: Bar, reports: Reports) -> None:
    report = reports.report()
    slowest = max(report["stages"], key=lambda stage: stage["occupancy"])
    text = f"{report['rate']:.0f} samples/s, {slowest['name']} {slowest['occupancy']:.0%}"
    if report["failed"]:
        text += f", {report['failed']} failed"
    bar.set_postfix_str(text)
