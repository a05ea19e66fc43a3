"""The code of docs/loaders runs, and its batches are torchvision's, bit for bit.

Each page runs in a process of its own, as a reader's would.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pages
import pytest

# The loaders of each page, in an order in which they may run: those with forked workers before those that decode here.
LOADERS = {
    "pytorch.md": ["after", "single", "threaded"],
    "torchvision.md": ["evaluated"],
    "spdl.md": ["after", "source"],
    "webdataset.md": ["after", "single"],
    "huggingface.md": ["after"],
    "grain.md": ["after"],
    "fsspec.md": ["after"],
    "ray.md": ["after"],
}


@pytest.mark.parametrize("page", LOADERS)
def test_page(page: str, tmp_path: Path) -> None:
    pages.prepare(tmp_path, 72)
    run = subprocess.run(
        [sys.executable, pages.__file__, page, *LOADERS[page]],
        cwd=tmp_path,
        env={**os.environ, "HF_HOME": str(tmp_path / "huggingface"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]


def test_every_page_is_run() -> None:
    assert {page.name for page in pages.PAGES.glob("*.md")} - {"README.md"} == LOADERS.keys()
