"""Arrays of bfloat16: the nearest to float32, ties to even."""

from __future__ import annotations

import builtins
import pickle
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool

DATA = Path(__file__).resolve().parents[2] / "testdata"
PHOTO = str(DATA / "photos/animal/00.jpg")
OPTIONS: dict[str, Any] = {"size": 32, "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}


def bits(data: Any) -> Any:
    """The bits of bfloat16 numbers."""
    return np.asarray(data).view(np.uint16)


def nearest(floats: Any) -> Any:
    """The bits of the nearest bfloat16, by ml_dtypes."""
    types = need.peer("ml_dtypes")
    return np.asarray(floats).astype(types.bfloat16).view(np.uint16)


def test_image() -> None:
    types = need.peer("ml_dtypes")
    floats = spool.decode_image(PHOTO, dtype="float32", **OPTIONS)
    data = spool.decode_image(PHOTO, dtype="bfloat16", **OPTIONS)
    assert data.dtype == types.bfloat16
    assert np.array_equal(bits(data), nearest(floats))
    assert np.array_equal(bits(spool.decode_image(PHOTO, dtype=types.bfloat16, **OPTIONS)), bits(data))
    assert np.array_equal(bits(pickle.loads(pickle.dumps(data))), bits(data))
    out = np.zeros(data.shape, types.bfloat16)
    assert spool.decode_image(PHOTO, dtype="bfloat16", out=out, **OPTIONS) is out
    assert np.array_equal(bits(out), bits(data))
    with pytest.raises(ValueError, match="must be that of the result, bfloat16"):
        spool.decode_image(PHOTO, dtype="bfloat16", out=np.zeros(data.shape, np.float32), **OPTIONS)
    batch = spool.decode_images([PHOTO, PHOTO], dtype="bfloat16", **OPTIONS)
    assert np.array_equal(bits(batch.data[1]), bits(data))


def test_loaders() -> None:
    def load(dtype: str, output: Any = "numpy", **form: Any) -> Any:
        fields = {"image": spool.Image("path", dtype=dtype, layout="nchw", **OPTIONS)}
        return next(iter(spool.Loader(str(DATA / "photos"), fields, batch=3, output=output, **form)))["image"]

    want = nearest(load("float32"))
    assert np.array_equal(bits(load("bfloat16")), want)
    ragged = load("bfloat16", form="ragged")
    assert np.array_equal(bits(ragged[2]), want[2])
    images = next(iter(spool.ImageLoader(str(DATA / "photos"), dtype="bfloat16", batch=3, layout="nchw", **OPTIONS)))
    assert np.array_equal(bits(images.data), want)
    array = load("bfloat16", output="dlpack")
    assert array.shape == want.shape
    assert "bfloat16" in repr(array)
    assert "dltensor" in repr(array.__dlpack__())
    assert array.__dlpack_device__() == (1, 0)


def test_padding() -> None:
    need.peer("ml_dtypes")
    fields = {"image": spool.Image("path", dtype="bfloat16")}
    batch = next(iter(spool.Loader(str(DATA / "photos"), fields, batch=3, form="pad", form_fill=-1.5)))
    padding = batch["image"][~batch.valid_pixels("image")]
    assert padding.size
    assert (padding.astype(np.float32) == -1.5).all()


def test_torch() -> None:
    torch = need.peer("torch")
    floats = spool.decode_image(PHOTO, dtype="float32", **OPTIONS)
    want = torch.from_numpy(floats).to(torch.bfloat16)
    fields = {"image": spool.Image("path", dtype="bfloat16", **OPTIONS)}
    assert torch.equal(next(iter(spool.Loader(PHOTO, fields, output="torch")))["image"][0], want)
    assert torch.equal(torch.from_dlpack(next(iter(spool.Loader(PHOTO, fields, output="dlpack")))["image"])[0], want)
    out = torch.zeros_like(want)
    spool.decode_image(PHOTO, dtype=torch.bfloat16, out=out, **OPTIONS)
    assert torch.equal(out, want)


def test_without_ml_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "ml_dtypes":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr("spool.bfloat16.importlib.import_module", without)
    with pytest.raises(ImportError, match="install ml_dtypes, or load with output='torch'"):
        spool.decode_image(PHOTO, dtype="bfloat16", **OPTIONS)
