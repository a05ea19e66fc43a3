"""A plugin of pytest: the transforms of torchvision.transforms.v2 are those of spool.torchvision and spool.augment.

spool's transforms are part of decoding. So the image of a test is encoded as PNG, and decoded with the transform.
"""

import io

import pytest
import torch
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import v2

import spool
from spool import torchvision as ours

TRANSFORMS = ("CenterCrop", "RandomCrop", "RandomHorizontalFlip", "RandomVerticalFlip", "Resize")
OPERATIONS = (
    "RandomAdjustSharpness",
    "RandomAutocontrast",
    "RandomEqualize",
    "RandomGrayscale",
    "RandomInvert",
    "RandomPosterize",
    "RandomSolarize",
)


def replaced(name):
    def made(*args, **keywords):
        if name in OPERATIONS:
            operation = getattr(spool, name)(*args, **keywords)
        else:
            compose = ours.Compose([getattr(ours, name)(*args, **keywords)])

        def transform(image):
            pixels = image.as_subclass(torch.Tensor).movedim(0, -1).numpy()
            gray = pixels.shape[2] == 1
            file = io.BytesIO()
            Image.fromarray(pixels[:, :, 0] if gray else pixels).save(file, "png")
            if name in OPERATIONS:
                color = "gray" if gray else "rgb"
                decoded = spool.decode_image(file.getvalue(), augment=operation, color=color, layout="nchw")
                result = torch.from_numpy(decoded)
            else:
                result = compose(file.getvalue())
            return tv_tensors.Image(result) if isinstance(image, tv_tensors.Image) else result

        return transform

    made.__name__ = name
    return made


for name in (*TRANSFORMS, *OPERATIONS):
    setattr(v2, name, replaced(name))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of functions, and of inputs that are not images."""
    kept, rest = [], []
    for item in items:
        of = item.callspec.params if hasattr(item, "callspec") else {}
        name = of["fn"].__name__ if "fn" in of else of["make_input"].__name__ if "make_input" in of else "make_image"
        (kept if name in (*TRANSFORMS, *OPERATIONS, "make_image", "make_image_tensor") else rest).append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = kept
