"""The example scripts and the notebook run on small data sets, with correct results."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import need
import numpy as np
import pages
import pytest
from environments import interpreter
from PIL import Image

EXAMPLES = pages.ROOT / "python" / "examples"


def run(cwd: Path, *arguments: str, python: str = sys.executable) -> str:
    done = subprocess.run([python, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_regression_in_jax(tmp_path: Path) -> None:
    need.peer("jax")
    check_regression(tmp_path, "jax", sys.executable)


def test_regression_in_tinygrad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("clang") is None:
        monkeypatch.setenv("DEV", "PYTHON")  # tinygrad's device that compiles nothing
    check_regression(tmp_path, "tinygrad", interpreter(Path(__file__).with_name("tinygrad.txt")))


def check_regression(tmp_path: Path, package: str, python: str) -> None:
    """Check that a linear model in another array library tells dark from light images."""
    random = np.random.default_rng(0)
    for name, low in (("dark", 0), ("light", 128)):
        (tmp_path / "data" / name).mkdir(parents=True)
        for i in range(32):
            pixels = random.integers(low, low + 128, (16, 16, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "data" / name / f"{i:02}.png")
    said = run(tmp_path, str(EXAMPLES / f"regression_{package}.py"), "data", python=python)
    accuracy = re.search(r"accuracy ([\d.]+)", said)
    assert accuracy, said
    assert float(accuracy[1]) > 0.9, said


def test_train_classifier(tmp_path: Path) -> None:
    """After one epoch, the classifier tells vertical from horizontal stripes. A broken file does not end the epoch."""
    random = np.random.default_rng(0)
    for name in ("lying", "standing"):
        (tmp_path / "stripes" / name).mkdir(parents=True)
        for i in range(160):
            stripes = np.repeat(random.integers(0, 256, (24, 1, 3), np.uint8), 4, axis=0).repeat(96, axis=1)
            image = stripes if name == "lying" else stripes.transpose(1, 0, 2)
            Image.fromarray(image).save(tmp_path / "stripes" / name / f"{i:03}.jpg", quality=90)
    (tmp_path / "stripes" / "lying" / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    said = run(tmp_path, str(EXAMPLES / "train_classifier.py"), "stripes")
    accuracy = re.search(r"accuracy ([\d.]+)", said)
    assert accuracy, said
    assert float(accuracy[1]) > 0.9, said


def test_tour(tmp_path: Path) -> None:
    """The notebook's cells run from top to bottom, and its comparison shows no difference."""
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text())
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in notebook["cells"]), "the notebook has outputs"
    script = "\n\n".join([*code, 'assert all(row["equal"] for row in table if row["profile"] == "exact")'])
    (tmp_path / "tour.py").write_text(script)
    said = run(pages.ROOT, str(tmp_path / "tour.py"))
    assert "(8, 3, 224, 224)" in said
    assert "none.jpg: not-found" in said
