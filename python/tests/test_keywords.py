"""Wrong arguments: unknown keywords and all other problems of a call are reported at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool
from spool import _hint, _option, audio, encode, loader_options, video_spec
from spool.stage import Stage

PIXELS = np.zeros((2, 2, 3), np.uint8)

# Calls that take options. Only the options are missing.
CALLS: dict[str, Callable[..., Any]] = {
    "ImageLoader": lambda **k: spool.ImageLoader("none", **k),
    "VideoLoader": lambda **k: spool.VideoLoader("none", **k),
    "AudioLoader": lambda **k: spool.AudioLoader("none", **k),
    "decode_image": lambda **k: spool.decode_image("none", **k),
    "decode_images": lambda **k: spool.decode_images(["none"], **k),
    "decode_video": lambda **k: spool.decode_video("none", **k),
    "decode_audio": lambda **k: spool.decode_audio("none", **k),
    "VideoDecoder": lambda **k: spool.VideoDecoder("none", **k),
    "AudioDecoder": lambda **k: spool.AudioDecoder("none", **k),
    "ImageSpec": spool.ImageSpec,
    "Stage": Stage,
    "probe": lambda **k: spool.probe("none", **k),
    "encode_image": lambda **k: spool.encode_image(PIXELS, **k),
    "write_image": lambda **k: spool.write_image("none.png", PIXELS, **k),
    "doctor": lambda **k: spool.doctor("s3://none", **k),
}


@pytest.mark.parametrize(
    ("call", "keyword", "says"),
    [
        ("ImageLoader", "batch_size", "use batch"),
        ("ImageLoader", "num_workers", "use workers"),
        ("ImageLoader", "drop_last", 'use last="drop", or "keep", the default'),
        ("ImageLoader", "pin_memory", 'use device="pinned"'),
        ("ImageLoader", "prefetch_factor", "use prefetch"),
        ("ImageLoader", "worker_init_fn", "there are no worker processes"),
        ("ImageLoader", "transform", "use size, resize_shorter, crop, train, dtype, mean and std"),
        ("ImageLoader", "image_size", "use size"),
        ("ImageLoader", "bacth", "did you mean batch?"),
        ("ImageLoader", "weigths", "did you mean weights?"),
        ("ImageLoader", "world_size", "use world"),
        ("VideoLoader", "num_frames", "use frames"),
        ("VideoLoader", "threads_", "did you mean threads?"),
        ("AudioLoader", "sample_rate", "use rate"),
        ("decode_image", "image_size", "use size"),
        ("decode_image", "interpolation", "use filter"),
        ("decode_images", "num_workers", "use threads"),
        ("decode_images", "errors", "use on_error"),
        ("decode_video", "num_frames", "use sample"),
        ("decode_video", "height", "use size=(height, width)"),
        ("decode_audio", "sample_rate", "use rate"),
        ("VideoDecoder", "stream", "use stream_index"),
        ("VideoDecoder", "dtype", "use output_dtype"),
        ("VideoDecoder", "num_threads", "use num_ffmpeg_threads"),
        ("AudioDecoder", "rate", "use sample_rate"),
        ("ImageSpec", "resample", "use filter"),
        ("Stage", "batch_size", "it is an argument of the DataLoader"),
        ("Stage", "thread", "did you mean threads?"),
        ("probe", "max_pixel", "did you mean max_pixels?"),
        ("encode_image", "qualty", "did you mean quality?"),
        ("write_image", "qualty", "did you mean quality?"),
        ("doctor", "endpoint", "use endpoint_url"),
    ],
)
def test_hints(call: str, keyword: str, says: str) -> None:
    with pytest.raises(TypeError) as error:
        CALLS[call](**{keyword: 3})
    assert str(error.value) == f"unknown keyword {keyword!r}: {says}"


@pytest.mark.parametrize("call", CALLS)
def test_no_hint(call: str) -> None:
    """Unknown keywords without a similar name are still listed."""
    with pytest.raises(TypeError) as error:
        CALLS[call](zzzzzz=1, qqqqqq=2)
    assert str(error.value) == (
        "unknown keyword 'qqqqqq': this call has no such option\nunknown keyword 'zzzzzz': this call has no such option"
    )


def test_every_argument_of_pytorchs_loader() -> None:
    """Each argument of PyTorch's DataLoader is also an argument here, or has a hint."""
    names = (
        "batch_size shuffle sampler batch_sampler num_workers collate_fn pin_memory drop_last timeout worker_init_fn "
        "multiprocessing_context generator prefetch_factor persistent_workers pin_memory_device in_order"
    ).split()
    unknown = {name for name in names if name not in loader_options.images and name != "sampler"}
    with pytest.raises(TypeError) as error:
        spool.ImageLoader("none", **dict.fromkeys(unknown, 1))  # type: ignore[arg-type]
    lines = str(error.value).splitlines()
    assert len(lines) == len(unknown)
    assert all(": " in line for line in lines), lines


