"""Loaders that decode on a real GPU, against the same loaders on the host. bench/gpu.sh runs these."""

from __future__ import annotations

import os
import time
from pathlib import Path

import need
import pytest

import spool

torch = need.device()

MEDIA = Path(os.environ.get("SPOOL_TESTDATA", Path(__file__).resolve().parents[3] / "testdata"))
PHOTOS = MEDIA / "photos"
MEAN = 1.0  # of the difference of all images: nvJPEG has another inverse DCT and another upsampling


@pytest.mark.parametrize("train", [False, True])
def test_images_are_close_to_the_hosts(train: bool) -> None:
    options = {"batch": 16, "size": 96, "train": train, "shuffle": True, "epochs": 2, "output": "torch"}
    off = []
    with (
        spool.ImageLoader(PHOTOS, device="cuda:0", decode_on="device", **options) as on,
        spool.ImageLoader(PHOTOS, **options) as host,
    ):
        for got, want in zip(on, host, strict=True):
            assert got.images.device == torch.device("cuda:0")
            assert got.names == want.names
            assert (got.regions == want.regions).all()
            off.append((got.images.cpu().short() - want.images.short()).abs().float().mean().item())
        counts = on.stats["decoded_on"]
    print(f"decoded_on {counts}, mean difference {sum(off) / len(off):.3f}")
    assert sum(off) / len(off) < MEAN
    assert counts["device"] > sum(counts.get("host", {}).values())


def test_clips_are_the_hosts() -> None:
    options = {"frames": 4, "batch": 1, "size": 48, "epochs": 1, "output": "torch"}
    with (
        spool.VideoLoader(MEDIA / "video/bframes.mp4", device="cuda:0", decode_on="device", **options) as on,
        spool.VideoLoader(MEDIA / "video/bframes.mp4", **options) as host,
    ):
        for got, want in zip(on, host, strict=True):
            assert torch.equal(got.clips.cpu(), want.clips)
            assert (got.frames == want.frames).all()
        assert on.stats["decoded_on"]["device"] == 1


def test_rate() -> None:
    """Prints images a second, by the device and by the host. It has no bound."""
    for decode_on in ("device", "host"):
        options = {"batch": 64, "size": 224, "repeats": 40, "epochs": 1, "device": "cuda:0", "output": "torch"}
        with spool.ImageLoader(PHOTOS, decode_on=decode_on, **options) as loader:
            begun, n = time.perf_counter(), 0
            for batch in loader:
                n += len(batch.images)
            torch.cuda.synchronize()
            print(f"decode_on={decode_on}: {n / (time.perf_counter() - begun):.0f} images a second")
