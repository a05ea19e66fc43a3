"""A real GPU converts the bytes of batches to the floats of the host and of torch. bench/gpu.sh runs these."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import need
import pytest

import spool

torch = need.device()

MEDIA = Path(os.environ.get("SPOOL_TESTDATA", Path(__file__).resolve().parents[3] / "testdata"))
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
OPTIONS: dict[str, Any] = {"batch": 8, "size": 64, "seed": 3, "shuffle": True, "layout": "nchw", "output": "torch"}
FLOATS: dict[str, Any] = {"mean": MEAN, "std": STD, "normalize_on": "device", "device": "cuda:0"}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_images_are_the_hosts(dtype: str) -> None:
    device = spool.ImageLoader(MEDIA / "photos", dtype=dtype, **OPTIONS, **FLOATS)
    host = spool.ImageLoader(MEDIA / "photos", dtype=dtype, mean=MEAN, std=STD, **OPTIONS)
    batches = 0
    for (images, labels), (expected, wanted) in zip(device, host, strict=True):
        assert images.device == torch.device("cuda:0")
        assert images.dtype == getattr(torch, dtype)
        assert images.shape[1:] == (3, 64, 64)
        assert torch.equal(images.cpu().view(torch.uint8), expected.view(torch.uint8))
        assert (labels == wanted).all()
        batches += 1
    assert batches > 2
    device.close()
    host.close()


def test_images_are_torchs() -> None:
    """PyTorch computes the same floats from the bytes on the device."""
    floats = spool.ImageLoader(MEDIA / "photos", dtype="float32", **OPTIONS, **FLOATS)
    data = spool.ImageLoader(MEDIA / "photos", device="cuda:0", **{**OPTIONS, "layout": "nhwc"})
    mean, std = (torch.tensor(v, device="cuda").view(1, 3, 1, 1) for v in (MEAN, STD))
    for (images, _), (pixels, _) in zip(floats, data, strict=True):
        expected = (pixels.permute(0, 3, 1, 2).float() / 255 - mean) / std
        torch.testing.assert_close(images, expected, rtol=0, atol=1e-6)


def test_clips_are_the_hosts() -> None:
    options = {**OPTIONS, "batch": 2, "frames": 4}
    files = [MEDIA / "video" / name for name in ("bframes.mp4", "vfr.mp4", "full.mp4", "mpeg2.mpg")]
    device = spool.VideoLoader(files, dtype="float16", **options, **FLOATS)
    host = spool.VideoLoader(files, dtype="float16", mean=MEAN, std=STD, **options)
    for on, expected in zip(device, host, strict=True):
        assert on.data.shape[1:] == (4, 3, 64, 64)
        assert torch.equal(on.data.cpu().view(torch.uint8), expected.data.view(torch.uint8))


def test_work_without_a_wait() -> None:
    """Work is queued in two streams without a wait, while later batches are copied and converted."""
    host = spool.ImageLoader(MEDIA / "photos", dtype="float32", mean=MEAN, std=STD, **OPTIONS)
    expected = torch.stack([images.double().sum() for images, _ in host])
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        device = spool.ImageLoader(MEDIA / "photos", dtype="float32", **OPTIONS, **FLOATS)
        with torch.cuda.stream(stream):
            sums = torch.stack([images.double().sum() for images, _ in device])
        torch.cuda.synchronize()
        torch.testing.assert_close(sums.cpu(), expected, rtol=1e-9, atol=1e-6)
        device.close()


def test_memory_of_torch() -> None:
    """Batches are in memory of PyTorch's allocator, and it gets the memory back."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    options = {**OPTIONS, "size": 256, "allocator": "torch"}
    loader = spool.ImageLoader(MEDIA / "photos", dtype="float32", **options, **FLOATS)
    host = spool.ImageLoader(MEDIA / "photos", dtype="float32", mean=MEAN, std=STD, **{**OPTIONS, "size": 256})
    seen = 0
    for (images, _), (expected, _) in zip(loader, host, strict=True):
        seen = max(seen, torch.cuda.memory_allocated() - before)
        blocks = torch.cuda.memory_snapshot()
        at = images.data_ptr()
        assert any(b["address"] <= at < b["address"] + b["total_size"] for b in blocks), "not in torch's memory"
        assert torch.equal(images.cpu(), expected)
    assert seen >= 8 * 3 * 256 * 256 * 4
    print(f"torch.cuda.memory_allocated() shows {seen} bytes of batches")
    del images
    loader.close()
    torch.cuda.synchronize()
    for _ in range(100):  # the last copy ends in another thread
        if torch.cuda.memory_allocated() == before:
            break
        time.sleep(0.05)
    assert torch.cuda.memory_allocated() == before


def test_rates() -> None:
    """Prints the rates of a loader whose host, or whose device, makes the floats."""
    for where in ("host", "device", "host", "device"):
        options: dict[str, Any] = {"batch": 64, "size": 224, "layout": "nchw", "dtype": "float16", "output": "torch"}
        loader = spool.ImageLoader(
            [MEDIA / "photos"] * 1, mean=MEAN, std=STD, normalize_on=where, device="cuda:0", repeats=16, **options
        )
        for _ in loader:
            pass
        seen, begin = 0, time.monotonic()
        for images, _ in loader:
            seen += len(images)
        torch.cuda.synchronize()
        print(f"floats of 224x224 made on the {where}: {seen / (time.monotonic() - begin):.0f} images a second")
        loader.close()
