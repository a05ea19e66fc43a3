"""Loaders: files in, batches out, decoded ahead by the library's threads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import loader_options
from ._loading import Format, Loader, Sources
from .batch import ClipBatch, PictureBatch, SoundBatch

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .loader_options import AudioLoaderOptions, ImageLoaderOptions, VideoLoaderOptions


class ImageLoader(Loader[PictureBatch]):
    """Loads pictures.

    >>> import spool
    >>> loader = spool.ImageLoader("testdata/photos", batch=8, size=64, shuffle=True)
    >>> for batch in loader:
    ...     pass
    >>> batch.images.shape, batch.labels.shape, len(loader)
    ((4, 64, 64, 3), (4,), 6)

    Args:
        src: files, folders (class folders give labels), globs, ``"@LIST"``, tables (CSV, JSON lines, Parquet), tar
            shards as WebDataset's: one, or a sequence of them.
        format: what arrays batches have: ``"numpy"``, ``"torch"``, ``"jax"``; or ``"dlpack"`` for what any library
            takes, a :class:`spool.Array` or, on a device, a :class:`spool.DeviceArray`.
        sampler: which samples come, by their numbers: a sequence or array, for all epochs; or an object whose
            ``__iter__`` gives those of an epoch, as torch's samplers, ``set_epoch`` called before.
        weights: in its place, how often each sample is drawn, with replacement; ``draws`` an epoch, as many as there
            are samples by default.
        draws: see there.
        **options: see :class:`spool.loader_options.ImageLoaderOptions`.

    Raises:
        TypeError, ValueError: an argument is wrong; it is named.
        DecodeError: the sources are not there, or have nothing to load; of a loop, what a sample failed with under
            ``on_error="fail"``.
        ForkError: this process is a fork of one that had used spool.

    """

    _kind, _options, _batch = "images", loader_options.images, PictureBatch

    def __init__(
        self,
        src: Sources,
        *,
        format: Format = "numpy",
        sampler: Iterable[int] | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        **options: Unpack[ImageLoaderOptions],
    ) -> None:
        super().__init__(src, options, format, sampler, weights, draws)


class VideoLoader(Loader[ClipBatch]):
    """Loads clips of video: (N, frames, H, W, C).

    Takes what :class:`ImageLoader` takes, and the options of :class:`spool.loader_options.VideoLoaderOptions`.
    """

    _kind, _options, _batch = "video", loader_options.video, ClipBatch

    def __init__(
        self,
        src: Sources,
        *,
        format: Format = "numpy",
        sampler: Iterable[int] | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        **options: Unpack[VideoLoaderOptions],
    ) -> None:
        super().__init__(src, options, format, sampler, weights, draws)


class AudioLoader(Loader[SoundBatch]):
    """Loads sound: (N, channels, time).

    Takes what :class:`ImageLoader` takes, and the options of :class:`spool.loader_options.AudioLoaderOptions`.
    """

    _kind, _options, _batch = "audio", loader_options.audio, SoundBatch

    def __init__(
        self,
        src: Sources,
        *,
        format: Format = "numpy",
        sampler: Iterable[int] | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        **options: Unpack[AudioLoaderOptions],
    ) -> None:
        super().__init__(src, options, format, sampler, weights, draws)
