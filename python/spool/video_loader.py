"""A loader of video clips."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, overload

from . import _option, loader_options
from ._arrays import A
from ._loading import BaseLoader, Output, Sources
from .batch import ClipBatch

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence
    from typing import Literal

    from typing_extensions import Never, Unpack

    from ._allocator import Allocator
    from ._arrays import AnyArray, Exported, JaxArray, Numbers, TorchTensor
    from ._option import Augment, DType, Filter, Size
    from ._sampler import NamedSampler, SamplerOptions
    from .samplers import LengthBuckets

    class Keywords(loader_options.VideoLoaderOptions, SamplerOptions, total=False):
        """The keywords beside ``output``."""


class VideoLoader(BaseLoader[ClipBatch[A]], Generic[A]):
    """Loads batches of video clips: (N, frames, H, W, C).

    Args:
        src: files, folders (class folders give labels), globs, ``"@LIST"``, tables (CSV, JSON lines, Parquet),
            WebDataset-style tar shards, or URLs of these: one source, or a sequence of them.
        output: the type of arrays in batches: ``numpy``, the default, ``torch`` or ``jax``. ``dlpack`` gives objects
            that any library imports: a :class:`spool.Array`, or on a device a :class:`spool.DeviceArray`.
        sampler: ids of the samples to load: a sequence or array, for all epochs; or an object like torch's samplers,
            whose ``__iter__`` gives the ids of one epoch. Its ``set_epoch`` is called first, if it has one. Default:
            all samples.
            ``"balanced"`` has all classes equally often, in random order; ``"shards"`` shuffles, and reads few tar
            shards, or parts of tables, at a time. A :class:`spool.LengthBuckets` has batches of similar length.
        weights: relative frequency of each sample, which is then drawn with replacement. Not together with ``sampler``.
        draws: int, samples of an epoch with ``weights``. Default: 0, as many as there are samples.
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
        labels: integers, a label for each source, in their order; -1 is none. Each source is then one file. Default:
            labels come from class folders and tables.
        random_scale: two numbers; a random crop has a share of the image's area between them, like ``(0.08, 1)``.
        random_ratio: two numbers; a random crop is so many times as wide as high, like ``(0.75, 1.3333)``.
        random_crop: int, or four for left, top, right and bottom; ``crop`` is taken at a random position, after padding
            the image by this many pixels.
        flip_x: probability of mirroring left to right. Default: 0, with ``train`` 0.5.
        flip_y: probability of mirroring top to bottom. Default: 0.
        augment: operations on the pixels of results, drawn for each sample: one of :mod:`spool.augment`, like
            ``spool.RandAugment()``, or a sequence of them. Clips have the same for all frames. Default: none.
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
        crops: several crops of each image or clip of the size ``crop``: ``five``, the corners and the center, or
            ``ten``, these and those of the mirrored image, like torchvision's FiveCrop and TenCrop. It is decoded once.
            Batches then have shape (N, 5, H, W, C), those of clips (N, 5, frames, H, W, C). Default: ``one``.
        normalize_on: where floats are made. ``host``, the default, copies floats to a device. ``device`` copies bytes,
            a half or a quarter as many, and the CUDA device makes the same floats of them. It needs ``device="cuda:N"``
            and ``layout="nchw"``. Images of 16 bits lose their low byte.
        decode_on: what decodes JPEG images and clips: ``host``, the default, or ``device``: nvJPEG or NVDEC of
            ``device="cuda:N"``, and the host where these cannot. ``stats["decoded_on"]`` counts both. Pixels of JPEG
            images are close to the host's. docs/transfer.md has what it excludes.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
        stream: int, the stream's index in the file. Default: the best stream.
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
        ledger: file that gets a JSON line for each bad sample. Default: none.
        trace: file for a trace of all workers, which Perfetto shows once the loader is closed. Default: none.
        receipts: file of what is in batches, for :meth:`batch`: ``.parquet``, ``.arrow`` or JSON lines. Default: none.
        receipt_digests: bool, add the SHA-256 of each sample to ``receipts``. Default: False.
        costs: file of what samples cost at each stage, for :func:`simulate`, written by ``close()``. Default: none.
        metrics: ``":9464"`` serves metrics and ``otlp`` sends them; see docs/metrics.md. Default: neither.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: a source does not exist, or has nothing to load. Loops raise the error of a bad sample with
            ``on_error="fail"``.
        ForkError: the process was forked from one that had used spool.
    """

    _medium, _options, _batch = "video", loader_options.video, ClipBatch

    @overload
    def __init__(
        self: VideoLoader[Numbers], src: Sources, *, output: Literal["numpy"] = ..., **keywords: Unpack[Keywords]
    ) -> None: ...
    @overload
    def __init__(
        self: VideoLoader[TorchTensor], src: Sources, *, output: Literal["torch"], **keywords: Unpack[Keywords]
    ) -> None: ...
    @overload
    def __init__(
        self: VideoLoader[JaxArray], src: Sources, *, output: Literal["jax"], **keywords: Unpack[Keywords]
    ) -> None: ...
    @overload
    def __init__(
        self: VideoLoader[Exported], src: Sources, *, output: Literal["dlpack"], **keywords: Unpack[Keywords]
    ) -> None: ...
    @overload
    def __init__(
        self: VideoLoader[AnyArray], src: Sources, *, output: Output, **keywords: Unpack[Keywords]
    ) -> None: ...
    def __init__(
        self,
        src: Sources,
        *,
        output: Output = "numpy",
        sampler: Iterable[int] | LengthBuckets | NamedSampler | None = None,
        weights: Iterable[float] | None = None,
        draws: int = 0,
        batch: int = 32,
        workers: int | Literal["auto"] = "auto",
        cpu_share: float | None = None,
        epochs: int | None = None,
        shuffle: bool = False,
        seed: int = 0,
        order: Literal["exact", "any"] = "exact",
        last: Literal["keep", "drop", "pad"] = "keep",
        limit: int | None = None,
        on_error: Literal["skip", "fail", "placeholder"] = "skip",
        max_failures: int | str = "100%",
        deadline: float | None = None,
        attempts: int = 1,
        watch: float = 60,
        mix: Mapping[str, float] | None = None,
        shuffle_window: int = 0,
        repeats: int = 1,
        rank: int | None = None,
        world: int | None = None,
        rest: Literal["repeat", "drop", "uneven"] = "repeat",
        prefetch: int = 2,
        cache: int | str | None = None,
        disk_cache: str | os.PathLike[str] | None = None,
        disk_cache_bytes: int | str = "10GiB",
        disk_cache_of: Literal["objects", "samples"] = "objects",
        label: str | None = None,
        ignore_columns: str | Sequence[str] | None = None,
        where: str | None = None,
        index_dir: str | os.PathLike[str] | None = None,
        headspace: bool = False,
        streaming: bool = False,
        device: str = "host",
        ring: int = 3,
        allocator: Allocator | None = None,
        isolate: Literal["off", "heic", "auto", "all"] = "off",
        labels: Collection[int] | None = None,
        random_scale: tuple[float, float] | None = None,
        random_ratio: tuple[float, float] | None = None,
        random_crop: int | tuple[int, int, int, int] | None = None,
        flip_x: float | None = None,
        flip_y: float = 0,
        augment: Augment | None = None,
        size: Size = 224,
        mode: Literal["stretch", "fit", "cover"] = "stretch",
        resize_shorter: int | None = None,
        max_size: int | None = None,
        crop: Size | None = None,
        train: bool = False,
        filter: Filter = "bilinear",
        profile: Literal["exact", "pillow", "fast"] = "exact",
        color: Literal["rgb", "bgr", "gray", "rgba", "index"] = "rgb",
        dtype: DType = "uint8",
        mean: float | Sequence[float] | None = None,
        std: float | Sequence[float] | None = None,
        layout: Literal["nhwc", "nchw"] = "nhwc",
        orient: bool = True,
        fill: str = "#808080",
        pad_color: str = "#000000",
        crops: Literal["one", "five", "ten"] = "one",
        normalize_on: Literal["host", "device"] = "host",
        decode_on: Literal["host", "device"] = "host",
        language: str | None = None,
        codec: str | None = None,
        codec_option: Mapping[str, str] | None = None,
        stream: int | None = None,
        frames: int = 16,
        windows: float | None = None,
        stride: int | None = None,
        on_damage: Literal["fail", "fill", "repeat"] = "fail",
        threads: int = 1,
        hwaccel: str | None = None,
        endpoint_url: str | None = None,
        region: str | None = None,
        no_sign_request: bool = False,
        max_concurrent_requests: int = 512,
        max_pixels: int = 178956970,
        max_bytes: int | str = "1GiB",
        max_frames: int = 4096,
        max_memory: int | str = "2GiB",
        max_cpu: float | None = None,
        ledger: str | os.PathLike[str] | None = None,
        trace: str | os.PathLike[str] | None = None,
        receipts: str | os.PathLike[str] | None = None,
        receipt_digests: bool | None = None,
        costs: str | os.PathLike[str] | None = None,
        metrics: str | None = None,
        **unknown: Never,
    ) -> None:
        super().__init__(src, _option.given(locals(), VideoLoader.__init__), output, sampler, weights, draws)
