"""What SPDL's examples do, by its pipelines with spool's functions as their stages: docs/spdl-parity.md."""

from __future__ import annotations

import wave
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import pages
import torch
from spdl.pipeline import PipelineBuilder
from torchcodec.decoders import VideoDecoder
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms.v2.functional import resize

import spool
import spool.spdl

MEDIA = pages.ROOT / "testdata"


def results(source: Iterable[Any], operation: Any, batch: int = 0) -> list[Any]:
    """Return the results of a pipeline with one stage."""
    builder = PipelineBuilder().add_source(source)
    if batch:
        builder = builder.aggregate(batch)
    pipeline = builder.pipe(operation, concurrency=2, output_order="input").add_sink(4).build(num_threads=2)
    with pipeline.auto_stop():
        return list(pipeline.get_iterator(timeout=60))


def test_batches_of_images() -> None:
    """In place of ``load_image_batch``: the pixels are torchvision's."""
    files = sorted(str(f) for f in MEDIA.glob("photos/*/*.jpg"))[:12]
    got = np.concatenate(results(files, spool.spdl.decode(size=64, layout="nchw"), batch=5))
    decoded = [decode_image(f, ImageReadMode.RGB, apply_exif_orientation=True) for f in files]
    want = torch.stack([resize(image, [64, 64], antialias=True) for image in decoded])
    np.testing.assert_array_equal(got, want.numpy())


def test_frames_of_videos() -> None:
    """In place of ``demux_video``, ``decode_packets`` and ``convert_frames``: the frames are torchcodec's."""
    files = [str(MEDIA / "video" / name) for name in ("bframes.mp4", "opengop.mp4")]
    chosen = [0, 3, 9]
    for file, got in zip(files, results(files, partial(spool.decode_video, frames=chosen)), strict=True):
        want = VideoDecoder(file, dimension_order="NHWC").get_frames_at(chosen)
        np.testing.assert_array_equal(got.data, want.data.numpy())


def test_audio() -> None:
    """In place of ``load_wav``."""
    file = MEDIA / "audio/s16.wav"
    (got,) = results([str(file)], partial(spool.decode_audio, dtype="int16", layout="tc"))
    with wave.open(str(file)) as opened:
        samples = np.frombuffer(opened.readframes(opened.getnframes()), np.int16).reshape(-1, opened.getnchannels())
        rate = opened.getframerate()
    assert got.sample_rate == rate
    np.testing.assert_array_equal(got.data, samples)
