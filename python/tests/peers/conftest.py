"""Shared fixtures of the tests with other packages."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pages
import pytest

# Workers are forked from a server that has imported slow modules and has not used spool.
multiprocessing.set_forkserver_preload(["torch", "spool.torch"])


@pytest.fixture(scope="session")
def photos() -> list[Path]:
    """Return 72 photos of several sizes. If there are fewer, some are repeated."""
    found = pages.images()
    return [found[i % len(found)] for i in range(72)]


@pytest.fixture(scope="session")
def samples(photos: list[Path]) -> list[tuple[str, int]]:
    """Return their paths, each with its number."""
    return [(str(path), i) for i, path in enumerate(photos)]


@pytest.fixture
def broken(tmp_path: Path, photos: list[Path]) -> list[tuple[str, int]]:
    """Samples of which the second and the last cannot be decoded: a truncated file, and a missing file."""
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(photos[1].read_bytes()[:2000])
    paths = [photos[0], cut, photos[2], photos[3], tmp_path / "none.jpg"]
    return [(str(path), i) for i, path in enumerate(paths)]
