"""Frames that NVDEC decodes and that stay on a real GPU, against the host's. bench/gpu.sh runs these."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

import need
import pytest

import spool

torch = need.device()

MEDIA = Path(os.environ.get("SPOOL_TESTDATA", Path(__file__).resolve().parents[3] / "testdata"))
VIDEO = MEDIA / "video"
INDICES = [0, 7, 3, 20, 7, -1]


@pytest.mark.parametrize("name", ["bframes.mp4", "vfr.mp4"])
@pytest.mark.parametrize("order", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_frames_are_the_hosts(name: str, order: str, dtype: str) -> None:
    options = {"dimension_order": order, "output_dtype": dtype, "output": "torch"}
    if dtype != "uint8":
        options |= {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
    with spool.VideoDecoder(VIDEO / name, device="cuda:0", **options) as on:
        host = spool.VideoDecoder(VIDEO / name, **options).get_frames_at(INDICES)
        batch = on.get_frames_at(INDICES)
        assert on.cpu_fallback == ""
    assert batch.data.device == torch.device("cuda:0")
    assert batch.data.is_contiguous()
    assert torch.equal(batch.data.cpu(), host.data)
    assert torch.equal(batch.pts_seconds, host.pts_seconds)
    assert torch.equal(batch.index, host.index)


def test_all_files() -> None:
    """Each file has the frames of the host, or the reason why the host decodes it. Prints which."""
    on_device = 0
    for file in sorted(VIDEO.iterdir()):
        try:
            host = spool.VideoDecoder(file, output="torch")
            expected = host.get_all_frames()
        except (spool.Error, ValueError):
            continue
        on = spool.VideoDecoder(file, device="cuda:0", output="torch")
        got = on.get_all_frames()
        off = (got.data.cpu().short() - expected.data.short()).abs().max().item()
        print(f"{file.name}: {on.cpu_fallback or 'NVDEC'}, differs by at most {off}")
        assert got.data.device.type == "cuda"
        if on.cpu_fallback:
            assert off == 0, file.name
        elif file.name == "mpeg2.mpg":
            assert off <= 8, file.name  # MPEG-2 does not fix the inverse DCT, and predicted frames add up differences
        elif not file.name.startswith(("dropped", "truncated")):  # NVDEC fills what is missing in another way
            assert off <= 3, file.name  # the host interpolates the chroma of interlaced frames by fields
        on_device += not on.cpu_fallback
    assert on_device > 0


def test_options_that_the_host_makes() -> None:
    options = {"size": 32, "profile": "fast", "output": "torch"}
    on = spool.VideoDecoder(VIDEO / "bframes.mp4", device="cuda", **options)
    host = spool.VideoDecoder(VIDEO / "bframes.mp4", **options)
    assert torch.equal(on[3:9:2].cpu(), host[3:9:2])
    assert "host" in on.cpu_fallback


def test_many_results_are_held() -> None:
    """Results are torch's memory, so any number can be held. Nothing waits between calls."""
    on = spool.VideoDecoder(VIDEO / "bframes.mp4", device="cuda:0", output="torch")
    kept = list(on)
    host = spool.VideoDecoder(VIDEO / "bframes.mp4", output="torch")
    for frame, expected in zip(kept, host, strict=True):
        assert torch.equal(frame.cpu(), expected)
    again = pickle.loads(pickle.dumps(on))
    assert torch.equal(again[5], kept[5])
    on.close()
    with pytest.raises(spool.ClosedError):
        on[0]
    assert torch.equal(again[6], kept[6])


def test_rates() -> None:
    """Prints the rates of frames that stay on the device, and of frames that are decoded by the host and copied."""
    file = VIDEO / "bframes.mp4"
    on = spool.VideoDecoder(file, device="cuda:0", output="torch")
    host = spool.VideoDecoder(file, output="torch", num_ffmpeg_threads=0)
    for name, run in (("NVDEC", on.get_all_frames), ("the host and a copy", lambda: host.get_all_frames().data.cuda())):
        run()
        torch.cuda.synchronize()
        begin = time.monotonic()
        for _ in range(20):
            run()
        torch.cuda.synchronize()
        print(f"{name}: {20 * len(on) / (time.monotonic() - begin):.0f} frames of {file.name} a second")
