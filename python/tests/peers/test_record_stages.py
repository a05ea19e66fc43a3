"""Records in the loaders that Python has: fields of the stages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import spool

DATA = Path(__file__).resolve().parents[3] / "testdata"
SHARD = str(DATA / "records/000.tar")
FIELDS = {
    "image": spool.Image("jpg", size=32),
    "mask": spool.Mask("seg.png"),
    "boxes": spool.Boxes("boxes.json"),
    "caption": spool.Text("txt", optional=True),
}


def whole() -> Any:
    """The records of the shard, by spool's own loader."""
    return next(iter(spool.Loader(SHARD, FIELDS, ignore_columns="*")))


def test_webdataset() -> None:
    import webdataset as wds

    import spool.webdataset

    dataset = wds.WebDataset(SHARD, shardshuffle=False).batched(6, collation_fn=spool.webdataset.collate(fields=FIELDS))
    (batch,) = dataset
    want = whole()
    np.testing.assert_array_equal(batch["image"], want["image"])
    np.testing.assert_array_equal(batch["mask"], want["mask"])
    assert batch["caption"] == want["caption"]
    assert batch["__key__"] == want.keys


def test_torch_workers() -> None:
    import webdataset as wds
    from torch.utils.data import DataLoader

    import spool.torch

    samples = list(wds.WebDataset(SHARD, shardshuffle=False))
    loader = DataLoader(
        samples,
        batch_size=3,
        num_workers=2,
        multiprocessing_context="forkserver",
        collate_fn=spool.torch.collate(fields=FIELDS),
    )
    want = whole()
    for first, batch in zip((0, 3), loader, strict=True):
        assert isinstance(batch["image"], torch.Tensor)
        np.testing.assert_array_equal(batch["image"].numpy(), want["image"][first : first + 3])
        np.testing.assert_array_equal(batch["mask"].numpy(), want["mask"][first : first + 3])
        for got, boxes in zip(batch["boxes"], want["boxes"][first : first + 3], strict=True):
            assert isinstance(got, torch.Tensor)
            np.testing.assert_array_equal(got.numpy(), boxes)


def test_huggingface() -> None:
    import datasets

    import spool.huggingface

    photos = sorted(str(p) for p in (DATA / "photos/animal").glob("*.jpg"))[:4]
    rows = datasets.Dataset.from_dict({"photo": photos, "words": ["a", "b", "c", "d"], "score": [1, 2, 3, 4]})
    rows = rows.cast_column("photo", datasets.Image(decode=False))
    fields = {"image": spool.Image("photo", size=16), "words": spool.Text(), "n": spool.Number("score", dtype="int64")}
    decoded = rows.with_transform(spool.huggingface.Transform(fields=fields))
    batch = decoded[1:3]
    np.testing.assert_array_equal(batch["image"], spool.decode_images(photos[1:3], size=16).data)
    assert batch["words"] == ["b", "c"]
    assert list(batch["n"]) == [2, 3]


def test_grain_and_spdl() -> None:
    import grain

    import spool.grain
    import spool.spdl

    video = str(DATA / "video/bframes.mp4")
    rows = [{"clip": video, "start": t, "label": i} for i, t in enumerate((0, 0.2, 0.4, 0.6))]
    fields = {"clip": spool.Video(size=16, frames=3, start="start")}
    want = spool.decode_records(rows, fields).fields
    batches = list(grain.MapDataset.source(rows).batch(2, batch_fn=list).map(spool.grain.Decode(fields=fields)))
    for i, batch in enumerate(batches):
        np.testing.assert_array_equal(batch["clip"], want["clip"][2 * i : 2 * i + 2])
        assert batch["label"].tolist() == [2 * i, 2 * i + 1]
    batch = spool.spdl.decode(fields=fields)(rows)
    np.testing.assert_array_equal(batch["clip"], want["clip"])


VIDEO = str(DATA / "video/languages.mkv")
SEGMENTS = [{"file": VIDEO, "start": 0.1 * i, "label": i} for i in range(4)]
CLIPS = {
    "clip": spool.Video("file", size=16, frames=3, start="start", fps=10),
    "sound": spool.Audio("file", like="clip", duration=0.2, rate=8000),
}


def by_torch() -> list[dict[str, Any]]:
    from torch.utils.data import DataLoader

    import spool.torch

    return list(DataLoader(SEGMENTS, batch_size=2, collate_fn=spool.torch.collate(fields=CLIPS)))


def by_huggingface() -> list[dict[str, Any]]:
    import datasets

    import spool.huggingface

    rows = datasets.Dataset.from_list(SEGMENTS).with_transform(spool.huggingface.Transform(fields=CLIPS))
    return [rows[:2], rows[2:]]


def by_ray() -> list[dict[str, Any]]:
    import ray

    import spool.ray

    decoded = ray.data.from_items(SEGMENTS).map_batches(
        spool.ray.DecodeImages, fn_constructor_kwargs={"fields": CLIPS}, concurrency=1, batch_size=4
    )
    rows = sorted(decoded.take_all(), key=lambda row: row["label"])
    return [{k: np.stack([r[k] for r in rows[i : i + 2]]) for k in rows[0]} for i in (0, 2)]


