"""Loaders of images: batches of uint8 at size x size, each in its natural layout, so that no conversion is timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .work import Peer, Work


def dataloader(work: Work, load: Callable[[str], Any]) -> Callable[[], Iterable[Any]]:
    """A PyTorch DataLoader over the files, with one thread for each worker."""
    import torch
    from torch.utils.data import DataLoader, Dataset

    torch.set_num_threads(1)

    class Files(Dataset[Any]):
        def __len__(self) -> int:
            return len(work.files)

        def __getitem__(self, i: int) -> Any:
            return load(work.files[i])

    return lambda: DataLoader(Files(), batch_size=work.batch, num_workers=work.workers, prefetch_factor=2)


def torchvision(work: Work) -> Callable[[], Iterable[Any]]:
    """NCHW."""
    from torchvision.io import ImageReadMode, decode_image, read_file
    from torchvision.transforms import v2

    if work.name == "train":
        transform = v2.Compose([v2.RandomResizedCrop(work.size, antialias=True), v2.RandomHorizontalFlip()])
    else:
        transform = v2.Resize((work.size, work.size), antialias=True)
    return dataloader(work, lambda path: transform(decode_image(read_file(path), mode=ImageReadMode.RGB)))


def pillow(work: Work, draft: bool = False) -> Callable[[], Iterable[Any]]:
    """NHWC. With draft, JPEG is decoded at the smallest scale that is at least as large as the result."""
    import numpy as np
    import torch
    from PIL import Image
    from torchvision.transforms import v2

    augment = v2.Compose([v2.RandomResizedCrop(work.size), v2.RandomHorizontalFlip()])
    size = (work.size, work.size)

    def load(path: str) -> Any:
        image = Image.open(path)
        if draft:
            image.draft("RGB", size)
        image = image.convert("RGB")
        image = augment(image) if work.name == "train" else image.resize(size, Image.Resampling.BILINEAR)
        return torch.from_numpy(np.asarray(image).copy())

    return dataloader(work, load)


def spdl(work: Work) -> Callable[[], Iterable[Any]]:
    """NHWC, a batch at a time in C++ threads. FFmpeg's bilinear filter is faster than its default."""
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    wanted = f"scale={work.size}:{work.size}:flags=bilinear,format=rgb24"

    def decode(paths: list[str]) -> Any:
        return spdl.io.load_image_batch(paths, width=work.size, height=work.size, filter_desc=wanted)

    def load() -> Iterator[Any]:
        stages = PipelineBuilder().add_source(work.batches()).pipe(decode, concurrency=work.workers).add_sink(3)
        pipeline = stages.build(num_threads=work.workers)
        with pipeline.auto_stop():
            for batch in pipeline:
                yield spdl.io.to_numpy(batch)

    return load


def spdl_items(work: Work) -> Callable[[], Iterable[Any]]:
    """NHWC, a task for each image, as in SPDL's example for ImageNet."""
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    wanted = f"scale={work.size}:{work.size}:flags=bilinear,format=rgb24"

    def decode(path: str) -> Any:
        return spdl.io.decode_packets(spdl.io.demux_image(path), filter_desc=wanted)

    def collate(frames: Any) -> Any:
        return spdl.io.to_numpy(spdl.io.convert_frames(frames))

    def load() -> Iterator[Any]:
        stages = PipelineBuilder().add_source(work.files).pipe(decode, concurrency=work.workers)
        pipeline = stages.aggregate(work.batch).pipe(collate).add_sink(3).build(num_threads=work.workers + 1)
        with pipeline.auto_stop():
            yield from pipeline

    return load


def opencv(work: Work, area: bool = False, reduced: bool = False) -> Callable[[], Iterable[Any]]:
    """NHWC, in threads. INTER_LINEAR does not antialias, INTER_AREA does.

    With reduced, JPEG is decoded at the smallest of OpenCV's scales that is at least as large as the result.
    """
    import cv2
    import numpy as np
    from PIL import Image

    cv2.setNumThreads(1)
    interpolation = cv2.INTER_AREA if area else cv2.INTER_LINEAR
    scales = {8: cv2.IMREAD_REDUCED_COLOR_8, 4: cv2.IMREAD_REDUCED_COLOR_4, 2: cv2.IMREAD_REDUCED_COLOR_2}

    def flag(path: str) -> int:
        if reduced:
            with Image.open(path) as image:  # reads only the header
                shorter = min(image.size)
            for scale, name in scales.items():
                if shorter // scale >= work.size:
                    return name
        return cv2.IMREAD_COLOR

    def decode(paths: list[str]) -> Any:
        out = np.empty((len(paths), work.size, work.size, 3), np.uint8)
        for slot, path in zip(out, paths, strict=True):
            image = cv2.resize(cv2.imread(path, flag(path)), (work.size, work.size), interpolation=interpolation)
            cv2.cvtColor(image, cv2.COLOR_BGR2RGB, dst=slot)
        return out

    def load() -> Iterator[Any]:
        with ThreadPoolExecutor(work.workers) as pool:
            yield from pool.map(decode, work.batches())

    return load


def libvips(work: Work) -> Callable[[], Iterable[Any]]:
    """NHWC, with thumbnail, in threads."""
    import numpy as np
    import pyvips

    pyvips.cache_set_max(0)

    def decode(paths: list[str]) -> Any:
        out = np.empty((len(paths), work.size, work.size, 3), np.uint8)
        for slot, path in zip(out, paths, strict=True):
            slot[:] = pyvips.Image.thumbnail(path, work.size, height=work.size, size="force").numpy()
        return out

    def load() -> Iterator[Any]:
        with ThreadPoolExecutor(work.workers) as pool:
            yield from pool.map(decode, work.batches())

    return load


def dali(work: Work) -> Callable[[], Iterable[Any]]:
    """NHWC, on the CPU. Batches are complete: the remaining files are not loaded."""
    from nvidia.dali import fn, pipeline_def, types

    @pipeline_def(batch_size=work.batch, num_threads=work.workers, device_id=None, prefetch_queue_depth=2)
    def pipeline() -> Any:
        files, _ = fn.readers.file(files=work.files, prefetch_queue_depth=2)
        size = [work.size, work.size]
        if work.name == "train":
            images = fn.decoders.image_random_crop(
                files, device="cpu", random_area=[0.08, 1.0], random_aspect_ratio=[3 / 4, 4 / 3]
            )
            images = fn.resize(images, size=size, interp_type=types.INTERP_TRIANGULAR)
            return fn.flip(images, horizontal=fn.random.coin_flip())
        images = fn.decoders.image(files, device="cpu")
        return fn.resize(images, size=size, interp_type=types.INTERP_TRIANGULAR)

    def load() -> Iterator[Any]:
        built = pipeline()
        built.build()
        for _ in range(len(work.files) // work.batch):
            yield built.run()[0].as_array()

    return load


PEERS: dict[str, dict[str, Peer]] = {
    "images": {
        "torchvision": torchvision,
        "pil": pillow,
        "pil_draft": lambda work: pillow(work, draft=True),
        "spdl": spdl,
        "spdl_items": spdl_items,
        "cv2": opencv,
        "cv2_area": lambda work: opencv(work, area=True),
        "cv2_reduced": lambda work: opencv(work, area=True, reduced=True),
        "vips": libvips,
        "dali": dali,
    },
    "train": {"torchvision": torchvision, "pil": pillow, "dali": dali},
}
