"""spool.Loader with batches of images of different sizes."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool

DATA = Path(__file__).resolve().parents[2] / "testdata"
PHOTOS = str(DATA / "photos")
SHARDS = str(DATA / "records/{000..001}.tar")
IMAGE = {"image": spool.Image("path")}
BOTH = {"image": spool.Image("jpg"), "mask": spool.Mask("seg.png", fill=255)}
FORMS: dict[str, dict[str, Any]] = {
    "pad": {"form": "pad", "form_multiple": 16},
    "ragged": {"form": "ragged"},
    "bucket": {"form": "bucket", "buckets": [48, (32, 64), "32x64"]},
    "default buckets": {"form": "bucket"},
    "pixels": {"form": "budget", "budget_pixels": 1_500_000},
    "tokens": {"form": "budget", "budget_tokens": 4000, "patch": 14, "budget_ragged": True},
}


def photo(name: str) -> np.ndarray[Any, Any]:
    """A photo of the folder, decoded by itself."""
    return np.asarray(spool.decode_image(name))


def test_pad() -> None:
    seen = 0
    for batch in spool.Loader(PHOTOS, IMAGE, form="pad", form_fill=114, form_multiple=32, batch=3, epochs=1):
        images, shapes, valid = batch["image"], batch.shapes["image"], batch.valid_pixels("image")
        assert images.shape[1] % 32 == images.shape[2] % 32 == 0
        assert images.shape[1] - shapes[:, 0].max() < 32
        assert valid.shape == images.shape[:3]
        for image, (height, width, _), inside, name in zip(images, shapes, valid, batch.names, strict=True):
            seen += 1
            assert np.array_equal(image[:height, :width], photo(name))
            assert inside.sum() == height * width
            assert inside[:height, :width].all()
            assert (image[~inside] == 114).all()
    assert seen == len(list(Path(PHOTOS).rglob("*.jpg")))


def test_pad_planar() -> None:
    """The pixels of padded images with layout nchw, and of a pickled batch."""
    fields = {"image": spool.Image("path", layout="nchw")}
    options: dict[str, Any] = {"form": "pad", "form_multiple": 32, "batch": 3, "epochs": 1}
    loaders = spool.Loader(PHOTOS, fields, **options), spool.Loader(PHOTOS, IMAGE, **options)
    for planar, other in zip(*loaders, strict=True):
        assert np.array_equal(planar["image"], other["image"].transpose(0, 3, 1, 2))
        for batch in (planar, pickle.loads(pickle.dumps(planar))):
            assert np.array_equal(batch.valid_pixels("image"), other.valid_pixels("image"))


def test_ragged() -> None:
    batch = next(iter(spool.Loader(PHOTOS, IMAGE, form="ragged", batch=3)))
    images = batch["image"]
    assert isinstance(images, spool.Ragged)
    assert len(images) == 3
    assert images.offsets[-1] == images.data.size == sum(i.size for i in images)
    assert np.array_equal(images.shapes, batch.shapes["image"])
    for image, name in zip(images, batch.names, strict=True):
        assert np.array_equal(image, photo(name))
        assert np.shares_memory(image, images.data)
    assert np.array_equal(images[-1], images[2])
    assert [i.shape for i in images[1:]] == [images[1].shape, images[2].shape]
    with pytest.raises(IndexError):
        images[3]
    copy = pickle.loads(pickle.dumps(batch))
    assert np.array_equal(copy["image"][1], images[1])
    assert np.array_equal(copy.shapes["image"], images.shapes)
    assert "Ragged" in repr(copy["image"])


def test_masks_have_the_size_of_their_image() -> None:
    for form in FORMS.values():
        for batch in spool.Loader(SHARDS, BOTH, ignore_columns="*", batch=4, epochs=1, **form):
            for image, mask in zip(batch["image"], batch["mask"], strict=True):
                assert image.shape[:2] == mask.shape
            if "mask" in batch.shapes:
                assert np.array_equal(batch.shapes["image"][:, :2], batch.shapes["mask"])


def test_buckets() -> None:
    """Each batch has one of the sizes: that of the nearest aspect ratio."""
    sizes = [(48, 48), (32, 64), (64, 32)]
    count = 0
    for batch in spool.Loader(PHOTOS, IMAGE, **FORMS["bucket"], batch=2, epochs=1):
        size = batch["image"].shape[1:3]
        assert size in sizes
        assert batch.shapes == {}
        for name in batch.names:
            count += 1
            height, width = photo(name).shape[:2]
            off = [abs(np.log(width * h / (height * w))) for h, w in sizes]
            assert sizes[int(np.argmin(off))] == size
    assert count == len(list(Path(PHOTOS).rglob("*.jpg")))


def test_budget() -> None:
    batches = list(spool.Loader(PHOTOS, IMAGE, **FORMS["pixels"], epochs=1))
    assert len(batches) > 1
    for batch in batches:
        n, height, width, _ = batch["image"].shape
        assert n * height * width <= 1_500_000
    for batch in spool.Loader(PHOTOS, IMAGE, **FORMS["tokens"], epochs=1):
        assert sum(-(-h // 14) * -(-w // 14) for h, w, _ in batch.shapes["image"]) <= 4000


@pytest.mark.parametrize("form", FORMS)
def test_state(form: str) -> None:
    """A loader that loads a state delivers what would have followed."""

    def loader() -> spool.Loader:
        return spool.Loader(SHARDS, BOTH, ignore_columns="*", batch=2, shuffle=True, epochs=2, **FORMS[form])

    def content(batch: spool.RecordBatch) -> list[Any]:
        return [batch.keys[:], *(i.tobytes() for i in batch["image"]), *(m.tobytes() for m in batch["mask"])]

    whole = loader()
    states, batches = [], []
    for _ in range(2):
        for batch in whole:
            batches.append(content(batch))
            states.append(whole.state_dict())
    for k in range(0, len(states), 2):
        other = loader()
        other.load_state_dict(states[k])
        rest = [content(b) for _ in range(2) for b in other]
        assert rest[: len(batches) - k - 1] == batches[k + 1 :]


def test_waste() -> None:
    loader = spool.Loader(PHOTOS, IMAGE, form="pad", epochs=1)
    all_pixels = padding = 0
    for batch in loader:
        valid = batch.valid_pixels("image")
        all_pixels, padding = all_pixels + valid.size, padding + (~valid).sum()
    assert loader.stats["waste"] == {"pixels": all_pixels, "padding": padding, "share": padding / all_pixels}


def test_length_is_unknown() -> None:
    assert len(spool.Loader(PHOTOS, IMAGE, form="pad", batch=4)) > 0
    with pytest.raises(TypeError, match="not known"):
        len(spool.Loader(PHOTOS, IMAGE, form="bucket"))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_torch() -> None:
    torch = need.peer("torch")
    batch = next(iter(spool.Loader(PHOTOS, IMAGE, form="ragged", batch=3, output="torch")))
    images = batch["image"]
    assert [tuple(i.shape) for i in images] == [tuple(s) for s in images.shapes]
    assert images[1].untyped_storage().data_ptr() == images.data.untyped_storage().data_ptr()
    nested = images.nested()
    assert nested.is_nested
    assert all(torch.equal(a, b) for a, b in zip(nested.unbind(), images, strict=True))


def test_views() -> None:
    fields = {"image": spool.Image("path", train=True, views=2)}
    batch = next(iter(spool.Loader(PHOTOS, fields, form="ragged", batch=3)))
    assert [len(view) for view in batch["image"]] == [3, 3]
    assert set(batch.shapes) == {"image.0", "image.1"}


def test_wrong_forms() -> None:
    for options, message in [
        ({"form": "padd"}, "did you mean pad"),
        ({"form": "budget"}, "form=budget needs budget_pixels"),
        ({"form": "pad", "order": "any"}, "form=pad needs order=exact"),
        ({"form": "bucket", "rank": 0, "world": 2}, "form=bucket and rank need rest=uneven"),
        ({"buckets": [32]}, "buckets needs form=bucket"),
    ]:
        with pytest.raises(ValueError, match=message):
            len(spool.Loader(PHOTOS, IMAGE, **options))  # type: ignore[arg-type]
