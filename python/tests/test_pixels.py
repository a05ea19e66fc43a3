"""The pixels equal those of the command and of the references."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import spool


def digest(pixels: Any) -> str:
    return hashlib.sha256(pixels).hexdigest()


def test_every_image(testdata: Path) -> None:
    compared = 0
    for name, want in json.loads((testdata / "expected.json").read_text()).items():
        if "rgb_sha256" in want and not name.endswith(".heic"):  # decoders of HEIC round differently
            pixels = spool.decode_image(testdata / name)
            assert list(pixels.shape) == want["shape"], name
            assert digest(pixels) == want["rgb_sha256"], name
            compared += 1
    assert compared >= 90


@pytest.mark.slow
def test_every_shared_image(shared: Path) -> None:
    """Digests equal Pillow's. At 224 x 224, pixels are within the difference to Pillow's resize in docs/parity.md."""
    compared = 0
    for name, want in json.loads((shared / "expected/index.json").read_text()).items():
        if want.get("kind") == "image" and "error" in want:
            with pytest.raises(spool.DecodeError):
                spool.decode_image(shared / name)
        if want.get("kind") != "image" or "rgb_sha256" not in want or want["mode"] == "I;16":
            continue  # Pillow clips 16-bit gray, torchvision takes the high byte
        pixels = spool.decode_image(shared / name)
        assert digest(pixels) == want["rgb_sha256"], name
        compared += 1
        if "rgb_224" in want and want["mode"] != "RGBA":
            small = spool.decode_image(shared / name, size=224)
            off = np.abs(small.astype(int) - np.load(shared / "expected" / want["rgb_224"]))
            height, width = want["shape"][:2]
            pillow_vertical_first = height > 224 and height - 224 > 2 * (width - 224)
            assert off.max() <= 1, name
            assert off.mean() <= (0.3 if pillow_vertical_first else 0.05), name
    assert compared >= 100


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ([], {}),
        (["--size", "224x100"], {"size": (100, 224)}),
        (["--size", "64x96", "--mode", "fit", "--pad-color", "#102030"],
         {"size": (96, 64), "mode": "fit", "pad_color": "#102030"}),
        (["--resize-shorter", "100", "--crop", "80x90", "--filter", "bicubic"],
         {"resize_shorter": 100, "crop": (90, 80), "filter": "bicubic"}),
        (["--size", "50x50", "--profile", "fast"], {"size": 50, "profile": "fast"}),
        (["--size", "50x50", "--profile", "pillow", "--filter", "lanczos"],
         {"size": 50, "profile": "pillow", "filter": "lanczos"}),
        (["--dtype", "float32", "--mean", "0.5", "--std", "0.25,0.5,1", "--layout", "nchw"],
         {"dtype": "float32", "mean": 0.5, "std": (0.25, 0.5, 1), "layout": "nchw"}),
        (["--color", "bgr", "--orient=false"], {"color": "bgr", "orient": False}),
        (["--alpha", "over:#336699", "--dtype", "uint16"], {"alpha": "over:#336699", "dtype": "uint16"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["photos/animal/00.jpg", "hard/good/exif6.jpg", "hard/good/rgba.png"])
def test_the_command(testdata: Path, tmp_path: Path, name: str, flags: list[str], options: Any) -> None:
    command = ROOT / "bin" / "spool"
    subprocess.run([command, "decode", "image", testdata / name, "--out", tmp_path / "out.npy", *flags], check=True)
    np.testing.assert_array_equal(spool.decode_image(testdata / name, **options), np.load(tmp_path / "out.npy"))
