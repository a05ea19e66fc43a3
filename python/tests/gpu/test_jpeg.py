"""JPEG images that nvJPEG decodes on a real GPU, against the host's and torchvision's. bench/gpu.sh runs these."""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path

import need
import numpy as np
import pytest

import spool

torch = need.device()

MEDIA = Path(os.environ.get("SPOOL_TESTDATA", Path(__file__).resolve().parents[3] / "testdata"))
PHOTOS = sorted((MEDIA / "photos").glob("*/*.jpg"))
BOUND = 4.0  # of the mean difference of an image: nvJPEG has another inverse DCT and another upsampling
MEAN = 1.0  # of the same, over all images


def close_to_host(image: torch.Tensor, photo: Path) -> float:
    expected = np.asarray(spool.decode_image(photo)).astype(np.int16)
    assert image.shape == expected.shape
    return float(np.abs(image.cpu().numpy().astype(np.int16) - expected).mean())


def test_images_are_close_to_the_hosts() -> None:
    with spool.JPEGDecoder("cuda:0") as decode:
        images = decode(PHOTOS)
        counts = decode.counts
    print(f"nvJPEG {counts}")
    off = [close_to_host(image, photo) for image, photo in zip(images, PHOTOS, strict=True)]
    print(f"mean difference to the host: {np.mean(off):.3f}, of the worst image {max(off):.3f}")
    assert max(off) < BOUND
    assert np.mean(off) < MEAN
    assert counts["device"] > 0
    assert counts["failed"] == 0
    assert counts["device"] + sum(counts.get("host", {}).values()) == len(PHOTOS)


def test_images_are_torchvisions() -> None:
    """Torchvision uses nvJPEG too, so most images differ by nothing. It does not turn images upright."""
    io = need.peer("torchvision.io")
    upright = [p for p in PHOTOS if spool.probe(p).get("orientation", 1) <= 1]
    data = [torch.frombuffer(bytearray(p.read_bytes()), dtype=torch.uint8) for p in upright]
    try:
        expected = io.decode_jpeg(data, mode=io.ImageReadMode.RGB, device="cuda")
    except RuntimeError as e:
        need.skip("peers", f"torchvision: {e}")
    same = 0
    with spool.JPEGDecoder("cuda:0") as decode:
        for image, peer in zip(decode(upright), expected, strict=True):
            off = (image.permute(2, 0, 1).short() - peer.short()).abs()
            assert off.float().mean() < BOUND
            same += off.max().item() == 0
    print(f"{same} of {len(upright)} images are torchvision's")
    assert same > len(upright) / 2


def test_sources_and_failures() -> None:
    photo = PHOTOS[0].read_bytes()
    with spool.JPEGDecoder("cuda:0") as decode:
        images = decode([PHOTOS[0], photo, b"none", MEDIA / "missing.jpg"], on_error="skip")
        assert images[2] is None
        assert images[3] is None
        assert torch.equal(images[0], images[1])
        with pytest.raises(FileNotFoundError):
            decode([PHOTOS[0], MEDIA / "missing.jpg"])
        again = pickle.loads(pickle.dumps(decode))
        assert torch.equal(again([photo])[0], images[0])
        again.close()
        assert decode([]) == []
    with pytest.raises(spool.ClosedError):
        decode([photo])
    assert close_to_host(images[0], PHOTOS[0]) < BOUND


def test_work_without_a_wait() -> None:
    """Sums are queued without a wait, in two streams, while the slabs of the ring are used again."""
    with spool.JPEGDecoder("cuda:0", ring=2) as decode:
        expected = [image.long().sum().item() for image in decode(PHOTOS[:12])]
        for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
            sums = []
            with torch.cuda.stream(stream):
                for i in range(0, 12, 3):
                    sums += [image.sum(dtype=torch.int64) for image in decode(PHOTOS[i : i + 3])]
            torch.cuda.synchronize()
            assert [s.item() for s in sums] == expected


def test_memory_of_torch() -> None:
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    decode = spool.JPEGDecoder("cuda:0", allocator="torch")
    images = decode(PHOTOS[:4])
    held = torch.cuda.memory_allocated() - before
    assert held >= sum(image.numel() for image in images)
    assert close_to_host(images[3], PHOTOS[3]) < BOUND
    decode.close()
    assert close_to_host(images[3], PHOTOS[3]) < BOUND
    del images
    torch.cuda.synchronize()
    for _ in range(100):
        if torch.cuda.memory_allocated() == before:
            break
        time.sleep(0.05)
    assert torch.cuda.memory_allocated() == before


def test_rates() -> None:
    """Prints the rates of nvJPEG, of the host with a copy, and of torchvision's nvJPEG, at the images' own sizes."""
    data = [p.read_bytes() for p in PHOTOS] * 4
    batches = [data[i : i + 32] for i in range(0, len(data) - 31, 32)] * 4

    def rate(name: str, run: object) -> None:
        assert callable(run)
        run(batches[0])
        torch.cuda.synchronize()
        begin = time.monotonic()
        for batch in batches:
            run(batch)
        torch.cuda.synchronize()
        print(f"{name}: {32 * len(batches) / (time.monotonic() - begin):.0f} images a second")

    io = need.peer("torchvision.io")
    tensors = {id(b): [torch.frombuffer(bytearray(d), dtype=torch.uint8) for d in b] for b in batches}
    with spool.JPEGDecoder("cuda:0") as decode, spool.Transfer("cuda:0", output="torch") as move:
        for _ in range(2):
            rate("spool, nvJPEG", decode)
            rate("spool, the host and a copy, one thread", lambda batch: move([spool.decode_image(d) for d in batch]))
            try:
                rate("torchvision, nvJPEG", lambda batch: io.decode_jpeg(tensors[id(batch)], device="cuda"))
            except RuntimeError as e:
                print(f"torchvision: {e}")


def test_the_device_resizes() -> None:
    """The bytes equal those of the host for nvJPEG's pixels."""
    for options in ({"size": 64}, {"resize_shorter": 80, "crop": (64, 72), "filter": "bicubic"}):
        with spool.JPEGDecoder("cuda:0") as whole, spool.JPEGDecoder("cuda:0", **options) as small:
            for image, resized in zip(whole(PHOTOS), small(PHOTOS), strict=True):
                expected = spool.decode_image(spool.encode_image(image.cpu().numpy()), **options)
                assert (resized.cpu().numpy() == expected).all(), options
