"""The example that cuts audio into windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from conftest import ROOT

import spool

SCRIPT = ROOT / "python/examples/audio_windows.py"


def test_windows(testdata: Path, tmp_path: Path) -> None:
    files = [testdata / "audio/s16.wav", testdata / "audio/opus.opus", testdata / "audio/damaged.m4a"]
    ran = subprocess.run(
        [sys.executable, SCRIPT, *files, "--out", tmp_path, "--seconds", "0.08", "--overlap", "0.02"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "damaged.m4a: corrupt" in ran.stderr
    for file in files[:2]:
        whole = spool.decode_audio(file, rate=16000, channels=1).data[0]
        made = np.load(tmp_path / f"{file.name}.npz")
        assert made["samples"].shape[1] == 1280
        covered = 0
        for window, start, seconds in zip(made["samples"], made["starts"], made["seconds"], strict=True):
            first, n = round(start * 16000), round(seconds * 16000)
            assert first <= covered
            np.testing.assert_array_equal(window[:n], whole[first : first + n])
            assert not window[n:].any()
            covered = first + n
        assert covered == len(whole)
    assert not (tmp_path / "damaged.m4a.npz").exists()


def test_wrong_overlap(testdata: Path, tmp_path: Path) -> None:
    arguments = [testdata / "audio/s16.wav", "--out", tmp_path, "--seconds", "1", "--overlap", "1"]
    ran = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "--overlap" in ran.stderr
