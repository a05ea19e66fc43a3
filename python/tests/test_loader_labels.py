"""Labels of files that a program names one by one."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import spool


@pytest.mark.parametrize("labels", [[4, 0, 9, -1], np.array([4, 0, 9, -1], np.int32)])
def test_labels(testdata: Path, labels: list[int]) -> None:
    files = sorted((testdata / "photos").rglob("*.jpg"))[:4]
    loader = spool.ImageLoader(files, batch=4, size=8, labels=labels, shuffle=True, seed=3)
    for copy in loader, pickle.loads(pickle.dumps(loader)):
        (batch,) = copy
        assert batch.labels.tolist() == [[4, 0, 9, -1][i] for i in batch.ids]


def test_labels_of_audio(testdata: Path) -> None:
    files = [testdata / "audio" / name for name in ("s16.wav", "stereo.flac")]
    assert [int(batch.labels[0]) for batch in spool.AudioLoader(files, labels=[2, 1])] == [2, 1]


def test_refused(testdata: Path) -> None:
    folder = testdata / "photos"
    with pytest.raises(spool.Error, match="unsupported: is no single file"):
        spool.ImageLoader(folder, labels=[1])
    with pytest.raises(ValueError, match="labels: there are 2 for 1 sources: give one for each"):
        spool.ImageLoader(folder / "animal" / "00.jpg", labels=[1, 2])
    with pytest.raises(TypeError, match=r"(?s)targets.*labels"):
        spool.ImageLoader(folder, targets=[1])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="labels"):
        spool.Loader(folder, labels=[1], fields={"image": spool.Image(size=8)})  # type: ignore[call-arg]
