"""Operations on pixels beside torchvision's functional ops v2 on uint8 tensors: on noise and on photos, within 1."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch
from torchvision.transforms.v2 import functional as F

import spool

SIZES = [(224, 224), (97, 131)]


def noise(height: int, width: int) -> bytes:
    """Return a PNG file of random pixels."""
    pixels = np.random.default_rng(height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    PIL.Image.fromarray(pixels).save(file, "png")
    return file.getvalue()


def decoded(
    sources: Sequence[bytes | Path], size: tuple[int, int], *ops: spool.augment.Augmentation, **options: Any
) -> torch.Tensor:
    """Return images as a batch of shape (N, C, H, W)."""
    batch = spool.decode_images(list(sources), size=size, augment=list(ops) or None, seed=5, **options)
    return torch.from_numpy(np.array(batch.data)).permute(0, 3, 1, 2)


def difference(a: torch.Tensor, b: torch.Tensor) -> int:
    return int((a.int() - b.int()).abs().max())


FACTORS = (0.0, 0.3, 0.77, 1.4, 2.2)
CASES: list[tuple[str, spool.augment.Augmentation, Callable[[torch.Tensor], torch.Tensor]]] = [
    *(
        ("brightness", spool.ColorJitter(brightness=(f, f + 1e-9)), lambda x, f=f: F.adjust_brightness(x, f))
        for f in FACTORS
    ),
    *(("contrast", spool.ColorJitter(contrast=(f, f + 1e-9)), lambda x, f=f: F.adjust_contrast(x, f)) for f in FACTORS),
    *(
        ("saturation", spool.ColorJitter(saturation=(f, f + 1e-9)), lambda x, f=f: F.adjust_saturation(x, f))
        for f in FACTORS
    ),
    *(("hue", spool.ColorJitter(hue=(h, h)), lambda x, h=h: F.adjust_hue(x, h)) for h in (-0.5, -0.2, 0.03, 0.31, 0.5)),
    ("grayscale", spool.RandomGrayscale(p=1), lambda x: F.rgb_to_grayscale(x, 3)),
    *(("solarize", spool.RandomSolarize(t, p=1), lambda x, t=t: F.solarize(x, t)) for t in (0, 100.5, 128, 255)),
    *(("posterize", spool.RandomPosterize(b, p=1), lambda x, b=b: F.posterize(x, b)) for b in (0, 2, 4, 8)),
    ("invert", spool.RandomInvert(p=1), F.invert),
    ("autocontrast", spool.RandomAutocontrast(p=1), F.autocontrast),
    ("equalize", spool.RandomEqualize(p=1), F.equalize),
    *(("sharpness", spool.RandomAdjustSharpness(f, p=1), lambda x, f=f: F.adjust_sharpness(x, f)) for f in FACTORS),
    *(("blur", spool.GaussianBlur(k, s), lambda x, k=k, s=s: F.gaussian_blur(x, [k, k], [s, s]))
      for k, s in ((3, 0.1), (9, 1.1), (23, 2.0), (23, 9.0))),
]  # fmt: skip


def test_operations(photos: list[Path], record_property: Callable[[str, object], None]) -> None:
    """Each operation, with the same values, differs by at most 1; most have the same bytes."""
    most: dict[str, int] = {}
    for size in SIZES:
        for sources in ([noise(*size)], photos[:12]):
            plain = decoded(sources, size)
            for name, op, reference in CASES:
                got = decoded(sources, size, op)
                most[name] = max(most.get(name, 0), difference(got, torch.stack([reference(x) for x in plain])))
    record_property("largest difference", most)
    print(most)
    assert max(most.values()) <= 1
    for exact in ("brightness", "solarize", "posterize", "invert", "autocontrast", "equalize"):
        assert most[exact] == 0


def test_erasing() -> None:
    """A rectangle has the color, its share and ratio are within their ranges, and all else is unchanged."""
    source, (h, w) = noise(224, 224), (224, 224)
    plain = decoded([source] * 64, (h, w))
    got = decoded([source] * 64, (h, w), spool.RandomErasing(p=1, value=(3, 2, 1)))
    places = set()
    for before, after in zip(plain, got, strict=True):
        rows, columns = (before != after).any(0).nonzero(as_tuple=True)
        i, j = int(rows.min()), int(columns.min())
        height, width = int(rows.max()) - i + 1, int(columns.max()) - j + 1
        value = torch.tensor([3, 2, 1], dtype=torch.uint8)[:, None, None]
        assert (after == F.erase(before, i, j, height, width, value)).all()
        assert 0.019 < height * width / (h * w) < 0.34
        assert 0.29 < height / width < 3.4
        places.add((i, j))
    assert len(places) > 60


def test_noise() -> None:
    """The value "random" is what torchvision's RandomErasing puts into a normalized image: standard normal noise."""
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    source, (h, w) = noise(224, 224), (224, 224)
    options = {"dtype": "float32", "mean": mean, "std": std}
    plain = decoded([source] * 32, (h, w), **options)
    got = decoded([source] * 32, (h, w), spool.RandomErasing(p=1, value="random"), **options)
    limits = torch.tensor([[-m / s, (1 - m) / s] for m, s in zip(mean, std, strict=True)])
    for before, after in zip(plain, got, strict=True):
        rows, columns = (before != after).any(0).nonzero(as_tuple=True)
        i, j, bottom, right = rows.min(), columns.min(), rows.max() + 1, columns.max() + 1
        erased = after[:, i:bottom, j:right]
        assert (F.erase(before, int(i), int(j), *erased.shape[1:], erased) == after).all()
        for channel, (least, most) in zip(erased, limits, strict=True):
            exact = torch.distributions.Normal(0.0, 1.0)
            for x in (-1.5, -0.7, 0.0, 0.4, 1.1, 1.9):
                share = (channel <= x + 0.5 / 255 / 0.225).float().mean()
                assert abs(share - exact.cdf(torch.tensor(x))) < 6 * 0.5 / channel.numel() ** 0.5 + 0.01
            assert least - 1e-5 <= channel.min() < -1.5
            assert 1.5 < channel.max() <= most + 1e-5


