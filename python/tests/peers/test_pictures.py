"""Single pictures of spool.torchvision in workers of PyTorch's DataLoader, and several makers of batches in one."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info

import spool
import spool.torch
from spool.torchvision import CenterCrop, Compose, Normalize, RandomResizedCrop, Resize, ToDtype

Samples = list[tuple[str, int]]

SMALL, LARGE = Compose([Resize((48, 64))]), Compose([Resize((64, 64))])


class Pictures(Dataset[Any]):
    """Decodes each sample by a transform."""

    def __init__(self, samples: Samples, transform: Any = LARGE) -> None:
        self.samples, self.transform = samples, transform

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, i: int) -> Any:
        path, label = self.samples[i]
        return self.transform(path), label


class Used(Pictures):
    """Does what datasets do with a picture in a worker."""

    def __init__(self, samples: Samples) -> None:
        super().__init__(samples)
        self.kept: dict[int, torch.Tensor] = {}

    def __getitem__(self, i: int) -> Any:
        picture = super().__getitem__(i)[0]
        changed = LARGE(self.samples[i][0])
        changed.bitwise_not_()
        turned = SMALL(self.samples[i][0])
        turned.transpose_(1, 2)
        self.kept[i] = picture
        copied = pickle.loads(pickle.dumps(copy.deepcopy(picture)))
        assert type(copied) is type(picture + 1) is torch.Tensor
        assert repr(picture) == repr(copied)
        return {
            "picture": picture,
            "changed": changed,
            "turned": turned,
            "copied": copied,
            "kept": self.kept.get(i // 2, picture),
            "twice": (picture, picture),
            "view": picture[:, ::2],
        }


def loader(dataset: Any, **options: Any) -> DataLoader[Any]:
    # This process has used spool, so its workers cannot be forks.
    return DataLoader(dataset, multiprocessing_context="forkserver", **{"batch_size": 4, "num_workers": 1, **options})


@pytest.mark.parametrize(
    "transform",
    [
        LARGE,
        Compose([Resize(40), CenterCrop((32, 24)), ToDtype(torch.float32, scale=True), Normalize([0.5] * 3, [2] * 3)]),
        Compose([Resize((8, 8)), ToDtype(torch.bfloat16, scale=True)]),
    ],
    ids=["uint8", "float32", "bfloat16"],
)
def test_batches(samples: Samples, transform: Compose) -> None:
    """They have the pixels of the parent, also if more are kept than a worker has memory for."""
    samples = samples * 3
    kept = list(loader(Pictures(samples, transform), num_workers=2))
    assert len({images.data_ptr() for images, _ in kept}) == len(kept) > 16
    want = [transform(path) for path, _ in samples]
    at = 0
    for images, labels in kept:
        assert type(images) is torch.Tensor
        assert torch.equal(images, torch.stack(want[at : at + len(images)]))
        assert labels.tolist() == [label for _, label in samples[at : at + len(images)]]
        at += len(images)
    assert at == len(samples)


def test_memory_is_used_again(samples: Samples) -> None:
    places, batches = set(), loader(Pictures(samples * 3))
    for images, _ in batches:
        places.add(images.data_ptr())
        del images
    assert len(places) < len(batches) / 2


def test_what_datasets_do(samples: Samples) -> None:
    """Pictures that are changed, copied, used twice or kept in the worker do not depend on the batches."""
    at = 0
    for batch in loader(Used(samples)):
        batch["kept"].add_(batch["picture"])  # the parent's batches are not the worker's pictures
        for i in range(len(batch["picture"])):
            path, first = samples[at + i][0], samples[(at + i) // 2][0]
            picture = LARGE(path)
            assert torch.equal(batch["picture"][i], picture)
            assert torch.equal(batch["changed"][i], ~picture)
            assert torch.equal(batch["turned"][i], SMALL(path).transpose(1, 2))
            assert torch.equal(batch["copied"][i], picture)
            assert torch.equal(batch["kept"][i] - picture, LARGE(first))
            assert all(torch.equal(part[i], picture) for part in batch["twice"])
            assert torch.equal(batch["view"][i], picture[:, ::2])
        at += len(batch["picture"])
    assert at == len(samples)


def test_pictures_without_batches(samples: Samples) -> None:
    for (picture, _), (path, _) in zip(loader(Pictures(samples), batch_size=None), samples, strict=True):
        assert type(picture) is torch.Tensor
        assert torch.equal(picture, LARGE(path))


class Mixed(Pictures):
    """Has pictures of two sizes."""

    def __getitem__(self, i: int) -> Any:
        return (LARGE, SMALL)[i % 2](self.samples[i][0])


def test_sizes_that_differ(samples: Samples) -> None:
    with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
        next(iter(loader(Mixed(samples))))


def test_bad_pictures(broken: Samples) -> None:
    """A picture has the error of decode_image."""
    for i in (1, 4):
        with pytest.raises(spool.DecodeError) as want:
            spool.decode_image(broken[i][0], size=64)
        with pytest.raises(type(want.value)) as told:
            LARGE(broken[i][0])
        assert (str(told.value), told.value.error_class) == (str(want.value), want.value.error_class)
    with pytest.raises(spool.DecodeError, match=r"cut.jpg: truncated"):
        list(loader(Pictures(broken)))


class Both:
    """Makes two batches of the samples by two functions."""

    def __init__(self) -> None:
        self.small, self.large = spool.torch.collate(size=32), spool.torch.collate(size=64)

    def __call__(self, samples: Samples) -> Any:
        assert get_worker_info() is not None
        return self.small(samples)[0], self.large(samples)[0]


def test_two_functions_of_a_worker(samples: Samples) -> None:
    at = 0
    for small, large in loader(samples * 3, collate_fn=Both()):
        chosen = (samples * 3)[at : at + len(small)]
        assert torch.equal(small, spool.torch.collate(size=32)(chosen)[0])
        assert torch.equal(large, spool.torch.collate(size=64)(chosen)[0])
        at += len(small)
    assert at == 3 * len(samples)


def test_draws(samples: Samples) -> None:
    """A picture has the draws of a batch of one, in the order of the calls, from the seed of torch."""
    crop = Compose([RandomResizedCrop(32)])
    torch.manual_seed(3)
    for epoch in range(2):
        for i, (path, _) in enumerate(samples[:4]):
            want = spool.decode_images([path], **crop.options, layout="nchw", seed=3, epoch=4 * epoch + i)
            assert torch.equal(crop(path), torch.from_numpy(want.data[0]))
