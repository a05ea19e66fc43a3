"""Files of COCO's annotations, compared with pycocotools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

PHOTOS = Path(__file__).resolve().parents[3] / "testdata/photos/animal"


@pytest.fixture
def annotations(tmp_path: Path) -> Path:
    """A file with polygons, run lengths and a group, for images of which one has no annotation."""
    from PIL import Image
    from pycocotools import mask

    rng = np.random.default_rng(1)
    images: list[dict[str, Any]] = []
    things: list[dict[str, Any]] = []
    for i, photo in enumerate(sorted(PHOTOS.glob("*.jpg"))):
        with Image.open(photo) as opened:
            width, height = opened.size
        images.append({"id": 10 * i, "file_name": photo.name, "width": width, "height": height})
        for k in range(0 if i == 3 else 1 + i % 3):
            x, y = (float(v) for v in rng.uniform(1, 100, 2))
            area = np.zeros((height, width), np.uint8, order="F")
            area[int(y) : int(y) + 40, int(x) : int(x) + 30] = 1
            rle = mask.encode(area)
            rle["counts"] = rle["counts"].decode()
            polygon: Any = [[x, y, x + 50.5, y + 3, x + 20, y + 61.25]]
            things.append(
                {"id": len(things), "image_id": 10 * i, "category_id": 1 + k, "bbox": [x, y, 50.5, 61.25], "iscrowd": 0}
                | {"area": 1.0, "segmentation": rle if k == 1 else polygon}
            )
    file = tmp_path / "instances_val.json"
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "cow"}]
    file.write_text(json.dumps({"images": images, "annotations": things, "categories": categories}))
    return file


def test_annotations(annotations: Path) -> None:
    from pycocotools.coco import COCO

    coco = COCO(str(annotations))
    fields = {
        "image": spool.Image("path", orient=False),
        "boxes": spool.Boxes(like="image", format="xyxy"),
        "mask": spool.Mask(like="image"),
        "id": spool.Number(dtype="int64"),
        "all": spool.JSON("annotations"),
    }
    loader = spool.Loader(annotations, fields, images=PHOTOS, columns=["categories", "count"], batch=4, form="ragged")
    seen = 0
    for batch in loader:
        words = batch.columns_dict()
        for i, number in enumerate(batch["id"]):
            (image,) = coco.loadImgs(int(number))
            things = coco.loadAnns(coco.getAnnIds(int(number)))
            shape = (image["height"], image["width"])
            assert batch["all"][i] == things
            assert words["categories"][i] == [coco.cats[a["category_id"]]["name"] for a in things]
            assert words["count"][i] == len(things)
            boxes = np.array([a["bbox"] for a in things], np.float32).reshape(-1, 4)
            boxes[:, 2:] += boxes[:, :2]
            boxes = np.clip(boxes, 0, [shape[1], shape[0]] * 2)
            np.testing.assert_allclose(batch["boxes"][i], boxes, rtol=1e-6)
            np.testing.assert_array_equal(batch["boxes.labels"][i], [a["category_id"] for a in things])
            masks = np.stack([coco.annToMask(a) for a in things] or [np.zeros(shape, np.uint8)])
            category = np.array([a["category_id"] for a in things] or [0], np.uint8)
            want = (masks * category[:, None, None]).max(0)
            want[masks.sum(0) > 1] = 255
            np.testing.assert_array_equal(batch["mask"][i], want)
            np.testing.assert_array_equal(
                batch["image"][i], spool.decode_image(PHOTOS / image["file_name"], orient=False)
            )
            seen += 1
    assert seen == 8
    fewer = spool.Loader(annotations, fields, images=PHOTOS, where="'dog' in categories", batch=8, form="ragged")
    assert fewer.samples == len(coco.getImgIds(catIds=[2]))


@pytest.mark.parametrize("views", [0, 2])
def test_instances(annotations: Path, views: int) -> None:
    """Boxes, labels and masks are those of torchvision's CocoDetection after the same crop and flip by v2."""
    import torch
    from torchvision import tv_tensors
    from torchvision.datasets import CocoDetection, wrap_dataset_for_transforms_v2
    from torchvision.transforms import v2
    from torchvision.transforms.v2 import functional

    reference = wrap_dataset_for_transforms_v2(
        CocoDetection(PHOTOS, str(annotations)), target_keys=("image_id", "boxes", "labels", "masks")
    )
    of = {number: k for k, number in enumerate(reference.ids)}
    fields = {
        "masks": spool.Instances("annotations", boxes="boxes"),
        "image": spool.Image("path", size=(48, 56), train=True, orient=False, views=views),
        "boxes": spool.Boxes(like="image", min_size=4),
        "every": spool.Instances(input="instances"),
        "id": spool.Number(dtype="int64"),
    }
    clean = v2.SanitizeBoundingBoxes(min_size=4)
    loader = spool.Loader(annotations, fields, images=PHOTOS, batch=3, shuffle=True, output="tv_tensors")
    cases = removed = 0
    for _ in range(40):
        for batch in loader:
            for i, number in enumerate(batch["id"].tolist()):
                image, target = reference[of[number]]
                if "boxes" not in target:  # without annotations, torchvision gives the id only
                    size = image.size[::-1]
                    target["boxes"] = tv_tensors.BoundingBoxes(torch.zeros(0, 4), format="XYXY", canvas_size=size)
                    target |= {
                        "labels": torch.zeros(0),
                        "masks": tv_tensors.Mask(torch.zeros(0, *size, dtype=torch.uint8)),
                    }
                region = batch.regions[i]
                box = [int(region[k]) for k in ("top", "left", "height", "width")]
                for key in ("boxes", "masks"):
                    target[key] = functional.resized_crop(target[key], *box, size=[48, 56])
                    if region["flip_x"]:
                        target[key] = functional.horizontal_flip(target[key])
                want = clean(target)
                boxes, masks, labels, every = (
                    batch[name][0][i] if views else batch[name][i]
                    for name in ("boxes", "masks", "boxes.labels", "every")
                )
                assert isinstance(masks, tv_tensors.Mask)
                assert masks.dtype == want["masks"].dtype == torch.uint8
                assert torch.equal(masks, want["masks"])
                assert torch.equal(every, target["masks"])
                torch.testing.assert_close(boxes, want["boxes"], atol=1e-3, rtol=0)
                assert labels.tolist() == want["labels"].tolist()
                removed += len(every) - len(masks)
                cases += 1
    assert cases == 320
    assert removed > 10
