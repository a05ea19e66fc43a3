"""PyTorch's DataLoader, with decoding in its collate function.

::

    loader = DataLoader(dataset, batch_size=32, num_workers=2, collate_fn=spool.torch.collate(size=224))

The dataset gives paths or bytes, with or without labels. ``docs/loaders/pytorch.md`` is the guide. For a dataset that
reads from a network itself, :class:`ConcurrentDataLoader` replaces the DataLoader and reads many samples at a time:
``docs/loaders/concurrent.md``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, default_collate, get_worker_info
from torch.utils.data._utils.pin_memory import pin_memory

from . import _option
from ._concurrent import ConcurrentDataLoader
from ._many import cpus
from ._slots import Slots
from .array import to_torch
from .stage import Stage

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray
    from typing_extensions import Never

    from ._option import Augment, DType, Filter, Size
    from .records import Schema
    from .stage import Column, OnError, Read, Transform

__all__ = ["Collate", "ConcurrentDataLoader", "collate", "prefetch"]

B = TypeVar("B")


class Collate(Stage):
    """A :class:`spool.stage.Stage` that returns tensors. :func:`collate` makes it."""

    _drawn = 0, 0
    _slots: Slots | None = None

    def draw(self) -> tuple[int, int]:
        """Return the seed of the next batch, from torch's initial seed and a count of batches.

        Returns:
            A seed and an epoch.
        """
        seed, batches = self._drawn
        self._drawn = torch.initial_seed(), batches + 1 if seed == torch.initial_seed() else 0
        return self._drawn

    def _cpus(self) -> int:
        return cpus() if get_worker_info() is None else 1

    def _memory(self, count: int) -> torch.Tensor | None:
        """Return memory that a worker shares with its parent, so that sending needs no copy. None in the parent."""
        if get_worker_info() is None:
            return None
        spec = self.spec.parsed()
        if not spec.shape:
            return None
        if self._slots is None:
            self._slots = Slots()
        return self._slots.tensor((count, *spec.shape), np.dtype(spec.dtype))

    def _array(self, values: NDArray[Any]) -> torch.Tensor:
        tensor: torch.Tensor = to_torch(values)
        return tensor

    def _column(self, values: Column) -> object:
        return default_collate(list(values))


def collate(
    transform: Transform | None = None,
    *,
    size: Size | None = None,
    mode: Literal["stretch", "fit", "cover"] = "stretch",
    resize_shorter: int | None = None,
    max_size: int | None = None,
    crop: Size | None = None,
    crops: Literal["one", "five", "ten"] = "one",
    filter: Filter = "bilinear",
    profile: Literal["exact", "pillow", "fast"] = "exact",
    color: Literal["rgb", "bgr", "gray", "rgba", "index"] = "rgb",
    alpha: str = "drop",
    dtype: DType = "uint8",
    mean: float | Sequence[float] | None = None,
    std: float | Sequence[float] | None = None,
    layout: Literal["nhwc", "nchw"] = "nchw",
    orient: bool = True,
    icc: bool = False,
    frame: int | Literal["all"] = 0,
    accept: float | None = None,
    fill: str = "#808080",
    pad_color: str = "#000000",
    jpeg: Literal["auto", "turbo"] = "auto",
    isolate: Literal["off", "heic", "auto", "all"] = "off",
    allow: str | Sequence[str] | None = None,
    box: Sequence[int] | None = None,
    random_scale: Sequence[float] | None = None,
    random_ratio: Sequence[float] | None = None,
    random_crop: int | Sequence[int] | None = None,
    flip_x: float = 0,
    flip_y: float = 0,
    augment: Augment | None = None,
    key: int | str | None = None,
    threads: int | None = None,
    on_error: OnError = "fail",
    read: Read | None = None,
    fields: Schema | None = None,
    endpoint_url: str | None = None,
    region: str | None = None,
    no_sign_request: bool = False,
    max_concurrent_requests: int = 512,
    max_pixels: int = 178956970,
    max_bytes: int | str = "1GiB",
    max_frames: int = 4096,
    max_memory: int | str = "2GiB",
    max_cpu: float | None = None,
    **unknown: Never,
) -> Collate:
    """Make a ``collate_fn`` that decodes a batch in one call.

    Labels and other values are collated by PyTorch's ``default_collate``.

    Random choices follow ``torch.manual_seed``. They depend on torch's initial seed, on how many batches this
    object has collated with that seed, and on the position of the sample in the batch. In a worker, the initial seed is
    the worker's, which differs in each epoch. The draws are not those of torchvision, and torch's generator is not
    used.

    Args:
        transform: a :class:`spool.torchvision.Compose`, instead of keywords or with them.
        size: N for N x N pixels, (height, width) like the shape of results, or ``"WxH"`` like the command. Default: the
            image's own size.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole image, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side, like torchvision's ``Resize(N)``. Not together with ``size``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after the resize, like torchvision's ``CenterCrop``. Default: none.
        crops: several crops of an image of the size ``crop``, which is decoded once: ``five``, the corners and the
            center, or ``ten``, these and those of the mirrored image, like torchvision's FiveCrop and TenCrop. The
            shape has their number in front. Default: ``one``.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, gives torchvision's bytes; ``pillow`` gives Pillow's; ``fast`` is close to
            ``exact``.
        color: ``rgb``, the default, ``bgr``, ``gray`` or ``rgba``. ``index`` gives the indices of a palette, for masks;
            it can be resized by a nearest filter only.
        alpha: ``drop``, the default, ``keep``, or ``over:#rrggbb``, which blends over a color.
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``, as a name or as NumPy's or
            torch's type. Floats are x/255. NumPy arrays of bfloat16 need package ml_dtypes.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        layout: ``nhwc``, the default, or ``nchw``.
        orient: bool, whether to turn the image upright by its EXIF orientation. Default: True.
        icc: bool, whether to convert to sRGB by the color profile in the file. Default: False.
        frame: int, which frame of an animation or which page, from 0, the default. ``"all"`` puts their number in front
            of the shape.
        accept: fraction, from 0 to 1. A damaged image is accepted if at least this fraction of it was read, and the
            rest is filled with ``fill``. Default: damaged images are refused.
        fill: color of the rest of a damaged image, like ``"#808080"``, the default.
        pad_color: color that ``fit`` and crops pad with, like ``"#000000"``, the default.
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
        isolate: images decoded in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
        allow: loaders that are blocked by default: ``svg``, ``exr``, ``hdr``, ``magick``, ``pdf``. One name or several.
        box: a rectangle of the image that the caller has chosen, in pixels: left, top, width, height.
        random_scale: (least, most) share of the area. It or ``random_ratio`` asks for torchvision's RandomResizedCrop,
            drawn for each image of a batch.
        random_ratio: (least, most) aspect ratio of that crop.
        random_crop: pixels around the image, one number, or left, top, right, bottom. ``crop`` is then taken at a
            random position of the image with these pixels around it, drawn for each image of a batch.
        flip_x: probability of a flip from left to right, drawn for each image of a batch. Default: 0.
        flip_y: probability of a flip from top to bottom, drawn for each image of a batch. Default: 0.
        augment: operations on the pixels of results, drawn for each image of a batch: one of :mod:`spool.augment`, like
            ``spool.RandAugment()``, or a sequence of them. Default: none.
        key: where the source is in a sample: an index of a tuple, by default 0, or a key of a dict, by default
            ``"image"``.
        threads: int, how many images are decoded at a time. Default: the CPUs that the process may use.
        on_error: the policy for a sample that cannot be decoded. ``fail``, the default, raises its error. ``skip``
            leaves it out of the batch, together with its labels, and logs it. ``placeholder`` keeps its slot, filled
            with zeros, and adds which slots are valid: as ``valid`` to a batch that is a dict, otherwise as the last
            element.
        read: function that takes a list of sources and returns their bytes, such as :class:`spool.fsspec.Reader`. An
            exception takes the place of bytes that could not be read. Default: the library reads the sources.
        fields: fields of records by their names, as for :class:`spool.Loader`, in place of one image. Their inputs are
            keys of a sample that is a dict, or positions in a tuple, like ``"0"``. The batch is a dict of the fields,
            with the other values of the samples. Not together with ``key``, ``read`` and options of images, which the
            fields have.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        max_pixels: int, width times height of an image or a frame. Default: 178956970.
        max_bytes: size of a file, in bytes or as text like ``"1GiB"``, the default.
        max_frames: int, frames of an animated image, or pages. Default: 4096.
        max_memory: memory to decode one image, the result included, in bytes or as text. Default: ``"2GiB"``.
        max_cpu: seconds of processor time for an image or a request. Default: 10 or 60, and more for large ones.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Returns:
        The function.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names all of them.
    """
    return Collate(transform, **{**dict[str, Any](layout="nchw"), **_option.given(locals(), collate)})


class prefetch(Generic[B]):  # noqa: N801
    """Iterates over a DataLoader with ``num_workers=0`` in threads of this process, ahead of the training step.

    ::

        loader = spool.torch.prefetch(DataLoader(dataset, batch_size=32, collate_fn=spool.torch.collate(size=224)))

    Decoding releases the GIL. So it needs no worker processes, no pickling and no shared memory. The batches are those
    of the DataLoader, in its order.

    An error of a batch is raised in the place of the batch. Leaving the loop waits for the batches in flight.

    Args:
        loader: a DataLoader whose dataset has ``__getitem__``. Two threads call it; for a
            :class:`ConcurrentDataLoader`, the number of threads is its own.
        batches: int, how many batches are made ahead. Default: 2.

    Raises:
        ValueError: the DataLoader has workers, no ``batch_size`` or an IterableDataset; or ``batches`` is less than 1.
    """

    def __init__(self, loader: DataLoader[object], batches: int = 2) -> None:
        if loader.num_workers or loader.batch_sampler is None or isinstance(loader.dataset, IterableDataset):
            raise ValueError("loader: only with num_workers=0, a batch_size, and a dataset that has __getitem__")
        if batches < 1:
            raise ValueError(f"batches: {batches} is less than 1")
        self.loader = loader
        self._batches = batches

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[B]:
        # Two threads: while one decodes, with the library's threads, the other runs Python code.
        threads = ThreadPoolExecutor(2, "spool.torch.prefetch")
        ahead: deque[Future[B]] = deque()
        # An iterator of DataLoader draws this number before its sampler draws. So the order is the same.
        torch.empty((), dtype=torch.int64).random_(generator=self.loader.generator)
        try:
            for begun, get in self._begun():
                ahead.append(threads.submit(self._make, begun, get, self._seed()))
                if len(ahead) > self._batches:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)

    def _seed(self) -> dict[str, tuple[int, int]]:
        """Draw the seed of a batch here, so that draws follow the order of batches."""
        collate = self.loader.collate_fn
        return {"seed": collate.draw()} if isinstance(collate, Collate) else {}

    def _begun(self) -> Iterator[tuple[Any, Callable[[Any], Any]]]:
        """Yield for each batch what was begun for it, and the function that makes the list of its samples from that."""
        if isinstance(self.loader, ConcurrentDataLoader):
            samples, batches = self.loader.begin()
            yield from ((samples.begin(batch), samples.wait) for batch in batches)
        else:
            yield from ((indices, self._samples) for indices in cast("Iterable[list[Any]]", self.loader.batch_sampler))

    def _samples(self, indices: list[Any]) -> Any:
        dataset: Any = self.loader.dataset
        together = getattr(dataset, "__getitems__", None)
        return together(indices) if together else [dataset[i] for i in indices]

    def _make(self, begun: Any, get: Callable[[Any], Any], seed: dict[str, tuple[int, int]]) -> B:
        batch = self.loader.collate_fn(get(begun), **seed)
        if self.loader.pin_memory:
            batch = pin_memory(batch)  # type: ignore[no-untyped-call, unused-ignore]
        return cast("B", batch)
