"""spool from Python: its own loader, in a DataLoader by batches and by single pictures, and in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .images import dataloader as in_dataloader
from .work import Peer, Work

# Of collate, in training.
AUGMENTATION: dict[str, Any] = {"random_scale": (0.08, 1), "flip_x": 0.5}


def loader(work: Work) -> Callable[[], Iterable[Any]]:
    """NHWC, without a copy. With more than one epoch, it would decode samples of the next one before the end."""
    import spool

    def load() -> Iterator[Any]:
        if work.name == "video":
            videos = spool.VideoLoader(
                work.files, batch=1, size=work.size, workers=work.workers, frames=work.frames, epochs=1
            )
            for clips, *_ in videos:
                yield clips[0]
            return
        train = work.name == "train"
        loader = spool.ImageLoader(
            work.files, batch=work.batch, size=work.size, workers=work.workers, train=train, epochs=1
        )
        for images, _ in loader:
            yield images

    return load


def dataloader(work: Work) -> Callable[[], Iterable[Any]]:
    """NCHW tensors, like torchvision's, from worker processes. A script for torchvision needs two changed lines."""
    from torch.utils.data import DataLoader

    import spool.torch

    augmentation = AUGMENTATION if work.name == "train" else {}
    collate = spool.torch.collate(size=work.size, **augmentation)

    def load() -> Iterator[Any]:
        samples = [(path, 0) for path in work.files]
        batches = DataLoader(
            samples, batch_size=work.batch, num_workers=work.workers, prefetch_factor=2, collate_fn=collate
        )
        for images, _ in batches:
            yield images

    return load


def transform(work: Work) -> Callable[[], Iterable[Any]]:
    """NCHW tensors. A transform decodes each picture, and PyTorch makes the batches, as with torchvision."""
    from spool.torchvision import Compose, Resize

    return in_dataloader(work, Compose([Resize((work.size, work.size))]))


def threads(work: Work) -> Callable[[], Iterable[Any]]:
    """NHWC, with decode_images in a thread pool."""
    import spool

    def decode(paths: list[str]) -> Any:
        return spool.decode_images(paths, size=work.size, threads=1).data

    def load() -> Iterator[Any]:
        with ThreadPoolExecutor(work.workers) as pool:
            yield from pool.map(decode, work.batches())

    return load


# Loaders with worker processes come first: a process that has used spool cannot be forked.
PEERS: dict[str, dict[str, Peer]] = {
    "images": {
        "spool_dataloader": dataloader,
        "spool_transform": transform,
        "spool_loader": loader,
        "spool_threads": threads,
    },
    "train": {"spool_dataloader": dataloader, "spool_loader": loader},
    "video": {"spool_loader": loader},
}
