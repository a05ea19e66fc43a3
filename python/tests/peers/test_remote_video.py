"""The benchmark of remote video: its contestants, and that a contestant with wrong frames is not timed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "bench" / "python" / "remotevideo.py"


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("remotevideo", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_peer_reports_its_best_setting() -> None:
    video = ROOT / "testdata" / "video" / "bframes.mp4"
    command = [sys.executable, SCRIPT, video, "--latency", "0", "--frames", "3", "--repeat", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = {line["peer"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert list(lines) == ["spool", "torchcodec, fsspec", "torchcodec, fsspec tuned", "torchcodec, FFmpeg's HTTP"]
    for line in lines.values():
        assert line["wall_s"] > 0
        assert line["requests"] > 0
    assert "KiB" in lines["torchcodec, fsspec tuned"]["setting"]


def test_settings_are_the_whole_grid() -> None:
    script = load_script()
    settings = script.ways("http://127.0.0.1/x.mp4", 3)["torchcodec, fsspec tuned"]
    assert len(settings) == len(script.CACHES) * len(script.BLOCKS) * 2
    assert {way.args[3]["cache_type"] for way in settings.values()} == {"readahead", "blockcache", "background"}


def test_other_frames_are_refused() -> None:
    script = load_script()
    same = {"spool": {"": lambda: np.zeros(3)}, "peer": {"a": lambda: np.zeros(3)}}
    script.check(same)
    with pytest.raises(SystemExit, match="peer, b: other frames"):
        script.check({**same, "peer": {"a": lambda: np.zeros(3), "b": lambda: np.ones(3)}})
