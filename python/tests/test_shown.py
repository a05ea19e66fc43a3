"""Reports and progress for people."""

from __future__ import annotations

import html.parser
import io
import json
from pathlib import Path
from typing import Any

import need
import pytest

import spool


class Cells(html.parser.HTMLParser):
    """The texts of table cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and self.lasttag in ("td", "th"):
            self.rows[-1][-1] += data


class Bar:
    """The part of tqdm that is used."""

    made: list[Bar] = []

    def __init__(self, **options: Any) -> None:
        self.options, self.n, self.texts, self.closed = options, 0, [], False
        self.made.append(self)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def update(self, n: int) -> None:
        self.n += n

    def set_postfix_str(self, text: str) -> None:
        self.texts.append(text)


def test_report(photos: list[Path]) -> None:
    with spool.ImageLoader(photos[:8], batch=4, size=32) as loader:
        for _ in loader:
            pass
        report = loader.report()
    assert json.loads(json.dumps(report)) == report, "it is the dict of stats"
    names = [stage["name"] for stage in report["stages"]]
    lines = str(report).splitlines()
    assert lines[0].startswith("8 samples in 2 batches, ")
    assert [line.split()[0] for line in lines[2:-1]] == names
    assert len({len(line) for line in lines[1:-1]}) == 1, "columns are aligned"
    assert lines[-1] == report["verdict"]
    rows = Cells(report._repr_html_()).rows  # type: ignore[attr-defined]
    assert rows[0][0] == "stage"
    assert [row[0] for row in rows[1:]] == names
    assert [row[2] for row in rows[1:]] == [str(stage["items"]) for stage in report["stages"]]


def test_names_are_no_markup() -> None:
    from spool._shown import Shown

    report = Shown(samples=0, batches=0, rate=0.0, failed=0, rss_mb=1, stages=[], verdict="<script>alert(1)</script>")
    assert "<script>" not in report._repr_html_()


def test_rich(photos: list[Path]) -> None:
    console = need.peer("rich.console")
    with spool.ImageLoader(photos[:4], batch=4, size=32) as loader:
        next(iter(loader))
        out = io.StringIO()
        console.Console(width=200, file=out).print(loader.report())
    text = out.getvalue()
    assert "decode" in text
    assert "occupancy" in text


def test_progress(photos: list[Path]) -> None:
    with spool.ImageLoader(photos[:8], batch=4, size=32) as loader:
        batches = [b.ids.tolist() for b in loader.progress(Bar, desc="train")]
        assert batches == [[0, 1, 2, 3], [4, 5, 6, 7]]
        bar = Bar.made[-1]
        assert bar.options == {"total": 2, "unit": "batch", "desc": "train"}
        assert (bar.n, bar.closed) == (2, True)
        assert "samples/s" in bar.texts[-1]
        assert len(list(loader.progress(Bar))) == 2, "the next epoch"
    with spool.ImageLoader(photos[:8], batch=4, size=32, streaming=True) as loader:
        assert len(list(loader.progress(Bar))) == 2
        assert Bar.made[-1].options["total"] is None


def test_progress_by_tqdm(photos: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    need.peer("tqdm")
    with spool.ImageLoader(photos[:8], batch=4, size=32) as loader:
        assert len(list(loader.progress(desc="epoch"))) == 2
    assert "epoch: 100%" in capsys.readouterr().err
