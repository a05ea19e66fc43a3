"""Loaders in the workers of PyTorch's DataLoader, and in their parent, as in ordinary scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset

import spool

ROOT = Path(__file__).resolve().parents[3]
PHOTOS = ROOT / "testdata" / "photos"


class Streamed(IterableDataset[Any]):
    """Yields the batches of a loader of spool, in a worker."""

    def __init__(self, kind: str, src: Any, **options: Any) -> None:
        self.kind, self.src, self.options = kind, src, options

    def __iter__(self) -> Any:
        yield from self.loader()

    def loader(self) -> Any:
        return getattr(spool, self.kind)(self.src, **self.options)


class Decoded(IterableDataset[Any]):
    """Yields the results of calls, in a worker."""

    def __iter__(self) -> Any:
        photos = sorted(map(str, PHOTOS.glob("*/*.jpg")))[:4]
        yield spool.decode_images([*photos, "none.jpg"], size=8, on_error="placeholder")
        yield spool.decode_video(ROOT / "testdata/video/vfr.mp4", sample=3, size=8)
        yield spool.VideoDecoder(ROOT / "testdata/video/vfr.mp4", output="torch").get_frames_at([0, 3])
        yield spool.VideoDecoder(ROOT / "testdata/video/vfr.mp4").get_frame_at(1)
        yield spool.decode_audio(ROOT / "testdata/audio/s16.wav")
        yield next(iter(spool.ImageLoader(PHOTOS, batch=4, size=8, output="dlpack"))).data
        yield spool.decode_image(photos[0], size=8)


@pytest.mark.parametrize("form", ["numpy", "torch", "dlpack"])
@pytest.mark.parametrize(
    ("kind", "src", "options"),
    [
        ("ImageLoader", PHOTOS, {"batch": 8, "size": 32, "train": True}),
        ("VideoLoader", ROOT / "testdata/video/vfr.mp4", {"batch": 1, "size": 16, "frames": 3}),
        ("AudioLoader", ROOT / "testdata/audio/s16.wav", {"batch": 1, "duration": 0.2}),
    ],
)
def test_batches_of_workers(kind: str, src: Path, options: dict[str, Any], form: str) -> None:
    dataset = Streamed(kind, str(src), output=form, **options)
    loader = DataLoader(dataset, batch_size=None, num_workers=1, multiprocessing_context="forkserver", timeout=300)
    got, want = list(loader), list(dataset.loader())
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert type(a.data) is type(b.data)
        np.testing.assert_array_equal(np.asarray(a.data), np.asarray(b.data))
        np.testing.assert_array_equal(np.asarray(a.labels), np.asarray(b.labels))
        assert a.ids.tolist() == b.ids.tolist()
        assert a.names == b.names
        if form == "torch":
            assert a.data.is_shared(), "a tensor goes by shared memory"


def test_results_of_workers() -> None:
    loader = DataLoader(Decoded(), batch_size=None, num_workers=1, multiprocessing_context="forkserver", timeout=300)
    got, want = list(loader), list(Decoded())
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert np.array_equal(np.asarray(a), np.asarray(b))
        assert type(a) is type(b) or (type(a), type(b)) == (torch.Tensor, np.ndarray)  # by default_convert
    assert str(got[0].errors[4]) == str(want[0].errors[4])


SCRIPT = """
import torch
from torch.utils.data import DataLoader
import spool, spool.torch

paths = [(path, i) for i, path in enumerate({photos!r})]
collate = spool.torch.collate(size=32)
validation = spool.ImageLoader({folder!r}, batch=8, size=32, output="torch")
validation_videos = spool.VideoLoader({video!r}, batch=1, frames=2, size=16)

def train(loader):
    return sum(len(labels) for images, labels in loader)

def validate():
    return sum(len(images) for images, labels in validation) + sum(len(b) for b in validation_videos)

if __name__ == "__main__":
{body}
"""


def script(tmp_path: Path, body: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "train.py"
    photos = [str(path) for path in pages.images()[:24]]
    text = SCRIPT.format(photos=photos, folder=str(PHOTOS), video=str(ROOT / "testdata/video/vfr.mp4"), body=body)
    file.write_text(text)
    return subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=900, check=False)


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(paths, batch_size=8, num_workers=2, collate_fn=collate, persistent_workers=True)",
        "DataLoader(paths, batch_size=8, num_workers=2, collate_fn=collate, multiprocessing_context='forkserver')",
        "spool.torch.prefetch(DataLoader(paths, batch_size=8, collate_fn=collate))",
    ],
    ids=["persistent", "forkserver", "prefetch"],
)
def test_training_and_validating(tmp_path: Path, loader: str) -> None:
    """Loaders are made first. Each epoch trains in workers and validates in the parent."""
    body = f"""
    training = {loader}
    for epoch in range(2):
        print(train(training), validate())
"""
    ran = script(tmp_path, body)
    assert (ran.returncode, ran.stdout) == (0, "24 45\n" * 2), ran.stderr


def test_workers_that_are_forked_each_epoch(tmp_path: Path) -> None:
    """The first epoch trains. The second epoch, after the parent has validated, raises an error with the remedies."""
    body = """
    training = DataLoader(paths, batch_size=8, num_workers=2, collate_fn=collate)
    print(train(training), validate())
    try:
        train(training)
    except spool.ForkError as e:
        print("persistent_workers=True" in str(e), "forkserver" in str(e), "spool.torch.prefetch" in str(e))
"""
    ran = script(tmp_path, body)
    assert (ran.returncode, ran.stdout) == (0, "24 45\nTrue True True\n"), ran.stderr


def test_a_parent_that_has_not_used_spool_forks_at_any_time(tmp_path: Path) -> None:
    """Making, checking and printing objects loads nothing, and the parent's loader works in its workers."""
    body = """
    from torch.utils.data import IterableDataset
    from spool.torchvision import Compose, Resize

    class Streamed(IterableDataset):
        def __iter__(self):
            yield from validation

    Compose([Resize((8, 8))])
    repr(collate), spool.ImageSpec(size=3)
    try:
        spool.ImageLoader("none")
    except FileNotFoundError:
        pass
    for _ in range(2):
        streamed = DataLoader(Streamed(), batch_size=None, num_workers=1)
        print(train(DataLoader(paths, batch_size=8, num_workers=2, collate_fn=collate)), train(streamed))
    print(validate())
"""
    ran = script(tmp_path, body)
    assert (ran.returncode, ran.stdout) == (0, "24 44\n" * 2 + "45\n"), ran.stderr
