"""Records beside transformers: the pixels of its image processors, and its collators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import numpy as np
import PIL.Image
import PIL.ImageOps
import pytest
import tokenizers
import tokenizers.models
import tokenizers.pre_tokenizers
import torch
from torch.utils.data import DataLoader
from transformers import DataCollatorWithPadding, PreTrainedTokenizerFast, default_data_collator
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.detr.image_processing_pil_detr import DetrImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

import spool
import spool.huggingface

PHOTOS = sorted((Path(__file__).resolve().parents[3] / "testdata/photos").rglob("*.jpg"))


def options(processor: Any, filter: str) -> dict[str, Any]:
    """The options of an image field with the numbers of a processor."""
    numbers = {"mean": tuple(processor.image_mean), "std": tuple(processor.image_std)}
    return {**numbers, "dtype": "float32", "layout": "nchw", "profile": "pillow", "filter": filter}


def opened(names: list[str]) -> list[PIL.Image.Image]:
    return [PIL.ImageOps.exif_transpose(PIL.Image.open(name)).convert("RGB") for name in names]


def test_patches() -> None:
    """Patches and grids of Qwen2-VL."""
    least, most = 56 * 56, 28 * 28 * 60
    processor = Qwen2VLImageProcessorPil(size={"shortest_edge": least, "longest_edge": most})
    bounds = {"resize_multiple": 28, "resize_min_pixels": least, "resize_max_pixels": most}
    fields = {"image": spool.Image("path", **bounds, **options(processor, "bicubic"))}
    form: dict[str, Any] = {"form": "patches", "patch": 14, "patch_merge": 2, "patch_frames": 2}
    seen = 0
    for batch in spool.Loader(PHOTOS, fields, batch=5, epochs=1, last="keep", **form):
        want = processor(images=opened(batch.names), return_tensors="np")
        np.testing.assert_array_equal(batch.grids["image"], np.asarray(want["image_grid_thw"])[:, 1:])
        np.testing.assert_array_equal(batch["image"], want["pixel_values"])
        seen += len(batch.names)
    assert seen == len(PHOTOS)


@pytest.mark.parametrize(
    ("processor", "size", "filter"),
    [
        (ViTImageProcessorPil(), {"size": 224}, "bilinear"),
        (CLIPImageProcessorPil(), {"resize_shorter": 224, "crop": 224}, "bicubic"),
    ],
    ids=["vit", "clip"],
)
def test_images(processor: Any, size: dict[str, Any], filter: str) -> None:
    """Images of one size. A crop with an odd margin is that of torchvision, a pixel from that of transformers."""
    fields = {"pixel_values": spool.Image("path", **size, **options(processor, filter))}
    (batch,) = spool.Loader(PHOTOS, fields, batch=len(PHOTOS), epochs=1)
    images = opened(batch.names)
    want = processor(images=images, return_tensors="np")["pixel_values"]
    even = [not margin(image) % 2 for image in images] if "crop" in size else [True] * len(images)
    assert sum(even) > len(PHOTOS) // 3
    np.testing.assert_allclose(batch["pixel_values"][even], want[even], rtol=0, atol=1e-6)


def margin(image: PIL.Image.Image) -> int:
    """The pixels of the longer side that a crop of 224 leaves."""
    return int(224 * max(image.size) / min(image.size)) - 224


def test_padded() -> None:
    """Images of DETR, padded to the largest of the batch, with the mask of their pixels."""
    processor = DetrImageProcessorPil(size={"shortest_edge": 96, "longest_edge": 400})
    fields = {"image": spool.Image("path", resize_shorter=96, **options(processor, "bilinear"))}
    for batch in spool.Loader(PHOTOS, fields, batch=6, epochs=1, last="keep", form="pad"):
        want = processor(images=opened(batch.names), return_tensors="np")
        np.testing.assert_allclose(batch["image"], want["pixel_values"], rtol=0, atol=1e-6)
        np.testing.assert_array_equal(batch.valid_pixels("image"), want["pixel_mask"])


@pytest.fixture
def rows() -> datasets.Dataset:
    photos = [str(photo) for photo in PHOTOS[:6]]
    words = [list(range(1, 2 + i)) for i in range(6)]
    rows = datasets.Dataset.from_dict({"photo": photos, "label": range(6), "input_ids": words})
    return rows.cast_column("photo", datasets.Image(decode=False))


FIELDS = {
    "pixel_values": spool.Image("photo", size=32, dtype="float32", layout="nchw"),
    "labels": spool.Number("label", dtype="int64"),
}


def test_default_collator(rows: datasets.Dataset) -> None:
    """Rows of a data set with spool's transform are what the collator of Trainer takes."""
    decoded = rows.select_columns(["photo", "label"]).with_transform(spool.huggingface.Transform(fields=FIELDS))
    batches = list(DataLoader(decoded, batch_size=4, collate_fn=default_data_collator))
    want = spool.decode_records([{"photo": str(p), "label": i} for i, p in enumerate(PHOTOS[:6])], FIELDS).fields
    for first, batch in zip((0, 4), batches, strict=True):
        end = first + len(batch["labels"])
        assert batch["pixel_values"].dtype == torch.float32
        np.testing.assert_array_equal(batch["pixel_values"], want["pixel_values"][first:end])
        assert batch["labels"].tolist() == list(range(first, end))


def test_tokenizer_and_padding_collator(rows: datasets.Dataset) -> None:
    """Captions of a batch go to a tokenizer as they are; the collator that pads tokens keeps the fields beside them."""
    words = {"[PAD]": 0, "[UNK]": 1, "a": 2, "red": 3, "dog": 4}
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "[UNK]"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=model, pad_token="[PAD]", unk_token="[UNK]")
    fields = {"caption": spool.Text(), **FIELDS}
    captions = ["a dog", "a", "a red dog", "red", "a red cat", "dog"]
    captioned = rows.remove_columns("input_ids").add_column("caption", captions)
    decoded = captioned.with_transform(spool.huggingface.Transform(fields=fields))
    texts = tokenizer(decoded[:]["caption"], padding=True, return_tensors="np")["input_ids"]
    expected = [[2, 4, 0], [2, 0, 0], [2, 3, 4], [3, 0, 0], [2, 3, 1], [4, 0, 0]]
    assert texts.tolist() == expected

    def collate(samples: list[dict[str, Any]]) -> Any:
        kept = "labels", "pixel_values"
        rows = [{**tokenizer(s["caption"]), **{k: s[k] for k in kept}} for s in samples]
        return DataCollatorWithPadding(tokenizer)(rows)

    (batch,) = DataLoader(decoded, batch_size=6, collate_fn=collate)
    assert batch["input_ids"].tolist() == expected
    assert batch["attention_mask"].sum(1).tolist() == [2, 1, 3, 1, 3, 1]
    assert batch["labels"].tolist() == list(range(6))
    pixels = spool.decode_images(PHOTOS[:6], size=32, dtype="float32", layout="nchw").data
    np.testing.assert_array_equal(batch["pixel_values"], pixels)
