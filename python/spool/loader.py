"""Loaders: files in, batches out, decoded ahead by the library's threads."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, Union, cast

import numpy as np

from . import _native, _option, loader_options
from ._source import encoded
from ._wait import interruptibly
from .array import address
from .batch import Batch, ClipBatch, PictureBatch, SoundBatch, formats
from .errors import ClosedError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .loader_options import AudioLoaderOptions, ImageLoaderOptions, VideoLoaderOptions

Sources: TypeAlias = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
Format: TypeAlias = Literal["numpy", "torch", "jax", "dlpack"]
B = TypeVar("B", bound=Batch)

# How long C is left alone, in milliseconds: a signal's handler, Ctrl-C's say, runs between two calls.
_SLICE = 100

# What "without end" is in C.
_ENDLESS = (1 << 31) - 1


class Loader(Generic[B]):
    """What :class:`ImageLoader`, :class:`VideoLoader` and :class:`AudioLoader` have in common.

    A loop over it is an epoch; the next loop is the next epoch, whose samples are decoded while the last ones of
    the one before are used. A loop that was broken off gives up the rest of its epoch. One loop runs at a time: a new
    one ends those before it.

    It may be used from any number of threads, of which each batch goes to one. It cannot be pickled or used in a fork:
    its own threads are what other loaders have worker processes for.
    """

    _kind: ClassVar[str]
    _options: ClassVar[_option.Kinds]
    _batch: ClassVar[type[Batch]]

    def __init__(
        self,
        src: Sources,
        options: Mapping[str, Any],
        format: Format,
        sampler: Iterable[int] | None,
        weights: Iterable[float] | None,
        draws: int,
    ) -> None:
        if format not in formats:
            raise ValueError(f"format: {format!r} is none of {', '.join(formats)}")
        if format == "numpy" and str(options.get("device", "")).startswith("cuda"):
            raise ValueError("format: NumPy's arrays do not lie on a device: torch, jax or dlpack")
        if sampler is not None and weights is not None:
            raise ValueError("sampler and weights exclude each other")
        epochs = 1 if options.get("streaming") else _ENDLESS
        options = {"epochs": epochs, **{k: v for k, v in options.items() if v is not None}}
        options = {**_rank(options), **options}
        text = _option.encode(options, self._options)
        listing = partial(_native.open_loader, self._kind, _sources(src), text)
        self._handle: _native.Handle | None = interruptibly(listing)
        self._format = formats[format]
        self._lock = threading.Lock()  # guards what follows
        self._loops = 0  # begun; the last one runs
        self._resumed = False
        self._sampler: _Sampler | None = None
        if weights is not None:
            w = np.ascontiguousarray(_floats("weights", weights))
            self._call("spool_loader_weigh", address(w), len(w), _option.integer("draws", draws))
        if sampler is not None:
            self._sampler = _Sampler(sampler)
            self._draw(0)

    # Where the library is asked.

    def _open(self) -> _native.Handle:
        if self._handle is None:
            raise ClosedError("the loader is closed", kind="closed")
        return self._handle

    def _call(self, name: str, *arguments: Any) -> None:
        _native.call(name, self._open(), *arguments)

    def _told(self, name: str) -> Any:
        return _native.said(name, self._open())

    def _draw(self, epoch: int) -> None:
        """Have the samples of an epoch be those of a sampler, unless they are already."""
        if self._sampler is None or self._sampler.has(epoch):
            return
        ids = self._sampler.draw(epoch)
        self._call("spool_loader_choose", address(ids), len(ids), epoch, not self._sampler.fixed)

    # Loops.

    def __iter__(self) -> Iterator[B]:
        with self._lock:
            info = self._told("spool_loader_info")
            epoch = info["epoch"]
            if info["middle"] and not self._resumed:  # the last loop was broken off
                epoch += 1
            if not self._resumed:
                self._draw(epoch)
                self._call("spool_loader_start", epoch)
            self._resumed = False
            self._loops += 1
            return Loop(self, self._loops)

    def __len__(self) -> int:
        """Give how many batches an epoch has, if no sample is bad.

        Raises:
            TypeError: of ``streaming=True``, as len of torch's IterableDataset: nobody knows before the end.

        """
        return self._number("batches")

    def _number(self, key: str) -> int:
        n: int = self._told("spool_loader_info")[key]
        if n < 0:
            raise TypeError(f"streaming=True: the number of {key} is not known before the last has come")
        return n

    def next_of(self, loop: int) -> B | None:
        """Give the next batch to the loop that runs, None at the end of its epoch. Other loops get a RuntimeError."""
        while True:
            if self._loops != loop:
                raise RuntimeError("another loop over the loader has begun")
            try:
                struct = _native.next_batch(self._open(), _SLICE)
            except TimeoutError:
                continue
            return None if struct is None else cast(B, self._batch(struct, self._format))

    def set_epoch(self, epoch: int) -> None:
        """Have the next loop be that epoch, from 0, as DistributedSampler's method of this name.

        It costs nothing where it would be that anyway.
        """
        epoch = _option.integer("epoch", epoch)
        with self._lock:
            self._resumed = False
            self._draw(epoch)
            self._call("spool_loader_start", epoch)

    # Where it has come to.

    def state_dict(self) -> dict[str, Any]:
        """Say how far the loop has come: a small dict for JSON or ``torch.save``, as torchdata's StatefulDataLoader.

        The batch that came last, and all before it, do not come again where it is loaded.

        Raises:
            ValueError: of ``order="any"``, which has no state.

        """
        state: dict[str, Any] = self._told("spool_loader_state")
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Go on where a loader of the same sources and options stood: the next loop is the rest of that epoch.

        Workers, prefetch and cache may be others. With another number of ranks each takes a list of all ranks' states.

        Raises:
            ValueError: the state is another loader's.
            DecodeError: it is no state.

        """
        states = [state_dict] if isinstance(state_dict, Mapping) else list(state_dict)
        if not states:
            raise ValueError("state_dict: an empty list")
        with self._lock:
            if self._sampler is not None and not self._sampler.fixed:
                self._draw(int(states[0].get("state", {}).get("epoch", 0)))
            self._call("spool_loader_resume", json.dumps(states).encode())
            self._resumed = True
            self._loops += 1

    # What it has done.

    @property
    def stats(self) -> dict[str, Any]:
        """What was done so far, with the keys of ``spool run --json``: ``samples``, ``rate``, ``stages``...

        Stages are counted from the last jump: ``set_epoch`` elsewhere, ``load_state_dict``, a loop broken off.
        """
        report: dict[str, Any] = self._told("spool_loader_report")
        return report

    def report(self) -> dict[str, Any]:
        """Give ``stats``, as a method."""
        return self.stats

    @property
    def verdict(self) -> str:
        """Which stage limits, by how much, and what to change, in a sentence or two."""
        text: str = self.stats["verdict"]
        return text

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The samples that failed, the first 10,000: dicts with ``id file stage class text attempts action``."""
        lines = _native.Pointer()
        self._call("spool_loader_failures", lines)
        return [json.loads(line) for line in _native.content(_native.array(lines)).splitlines()]

    @property
    def classes(self) -> list[str]:
        """The names of labels 0, 1, 2 ...: of class folders, or of a manifest."""
        return self._told("spool_loader_info")["classes"] or []

    @property
    def samples(self) -> int:
        """How many samples the sources have. A TypeError with ``streaming=True``, as of len."""
        return self._number("samples")

    @property
    def rank(self) -> tuple[int, int]:
        """Which of how many processes this is: (rank, world)."""
        info = self._told("spool_loader_info")
        return info["rank"], info["world"]

    @property
    def note(self) -> str:
        """What is wrong with the memory of ``device="pinned"`` or ``"cuda:N"``, which costs time; mostly nothing."""
        text: str = self._told("spool_loader_info").get("note", "")
        return text

    # Its end.

    def close(self) -> None:
        """End the loader, at any time, from any thread: a loop that waits ends with ClosedError or CanceledError.

        Batches stay valid. A loader that is forgotten closes itself.
        """
        handle, self._handle = self._handle, None
        if handle is not None:
            _native.library().spool_loader_close(handle)

    def __enter__(self) -> Loader[B]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: make one in each process")


class Loop(Generic[B]):
    """An epoch of a loader, batch by batch."""

    def __init__(self, loader: Loader[B], number: int) -> None:
        self._loader: Loader[B] | None = loader
        self._number = number

    def __iter__(self) -> Loop[B]:
        return self

    def __next__(self) -> B:
        loader = self._loader
        if loader is None:
            raise StopIteration
        batch = loader.next_of(self._number)
        if batch is None:
            self._loader = None
            raise StopIteration
        return batch

    def __len__(self) -> int:
        return 0 if self._loader is None else len(self._loader)


class _Sampler:
    """A caller's choice of samples: a sequence, for all epochs; or what gives others each time, as torch's samplers."""

    def __init__(self, ids: Any) -> None:
        self.fixed = isinstance(ids, (Sequence, np.ndarray, range))
        if not self.fixed and iter(ids) is ids:
            raise TypeError("sampler: a generator gives its samples once: pass a list, or an object with __iter__")
        self.ids: Any = ids
        self.epoch: int | None = None  # that was drawn last

    def has(self, epoch: int) -> bool:
        return self.epoch is not None and (self.fixed or self.epoch == epoch)

    def draw(self, epoch: int) -> Any:
        set_epoch = getattr(self.ids, "set_epoch", None)
        if set_epoch is not None:
            set_epoch(epoch)
        given: Any = self.ids
        array: NDArray[Any] = np.asarray(given if hasattr(given, "dtype") else list(given))
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError("sampler: expected integers, one a sample")
        self.epoch = epoch
        return np.ascontiguousarray(array, dtype=np.int64)


def _floats(name: str, values: Iterable[float]) -> Any:
    try:
        array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected numbers") from None
    if array.ndim != 1:
        raise TypeError(f"{name}: expected numbers, one a sample")
    return array


def _sources(src: Sources) -> list[bytes]:
    if isinstance(src, (str, os.PathLike)):
        src = [src]
    elif isinstance(src, bytes) or not isinstance(src, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _option.wrong("src", src, "a path, or a sequence of them")
    return [encoded("src", path) for path in src]


def _rank(options: Mapping[str, Any]) -> dict[str, int]:
    """Say which of several processes this is, where the caller does not and somebody else does."""
    if "rank" in options or "world" in options:
        return {}
    torch = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized():
        return {"rank": torch.get_rank(), "world": torch.get_world_size()}
    rank, world = os.environ.get("RANK"), os.environ.get("WORLD_SIZE")
    if rank is None or world is None:  # the library looks for others' variables
        return {}
    try:
        return {"rank": int(rank), "world": int(world)}
    except ValueError:
        raise ValueError(f"RANK={rank} and WORLD_SIZE={world} of the environment are no numbers") from None


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
