"""Metrics of loaders, as prometheus_client writes them."""

from __future__ import annotations

import re
from pathlib import Path

import need

import spool

ROOT = Path(__file__).resolve().parents[3]
prometheus_client = need.peer("prometheus_client")


def test_metrics(tmp_path: Path) -> None:
    bad = tmp_path / "no-image-of-mine.jpg"
    bad.write_bytes(b"no image")
    registry = prometheus_client.CollectorRegistry()
    with spool.ImageLoader([ROOT / "testdata" / "photos", bad], size=32, epochs=1, batch=8) as loader:
        from spool import metrics

        registry.register(metrics.Collector(loader, {"loader": "train"}))
        samples = sum(len(batch) for batch in loader)
        value = registry.get_sample_value
        assert value("spool_loader_samples_total", {"loader": "train"}) == samples
        stage = {"loader": "train", "spool_stage_name": "decode"}
        assert value("spool_stage_items_total", stage) == samples
        assert value("spool_stage_duration_seconds_count", stage) == samples + 1
        assert value("spool_stage_failures_total", {**stage, "error_type": "not-media"}) == 1
        text = prometheus_client.generate_latest(registry).decode()
        assert "no-image-of-mine" not in text
        page = (ROOT / "docs" / "metrics.md").read_text()
        documented = {name.replace(".", "_") for name in re.findall(r"^\| `(spool\.[a-z._]+)`", page, re.MULTILINE)}
        for name in re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE):
            assert re.sub(r"(_seconds|_bytes|_ratio)?(_total)?$", "", name) in documented, name
    assert prometheus_client.generate_latest(registry) == b""
