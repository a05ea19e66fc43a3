"""Five and ten crops of clips beside torchvision's, on torchcodec's frames."""

from __future__ import annotations

import pages
import pytest
import torch
from torchcodec.decoders import VideoDecoder
from torchvision.transforms import v2

import spool

FILES = ("bframes.mp4", "opengop.mp4", "vfr.mp4")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(("crops", "transform"), [("five", v2.FiveCrop), ("ten", v2.TenCrop)])
def test_clips(file: str, crops: str, transform: type[v2.Transform]) -> None:
    path = pages.ROOT / "testdata/video" / file
    chosen = [0, 3, 9]
    frames = VideoDecoder(str(path)).get_frames_at(chosen).data
    want = torch.stack(list(transform((24, 32))(v2.functional.resize(frames, [40, 50], antialias=True))))
    got = spool.decode_video(path, frames=chosen, size=(40, 50), crop=(24, 32), crops=crops, layout="nchw")
    assert torch.equal(got.to_torch().data, want)
