"""Options of loaders: their keywords. They are the flags of ``spool run``, with ``_`` for ``-``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from . import _option
from ._allocator import addresses
from ._operation import operations
from .observed_options import ObservedOptions, observed
from .spec import FileLabels, Limits
from .stream_options import StreamOptions, stream

if TYPE_CHECKING:
    from ._allocator import Allocator
    from ._option import Augment, DType, Filter, Size


class LoaderOptions(Limits, ObservedOptions, total=False):
    """Options that all loaders have. See also :class:`spool.spec.Limits` and
    :class:`spool.observed_options.ObservedOptions`.

    Attributes:
        batch: int, samples a batch. Default: 32.
        workers: int, samples decoded at a time. Default: ``"auto"``, which begins with one decoding worker for each
            core and tunes the number during the run.
        cpu_share: share of the cores' time that the process may use, from 0 to 1. Default: no limit.
        epochs: int, how many passes over the sources are allowed. Default: no limit.
        shuffle: bool; True loads each epoch in a different order, drawn from ``seed``. Default: False.
        seed: int, the seed of the order and of all random choices. Default: 0.
        order: ``exact``, the default, delivers samples in the order of the sources; ``any``, as they are decoded.
        last: a short last batch: ``keep``, the default, ``drop``, or ``pad``.
        limit: int, samples of an epoch. Default: all.
        on_error: the policy for a bad sample: ``skip``, the default, the next sample takes its slot; ``fail``, the loop
            ends with its error; ``placeholder``, its slot is filled.
        max_failures: ends the loop when more samples fail: a number, or a share like ``"1%"``. Default: ``"100%"``.
        deadline: the seconds that a step of a sample may take: opening, reading or decoding it. A later one is a bad
            sample of the class ``timeout``. Default: no limit.
        attempts: int, how often opening and reading a file is tried, if it passes ``deadline`` or fails in the system.
            Stores repeat their requests in addition, and videos are read once. Default: 1.
        watch: seconds; ``stats["stuck"]`` has the samples that are in one step for longer: ``id``, ``file``, ``stage``
            and ``seconds``. 0 reports none. Default: 60.
        mix: weights of the sources by their names, like ``{"photos": 0.7, "drawings": 0.3}``.
        shuffle_window: int, samples that ``sampler="shards"`` mixes. Default: 0, as many as 16 shards have.
        repeats: int, copies of each sample in an epoch, with random choices of their own. ``limit`` counts all of them.
            Default: 1.
        rank: int, which of several processes this is, from 0. Default: from torch.distributed if it is initialized,
            then from RANK and WORLD_SIZE, then from the variables of Slurm and Open MPI.
        world: int, the number of these processes. Default: like ``rank``.
        rest: samples that the ranks cannot share evenly: ``repeat``, the default, delivers some others twice; ``drop``
            leaves them out; with ``uneven`` some ranks have one more.
        prefetch: int, finished batches that wait. Default: 2.
        cache: memory for decoded samples, in bytes or as text like ``"1GiB"``. Default: none.
        disk_cache: folder that caches what is read, for later epochs and runs, and for other processes. Default: none.
            ``stats["disk_cache"]`` has its counters, and ``off`` if something, such as a full disk, ended caching.
        disk_cache_bytes: size limit of the disk cache, in bytes or as text. Default: ``"10GiB"``.
        disk_cache_of: ``objects``, the default, caches what stores send; ``samples`` caches decoded, resized samples.
        label: the column of tables with labels. Default: the first of label, target, cls, class, class_name, category.
        ignore_columns: columns of tables, and extensions of tar members, that are left unused without a warning;
            ``"*"`` stands for all of them. A UserWarning names other unused columns.
        where: a condition on the columns of tables, like ``"width >= 256 and lang == 'en'"``: only rows that fulfil it
            are loaded. ``stats["left_out"]`` counts the others. See docs/record-sources.md. Default: none.
        index_dir: folder where saved indexes of videos and tar files are looked up. Default: the folder of each file.
        headspace: bool; True decodes the first few batches and delivers these again and again. Default: False.
        streaming: bool; True loads while folders and stores are still being listed, and keeps few names in memory. It
            is for inference over sources that take too long to list. There is one epoch, in the order of the keys,
            without classes, and ``len`` raises a TypeError. Options that need all names are refused: ``shuffle``,
            ``mix``, ``cache``, ``headspace``, ``sampler``, ``weights``, ``repeats``, ``windows`` and several ranks.
            Default: False.
        device: where batches go: ``host``, the default; ``pinned``, host memory that a CUDA device copies by itself;
            ``cuda:N``, which needs ``output`` torch, jax or dlpack.
        ring: int, batches that may be on a CUDA device: those in use and those being copied. A loop that keeps all of
            them and requests another gets a ValueError after 5 seconds. Default: 3.
        allocator: what allocates the memory of batches on a CUDA device: ``torch``, PyTorch's caching allocator, whose
            statistics and limits then include it; or the addresses of two C functions, those of a
            CUDAPluggableAllocator. Default: the driver.
        isolate: decoding in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
    """

    batch: int
    workers: int | Literal["auto"]
    cpu_share: float | None
    epochs: int | None
    shuffle: bool
    seed: int
    order: Literal["exact", "any"]
    last: Literal["keep", "drop", "pad"]
    limit: int | None
    on_error: Literal["skip", "fail", "placeholder"]
    max_failures: int | str
    deadline: float | None
    attempts: int
    watch: float
    mix: Mapping[str, float] | None
    shuffle_window: int
    repeats: int
    rank: int | None
    world: int | None
    rest: Literal["repeat", "drop", "uneven"]
    prefetch: int
    cache: int | str | None
    disk_cache: str | os.PathLike[str] | None
    disk_cache_bytes: int | str
    disk_cache_of: Literal["objects", "samples"]
    label: str | None
    ignore_columns: str | Sequence[str] | None
    where: str | None
    index_dir: str | os.PathLike[str] | None
    headspace: bool
    streaming: bool
    device: str
    ring: int
    allocator: Allocator | None
    isolate: Literal["off", "heic", "auto", "all"]


class RandomGeometry(TypedDict, total=False):
    """Random crops, flips and operations on pixels.

    Attributes:
        random_scale: two numbers; a random crop has a share of the image's area between them, like ``(0.08, 1)``.
        random_ratio: two numbers; a random crop is so many times as wide as high, like ``(0.75, 1.3333)``.
        random_crop: int, or four for left, top, right and bottom; ``crop`` is taken at a random position, after padding
            the image by this many pixels.
        flip_x: probability of mirroring left to right. Default: 0, with ``train`` 0.5.
        flip_y: probability of mirroring top to bottom. Default: 0.
        augment: operations on the pixels of results, drawn for each sample: one of :mod:`spool.augment`, like
            ``spool.RandAugment()``, or a sequence of them. Clips have the same for all frames. Default: none.
    """

    random_scale: tuple[float, float] | None
    random_ratio: tuple[float, float] | None
    random_crop: int | tuple[int, int, int, int] | None
    flip_x: float | None
    flip_y: float
    augment: Augment | None


class PixelOptions(RandomGeometry, total=False):
    """Options for the pixels of images and frames of video.

    Attributes:
        size: N for N x N pixels, (height, width), or ``"WxH"`` like the command. Default: 224.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole image, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side. With ``crop`` it replaces ``size``, like torchvision's
            ``Resize(N)`` and ``CenterCrop``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after ``resize_shorter``.
        train: bool; True takes a random crop, resized to ``size``, and flips it from left to right half of the time,
            like torchvision's RandomResizedCrop and RandomHorizontalFlip. Default: False.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, gives torchvision's bytes; ``pillow`` gives Pillow's; ``fast`` is close to
            ``exact``.
        color: ``rgb``, the default, ``bgr``, ``gray``, ``rgba``, or ``index``, the indices of a palette or the luma of
            a video as they are stored, for labels and depth maps.
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``. Floats are x/255. NumPy
            arrays of bfloat16 need package ml_dtypes.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        layout: ``nhwc``, the default, or ``nchw``.
        orient: bool, whether to turn images and frames upright. Default: True.
        fill: color of placeholders and of damaged areas. Default: ``"#808080"``.
        pad_color: color that ``fit`` and crops pad with. Default: ``"#000000"``.
    """

    size: Size
    mode: Literal["stretch", "fit", "cover"]
    resize_shorter: int | None
    max_size: int | None
    crop: Size | None
    train: bool
    filter: Filter
    profile: Literal["exact", "pillow", "fast"]
    color: Literal["rgb", "bgr", "gray", "rgba", "index"]
    dtype: DType
    mean: float | Sequence[float] | None
    std: float | Sequence[float] | None
    layout: Literal["nhwc", "nchw"]
    orient: bool
    fill: str
    pad_color: str


class FrameOptions(LoaderOptions, FileLabels, PixelOptions, total=False):
    """Options for images and frames of video: see :class:`LoaderOptions`, :class:`PixelOptions`, and the following.

    Attributes:
        crops: several crops of each image or clip of the size ``crop``: ``five``, the corners and the center, or
            ``ten``, these and those of the mirrored image, like torchvision's FiveCrop and TenCrop. It is decoded once.
            Batches then have shape (N, 5, H, W, C), those of clips (N, 5, frames, H, W, C). Default: ``one``.
        normalize_on: where floats are made. ``host``, the default, copies floats to a device. ``device`` copies bytes,
            a half or a quarter as many, and the CUDA device makes the same floats of them. It needs ``device="cuda:N"``
            and ``layout="nchw"``. Images of 16 bits lose their low byte.
        decode_on: what decodes JPEG images and clips: ``host``, the default, or ``device``: nvJPEG or NVDEC of
            ``device="cuda:N"``, and the host where these cannot. ``stats["decoded_on"]`` counts both. Pixels of JPEG
            images are close to the host's. docs/transfer.md has what it excludes.
    """

    crops: Literal["one", "five", "ten"]
    normalize_on: Literal["host", "device"]
    decode_on: Literal["host", "device"]


class ImagePixelOptions(PixelOptions, total=False):
    """Options for the pixels of images: see :class:`PixelOptions`, and the following.

    Attributes:
        frame: int, which frame of an animation, or which page, from 0, the default. A file with fewer frames is a bad
            sample.
        alpha: ``drop``, the default, ``keep``, or ``over:#rrggbb``, which blends over a color.
        icc: bool, whether to convert to sRGB by the color profile in the file. Default: False.
        accept: fraction, from 0 to 1. A damaged image is accepted if at least this fraction of it was read, and the
            rest is filled with ``fill``. Default: damaged images are bad samples.
        allow: loaders that are blocked by default: ``svg``, ``exr``, ``hdr``, ``magick``, ``pdf``. One name or several.
    """

    frame: int
    alpha: str
    icc: bool
    accept: float | None
    allow: str | Sequence[str] | None


class ImageLoaderOptions(FrameOptions, ImagePixelOptions, total=False):
    """The keywords of :class:`spool.ImageLoader`: see :class:`FrameOptions`, :class:`ImagePixelOptions`, and these.

    Attributes:
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
        nvjpeg: file name of nvJPEG, for ``decode_on="device"``. Default: that of NVIDIA's packages for Python, like
            nvidia-nvjpeg, which PyTorch installs; else the newest that the system has.
    """

    jpeg: Literal["auto", "turbo"]
    nvjpeg: str | None


class VideoLoaderOptions(FrameOptions, StreamOptions, total=False):
    """The keywords of :class:`spool.VideoLoader`: see :class:`FrameOptions`, :class:`StreamOptions`, and the following.

    Attributes:
        frames: int, frames of a clip. They are evenly spread over the file; with ``train`` they are consecutive, from a
            random position. Default: 16.
        windows: float, seconds; a sample for each window of this length, instead of one for each video. All videos are
            opened first, to find how long they are. Default: none.
        stride: int, with ``train`` the distance from each frame to the next. Default: 1.
        on_damage: damaged or missing frames. With ``fail``, the default, the clip is a bad sample. With ``fill``,
            missing frames have the color ``fill``, and damaged ones are kept. With ``repeat``, the last good frame
            takes their place.
        threads: int, decoder threads of each file. Default: 1.
        hwaccel: device that decodes if it can, by FFmpeg's name, like ``cuda``. Default: none.
    """

    frames: int
    windows: float | None
    stride: int | None
    on_damage: Literal["fail", "fill", "repeat"]
    threads: int
    hwaccel: str | None


class AudioLoaderOptions(LoaderOptions, FileLabels, StreamOptions, total=False):
    """The keywords of :class:`spool.AudioLoader`: see :class:`LoaderOptions`, :class:`StreamOptions`, and these.

    Attributes:
        rate: int, sample rate in Hz. Default: 16000.
        channels: int, number of channels to mix to. Default: 1.
        duration: seconds of a sample. Longer audio is cut, and shorter audio is padded with silence. Default: each file
            is a batch of its own, at its full length.
        train: bool; True takes the window of ``duration`` from a random position. Default: False.
        dtype: ``float32``, the default, ``int16`` or ``int32``, as a name or as NumPy's or torch's type. Full scale is
            1 for floats.
        layout: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        quality: of resampling: ``default``, ``fast`` or ``best``.
    """

    rate: int
    channels: int
    duration: float | None
    train: bool
    dtype: DType
    layout: Literal["ct", "tc"]
    quality: Literal["fast", "default", "best"]


common: _option.Kinds = {
    "batch": _option.integer,
    "workers": _option.count,
    "cpu_share": _option.number,
    "epochs": _option.integer,
    "shuffle": _option.flag,
    "seed": _option.integer,
    "order": _option.text,
    "last": _option.text,
    "limit": _option.integer,
    "on_error": _option.text,
    "max_failures": _option.count,
    "deadline": _option.number,
    "attempts": _option.integer,
    "watch": _option.number,
    "mix": _option.weights,
    "sampler": _option.text,
    "shuffle_window": _option.integer,
    "repeats": _option.integer,
    "rank": _option.integer,
    "world": _option.integer,
    "rest": _option.text,
    "prefetch": _option.integer,
    "cache": _option.amount,
    "disk_cache": _option.path,
    "disk_cache_bytes": _option.amount,
    "disk_cache_of": _option.text,
    "label": _option.text,
    "ignore_columns": _option.texts,
    "where": _option.text,
    "index_dir": _option.path,
    "headspace": _option.flag,
    "streaming": _option.flag,
    "device": _option.text,
    "ring": _option.integer,
    "allocator": addresses,
    "isolate": _option.text,
    **observed,
    **_option.files,
}

geometry: _option.Kinds = {
    "random_scale": _option.numbers,
    "random_ratio": _option.numbers,
    "random_crop": _option.integers,
    "flip_x": _option.number,
    "flip_y": _option.number,
    "augment": operations,
}

pixels: _option.Kinds = {
    **_option.geometry,
    "train": _option.flag,
    **geometry,
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

_labels: _option.Kinds = {"labels": _option.integers}

_places = dict.fromkeys(("crops", "normalize_on", "decode_on"), _option.text)
_frame: _option.Kinds = {**common, **_labels, **pixels, **_places}

image_pixels: _option.Kinds = {
    "frame": _option.integer,
    "alpha": _option.text,
    "icc": _option.flag,
    "accept": _option.number,
    "allow": _option.texts,
}

images: _option.Kinds = {
    **_frame,
    **image_pixels,
    "jpeg": _option.text,
    "nvjpeg": _option.text,
}

video: _option.Kinds = {
    **_frame,
    **stream,
    "frames": _option.integer,
    "windows": _option.number,
    "stride": _option.integer,
    "on_damage": _option.text,
    "threads": _option.integer,
    "hwaccel": _option.text,
}

audio: _option.Kinds = {
    **common,
    **_labels,
    **stream,
    "rate": _option.integer,
    "channels": _option.integer,
    "duration": _option.number,
    "train": _option.flag,
    "dtype": _option.audio_dtype,
    "layout": _option.text,
    "quality": _option.text,
}