def test_hints_name_what_there_is() -> None:
    tables: tuple[_option.Kinds, ...] = (
        loader_options.images,
        loader_options.video,
        loader_options.audio,
        video_spec.video,
        video_spec._decoder,
        audio._kinds,
        audio._decoder,
        encode._options,
        spool.ImageSpec._options,
    )
    known = {"src", "on_error", "read", "sampler", "output", "dimension_order"}.union(*tables)
    assert not [name for hints in _hint._known.values() for name, _ in hints if name not in known]


@pytest.mark.parametrize(
    ("call", "wrong", "kind", "says"),
    [
        (
            "ImageLoader",
            {"output": "tf", "batch": "8", "batch_size": 3, "sampler": [0.5], "weights": [1], "draws": "x"},
            TypeError,
            [
                "output='tf': must be numpy, torch, jax or dlpack",
                "sampler and weights exclude each other",
                "sampler: expected a sequence of ids",
                "draws: expected an integer",
                "unknown keyword 'batch_size'",
                "batch: expected an integer",
            ],
        ),
        (
            "decode_images",
            {"on_error": "x", "threads": 0, "seed": "x", "sise": 2, "size": 1.5},
            TypeError,
            ["on_error='x': must be", "threads=0", "seed: expected", "unknown keyword 'sise'", "size: expected"],
        ),
        (
            "decode_images",
            {"on_error": "x", "threads": 0, "mode": "y", "filter": "z"},
            ValueError,
            ["on_error='x': must be", "threads=0", "mode=y", "filter=z"],
        ),
        (
            "VideoDecoder",
            {"dimension_order": "x", "seek_mode": "y", "output": "z", "device": "cuda", "stream_index": "v", "sise": 1},
            TypeError,
            ["dimension_order='x'", "seek_mode='y'", "output='z'", "device=cuda: ", "stream_index: expected", "'sise'"],
        ),
        ("AudioDecoder", {"output": "x", "sample_rate": "y"}, TypeError, ["output='x'", "sample_rate: expected"]),
        ("Stage", {"on_error": "x", "size": 2.5}, TypeError, ["on_error='x'", "size: expected"]),
    ],
)
def test_all_problems_at_once(call: str, wrong: dict[str, Any], kind: type[Exception], says: list[str]) -> None:
    with pytest.raises(kind) as error:
        CALLS[call](**wrong)
    lines = str(error.value).splitlines()
    assert len(lines) == len(says), lines
    for text in says:
        assert any(text in line for line in lines), (text, lines)


def test_a_class_of_a_user(testdata: Path) -> None:
    """A TypeError of the user's class becomes a TypeError that names the keyword."""

    class Odd:
        def __index__(self) -> int:
            raise TypeError("odd")

    with pytest.raises(TypeError, match="batch: expected an integer"):
        spool.ImageLoader(testdata, batch=Odd())  # type: ignore[arg-type]
