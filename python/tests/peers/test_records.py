"""Masks and boxes of records beside torchvision's transforms v2, for the crops and flips that a loader drew."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
import torch
from torchvision import tv_tensors
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

import spool

DATA = Path(__file__).resolve().parents[3] / "testdata/records"


def test_torchvision() -> None:
    """1,000 random crops: image, mask and boxes are those of resized_crop and horizontal_flip on tv_tensors."""
    files: dict[str, bytes] = {}
    for shard in sorted(DATA.glob("*.tar")):
        with tarfile.open(shard) as tar:
            files.update({m.name: tar.extractfile(m).read() for m in tar})  # type: ignore[union-attr]
    fields = {
        "image": spool.Image("jpg", size=(48, 56), train=True),
        "mask": spool.Mask("seg.png"),
        "boxes": spool.Boxes("boxes.json"),
    }
    loader = spool.Loader(str(DATA / "{000..001}.tar"), fields, batch=12, shuffle=True, ignore_columns="*")
    cases = 0
    for _ in range(90):
        for batch in loader:
            for i, key in enumerate(batch.keys):
                image = tv_tensors.Image(PIL.Image.open(io.BytesIO(files[f"{key}.jpg"])))
                mask = tv_tensors.Mask(np.array(PIL.Image.open(io.BytesIO(files[f"{key}.seg.png"]))))
                said = json.loads(files[f"{key}.boxes.json"])
                boxes = tv_tensors.BoundingBoxes(
                    torch.tensor(said["boxes"], dtype=torch.float32).reshape(-1, 4),
                    format="XYXY",
                    canvas_size=image.shape[-2:],
                )
                region = batch.regions[i]
                box = [int(region[k]) for k in ("top", "left", "height", "width")]
                crop = {"image": image, "mask": mask, "boxes": boxes, "labels": torch.tensor(said["labels"])}
                for name in ("image", "mask", "boxes"):
                    crop[name] = F.resized_crop(crop[name], *box, size=[48, 56], antialias=True)
                    if region["flip_x"]:
                        crop[name] = F.horizontal_flip(crop[name])
                clean = v2.SanitizeBoundingBoxes(labels_getter=lambda s: s["labels"])(crop)
                got = torch.from_numpy(batch["image"][i]).permute(2, 0, 1)
                reference = F.resized_crop(spool_image(files[f"{key}.jpg"]), *box, size=[48, 56], antialias=True)
                assert (got == (F.horizontal_flip(reference) if region["flip_x"] else reference)).all()
                assert (torch.from_numpy(batch["mask"][i]) == clean["mask"]).all()
                np.testing.assert_allclose(batch["boxes"][i], clean["boxes"].numpy(), atol=1e-3)
                assert batch["boxes.labels"][i].tolist() == clean["labels"].tolist()
                cases += 1
    assert cases == 1080


@pytest.mark.parametrize("size", [{"resize_shorter": 40, "max_size": 50}, {"max_size": 45}])
def test_max_size(size: dict[str, int]) -> None:
    """Image, mask and boxes of a record follow max_size as tv_tensors follow Resize."""
    fields = {"image": spool.Image("jpg", **size), "mask": spool.Mask("seg.png"), "boxes": spool.Boxes("boxes.json")}
    resize = v2.Resize([size["resize_shorter"]] if "resize_shorter" in size else None, max_size=size["max_size"])
    shapes = set()
    with tarfile.open(DATA / "000.tar") as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]
    for batch in spool.Loader(str(DATA / "000.tar"), fields, batch=1, form="ragged", ignore_columns="*"):
        key = batch.keys[0]
        image = tv_tensors.Image(spool_image(files[f"{key}.jpg"]))
        mask = tv_tensors.Mask(np.array(PIL.Image.open(io.BytesIO(files[f"{key}.seg.png"]))))
        said = torch.tensor(json.loads(files[f"{key}.boxes.json"])["boxes"], dtype=torch.float32).reshape(-1, 4)
        boxes = tv_tensors.BoundingBoxes(said, format="XYXY", canvas_size=image.shape[-2:])
        got = torch.from_numpy(batch["image"][0]).permute(2, 0, 1)
        assert (got == resize(image)).all()
        assert (torch.from_numpy(batch["mask"][0]) == resize(mask)).all()
        clean = v2.SanitizeBoundingBoxes(labels_getter=None)({"boxes": resize(boxes)})
        np.testing.assert_allclose(batch["boxes"][0], clean["boxes"].numpy(), atol=1e-3)
        shapes.add(tuple(got.shape))
    assert len(shapes) > 1


def spool_image(data: bytes) -> torch.Tensor:
    """The image as torchvision decodes it."""
    from torchvision.io import ImageReadMode, decode_image

    return decode_image(torch.frombuffer(bytearray(data), dtype=torch.uint8), ImageReadMode.RGB)
