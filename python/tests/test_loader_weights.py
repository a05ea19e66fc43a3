"""Samples drawn by weights: how many an epoch has, and that repeats of one image are cropped anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import spool

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("keywords", [{}, {"draws": 0}])
def test_as_many_draws_as_samples(testdata: Path, keywords: dict[str, int]) -> None:
    loader = spool.ImageLoader(testdata / "photos", weights=np.ones(44), batch=8, size=8, **keywords)
    drawn = [i for batch in loader for i in batch.ids.tolist()]
    assert len(drawn) == 44
    assert set(drawn) <= set(range(44))


def test_one_image_is_cropped_anew(testdata: Path) -> None:
    weights = np.zeros(44)
    weights[7] = 1
    loader = spool.ImageLoader(testdata / "photos", weights=weights, batch=4, size=32, train=True)
    ids: list[int] = []
    crops: set[bytes] = set()
    for batch in loader:
        ids += batch.ids.tolist()
        crops |= {image.tobytes() for image in np.asarray(batch.images)}
    assert ids == [7] * 44
    assert len(crops) == 44
