"""spool.torch and spool.torchvision, against PyTorch's DataLoader and torchvision."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import need
import numpy as np
import pages
import pytest
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms import v2

import spool
import spool.torch
import spool.torchvision as inside

Samples = list[tuple[str, int]]


def numpy_of(images: torch.Tensor) -> Any:
    return images.permute(0, 2, 3, 1).numpy()


def decoded(path: str) -> torch.Tensor:
    return decode_image(path, mode=ImageReadMode.RGB, apply_exif_orientation=True)


@pytest.fixture
def loader(samples: Samples) -> DataLoader[Any]:
    # This process has used spool, so its workers cannot be forks.
    return DataLoader(
        samples,  # type: ignore[arg-type]
        batch_size=4,
        num_workers=2,
        multiprocessing_context="forkserver",
        collate_fn=spool.torch.collate(size=64),
    )


def test_structures(samples: Samples) -> None:
    want = np.stack([pages.reference(Path(path)) for path, _ in samples[:3]])
    collate = spool.torch.collate(size=224)
    paths = [path for path, _ in samples[:3]]

    alone = collate(paths)
    assert alone.shape == (3, 3, 224, 224)
    assert alone.dtype == torch.uint8
    assert (numpy_of(alone) == want).all()

    images, numbers = collate(samples[:3])
    assert (numpy_of(images) == want).all()
    assert numbers.tolist() == [0, 1, 2]

    batch = collate([{"image": Path(path).read_bytes(), "name": path, "box": np.ones(4)} for path in paths])
    assert (numpy_of(batch["image"]) == want).all()
    assert batch["name"] == paths
    assert batch["box"].shape == (3, 4)

    numbers, images = spool.torch.collate(size=224, key=1, layout="nhwc")([(i, path) for i, path in enumerate(paths)])
    assert (images.numpy() == want).all()
    assert numbers.tolist() == [0, 1, 2]


def test_raise(broken: Samples) -> None:
    with pytest.raises(spool.DecodeError, match=r"cut.jpg: truncated"):
        spool.torch.collate(size=64)(broken)


def test_skip(broken: Samples, caplog: pytest.LogCaptureFixture) -> None:
    images, numbers = spool.torch.collate(size=64, on_error="skip")(broken)
    assert numbers.tolist() == [0, 2, 3]
    assert (images == spool.torch.collate(size=64)([broken[i] for i in numbers])[0]).all()
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert "cut.jpg" in caplog.text
    assert "none.jpg: not-found" in caplog.text
    with pytest.raises(FileNotFoundError, match=r"none.jpg"):
        spool.torch.collate(size=64, on_error="skip")(broken[-1:])


def test_mask(broken: Samples) -> None:
    images, numbers, valid = spool.torch.collate(size=64, on_error="placeholder")(broken)
    assert valid.tolist() == [True, False, True, True, False]
    assert numbers.tolist() == [0, 1, 2, 3, 4]
    assert len(images) == 5
    keyed = spool.torch.collate(size=64, on_error="placeholder")([{"image": path} for path, _ in broken])
    assert keyed["valid"].tolist() == valid.tolist()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sise": 224}, TypeError),
        ({"size": 2.5}, TypeError),
        ({"on_error": "ignore"}, ValueError),
    ],
)
def test_wrong_options_are_told_when_it_is_made(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        spool.torch.collate(**options)


def test_wrong_samples() -> None:
    with pytest.raises(ValueError, match="samples"):
        spool.torch.collate(size=64)([])


def test_pickled(samples: Samples) -> None:
    collate = spool.torch.collate(size=64)
    want, _ = collate(samples[:2])
    assert (pickle.loads(pickle.dumps(collate))(samples[:2])[0] == want).all()


def test_workers(loader: DataLoader[Any], samples: Samples) -> None:
    collate = spool.torch.collate(size=64)
    for _ in range(2):
        numbers: list[int] = []
        for images, labels in loader:
            assert type(images) is torch.Tensor
            assert torch.equal(images, collate([samples[i] for i in labels])[0])
            numbers += labels.tolist()
        assert numbers == list(range(len(samples)))


def test_batches_of_workers_can_be_kept(loader: DataLoader[Any], samples: Samples) -> None:
    """Kept batches do not change, although a worker has memory for only a few."""
    kept = list(loader)
    assert len({images.data_ptr() for images, _ in kept}) == len(kept)
    collate = spool.torch.collate(size=64)
    assert all(torch.equal(images, collate([samples[i] for i in labels])[0]) for images, labels in kept)


def test_memory_of_workers_is_used_again(loader: DataLoader[Any]) -> None:
    places = set()
    for images, _ in loader:
        places.add(images.data_ptr())
        del images
    assert len(places) < len(loader)


def test_what_is_made_of_a_batch_in_a_worker(samples: Samples) -> None:
    loader = DataLoader(
        samples,  # type: ignore[arg-type]
        batch_size=4,
        num_workers=1,
        multiprocessing_context="forkserver",
        collate_fn=Halved(),
    )
    collate = spool.torch.collate(size=64)
    kept = [(batch, [samples[i] for i in numbers]) for batch, numbers in loader]
    for (whole, part, half), chosen in kept:
        want, _ = collate(chosen)
        assert torch.equal(whole, want)
        assert torch.equal(part, want[:1])
        assert torch.equal(half, want // 2)


class Halved:
    """Uses a batch in the worker: itself, a view of it, and a computed tensor."""

    def __init__(self) -> None:
        self.collate = spool.torch.collate(size=64)

    def __call__(self, samples: Samples) -> Any:
        images, numbers = self.collate(samples)
        return (images, images[:1], images // 2), numbers


def test_a_bad_image_in_a_worker(broken: Samples) -> None:
    loader = DataLoader(
        broken,  # type: ignore[arg-type]
        batch_size=5,
        num_workers=1,
        multiprocessing_context="forkserver",
        collate_fn=spool.torch.collate(size=64),
    )
    with pytest.raises(spool.DecodeError, match=r"cut.jpg: truncated"):
        list(loader)


def test_forked_after_use(samples: Samples) -> None:
    collate = spool.torch.collate(size=64)
    collate(samples[:1])
    options: Any = {"num_workers": 1, "multiprocessing_context": "fork", "collate_fn": collate}
    loader = DataLoader(samples, **options)  # type: ignore[arg-type]
    with pytest.raises(spool.ForkError, match="forkserver"):
        next(iter(loader))


def test_prefetch(samples: Samples) -> None:
    collate = spool.torch.collate(size=64)
    loader = spool.torch.prefetch(DataLoader(samples, batch_size=5, collate_fn=collate))  # type: ignore[arg-type]
    assert len(loader) == 15
    for _ in range(2):
        got = list(loader)
        assert [numbers.tolist() for _, numbers in got] == [list(range(72))[i : i + 5] for i in range(0, 72, 5)]
        assert all(torch.equal(images, collate([samples[i] for i in numbers])[0]) for images, numbers in got)


def test_prefetch_shuffles_as_the_loader(samples: Samples) -> None:
    def order(threaded: bool) -> list[int]:
        torch.manual_seed(3)
        collate = spool.torch.collate(size=64)
        loader = DataLoader(samples, batch_size=5, shuffle=True, collate_fn=collate)  # type: ignore[arg-type]
        batches = spool.torch.prefetch(loader) if threaded else loader
        return [int(n) for _, numbers in batches for n in numbers]

    assert order(threaded=True) == order(threaded=False)


def test_prefetch_raises_in_its_place(broken: Samples) -> None:
    loader = DataLoader(broken, collate_fn=spool.torch.collate(size=64))  # type: ignore[arg-type]
    got = iter(spool.torch.prefetch(loader))
    assert next(got)[1].tolist() == [0]
    with pytest.raises(spool.DecodeError, match=r"cut.jpg"):
        next(got)


class Counted(Dataset[Any]):
    def __init__(self, samples: Samples) -> None:
        self.samples, self.asked = samples, 0

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, i: int) -> tuple[str, int]:
        self.asked += 1
        return self.samples[i]


def test_prefetch_is_left(samples: Samples) -> None:
    dataset = Counted(samples)
    loader = spool.torch.prefetch(DataLoader(dataset, batch_size=4, collate_fn=spool.torch.collate(size=64)), batches=3)
    before = set(threading.enumerate())
    for _ in loader:
        break
    gc.collect()
    assert set(threading.enumerate()) <= before
    assert dataset.asked <= 4 * 5, "samples are requested after the loop was left"


def test_prefetch_of_what_it_cannot(samples: Samples) -> None:
    with pytest.raises(ValueError, match="num_workers=0"):
        spool.torch.prefetch(DataLoader(samples, num_workers=1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batches"):
        spool.torch.prefetch(DataLoader(samples), batches=0)  # type: ignore[arg-type]


def test_transforms_are_torchvisions(samples: Samples) -> None:
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    for own, theirs in [
        ([inside.Resize(80)], [v2.Resize(80, antialias=True)]),
        ([inside.Resize((50, 70))], [v2.Resize((50, 70), antialias=True)]),
        (
            [inside.Resize(90, "bicubic"), inside.CenterCrop(64)],
            [v2.Resize(90, v2.InterpolationMode.BICUBIC), v2.CenterCrop(64)],
        ),
        ([inside.Resize(90, v2.InterpolationMode.BICUBIC)], [v2.Resize(90, v2.InterpolationMode.BICUBIC)]),
        (
            [inside.CenterCrop((40, 60)), inside.RandomHorizontalFlip(1)],
            [v2.CenterCrop((40, 60)), v2.RandomHorizontalFlip(1)],
        ),
        ([inside.Resize((61, 87), v2.InterpolationMode.NEAREST)], [v2.Resize((61, 87), v2.InterpolationMode.NEAREST)]),
        ([inside.Resize((61, 87), "nearest")], [v2.Resize((61, 87), v2.InterpolationMode.NEAREST)]),
        ([inside.Resize((700, 999), 0)], [v2.Resize((700, 999), v2.InterpolationMode.NEAREST)]),
        (
            [inside.Resize(77, v2.InterpolationMode.NEAREST_EXACT, antialias=False)],
            [v2.Resize(77, v2.InterpolationMode.NEAREST_EXACT, antialias=False)],
        ),
        (
            [inside.Resize(300, v2.InterpolationMode.NEAREST, antialias=True)],
            [v2.Resize(300, v2.InterpolationMode.NEAREST, antialias=True)],
        ),
        ([inside.Resize((64, 64)), inside.RandomVerticalFlip(1)], [v2.Resize((64, 64)), v2.RandomVerticalFlip(1)]),
    ]:
        transform, reference = inside.Compose(own), v2.Compose(theirs)
        for path, _ in samples[:6]:
            assert torch.equal(transform(path), reference(decoded(path))), own

    own = inside.Compose(
        [inside.Resize((64, 64)), inside.ToDtype(torch.float32, scale=True), inside.Normalize(mean, std)]
    )
    theirs = v2.Compose([v2.Resize((64, 64)), v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)])
    for path, _ in samples[:6]:
        torch.testing.assert_close(own(path), theirs(decoded(path)), rtol=0, atol=1e-6)


def test_random_crops_are_torchvisions(samples: Samples) -> None:
    """For the same box, torchvision gives the same bytes. About half of the images are flipped."""
    transform = inside.Compose([inside.RandomResizedCrop(96), inside.RandomHorizontalFlip()])
    paths = [path for path, _ in samples]
    batch = spool.decode_images(paths, seed=5, epoch=2, regions=True, **transform.options)
    assert batch.regions is not None
    for path, pixels, seen in zip(paths, batch.data, batch.regions, strict=True):
        box = [int(seen[side]) for side in ("top", "left", "height", "width")]
        want = v2.functional.resized_crop(decoded(path), *box, [96, 96], antialias=True)
        want = v2.functional.horizontal_flip(want) if seen["flip_x"] else want
        assert (want.permute(1, 2, 0).numpy() == pixels).all(), seen
    assert 0.2 < batch.regions["flip_x"].mean() < 0.8


def test_a_random_crop_is_a_part_of_the_padded_image(samples: Samples) -> None:
    path = samples[0][0]
    padded = v2.functional.pad(decoded(path), [8, 8, 8, 8])
    crops = inside.Compose([inside.RandomCrop(64, padding=8)])
    windows = padded.unfold(1, 64, 1).unfold(2, 64, 1)
    for _ in range(4):
        crop = crops(path)
        first = (windows[:, :, :, 0, 0] == crop[:, None, None, 0, 0]).all(0)
        assert any(torch.equal(windows[:, y, x], crop) for y, x in first.nonzero().tolist())


def drawn(samples: Samples, seed: int, workers: int) -> Iterator[torch.Tensor]:
    torch.manual_seed(seed)
    loader = DataLoader(
        samples,  # type: ignore[arg-type]
        batch_size=6,
        num_workers=workers,
        multiprocessing_context="forkserver" if workers else None,
        collate_fn=spool.torch.collate(inside.Compose([inside.RandomResizedCrop(48)])),
    )
    return (images for _ in range(2) for images, _ in loader)


@pytest.mark.parametrize("workers", [0, 2])
def test_draws_follow_the_seed(samples: Samples, workers: int) -> None:
    first, again, other = (torch.cat(list(drawn(samples[:12], seed, workers))) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first[:12], first[12:]), "both epochs drew the same"


def test_draws_of_prefetch_are_those_of_the_loader(samples: Samples) -> None:
    def batches(threaded: bool) -> list[torch.Tensor]:
        torch.manual_seed(4)
        collate = spool.torch.collate(inside.Compose([inside.RandomResizedCrop(48)]))
        loader = DataLoader(samples, batch_size=6, collate_fn=collate)  # type: ignore[arg-type]
        return [images for images, _ in (spool.torch.prefetch(loader, batches=4) if threaded else loader)]

    assert all(map(torch.equal, batches(threaded=True), batches(threaded=False)))


def test_draws_leave_torchs_generator_alone(samples: Samples) -> None:
    collate = spool.torch.collate(inside.Compose([inside.RandomResizedCrop(48)]))
    torch.manual_seed(4)
    before = torch.get_rng_state()
    collate(samples[:4])
    assert torch.equal(torch.get_rng_state(), before)


def test_compose_refuses_what_decoding_cannot() -> None:
    with pytest.raises(TypeError, match="ColorJitter"):
        inside.Compose([v2.ColorJitter()])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="Resize"):
        inside.Compose([inside.CenterCrop(10), inside.Resize(20)])
    with pytest.raises(ValueError, match="antialias"):
        inside.Compose([inside.Resize(20, antialias=False)])
    with pytest.raises(ValueError, match="scale=True"):
        inside.Compose([inside.ToDtype(torch.float32)])


def test_lightning(samples: Samples, tmp_path: Path) -> None:
    lightning = need.peer("lightning")

    class Mean(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.seen = torch.nn.Linear(3, 1), []

        def training_step(self, batch: Any, _: int) -> torch.Tensor:
            images, numbers = batch
            self.seen += numbers.tolist()
            loss: torch.Tensor = self.layer(images.float().mean((2, 3))).square().mean()
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), 1e-9)

    collate = spool.torch.collate(size=32)
    batches = spool.torch.prefetch(DataLoader(samples, batch_size=8, collate_fn=collate))  # type: ignore[arg-type]
    model = Mean()
    quiet = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", default_root_dir=os.fspath(tmp_path), **quiet)
    trainer.fit(model, batches)
    assert model.seen == [*range(72), *range(72)]


def test_waits_in_the_trace_of_the_profiler(photos: list[Path]) -> None:
    """Each call for a batch is a span beside torch's own operations; without the profiler there is none."""
    loader = spool.ImageLoader(photos, batch=24, size=32, output="torch")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for batch in loader:
            batch.data.float().sum()
    events = {e.key: e for e in profile.key_averages()}
    assert events["spool.next"].count == 3 + 1  # and the end of the epoch
    assert events["aten::sum"].count == 3
    assert len(list(loader)) == 3
    loader.close()
