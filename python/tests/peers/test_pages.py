"""The code of docs/loaders runs, and its batches are torchvision's, bit for bit.

Each page runs in a process of its own, as a reader's would.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pages
import pytest
import stores

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
    "concurrent.md": ["after", "awaited", "collated", "threaded"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Give what finds a store with the photos, in the environment of a page that reads from one."""
    pytest.importorskip("moto")
    folder = tmp_path_factory.mktemp("store")
    photos = pages.prepare(folder, 72, shards=False)
    with stores.serve("moto", folder) as url:
        stores.fill(url, "photos", {str(photo.relative_to(folder)): photo.read_bytes() for photo in photos})
        yield stores.environment(url)


@pytest.mark.parametrize("page", LOADERS)
def test_page(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    pages.prepare(tmp_path, 72)
    remote: dict[str, str] = request.getfixturevalue("store") if page == "concurrent.md" else {}
    run = subprocess.run(
        [sys.executable, pages.__file__, page, *LOADERS[page]],
        cwd=tmp_path,
        env={**os.environ, **remote, "HF_HOME": str(tmp_path / "huggingface"), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]


def test_every_page_is_run() -> None:
    assert {page.name for page in pages.PAGES.glob("*.md")} - {"README.md"} == LOADERS.keys()
