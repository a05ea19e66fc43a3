"""Traces of loaders."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

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
