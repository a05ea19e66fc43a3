"""LeRobot: the items of a ``LeRobotDataset``, and batches as a DataLoader makes them. See ``docs/records.md``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _option
from ._lerobot import About, Items, cameras_of, check, is_depth, items, read, windows
from ._loading import BaseLoader
from .record_options import records

if TYPE_CHECKING:
    import os

    from typing_extensions import Never

    from . import _delivery
    from ._allocator import Allocator
    from ._arrays import AnyArray
    from ._option import Size
    from ._sampler import NamedSampler
    from .batch import Convert
    from .samplers import LengthBuckets

# Arguments that are no options of the library.
_OWN = frozenset(
    ("delta_timestamps", "episodes", "tolerance_s", "return_uint8", "depth_output_unit", "cameras", "output", "sampler")
    + ("weights", "draws")
)

_KINDS: _option.Kinds = {**records, "delta": windows, "episodes": _option.integers, "cameras": cameras_of}


class Loader(BaseLoader["Items[AnyArray]"], About):
    """Loads batches of a LeRobot data set, version 3. :class:`spool._loading.BaseLoader` describes loops and state.

    ::

        loader = spool.lerobot.Loader("aloha", delta_timestamps={"observation.images.top": [-0.1, 0]}, batch=8)
        for batch in loader:
            policy.forward(batch)

    A batch is a dict like those of a DataLoader over a ``LeRobotDataset`` with the same arguments. Frames are float32
    (N, C, H, W) from 0 to 1, or (N, T, C, H, W) with more than one delta timestamp. Numbers are float32, int64 or bool;
    ``task`` and other text are lists of str. ``KEY_is_pad`` is bool (N, T). Depth maps are float32 (N, 1, H, W), or
    (N, T, 1, H, W), in ``depth_output_unit``. Features of language are lists of lists of dicts.

    Args:
        root: the data set's folder, or a URL.
        delta_timestamps: for each feature that has a window, its times in seconds relative to the row. They must be
            multiples of 1/fps.
        episodes: ints, the episodes that are loaded. Their rows keep the order of the data set. Default: all.
        tolerance_s: the largest distance in seconds of a frame from its time. Default: 1e-4.
        return_uint8: bool; True gives frames of videos as uint8. Default: False.
        depth_output_unit: the unit of depth maps of videos, and of others whose unit the data set says: ``mm``, the
            default, or ``m``.
        cameras: options of :class:`spool.Video` for all cameras, like ``{"size": 224, "train": True}``. Features of
            images take those that they have, too. Default: the size of the data set, all frames as they are.
        output: the type of arrays in batches: ``torch``, the default, or ``numpy``.
        sampler: ids of the samples to load: a sequence or array, for all epochs; or an object like torch's samplers.
            Default: all samples.
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
        columns: columns of tables that batches have beside the fields, with their types: one name or several. See
            ``RecordBatch.columns``. Default: none.
        form: how batches hold images of different sizes, and the masks that follow them. ``dense``, the default: all
            have one size. ``pad``: each batch has the size of its largest image, and others are padded. ``ragged``:
            they follow each other without padding, as a :class:`spool.Ragged`. ``bucket``: each batch has one of
            several sizes, which follows from the aspect ratio of its images. ``budget``: a batch has as many images as
            ``budget_pixels`` or ``budget_tokens`` allow, and at most ``batch``. ``patches``: images are cut into
            squares, the rows of one array. With all but ``dense`` and ``bucket``, images without ``size`` keep their
            own size, and with ``patches`` nearly so.
        form_multiple: int; the sides of padded batches and of the default buckets are multiples of it. Default: 0,
            which is 1 for padded batches and 16 for buckets.
        form_fill: value of the padding of images, in their type. That of masks is their ``fill``. Default: 0.
        form_memory: memory for decoded samples that wait for their batch, and for batches, in bytes or as text. A
            sample that takes more than an eighth of it with its batch is a bad sample. Default: ``"4GiB"``.
        buckets: the sizes of ``form="bucket"``, each N, (height, width) or ``"WxH"``. Default: eleven aspect ratios
            from 1:2 to 2:1 with the area of the image field's ``size``.
        bucket_field: the image field that has the size of the bucket. Default: the first.
        bucket_lengths: ascending ints; the buckets of ``form="bucket"`` are the lengths of the first video field with
            ``frames="all"``, in frames, or of the first audio field without ``duration``, in samples. A sample goes to
            the shortest that holds it, and is padded; what exceeds the longest is cut off. Default: buckets by size.
        budget_frames: int, the most frames of all clips of a batch, padding included. Default: 0, no bound.
        budget_samples: int, the most audio samples of one channel of a batch, padding included. Default: 0, no bound.
        budget_pixels: int, the most pixels of a batch, padding included. Default: 0, no bound.
        budget_tokens: int, the most tokens of a batch, squares of ``patch`` pixels. Default: 0, no bound.
        budget_ragged: bool; True makes the batches of ``form="budget"`` ragged. Default: False, padded.
        patch: int, the side of a patch, which is a token, in pixels. Default: 0, which is 16.
        patch_merge: int; patches are ordered by squares of so many patches each way, which a model merges. Default: 0,
            by rows.
        patch_frames: int, how often the pixels of each patch are repeated, for models of video. Default: 0, once.
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
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
        DecodeError: the data set does not exist, or its metadata is wrong. Loops raise the error of a bad sample with
            ``on_error="fail"``.
        ForkError: the process was forked from one that had used spool.
    """

    _medium, _options = "records", _KINDS

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        delta_timestamps: Mapping[str, Sequence[float]] | None = None,
        episodes: Sequence[int] | None = None,
        tolerance_s: float = 1e-4,
        return_uint8: bool = False,
        depth_output_unit: Literal["mm", "m"] = "mm",
        cameras: Mapping[str, object] | None = None,
        output: Literal["torch", "numpy"] = "torch",
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
        columns: str | Sequence[str] | None = None,
        form: Literal["dense", "pad", "ragged", "bucket", "budget", "patches"] = "dense",
        form_multiple: int = 0,
        form_fill: float = 0,
        form_memory: int | str = "4GiB",
        buckets: Sequence[Size] | str | None = None,
        bucket_field: str | None = None,
        bucket_lengths: Sequence[int] | None = None,
        budget_frames: int | None = None,
        budget_samples: int | None = None,
        budget_pixels: int = 0,
        budget_tokens: int = 0,
        budget_ragged: bool = False,
        patch: int = 0,
        patch_merge: int = 0,
        patch_frames: int = 0,
        jpeg: Literal["auto", "turbo"] = "auto",
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
        given = _option.given(locals(), Loader.__init__)
        _option.one_of("output", output, "torch", "numpy")
        _option.one_of("depth_output_unit", depth_output_unit, "mm", "m")
        self._uint8, self._unit = _option.flag("return_uint8", return_uint8), depth_output_unit
        frames = {"dtype": "uint8" if self._uint8 else "float32", "layout": "nchw"}
        options = {k: v for k, v in given.items() if k not in _OWN}
        options |= {
            "delta": delta_timestamps,
            "episodes": episodes,
            "cameras": {**frames, "tolerance": _option.number("tolerance_s", tolerance_s), **(cameras or {})},
        }
        check(root)
        self._about: dict[str, Any] | None = None
        self._batch = self._items
        super().__init__([root], options, output, sampler, weights, draws)
        self._arguments = {"output": output, **given}

    def read(self, rows: Sequence[int], epoch: int = 0) -> Items[AnyArray]:
        """Decode some rows into one batch, in this order. The position of loops stays.

        Args:
            rows: ints, the numbers of the rows, from 0.
            epoch: int, the epoch whose random choices they have. Default: 0.

        Returns:
            The batch.

        Raises:
            DecodeError: a row is bad.
            ValueError: a row does not exist.
        """
        return self._items(read(self._open(), rows, epoch), self._convert)

    def _meta(self) -> Mapping[str, Any]:
        if self._about is None:
            self._about = dict(self._query("spool_loader_info")["lerobot"])
        return self._about

    def _items(self, delivery: _delivery.Delivery, convert: Convert[AnyArray]) -> Items[AnyArray]:
        return items(delivery, convert, self.features, self._uint8, self._unit)

    def __reduce__(self) -> tuple[object, ...]:
        restore, (kind, given, state) = cast("tuple[Any, Any]", super().__reduce__())
        return restore, (kind, {"root": given.pop("src")[0], **given}, state)


class Dataset(About):
    """The rows of a LeRobot data set, version 3, by their numbers: what ``LeRobotDataset`` gives.

    ::

        dataset = spool.lerobot.Dataset("aloha", delta_timestamps={"action": [0, 0.1]})
        item = dataset[5]
        loader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True)

    An item is a dict with the keys, types and shapes of LeRobot's. A DataLoader asks for the items of a batch at once,
    and they are decoded by all cores. With ``num_workers``, its processes must not be forked from one that has used
    spool: use ``multiprocessing_context="forkserver"``. :class:`Loader` is faster, since it reads ahead.

    Args:
        root: the data set's folder, or a URL.
        episodes: ints, the episodes whose rows are items, in the order of the data set. Default: all.
        image_transforms: a function of images and frames, such as a transform v2 of torchvision. Depth maps are left as
            they are. Default: none.
        delta_timestamps: as for :class:`Loader`.
        tolerance_s: as for :class:`Loader`.
        return_uint8: as for :class:`Loader`.
        depth_output_unit: as for :class:`Loader`.
        cameras: as for :class:`Loader`. Random choices are those of epoch 0, or of ``set_epoch``.
        output: the type of arrays: ``torch``, the default, or ``numpy``.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: the data set does not exist, or its metadata is wrong.
        ForkError: the process was forked from one that had used spool.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        episodes: Sequence[int] | None = None,
        image_transforms: Callable[..., object] | None = None,
        delta_timestamps: Mapping[str, Sequence[float]] | None = None,
        tolerance_s: float = 1e-4,
        return_uint8: bool = False,
        depth_output_unit: Literal["mm", "m"] = "mm",
        cameras: Mapping[str, object] | None = None,
        output: Literal["torch", "numpy"] = "torch",
        **unknown: Never,
    ) -> None:
        given = _option.given(locals(), Dataset.__init__)
        if image_transforms is not None and not callable(image_transforms):
            raise _option.wrong("image_transforms", image_transforms, "a function")
        self._transform = given.pop("image_transforms", None)
        self._rows = Loader(root, batch=1, prefetch=1, rank=0, world=1, **given)
        self._epoch = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows.samples

    def __getitem__(self, index: int | slice) -> dict[str, object] | list[dict[str, object]]:
        """Return the item of a row, or a list of those of a slice.

        Raises:
            IndexError: the row does not exist.
            DecodeError: the row is bad.
        """
        if isinstance(index, slice):
            return self.__getitems__(list(range(len(self))[index]))
        return self.__getitems__([range(len(self))[index]])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[dict[str, object]]:
        """Return the items of several rows, which are decoded at the same time: a DataLoader calls this."""
        if not indices:
            return []
        batch = self._rows.read(indices, self._epoch)
        columns = cast("Mapping[str, Any]", batch).items()
        rows = [dict[str, object]({name: values[i] for name, values in columns}) for i in range(len(indices))]
        if self._transform is not None:
            for name, feature in self.features.items():
                if feature["dtype"] in ("video", "image") and not is_depth(feature):
                    for row in rows:
                        row[name] = self._transform(row[name])
        return rows

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch whose random choices items have.

        Args:
            epoch: int, from 0.
        """
        self._epoch = _option.integer("epoch", epoch)

    def _meta(self) -> Mapping[str, Any]:
        return self._rows._meta()
