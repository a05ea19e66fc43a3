"""Random geometry and fixed crops of loaders: what is drawn for a sample is what decode_images draws for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool


@pytest.mark.parametrize(
    "geometry",
    [
        {"size": 32, "random_scale": (0.2, 0.6), "random_ratio": (1, 2), "flip_x": 0.5, "flip_y": 0.25},
        {"size": 32, "crop": 32, "random_crop": 4, "flip_x": 1},
        {"size": 40, "crop": (24, 32), "crops": "five"},
        {"resize_shorter": 40, "crop": 24, "crops": "ten", "layout": "nchw"},
    ],
)
def test_image_loader(photos: list[Path], geometry: dict[str, Any]) -> None:
    loader = spool.ImageLoader(photos, batch=len(photos), seed=3, workers=2, **geometry)
    for epoch in range(2):
        (batch,) = loader
        expected = spool.decode_images(photos, seed=3, epoch=epoch, ids=batch.ids, regions=True, **geometry)
        np.testing.assert_array_equal(batch.images, expected.data)
        assert batch.regions.tolist() == expected.regions.tolist()  # type: ignore[union-attr]


def test_train_and_given_values(photos: list[Path]) -> None:
    """Options that are not given have defaults with ``train``."""
    options: dict[str, Any] = {"batch": 8, "size": 32, "seed": 1}
    (train,) = spool.ImageLoader(photos[:8], train=True, **options)
    (spelled,) = spool.ImageLoader(photos[:8], random_scale=(0.08, 1), flip_x=0.5, **options)
    np.testing.assert_array_equal(train.images, spelled.images)
    (never,) = spool.ImageLoader(photos[:8], train=True, flip_x=0, **options)
    assert not never.regions["flip_x"].any()


def test_video_loader(testdata: Path) -> None:
    clip = testdata / "video/bframes.mp4"
    options: dict[str, Any] = {"batch": 1, "frames": 4, "size": (24, 32)}
    (plain,) = spool.VideoLoader(clip, **options)
    (turned,) = spool.VideoLoader(clip, flip_x=1, flip_y=1, **options)
    np.testing.assert_array_equal(turned.clips, plain.clips[:, :, ::-1, ::-1])
    (cropped,) = spool.VideoLoader(clip, random_crop=0, crop=16, seed=2, **options)
    whole, part = plain.clips[0], cropped.clips[0]
    places = [(y, x) for y in range(9) for x in range(17) if np.array_equal(whole[:, y : y + 16, x : x + 16], part)]
    assert len(places) == 1
    assert places != [(4, 8)]


def test_five_crops_fail_for_small_images(photos: list[Path]) -> None:
    with pytest.raises(ValueError, match="crops=five needs crop"):
        list(spool.ImageLoader(photos[:1], size=32, crops="five"))
    with pytest.raises(ValueError, match="crops"):
        list(spool.ImageLoader(photos[:1], size=32, crop=16, random_crop=2, crops="five"))


@pytest.mark.parametrize(("crops", "layout"), [("five", "nhwc"), ("ten", "nchw")])
def test_clips(testdata: Path, crops: str, layout: str) -> None:
    """The crops of clips are parts of the frames, in VideoLoader and decode_video."""
    file = testdata / "video/bframes.mp4"
    options: dict[str, Any] = {"size": (30, 40), "crop": (12, 16), "crops": crops, "layout": layout}
    whole = spool.decode_video(file, sample=4, size=(30, 40)).data
    right, down = 40 - 16, 30 - 12
    places = [(0, 0), (right, 0), (0, down), (right, down), (12, 9)]
    want = [image[:, y : y + 12, x : x + 16] for image in (whole, whole[:, :, ::-1]) for x, y in places]
    expected = np.stack(want[: {"five": 5, "ten": 10}[crops]])
    if layout == "nchw":
        expected = np.moveaxis(expected, -1, -3)
    clip = spool.decode_video(file, sample=4, **options)
    np.testing.assert_array_equal(clip.data, expected)
    assert clip.pts_seconds.shape == clip.index.shape == expected.shape[:2]
    assert clip.index.tolist() == [spool.decode_video(file, sample=4).index.tolist()] * len(expected)
    (batch,) = spool.VideoLoader([file, file], frames=4, batch=2, **options)
    np.testing.assert_array_equal(batch.clips, np.stack([expected, expected]))
    assert batch.frames.shape == (2, 4)
    out = np.empty_like(expected)
    assert spool.decode_video(file, sample=4, out=out, **options).data is out
    np.testing.assert_array_equal(out, expected)


def test_clips_refuse(testdata: Path) -> None:
    file = testdata / "video/bframes.mp4"
    for wrong in ({"crops": "five"}, {"crops": "five", "crop": 8, "on_damage": "skip"}, {"crops": "six", "crop": 8}):
        with pytest.raises(ValueError, match="crops"):
            spool.decode_video(file, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="crops"):
        spool.VideoLoader([file], size=32, crop=16, random_crop=2, crops="five", batch=1).samples  # noqa: B018
    with pytest.raises(spool.DecodeError, match="too small"):
        spool.decode_video(file, crop=2000, crops="five")
