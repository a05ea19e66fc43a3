"""Costs, predictions and profiles of loaders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spool

OPTIONS = {"batch": 4, "size": 32, "workers": 2}


@pytest.fixture
def costs(photos: list[Path], tmp_path: Path) -> Path:
    """The costs of some epochs."""
    file = tmp_path / "costs.json"
    with spool.ImageLoader(photos[:8] * 8, costs=file, **OPTIONS) as loader:
        for _ in range(3):
            assert sum(len(b.images) for b in loader) == 64
    return file


def test_a_prediction_has_a_range(costs: Path) -> None:
    recorded = json.loads(costs.read_text())
    assert recorded["samples"] >= 192
    assert [s["name"] for s in recorded["stages"]][:2] == ["list", "locate"]
    same, slower = spool.simulate(costs), spool.simulate(str(costs), latency=1.0, files=1)
    for x in (same.rate, same.ttfb_s, same.rss_mb):
        assert 0 <= x.low < x.value < x.high
    assert same.rate.value == pytest.approx(same.measured_rate, rel=1e-6)
    assert slower.rate.value * (1 + slower.deviation) == pytest.approx(1, rel=0.1), "a second for each file"
    assert spool.simulate(costs, prefetch=50).batch_mb > same.batch_mb
    sooner = spool.simulate(costs, stage_workers={"fetch": 1}, latency=0.5)
    assert sooner.rate.value == pytest.approx(2 * slower.rate.value, rel=0.1)


def test_predictions_are_shown(costs: Path) -> None:
    p = spool.simulate(costs, workers=4)
    lines = str(p).splitlines()
    assert lines[0].startswith(f"{p.rate.value:.1f} samples/s")
    assert lines[2].split() == ["samples/s", *(f"{x:.1f}" for x in p.rate)]
    assert p._repr_html_().count("<tr>") == 4
    assert "rate=Range(value=" in repr(p)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"worker": 3}, TypeError, "worker"),
        ({"workers": "many"}, TypeError, "workers"),
        ({"workers": -1}, ValueError, "workers"),
        ({"latency": -1.0}, ValueError, "latency"),
        ({"stage_workers": {"nonsense": 2}}, ValueError, "nonsense"),
        ({"stage_workers": {"batch": 2}}, ValueError, "batch"),
    ],
)
def test_wrong_settings_are_refused(costs: Path, options: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        spool.simulate(costs, **options)  # type: ignore[arg-type]


def test_files_without_costs(tmp_path: Path, photos: list[Path]) -> None:
    with pytest.raises(spool.DecodeError, match="missing"):
        spool.simulate(tmp_path / "missing")
    (tmp_path / "empty").write_text("{}")
    with pytest.raises(spool.DecodeError, match="no file of costs"):
        spool.simulate(tmp_path / "empty")
    with pytest.raises(spool.Error), spool.ImageLoader(photos[:1], costs=tmp_path / "no" / "folder") as loader:
        len(loader)


def test_profile(photos: list[Path]) -> None:
    with spool.ImageLoader(photos[:8], **OPTIONS) as loader:
        loop = iter(loader)
        first = next(loop).names
        p = loader.profile(items=16, workers=(1, 2))
        assert len(list(loop)) == 1, "the position stays"
        assert next(iter(loader)).names == first
        stages = {s["name"]: s["speeds"] for s in p.stages}
        assert [s["workers"] for s in stages["decode"]] == [1, 2]
        assert all(s["rate"] > 0 for speeds in stages.values() for s in speeds)
        assert len(str(p).splitlines()) == 2 + sum(len(s["speeds"]) for s in p.stages)
        assert "<td>decode</td>" in p._repr_html_()
        with pytest.raises(ValueError, match="workers"):
            loader.profile(workers=[2, 1])
    with spool.ImageLoader(photos[:8], streaming=True, **OPTIONS) as loader, pytest.raises(ValueError, match="stream"):
        loader.profile()
