"""Batches on a real GPU, as PyTorch sees them. bench/gpu.sh runs these tests with the wheel, where there is a device.

Elsewhere they are skipped: python/tests/test_loader_device.py has the same with a simulated driver.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import need
import numpy as np
import pytest

import spool

torch = need.device()

MEDIA = Path(os.environ.get("SPOOL_TESTDATA", Path(__file__).resolve().parents[3] / "testdata"))
OPTIONS = {"batch": 8, "size": 64, "seed": 3, "shuffle": True}


def test_batches_are_the_hosts() -> None:
    device = spool.ImageLoader(MEDIA / "photos", device="cuda:0", output="torch", **OPTIONS)
    host = spool.ImageLoader(MEDIA / "photos", **OPTIONS)
    batches = 0
    for (images, labels), expected in zip(device, host, strict=True):
        assert images.device == torch.device("cuda:0")
        assert images.dtype == torch.uint8
        np.testing.assert_array_equal(images.cpu().numpy(), expected.images)
        np.testing.assert_array_equal(np.asarray(labels), expected.labels)
        batches += 1
    assert batches > 2
    device.close()
    host.close()


def test_work_in_the_current_stream_waits_for_the_copy() -> None:
    """Sums are queued without a wait, in the default stream and in another one, while later batches are copied."""
    host = spool.ImageLoader(MEDIA / "photos", **OPTIONS)
    expected = [batch.images.astype(np.int64).sum() for batch in host]
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        device = spool.ImageLoader(MEDIA / "photos", device="cuda:0", output="torch", **OPTIONS)
        with torch.cuda.stream(stream):
            sums = [images.sum(dtype=torch.int64) for images, _ in device]
        torch.cuda.synchronize()
        assert [s.item() for s in sums] == expected
        device.close()


def test_memory_of_the_device_is_returned() -> None:
    for _ in range(2):  # contexts and modules of the first time remain
        loader = spool.ImageLoader(MEDIA / "photos", device="cuda:0", output="torch", **OPTIONS)
        for _ in loader:
            pass
        loader.close()
        torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(5):
        loader = spool.ImageLoader(MEDIA / "photos", device="cuda:0", output="torch", **OPTIONS)
        for _ in loader:
            pass
        loader.close()
    torch.cuda.synchronize()
    assert torch.cuda.mem_get_info()[0] >= before - (8 << 20)


def test_missing_device() -> None:
    with pytest.raises(spool.DeviceError, match=r"cuda:9"):
        spool.ImageLoader(MEDIA / "photos", device="cuda:9", output="torch", **OPTIONS)


def test_frames_that_the_device_decodes() -> None:
    """Frames decoded by NVDEC and copied to the host are those of the CPU."""
    for name in ("bframes.mp4", "vfr.mp4"):
        file, indices = MEDIA / "video" / name, [0, 7, 3, 20]
        on = spool.decode_video(file, frames=indices, hwaccel="cuda")
        np.testing.assert_array_equal(np.asarray(on), np.asarray(spool.decode_video(file, frames=indices)))


def test_a_training_loop() -> None:
    """A model trains on normalized batches while the next ones are decoded and copied. Prints the rate."""
    loader = spool.ImageLoader(MEDIA / "photos", batch=32, size=224, train=True, device="cuda:0", output="torch")
    layers = [torch.nn.Conv2d(3, 32, 7, 4), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    mean = torch.tensor([0.485, 0.456, 0.406], device="cuda").view(1, 3, 1, 1) * 255
    std = torch.tensor([0.229, 0.224, 0.225], device="cuda").view(1, 3, 1, 1) * 255
    images_seen, begin = 0, time.monotonic()
    for _ in range(20):
        for images, labels in loader:
            x = (images.permute(0, 3, 1, 2).float() - mean) / std
            loss = torch.nn.functional.cross_entropy(model(x), torch.as_tensor(np.asarray(labels)).cuda() % 10)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            images_seen += len(images)
    torch.cuda.synchronize()
    print(f"{images_seen / (time.monotonic() - begin):.0f} images a second on {torch.cuda.get_device_name()}")
    assert torch.isfinite(loss)
    loader.close()
