"""torch tensors, as output of decoding and as views of results."""

from __future__ import annotations

from pathlib import Path

import need
import numpy as np
import pytest

import spool

torch = need.peer("torch")

PHOTO = Path(__file__).resolve().parents[3] / "testdata" / "photos" / "animal" / "00.jpg"


@pytest.mark.parametrize("pinned", [False, True])
def test_out_is_a_tensor(pinned: bool) -> None:
    if pinned and not torch.cuda.is_available():
        need.skip("device", "no memory is pinned without one")
    batch = torch.zeros((3, 3, 32, 48), dtype=torch.float32, pin_memory=pinned)
    place = batch.data_ptr()
    assert spool.decode_image(PHOTO, size=(32, 48), layout="nchw", dtype=torch.float32, out=batch[1]) is not None
    assert batch.data_ptr() == place
    expected = spool.decode_image(PHOTO, size=(32, 48), layout="nchw", dtype="float32")
    np.testing.assert_array_equal(batch[1].numpy(), expected)
    assert not batch[0].any()
    whole = spool.decode_images([PHOTO] * 3, size=(32, 48), layout="nchw", dtype="float32", out=batch)
    assert whole.data.__array_interface__["data"][0] == place
    np.testing.assert_array_equal(batch[2].numpy(), expected)


def test_wrong_tensors() -> None:
    with pytest.raises(ValueError, match="out"):
        spool.decode_image(PHOTO, size=32, out=torch.zeros((32, 32, 3)))
    with pytest.raises(ValueError, match="out"):
        spool.decode_image(PHOTO, size=32, out=torch.zeros((3, 32, 32), dtype=torch.uint8).permute(1, 2, 0))
    with pytest.raises(TypeError, match="out"):
        spool.decode_image(PHOTO, size=32, dtype="float32", out=torch.zeros((32, 32, 3), requires_grad=True))


def test_views_are_not_copies() -> None:
    before = spool.stats()["arrays"]
    pixels = spool.decode_image(PHOTO)
    batch = spool.decode_images([PHOTO, PHOTO], size=16)
    tensors = [
        torch.from_dlpack(pixels),
        torch.from_numpy(pixels),
        torch.as_tensor(pixels),
        torch.from_dlpack(pixels.base),
    ]
    assert {t.data_ptr() for t in tensors} == {pixels.__array_interface__["data"][0]}
    assert torch.from_dlpack(batch).data_ptr() == batch.data.__array_interface__["data"][0]
    expected = pixels.copy()
    del pixels, batch, tensors[1:]
    np.testing.assert_array_equal(tensors[0].numpy(), expected)
    assert spool.stats()["arrays"] == before + 1
    tensors.clear()
    assert spool.stats()["arrays"] == before


def test_an_image_of_a_tensor() -> None:
    pixels = torch.from_dlpack(spool.decode_image(PHOTO, size=32))
    assert torch.equal(torch.from_dlpack(spool.decode_image(spool.encode_image(pixels))), pixels)
    planes = pixels.permute(2, 0, 1).contiguous()
    assert spool.encode_image(planes.permute(1, 2, 0)) == spool.encode_image(pixels)


@pytest.mark.parametrize("against", ["pillow", "torchvision"])
def test_parity(against: str) -> None:
    need.peer({"pillow": "PIL"}.get(against, against))
    profile = {"pillow": "pillow", "torchvision": "exact"}[against]
    photos = sorted(PHOTO.parent.glob("*.jpg"))
    table = spool.parity(photos, against, size=(100, 130), profiles=[profile])  # type: ignore[arg-type]
    assert len(table) == len(photos)
    assert all(row["equal"] for row in table), table


def test_times_of_resampled_frames_are_tensors() -> None:
    """All parts of a batch are of the type that ``output`` names, also of frames at another rate."""
    with spool.VideoDecoder(PHOTO.parents[2] / "video" / "vfr.mp4", output="torch", size=16) as decoder:
        batch = decoder.get_all_frames(fps=4)
    parts = batch.data, batch.pts_seconds, batch.duration_seconds, batch.index, batch.state
    assert [type(part) for part in parts] == [torch.Tensor] * 5
    assert batch[1:].pts_seconds.dtype == torch.float64
    assert batch.work is not None
