"""Runs the functions of SPDL's examples, which are in the current folder."""

from __future__ import annotations

import io
import sys
import tarfile
import types
from pathlib import Path

import numpy as np
import pytest

import spool

TESTDATA = Path(__file__).resolve().parents[3] / "testdata"
PHOTOS = sorted(TESTDATA.glob("photos/*/*.jpg"))[:12]
VIDEO = TESTDATA / "video/bframes.mp4"

sys.path[:0] = [".", "examples"]
sys.modules.setdefault("soundfile", types.ModuleType("soundfile"))  # benchmark_wav compares with it


def test_image_dataloading(tmp_path: Path) -> None:
    import image_dataloading as script

    names = tmp_path / "names.txt"
    names.write_text("\n".join(photo.relative_to(TESTDATA).as_posix() for photo in PHOTOS))
    paths = script.source(names, f"{TESTDATA}/")
    pipeline = script.get_pipeline(paths, 5, device_config=None, buffer_size=2, num_threads=2)
    with pipeline.auto_stop():
        batches = list(pipeline.get_iterator(timeout=60))
    assert sorted(tuple(batch.shape) for batch in batches) == [(2, 224, 224, 3), (5, 224, 224, 3), (5, 224, 224, 3)]


def test_multi_thread_preprocessing(monkeypatch: pytest.MonkeyPatch) -> None:
    import multi_thread_preprocessing as script

    class Photos:
        def __init__(self, root: str, split: str, loader: object) -> None:
            self.load = loader

        def __len__(self) -> int:
            return len(PHOTOS)

        def __getitem__(self, i: int) -> object:
            return self.load(PHOTOS[i]), i

    monkeypatch.setattr(script, "ImageNet", Photos)
    for options in ({}, {"batch_size": 4}, {"batch_size": 4, "normalize": True}):
        count, _ = script.exp_spdl(root_dir="", split="", num_workers=2, max_items=100, **options)
        assert count == len(PHOTOS)


def test_performance_analysis() -> None:
    import performance_analysis as script

    frames = script.decode(VIDEO, width=40, height=30)
    assert len(frames) > 10
    assert sorted(frames.shape[1:]) == [3, 30, 40]


def test_benchmark_video() -> None:
    import benchmark_video as script

    one, two = (np.asarray(script.load_video_with_config(VIDEO.read_bytes(), threads)) for threads in (1, 2))
    assert one.ndim == 4
    np.testing.assert_array_equal(one, two)


def test_benchmark_wav() -> None:
    import benchmark_wav as script

    for bits in (16, 32):
        data, samples = script.create_wav_data(bits_per_sample=bits)
        for load in (script.load_spdl_wav, script.load_spdl_audio):
            np.testing.assert_array_equal(load(data), samples)


@pytest.mark.parametrize("compressed", [False, True])
def test_benchmark_numpy(compressed: bool) -> None:
    import benchmark_numpy as script

    npz = script.get_mock_data("npz", compressed)
    for got, want in zip(script.load_npz_spdl(npz), script.load_npz(npz), strict=True):
        np.testing.assert_array_equal(got, want)
    npy = list(script.get_mock_data("npy"))
    for got, want in zip(script.load_npy_spdl(npy), script.load_npy(npy), strict=True):
        np.testing.assert_array_equal(got, want)


def test_benchmark_tarfile() -> None:
    import benchmark_tarfile as script

    data = script.create_test_tar(num_files=9, file_size=1000)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        count = len(tar.getmembers())
    assert script.process_tar_builtin(data) == script.process_tar_spdl_filelike(data) == count
    assert script.process_tar_spdl(data, convert=True) == script.process_tar_spdl(data, convert=False) == count


def test_streaming_video_processing(tmp_path: Path) -> None:
    import streaming_video_processing as script

    with spool.MediaWriter(tmp_path / "in.mp4", size=(48, 64), rate=44100) as writer:
        writer.write_frames(np.zeros((30, 48, 64, 3), np.uint8))
        writer.write_samples(np.zeros((1, 44100), np.float32))
    parts = script.build_components(tmp_path / "in.mp4", tmp_path / "out.mp4")
    script.process(*parts)
    assert (tmp_path / "out.mp4").stat().st_size > 0


def test_benchmark_arena_transport() -> None:
    import benchmark_arena_transport as script

    assert len(script.create_video_data(100_000, duration_seconds=0.1)) > 1000


@pytest.mark.parametrize("script", ["imagenet_classification", "video_dataloading", "streaming_nvdec_decoding"])
def test_on_a_device(script: str) -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    __import__(script)
