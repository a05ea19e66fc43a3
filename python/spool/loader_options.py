"""Options of loaders: what their keywords may be."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _option
from .spec import Limits

if TYPE_CHECKING:
    from ._option import DType, Size


class LoaderOptions(Limits, total=False):
    """What all loaders have. What is left out has the default that is named first.

    ``batch``: samples a batch, 32. ``workers``: ``"auto"``, which begins with a decoder a core and finds out; or
    their number. ``cpu_share``: the share of the cores' time that the process may use, none.
    ``epochs``: how often the sources can be gone through, without end. ``shuffle``: each epoch in an order of its
    own, drawn from ``seed``, 0. ``order``: ``exact``, that of the sources; ``any``, as samples are decoded.
    ``last``: of a short last batch: ``keep``, ``drop``, ``pad``. ``limit``: samples of an epoch, all.
    ``on_error``: of a bad sample: ``skip``, the next one takes its place; ``fail``, the loop ends with its error;
    ``placeholder``, its slot is filled. ``max_failures``: end when more samples fail: a number, or ``"1%"``.
    ``mix``: weights of the sources by their names, like ``{"photos": 0.7, "drawings": 0.3}``.
    ``rank``, ``world``: which of several processes this is, of how many. Default: what torch.distributed says where
    it is initialised, then RANK and WORLD_SIZE, then what Slurm and Open MPI set.
    ``prefetch``: finished batches that wait, 2. ``cache``: memory for decoded samples, like ``"1GiB"``.
    ``disk_cache``: a folder that keeps what is read, for later epochs and runs, and for other processes: up to
    ``disk_cache_bytes``, ``"10GiB"``, of ``disk_cache_of``: ``objects``, what comes from stores; ``samples``, what is
    decoded and resized. ``stats["disk_cache"]`` says what it does, and ``off`` where a full disk, say, ended keeping.
    ``label``: the column of tables that holds the labels; without it the first there is of label, target, cls, class,
    class_name and category. ``ignore_columns``: columns of tables, and extensions of members of tar files, that are not
    to be used; a UserWarning names others that are not, ``"*"`` is all of these.
    ``index_dir``: where saved indexes are looked for, of videos and of tar files; beside them.
    ``headspace``: decode the first few batches and give these again and again.
    ``streaming``: load while folders and stores are still being listed, and keep few names, for inference over more
    than anybody wants to wait for: one epoch, in the order of their keys, without classes; len is a TypeError. What
    needs all names is refused: ``shuffle``, ``mix``, ``cache``, ``headspace``, ``sampler``, ``weights``, several ranks.
    ``device``: where batches go: ``host``; ``pinned``, the host's memory that a CUDA device copies from by itself;
    ``cuda:N``, with the format torch, jax or dlpack. There may be ``ring`` batches on a CUDA device, 3: those that are
    held, and those on their way; whoever holds all of them and waits for more gets a ValueError after 5 seconds.
    ``ledger``: a file that gets a JSON line for each bad sample.
    """

    batch: int
    workers: int | Literal["auto"]
    cpu_share: float
    epochs: int
    shuffle: bool
    seed: int
    order: Literal["exact", "any"]
    last: Literal["keep", "drop", "pad"]
    limit: int
    on_error: Literal["skip", "fail", "placeholder"]
    max_failures: int | str
    mix: Mapping[str, float]
    rank: int
    world: int
    prefetch: int
    cache: int | str
    disk_cache: str | os.PathLike[str]
    disk_cache_bytes: int | str
    disk_cache_of: Literal["objects", "samples"]
    label: str
    ignore_columns: str | Sequence[str]
    index_dir: str | os.PathLike[str]
    headspace: bool
    streaming: bool
    device: str
    ring: int
    ledger: str | os.PathLike[str]


class FrameOptions(LoaderOptions, total=False):
    """What pictures and frames of video become: see :class:`LoaderOptions`, and the following.

    ``size``: 224; ``N`` for N x N, ``(height, width)``, or ``"WxH"`` as the command has it. ``mode``: how it is
    meant: ``stretch``, ``fit`` (the whole picture, padded), ``cover`` (filled, cut). ``resize_shorter`` with
    ``crop``, in its place: torchvision's ``Resize(N)`` and ``CenterCrop``. ``train``: a random part, resized to
    ``size``, mirrored half of the time: torchvision's RandomResizedCrop and RandomHorizontalFlip.
    ``profile``: ``exact`` gives torchvision's bytes, ``pillow`` Pillow's, ``fast`` close to exact. ``filter``,
    ``color``, ``layout``, ``orient``, ``fill``, ``pad_color``: as of :func:`spool.decode_image`.
    ``dtype``: ``uint8``, ``uint16``, ``float16``, ``float32``. Floats are x/255, then ``mean`` and ``std``.
    """

    size: Size
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int
    crop: Size
    train: bool
    filter: Literal["bilinear", "bicubic", "lanczos", "box", "nearest", "nearest-floor", "nearest-exact"]
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba", "index"]
    dtype: DType
    mean: float | Sequence[float]
    std: float | Sequence[float]
    layout: Literal["nhwc", "nchw"]
    orient: bool
    fill: str
    pad_color: str


class ImageLoaderOptions(FrameOptions, total=False):
    """The keywords of :class:`spool.ImageLoader`: see :class:`FrameOptions`, and :func:`spool.decode_image`."""

    frame: int
    alpha: str
    icc: bool
    accept: float
    allow: str | Sequence[str]
    jpeg: Literal["auto", "turbo"]


class StreamOptions(TypedDict, total=False):
    """Which stream of a file is taken, and what decodes it: see :class:`spool.video_spec.FrameOptions`."""

    stream: int
    language: str
    codec: str
    codec_option: Mapping[str, str]


class VideoLoaderOptions(FrameOptions, StreamOptions, total=False):
    """The keywords of :class:`spool.VideoLoader`: see :class:`FrameOptions`, and the following.

    ``frames`` of a clip, 16: evenly spread over the file; with ``train`` beside each other, from a random place,
    every ``stride``-th. ``on_damage``: of damaged frames: ``fail``, the clip is a bad sample; ``mark``, they are
    kept or filled; ``repeat``, the last whole one comes again.
    """

    frames: int
    stride: int
    on_damage: Literal["fail", "mark", "repeat"]
    threads: int
    hwaccel: str


class AudioLoaderOptions(LoaderOptions, StreamOptions, total=False):
    """The keywords of :class:`spool.AudioLoader`: see :class:`LoaderOptions`, and the following.

    ``rate``: samples a second, 16000. ``channels``: 1. ``duration`` of a sample in seconds: longer sound is cut, with
    ``train`` from a random place, and silence follows shorter; without it each file is a batch of its own.
    ``dtype``: ``float32``, ``s16``, ``s32``. ``layout``: ``ct``, ``tc``. ``quality`` of a change of rate: ``default``,
    ``fast``, ``best``.
    """

    rate: int
    channels: int
    duration: float
    train: bool
    dtype: str
    layout: Literal["ct", "tc"]
    quality: Literal["fast", "default", "best"]


def _count(name: str, value: Any) -> Any:
    """Take a number, or a word."""
    return value if isinstance(value, str) else _option.integer(name, value)


def _weights(name: str, value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise _option.wrong(name, value, "a mapping of names to weights")
    return {_option.text(name, k): _option.number(name, v) for k, v in value.items()}  # pyright: ignore


_road: _option.Kinds = {
    "batch": _option.integer,
    "workers": _count,
    "cpu_share": _option.number,
    "epochs": _option.integer,
    "shuffle": _option.flag,
    "seed": _option.integer,
    "order": _option.text,
    "last": _option.text,
    "limit": _option.integer,
    "on_error": _option.text,
    "max_failures": _count,
    "mix": _weights,
    "rank": _option.integer,
    "world": _option.integer,
    "prefetch": _option.integer,
    "cache": _option.amount,
    "disk_cache": _option.path,
    "disk_cache_bytes": _option.amount,
    "disk_cache_of": _option.text,
    "label": _option.text,
    "ignore_columns": _option.texts,
    "index_dir": _option.path,
    "headspace": _option.flag,
    "streaming": _option.flag,
    "device": _option.text,
    "ring": _option.integer,
    "ledger": _option.path,
    **_option.files,
}

_frame: _option.Kinds = {
    **_road,
    "size": _option.size,
    "mode": _option.text,
    "resize_shorter": _option.integer,
    "crop": _option.size,
    "train": _option.flag,
    "filter": _option.text,
    "profile": _option.text,
    "color": _option.text,
    "dtype": _option.dtype,
    "mean": _option.numbers,
    "std": _option.numbers,
    "layout": _option.text,
    "orient": _option.flag,
    "fill": _option.text,
    "pad_color": _option.text,
}

_stream: _option.Kinds = {
    "stream": _option.integer,
    "language": _option.text,
    "codec": _option.text,
    "codec_option": _option.mapping,
}

images: _option.Kinds = {
    **_frame,
    "frame": _option.integer,
    "alpha": _option.text,
    "icc": _option.flag,
    "accept": _option.number,
    "allow": _option.texts,
    "jpeg": _option.text,
}

video: _option.Kinds = {
    **_frame,
    **_stream,
    "frames": _option.integer,
    "stride": _option.integer,
    "on_damage": _option.text,
    "threads": _option.integer,
    "hwaccel": _option.text,
}

audio: _option.Kinds = {
    **_road,
    **_stream,
    "rate": _option.integer,
    "channels": _option.integer,
    "duration": _option.number,
    "train": _option.flag,
    "dtype": _option.text,
    "layout": _option.text,
    "quality": _option.text,
}