def space(image: torch.Tensor, most: dict[str, float], levels: Sequence[float]) -> list[torch.Tensor]:
    """Return what operations of torchvision's policies may give: each with each level, from 0 to 1, and sign."""
    h, w = image.shape[-2:]
    found = [image, F.autocontrast(image), F.equalize(image)]
    for level in levels:
        found += [F.posterize(image, int(8 - round(level * most["bits"]))), F.solarize(image, 255 * (1 - level))]
        for sign in (1, -1):
            factor = 1 + sign * most["factor"] * level
            found += [F.adjust_brightness(image, factor), F.adjust_saturation(image, factor)]
            found += [F.adjust_contrast(image, factor), F.adjust_sharpness(image, factor)]
            angle = math.degrees(math.atan(float(np.float32(sign * most["shear"] * level))))
            found += [F.affine(image, 0.0, [0, 0], 1.0, shear, center=[0, 0]) for shear in ([angle, 0.0], [0.0, angle])]
            shift = (int(sign * most["x"] * level * w), int(sign * most["y"] * level * h))
            found += [F.affine(image, 0.0, list(to), 1.0, [0.0, 0.0]) for to in ((shift[0], 0), (0, shift[1]))]
            found.append(F.rotate(image, float(np.float32(sign * most["angle"] * level))))
    return found


@pytest.mark.parametrize("kind", ["noise", "photo"])
def test_policies(kind: str, photos: list[Path]) -> None:
    """Each image of RandAugment and TrivialAugmentWide is what one of torchvision's operations gives, and all occur."""
    size = (48, 48)
    sources = [noise(*size) if kind == "noise" else photos[0]] * 150
    plain = decoded(sources[:1], size)[0]
    levels = [i / 30 for i in range(31)]
    shares = {"x": 150 / 331, "y": 150 / 331}
    for op, most, used in (
        (spool.RandAugment(1, 9), {"shear": 0.3, **shares, "angle": 30, "factor": 0.9, "bits": 4}, levels[9:10]),
        (
            spool.TrivialAugmentWide(),
            {"shear": 0.99, "x": 32 / size[1], "y": 32 / size[0], "angle": 135, "factor": 0.99, "bits": 6},
            levels,
        ),
    ):
        candidates = torch.stack(space(plain, most, used)).int()
        seen = set()
        for image in decoded(sources, size, op):
            differences = (candidates - image.int()).abs().flatten(1).amax(1)
            best = int(differences.argmin())
            assert int(differences[best]) <= 1, op
            seen.add(best)
        assert len(seen) >= (18 if len(used) == 1 else 60)
