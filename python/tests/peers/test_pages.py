"""The code of docs/loaders and of README.md runs, and its batches equal torchvision's, bit for bit.

Each page runs in its own process, as a reader would run it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import need
import pages
import pytest
import stores

# The loaders of each page, in the order in which the page makes them. They run in this order.
LOADERS = {
    "pytorch.md": ["after", "single", "threaded"],
    "torchvision.md": ["evaluated"],
    "spdl.md": ["after", "source"],
    "webdataset.md": ["after", "single", "pipeline"],
    "huggingface.md": ["after"],
    "grain.md": ["after"],
    "fsspec.md": ["after"],
    "ray.md": ["after"],
    "opencv.md": ["after"],
    "dali.md": ["after"],
    "ffcv.md": ["after"],
    "torchcodec.md": [],  # assertions of its own
    "decord.md": [],
    "concurrent.md": ["after", "collated", "threaded", "awaited"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Serve the photos in a store, and return the environment with which a page's code finds it."""
    need.peer("moto")
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


JITTER = """
import pages, spool.torch, torch

names = pages.run(pages.PAGES / "torchvision.md")
batches = list(names["augmented"])  # first, since its workers are forked
assert sum(len(labels) for _, labels in batches) == 72
names["crops"] = spool.torch.collate(size=32)  # without random crops
samples = [names["paths"].samples[0]] * 8
torch.manual_seed(1)
images, labels = names["jittered"](samples)
assert images.shape == (8, 3, 32, 32) and images.dtype == torch.float32 and labels.tolist() == [0] * 8
assert len({image.numpy().tobytes() for image in images}) == 8, "two images have the same draw"
once = names["jitter"](names["crops"](samples)[0])
assert len({image.numpy().tobytes() for image in once}) == 1, "torchvision draws once for a batch, as the page says"
"""


def test_jitter_of_each_image(tmp_path: Path) -> None:
    pages.prepare(tmp_path, 72)
    run = subprocess.run(
        [sys.executable, "-c", JITTER],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}{os.pathsep}{Path(pages.__file__).parent}",
        },
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]


@pytest.mark.parametrize("page", ["docs/tutorials/s3.md", "docs/remote.md"])
def test_page_of_a_store(page: str, tmp_path: Path, store: dict[str, str]) -> None:
    script = tmp_path / "page.py"
    script.write_text("\n".join(code for _, code in pages.blocks(pages.ROOT / page)))
    run = subprocess.run(
        [sys.executable, script], env={**os.environ, **store}, capture_output=True, text=True, timeout=180, check=False
    )
    assert run.returncode == 0, run.stderr[-4000:]


@pytest.mark.parametrize("side", ["-", "+"])
def test_readme_swap(side: str, tmp_path: Path) -> None:
    """Both sides of the diff in README.md are loaders with torchvision's batches."""
    text = (pages.ROOT / "README.md").read_text()
    diff = re.findall(r"^```diff\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(diff) == 1
    page = tmp_path / "readme.md"
    code = "\n".join(line[1:] for line in diff[0].splitlines() if line[:1] in (side, " ", ""))
    page.write_text(f"```python\n{code}\n```\n")
    pages.prepare(tmp_path, 72, shards=False)
    run = subprocess.run(
        [sys.executable, pages.__file__, page, "loader"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "python/README.md",
        "docs/python-loader.md",
        "docs/python-video.md",
        "docs/tutorials/first-loader.md",
        "docs/tutorials/gpus.md",
        "docs/tutorials/video.md",
    ],
)
def test_guide(page: str, tmp_path: Path) -> None:
    """The Python code of a guide runs as one script, from the root of the repository."""
    script = tmp_path / "page.py"
    script.write_text("\n".join(code for _, code in pages.blocks(pages.ROOT / page)))
    run = subprocess.run(
        [sys.executable, script], cwd=pages.ROOT, capture_output=True, text=True, timeout=180, check=False
    )
    assert run.returncode == 0, run.stderr[-4000:]


def test_every_page_is_run() -> None:
    assert {page.name for page in pages.PAGES.glob("*.md")} - {"README.md"} == LOADERS.keys()
