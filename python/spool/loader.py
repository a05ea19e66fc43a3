"""Loaders of images, video and audio. The library's threads decode batches in advance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import loader_options
from ._loading import Loader, Output, Sources
from .batch import ClipBatch, ImageBatch, AudioBatch

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .loader_options import AudioLoaderOptions, ImageLoaderOptions, VideoLoaderOptions


class ImageLoader(Loader[ImageBatch]):
    """Loads batches of images. :class:`spool._loading.Loader` describes loops, state, threads and processes.

    >>> import spool
    >>> loader = spool.ImageLoader("testdata/photos", batch=8, size=64, shuffle=True)
    >>> for batch in loader:
    ...     pass
    >>> batch.images.shape, batch.labels.shape, len(loader)
    ((4, 64, 64, 3), (4,), 6)

    Args:
        src: files, folders (class folders give labels), globs, ``"@LIST"``, tables (CSV, JSON lines, Parquet),
            WebDataset-style tar shards, or URLs of these: one source, or a sequence of them.
        output: the type of arrays in batches: ``numpy``, the default, ``torch`` or ``jax``. ``dlpack`` gives objects
            that any library imports: a :class:`spool.Array`, or on a device a :class:`spool.DeviceArray`.
        sampler: ids of the samples to load: a sequence or array, for all epochs; or an object like torch's samplers,
            whose ``__iter__`` gives the ids of one epoch. Its ``set_epoch`` is called first, if it has one. Default:
            all samples.
        weights: relative frequency of each sample, which is then drawn with replacement. Not together with ``sampler``.
        draws: int, samples of an epoch with ``weights``. Default: 0, as many as there are samples.
        **options: see :class:`spool.loader_options.ImageLoaderOptions`.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: a source does not exist, or has nothing to load. Loops raise the error of a bad sample with
            ``on_error="fail"``.
        ForkError: the process was forked from one that had used spool.
    """

    _medium, _options, _batch = "images", loader_options.images, ImageBatch

    def __init__(
        self,
        src: Sources,
        *,
        output: Output = "numpy",
        sampler: Iterable[int] | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        **options: Unpack[ImageLoaderOptions],
    ) -> None:
        super().__init__(src, options, output, sampler, weights, draws)


class VideoLoader(Loader[ClipBatch]):
    """Loads batches of video clips: (N, frames, H, W, C).

    Args:
        src: as for :class:`ImageLoader`.
        output: as for :class:`ImageLoader`.
        sampler: as for :class:`ImageLoader`.
        weights: as for :class:`ImageLoader`.
        draws: as for :class:`ImageLoader`.
        **options: see :class:`spool.loader_options.VideoLoaderOptions`.

    Raises:
        TypeError, ValueError, DecodeError, ForkError: as for :class:`ImageLoader`.
    """

    _medium, _options, _batch = "video", loader_options.video, ClipBatch

    def __init__(
        self,
        src: Sources,
        *,
        output: Output = "numpy",
        sampler: Iterable[int] | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        **options: Unpack[VideoLoaderOptions],
    ) -> None:
        super().__init__(src, options, output, sampler, weights, draws)


class AudioLoader(Loader[AudioBatch]):
    """Loads batches of audio: (N, channels, time).

    Args:
        src: as for :class:`ImageLoader`.
        output: as for :class:`ImageLoader`.
        sampler: as for :class:`ImageLoader`.
        weights: as for :class:`ImageLoader`.
        draws: as for :class:`ImageLoader`.
        **options: see :class:`spool.loader_options.AudioLoaderOptions`.

    Raises:
        TypeError, ValueError, DecodeError, ForkError: as for :class:`ImageLoader`.
    """

    _medium, _options, _batch = "audio", loader_options.audio, AudioBatch

    def __init__(
        self,
        src: Sources,
        *,
        output: Output = "numpy",
        sampler: Iterable[int] | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        **options: Unpack[AudioLoaderOptions],
    ) -> None:
        super().__init__(src, options, output, sampler, weights, draws)
