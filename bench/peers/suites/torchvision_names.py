"""A plugin of pytest: the transforms of torchvision.transforms.v2 are those of spool.torchvision.

spool's transforms are part of decoding. So the image of a test is encoded as PNG, and decoded with the transform.
"""

import io

import pytest
import torch
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import v2

from spool import torchvision as ours

NAMES = ("CenterCrop", "RandomHorizontalFlip", "RandomVerticalFlip", "Resize")


def replaced(name):
    def made(*args, **keywords):
        compose = ours.Compose([getattr(ours, name)(*args, **keywords)])

        def transform(image):
            file = io.BytesIO()
            Image.fromarray(image.as_subclass(torch.Tensor).movedim(0, -1).numpy()).save(file, "png")
            result = compose(file.getvalue())
            return tv_tensors.Image(result) if isinstance(image, tv_tensors.Image) else result

        return transform

    made.__name__ = name
    return made


for name in NAMES:
    setattr(v2, name, replaced(name))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of functions, and of inputs that are not images."""
    kept, rest = [], []
    for item in items:
        of = item.callspec.params
        name = of["fn"].__name__ if "fn" in of else of["make_input"].__name__
        (kept if name in (*NAMES, "make_image", "make_image_tensor") else rest).append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = kept
