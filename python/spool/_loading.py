"""What loaders have in common: files in, batches out, decoded ahead by the library's threads."""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, Union, cast

from . import _native, _option
from ._loop import Loop
from ._rank import rank_of
from ._sampler import Sampler, floats
from ._source import listed, missing
from ._wait import interruptibly
from .array import address
from .batch import Batch, formats
from .errors import ClosedError

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

    To make one loads nothing: the library is loaded, and the sources are listed, by the first call that needs them, or
    at once where this process has used the library already. So a parent can make loaders and then fork.

    Any number of threads may share a loader, and a loop over it. Each batch goes to one thread, and the end of the
    epoch ends the loop in all threads. A fork of a process that has used the library cannot use it. A pickled loader
    is one of the same sources and options that goes on where this one stood; so is a copy.
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
        options = {k: v for k, v in options.items() if v is not None}
        problems = _option.Problems()
        with problems:
            self._sources = listed("src", src)
        with problems:
            _option.one_of("format", format, *formats)
        if format == "numpy" and str(options.get("device", "")).startswith("cuda"):
            problems.add(ValueError("format: NumPy's arrays do not lie on a device: torch, jax or dlpack"))
        if sampler is not None and weights is not None:
            problems.add(ValueError("sampler and weights exclude each other"))
        with problems:
            self._sampler = None if sampler is None else Sampler(sampler)
        with problems:
            self._weights = None if weights is None else floats("weights", weights)
        with problems:
            self._draws = _option.integer("draws", draws)
        with problems:
            options = {**rank_of(options), **options}
        _option.encode(options, self._options, ("src", "format", "sampler", "weights", "draws"), problems)
        self._wanted = options
        self._given = {"sampler": sampler, "weights": weights, "draws": draws, "format": format, **options}
        self._format = formats[format]
        self._opening = threading.Lock()
        self._process = os.getpid()
        self._handle: _native.Handle | None = None
        self._closed = False
        self._lock = threading.Lock()  # guards what follows, and is held while C moves on
        self._loop = 0  # the loop that runs
        self._loops = itertools.count(1)
        self._coming: _native.Delivery | None = None  # what C has given, and no loop yet
        self._moved = self._resumed = False
        self._state: Mapping[str, Any] | None = None  # to go on from
        if _native.loaded():
            self._open()
        else:
            missing(self._sources)

    # Where the library is asked.

    def _open(self) -> _native.Handle:
        """Give the library's loader, which the first call makes."""
        handle = self._handle
        if handle is None:
            return self._opened()
        if self._process != os.getpid():  # before a lock that another thread of the parent held
            raise _native.forked()
        return handle

    def _opened(self) -> _native.Handle:
        with self._opening:
            if self._closed:
                raise ClosedError("the loader is closed", kind="closed")
            if self._handle is None:
                self._process = os.getpid()
                self._handle = self._new()
            handle = self._handle
        if self._closed:  # meanwhile, by another thread
            self.close()
        return handle

    def _new(self) -> _native.Handle:
        epochs = 1 if self._wanted.get("streaming") else _ENDLESS
        text = _option.encode({"epochs": epochs, **rank_of(self._wanted), **self._wanted}, self._options)
        handle = interruptibly(partial(_native.open_loader, self._kind, self._sources, text))
        for notice in _native.said("spool_loader_info", handle).get("notices", ()):
            warnings.warn(notice, UserWarning, stacklevel=_callers())
        if self._weights is not None:
            _native.call("spool_loader_weigh", handle, address(self._weights), len(self._weights), self._draws)
        if self._sampler is not None:
            self._draw(0, handle)
        if self._state is not None:
            self._resume([self._state], handle)
        return handle

    def _call(self, name: str, *arguments: Any) -> None:
        _native.call(name, self._open(), *arguments)

    def _told(self, name: str) -> Any:
        return _native.said(name, self._open())

    def _draw(self, epoch: int, handle: _native.Handle) -> None:
        """Have the samples of an epoch be those of a sampler, unless they are already."""
        if self._sampler is None or self._sampler.has(epoch):
            return
        ids = self._sampler.draw(epoch)
        _native.call("spool_loader_choose", handle, address(ids), len(ids), epoch, not self._sampler.fixed)

    # Loops.

    def __iter__(self) -> Iterator[B]:
        handle = self._open()
        with self._elsewhere() as number:
            info = self._told("spool_loader_info")
            epoch = info["epoch"]
            if info["middle"] and not self._resumed:  # the last loop was broken off
                epoch += 1
            if not self._resumed:
                self._draw(epoch, handle)
                self._call("spool_loader_start", epoch)
            self._resumed = False
            return Loop(self.next_of, self.__len__, number)

    @contextmanager
    def _elsewhere(self) -> Iterator[int]:
        """Have a block move the loader, and end the loop that runs; give the number of the next one."""
        self._loop = next(self._loops)  # so that a loop that waits in another thread gives up the lock
        with self._lock:
            self._moved = True
            self._loop = next(self._loops)
            self._coming = None
            yield self._loop

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

    def next_of(self, loop: Loop[B]) -> B | None:
        """Give the next batch to the loop that runs, None at the end of its epoch. Other loops get a RuntimeError."""
        while True:
            handle = self._open()
            with self._lock:
                if loop.over:
                    return None
                if loop.number != self._loop:
                    raise RuntimeError("another loop over the loader has begun, or set_epoch or load_state_dict")
                coming = self._coming
                if coming is None:
                    coming = self._coming = _native.Delivery()
                try:
                    if not coming.there and not coming.ended:  # that an interrupt has left
                        coming.take(handle, _SLICE)
                except TimeoutError:
                    continue
                batch = cast(B, self._batch(coming, self._format)) if coming.there else None
                loop.over = batch is None  # behind the end C begins the next epoch
                self._coming = None
            return batch

    def set_epoch(self, epoch: int) -> None:
        """Have the next loop be that epoch, from 0, as DistributedSampler's method of this name.

        It costs nothing where it would be that anyway. Otherwise a loop that runs ends with a RuntimeError.
        """
        epoch = _option.integer("epoch", epoch)
        handle = self._open()
        info = self._told("spool_loader_info")
        there = info["epoch"] == epoch and not info["middle"]
        with self._lock if there else self._elsewhere():
            self._moved, self._resumed = True, False
            self._coming = None
            self._draw(epoch, handle)
            self._call("spool_loader_start", epoch)

    # Where it has come to.

    def state_dict(self) -> dict[str, Any]:
        """Say how far the loop has come: a small dict for JSON or ``torch.save``, as torchdata's StatefulDataLoader.

        The batch that came last, and all before it, do not come again where it is loaded. A batch that Ctrl-C kept
        from the loop comes again.

        Raises:
            ValueError: of ``order="any"``, which has no state.

        """
        coming = self._coming
        lost = coming is not None and (coming.there or coming.ended)
        state: dict[str, Any] = self._told("spool_loader_state_before" if lost else "spool_loader_state")
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
        handle = self._open()
        with self._elsewhere():
            self._resume(states, handle)

    def _resume(self, states: Sequence[Mapping[str, Any]], handle: _native.Handle) -> None:
        if self._sampler is not None and not self._sampler.fixed:
            self._draw(int(states[0].get("state", {}).get("epoch", 0)), handle)
        _native.call("spool_loader_resume", handle, json.dumps(states).encode())
        self._resumed = True

    def continue_from(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a state as :meth:`load_state_dict` does, which is judged by the first call that needs it."""
        if self._handle is not None:
            self.load_state_dict(state_dict)
        self._state, self._moved = state_dict, True

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
        lines = _native.array()
        self._call("spool_loader_failures", lines.out)
        return [json.loads(line) for line in _native.content(lines).splitlines()]

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
        self._closed = True
        handle, self._handle = self._handle, None
        if handle is not None:
            _native.library().spool_loader_close(handle)

    def __enter__(self) -> Loader[B]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        if self._closed:
            raise ClosedError("the loader is closed", kind="closed")
        given = {"src": [os.fsdecode(name) for name in self._sources], **self._given}
        return _restored, (type(self), given, self.state_dict() if self._moved else None)


def _callers() -> int:
    """Give the stack level of the code that calls this package, for the warnings of the function that asks."""
    package, level = os.path.join(os.path.dirname(__file__), ""), 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    return level


def _restored(kind: type[Loader[Any]], given: dict[str, Any], state: Mapping[str, Any] | None) -> Loader[Any]:
    loader = kind(**given)
    if state is not None:
        loader.continue_from(state)
    return loader