def by_grain() -> list[dict[str, Any]]:
    import grain

    import spool.grain

    return list(grain.MapDataset.source(SEGMENTS).batch(2, batch_fn=list).map(spool.grain.Decode(fields=CLIPS)))


def by_spdl() -> list[dict[str, Any]]:
    from spdl.pipeline import PipelineBuilder

    import spool.spdl

    builder = PipelineBuilder().add_source(SEGMENTS).aggregate(2).pipe(spool.spdl.decode(fields=CLIPS))
    pipeline = builder.add_sink(2).build(num_threads=1)
    with pipeline.auto_stop():
        return list(pipeline)


@pytest.mark.parametrize("stage", [by_torch, by_huggingface, by_ray, by_grain, by_spdl])
def test_clips_and_sound(stage: Callable[[], list[dict[str, Any]]]) -> None:
    """Fields of video and audio have the values of spool.decode_records in each stage."""
    want = spool.decode_records(SEGMENTS, CLIPS).fields
    assert len({clip.tobytes() for clip in want["clip"]}) > 2
    batches = stage()
    assert len(batches) == 2
    for i, batch in enumerate(batches):
        for name, values in want.items():
            np.testing.assert_array_equal(np.asarray(batch[name]), values[2 * i : 2 * i + 2], name)
        assert np.asarray(batch["label"]).tolist() == [2 * i, 2 * i + 1]


def test_clips_of_webdataset(tmp_path: Path) -> None:
    """Members of a shard, as clips and sound."""
    import webdataset as wds

    import spool.webdataset

    shard = str(tmp_path / "0.tar")
    videos = [DATA / "video/languages.mkv", DATA / "video/bframes.mp4"]
    sounds = [DATA / "audio/flac.flac", DATA / "audio/aac.m4a"]
    with wds.TarWriter(shard) as tar:
        for i, (video, sound) in enumerate(zip(videos, sounds, strict=True)):
            tar.write({"__key__": str(i), "mp4": video.read_bytes(), "flac": sound.read_bytes()})
    fields = {"clip": spool.Video("mp4", size=16, frames=3), "sound": spool.Audio("flac", duration=0.2, rate=8000)}
    stage = spool.webdataset.collate(fields=fields)
    (batch,) = wds.WebDataset(shard, shardshuffle=False).batched(2, collation_fn=stage)
    want = next(iter(spool.Loader(shard, fields)))
    assert batch["clip"].shape == (2, 3, 16, 16, 3)
    for name in ("clip", "sound", "clip.pts", "sound.length"):
        np.testing.assert_array_equal(batch[name], want[name])


def test_ray() -> None:
    import ray

    import spool.ray

    photos = sorted(str(p) for p in (DATA / "photos/animal").glob("*.jpg"))[:4]
    fields = {"image": spool.Image("path", size=16), "words": spool.Text()}
    items = ray.data.from_items([{"path": p, "words": f"photo {i}", "n": i} for i, p in enumerate(photos)])
    decoded = items.map_batches(
        spool.ray.DecodeImages, fn_constructor_kwargs={"fields": fields}, concurrency=1, batch_size=4
    )
    rows = sorted(decoded.take_all(), key=lambda row: row["n"])
    np.testing.assert_array_equal(np.stack([r["image"] for r in rows]), spool.decode_images(photos, size=16).data)
    assert [str(r["words"]) for r in rows] == [f"photo {i}" for i in range(4)]


def test_tv_tensors() -> None:
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    fields = {**FIELDS, "image": spool.Image("jpg", size=(24, 32)), "boxes": spool.Boxes("boxes.json", format="xywh")}
    loader = spool.Loader(SHARD, fields, output="tv_tensors", ignore_columns="*")
    batch = next(iter(loader))
    want = next(iter(spool.Loader(SHARD, fields, ignore_columns="*")))
    assert type(batch["image"]) is tv_tensors.Image
    assert batch["image"].shape == (6, 3, 24, 32)
    np.testing.assert_array_equal(batch["image"].permute(0, 2, 3, 1).numpy(), want["image"])
    assert type(batch["mask"]) is tv_tensors.Mask
    for got, boxes in zip(batch["boxes"], want["boxes"], strict=True):
        assert type(got) is tv_tensors.BoundingBoxes
        assert got.format is tv_tensors.BoundingBoxFormat.XYWH
        assert got.canvas_size == (24, 32)
        np.testing.assert_array_equal(got.numpy(), boxes)
    assert batch["caption"] == want["caption"]
    one = {"image": tv_tensors.Image(batch["image"][0]), "boxes": batch["boxes"][0]}
    flipped = v2.RandomHorizontalFlip(p=1)(one)
    assert (flipped["image"].numpy() == np.flip(one["image"].numpy(), -1)).all()
    left, width = one["boxes"][:, 0], one["boxes"][:, 2]
    np.testing.assert_allclose(flipped["boxes"][:, 0].numpy(), (32 - left - width).numpy())

    video = {"clip": spool.Video("path", size=16, frames=3, clips=2)}
    (clips,) = spool.Loader(str(DATA / "video/bframes.mp4"), video, output="tv_tensors", epochs=1)
    assert [type(c) for c in clips["clip"]] == [tv_tensors.Video] * 2
    assert clips["clip"][0].shape == (1, 3, 3, 16, 16)
    assert clips["clip.index"][0].shape == (1, 3)
