"""The common part of the loaders: opening, loops, state, reports and the end."""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, Union, cast

from . import _delivery, _header, _native, _option
from ._loop import Loop, Looped
from ._rank import rank_of
from ._reports import Reports
from ._sampler import NamedSampler, chosen, conflicts, floats
from ._shown import Bar, progress
from ._source import listed, missing
from ._wait import interruptibly
from ._warn import warn
from .array import address
from .batch import Batch, outputs
from .errors import ClosedError
from .samplers import LengthBuckets

Sources: TypeAlias = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
Output: TypeAlias = Literal["numpy", "torch", "jax", "dlpack"]
B = TypeVar("B", bound="Batch[Any] | dict[str, Any]")

# Milliseconds that a call of C waits. A batch ends the wait at once. Without one, the call returns, so that the handler
# of a signal, as for Ctrl-C, can run: Python runs it only between two calls. Ten calls a second cost nothing.
_SLICE = 100
_ENDLESS = (1 << 31) - 1  # C's number of epochs for no limit


class BaseLoader(Reports, Looped[B]):
    """Base of :class:`spool.Loader`, :class:`ImageLoader`, :class:`VideoLoader` and :class:`AudioLoader`.

    A loop over a loader is an epoch, and the next loop is the next epoch. Samples of the next epoch are decoded while
    the last batches of the current one are in use. Leaving a loop with ``break`` drops the rest of its epoch. One loop
    runs at a time: a new loop ends the previous one with a RuntimeError.

    Making a loader loads nothing. The first call that needs the library loads it and lists the sources. If the process
    has used the library before, this happens at once. So a parent may make loaders and then fork.

    Any number of threads may share a loader, and one loop over it. Each batch goes to one thread, and the end of the
    epoch ends the loop in all threads. A fork of a process that has used the library cannot use it. A pickled or copied
    loader has the same sources and options, and continues at the same position.

    Args:
        src: the sources.
        options: options by keyword.
        output: the type of arrays in batches.
        sampler: ids of the samples to load, an object that gives them for each epoch, or the name of a sampler.
        weights: relative frequency of each sample.
        draws: int, samples of an epoch with ``weights``.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names all of them.
        DecodeError: a source does not exist, or has nothing to load.
        ForkError: the process was forked from one that had used spool.
    """

    _medium: ClassVar[str]
    _options: ClassVar[_option.Kinds]
    _outputs: ClassVar[Mapping[str, Callable[[Any], Any]]] = outputs
    _batch: Callable[[_delivery.Delivery, Callable[[Any], Any]], Batch[Any] | dict[str, Any]]

    def __init__(
        self,
        src: Sources,
        options: Mapping[str, object],
        output: str,
        sampler: Iterable[int] | LengthBuckets | NamedSampler | None,
        weights: Iterable[float] | None,
        draws: int,
    ) -> None:
        own = ("src", "output", "sampler", "weights", "draws")
        options = {k: v for k, v in options.items() if v is not None and k not in own}
        problems = _option.Problems()
        with problems:
            self._sources = listed("src", src)
        with problems:
            _option.one_of("output", output, *self._outputs)
        if output == "numpy" and str(options.get("device", "")).startswith("cuda"):
            problems.add(ValueError("output='numpy': NumPy arrays cannot be on a device; use torch, jax or dlpack"))
        for conflict in conflicts(sampler, weights, draws, options.get("shuffle")):
            problems.add(ValueError(conflict))
        options |= {"sampler": sampler} if isinstance(sampler, str) else {}
        with problems:
            self._sampler = chosen(sampler)
        with problems:
            self._weights = None if weights is None else floats("weights", weights)
        with problems:
            self._draws = _option.integer("draws", draws)
        with problems:
            options = {**rank_of(options), **options}
        _option.encode(options, self._options, own, problems)
        self._settings = options
        self._arguments = {"weights": weights, "draws": draws, "output": output, **options, "sampler": sampler}
        self._convert = self._outputs[output]
        self._opening = threading.Lock()
        self._process = os.getpid()
        self._handle: _native.Handle | None = None
        self._closed = False
        self._servers = []
        self._lock = threading.Lock()  # guards the following fields, and is held while C delivers
        self._loop = 0  # the number of the current loop
        self._loops = itertools.count(1)
        self._error = _header.ErrorStruct()
        self._pending: _delivery.Delivery | None = None  # delivered by C, and not yet returned by a loop
        self._moved = self._resumed = False
        self._state: Mapping[str, object] | None = None  # to resume from
        if _native.loaded():
            self._open()
        else:
            missing(self._sources)

    def _open(self) -> _native.Handle:
        """Return the library's loader. The first call makes it."""
        handle = self._handle
        if handle is None:
            return self._open_once()
        if self._process != os.getpid():  # before taking a lock that another thread of the parent may have held
            raise _native.forked()
        return handle

    def _open_once(self) -> _native.Handle:
        with self._opening:
            if self._closed:
                raise ClosedError("the loader is closed", error_class="closed")
            if self._handle is None:
                self._process = os.getpid()
                self._handle = self._new()
            handle = self._handle
        if self._closed:  # by another thread, in the meantime
            self.close()
        return handle

    def _new(self) -> _native.Handle:
        epochs = 1 if self._settings.get("streaming") else _ENDLESS
        settings: dict[str, Any] = {"epochs": epochs, **rank_of(self._settings), **self._settings}
        metrics = settings.pop("metrics", None)
        text = _option.encode(settings, self._options, extra={"otlp": True} if metrics == "otlp" else {})
        handle = interruptibly(partial(_native.open_loader, self._medium, self._sources, text))
        for notice in _native.query("spool_loader_info", handle).get("notices", ()):
            warn(notice)
        if self._weights is not None:
            _native.call("spool_loader_weigh", handle, address(self._weights), len(self._weights), self._draws)
        self._draw(0, handle)
        if self._state is not None:
            self._resume([self._state], handle)
        if metrics is not None and metrics != "otlp":
            self._serve_at(metrics, metrics=True)
        return handle

    def _call(self, name: str, *arguments: Any) -> None:
        _native.call(name, self._open(), *arguments)

    def _draw(self, epoch: int, handle: _native.Handle) -> None:
        """Set the samples of an epoch to those of the sampler, if there is one."""
        if self._sampler is not None:
            self._sampler.choose(handle, epoch)

    # Loops.

    def __iter__(self) -> Loop[B]:
        handle = self._open()
        with self._repositioned() as number:
            info = self._query("spool_loader_info")
            epoch = info["epoch"]
            if info["middle"] and not self._resumed:  # the last loop was left early
                epoch += 1
            if not self._resumed:
                self._draw(epoch, handle)
                self._call("spool_loader_start", epoch)
            self._resumed = False
            return Loop(self.next_of, self.__len__, number)

    @contextmanager
    def _repositioned(self) -> Iterator[int]:
        """End the current loop, and let a block change the loader's position. Yield the number of the next loop."""
        self._loop = next(self._loops)  # so that a loop that waits in another thread releases the lock
        with self._lock:
            self._moved = True
            self._loop = next(self._loops)
            self._pending = None
            yield self._loop

    def __len__(self) -> int:
        """Return the number of batches of an epoch without bad samples.

        Raises:
            TypeError: the number is not known, with ``streaming=True`` and with ``form`` bucket or budget.
        """
        return self._number("batches")

    def _number(self, key: str) -> int:
        n: int = self._query("spool_loader_info")[key]
        if n < 0:
            why = "streaming=True" if self._query("spool_loader_info")["samples"] < 0 else "this form of batches"
            raise TypeError(f"{why}: the number of {key} is not known before the end of the epoch")
        return n

    def next_of(self, loop: Loop[B]) -> B | None:
        """Return the next batch of the current loop.

        Args:
            loop: the loop that requests it.

        Returns:
            The batch, or None at the end of the epoch.

        Raises:
            RuntimeError: another loop has begun.
            Error: a sample is bad, with ``on_error="fail"``; or the loader was closed.
        """
        while True:
            handle = self._open()
            with self._lock:
                if loop.over:
                    return None
                if loop.number != self._loop:
                    raise RuntimeError("ended by another loop over the loader, or by set_epoch or load_state_dict")
                delivery = self._pending
                is_new = delivery is None
                if delivery is None:
                    delivery = self._pending = _delivery.Delivery(self._error)
                try:
                    if is_new or not (delivery.has_batch or delivery.ended):  # nothing is left from an interrupted call
                        delivery.fetch(handle, _SLICE)
                except TimeoutError:
                    continue
                batch: Any = self._batch(delivery, self._convert) if delivery.has_batch else None
                loop.over = batch is None  # after the end, C begins the next epoch
                self._pending = None
            made: B | None = batch
            return made

    def progress(self, bar: Callable[..., Bar] | None = None, **options: object) -> Iterator[B]:
        """Loop over an epoch beside a bar, which shows the rate, the busiest stage and the number of failures.

        Args:
            bar: a class with the interface of ``tqdm.tqdm``. Default: ``tqdm.auto.tqdm``, whose package is then needed.
            **options: options of the bar, like ``desc``.

        Returns:
            The batches.
        """
        return progress(self, self, bar, options)

    def batch(self, step: int, receipts: str | os.PathLike[str] | None = None) -> B:
        """Make the batch of a training step again, byte for byte, without the batches before it.

        The position of the loader stays, and a loop goes on. Steps count batches from epoch 0 on; each epoch has
        ``len(loader)`` of them. Samples that were bad move all samples after them. They are known of the batches that
        this loader delivered, or from receipts. The batch has other bytes if a file, the sources, or the version of a
        decoder changed; receipts with digests tell which samples these are.

        Args:
            step: int, from 0; with ``receipts``, the batch's number in the file.
            receipts: file that ``receipts`` of a loader with the same sources and options wrote. A warning names each
                sample that differs from its receipt. Default: none, and nothing is compared.

        Returns:
            The batch.

        Raises:
            ValueError: there is no such step; a loader without states, as with ``order="any"``; a stream; ``form``
                bucket or budget; or a sampler that has not chosen the samples of that epoch.
            DecodeError: the file of receipts has no such batch.
        """
        step = _option.integer("step", step)
        name = None if receipts is None else os.fsencode(receipts)
        handle, delivery = self._open(), _delivery.Delivery()
        for line in interruptibly(partial(delivery.again, handle, step, name)):
            warn(line)
        return cast(B, self._batch(delivery, self._convert))

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch of the next loop, like the method of torch's DistributedSampler.

        This costs nothing if the next loop would be that epoch anyway. Otherwise it ends the current loop with a
        RuntimeError.

        Args:
            epoch: int, from 0.
        """
        epoch = _option.integer("epoch", epoch)
        handle = self._open()
        info = self._query("spool_loader_info")
        there = info["epoch"] == epoch and not info["middle"]
        with self._lock if there else self._repositioned():
            self._moved, self._resumed = True, False
            self._pending = None
            self._draw(epoch, handle)
            self._call("spool_loader_start", epoch)

    # State.

    def state_dict(self) -> dict[str, object]:
        """Return the position of the loop, a small dict for JSON or ``torch.save``.

        It works like torchdata's StatefulDataLoader. A loader that loads it does not deliver the last batch and those
        before it again. A batch that Ctrl-C kept from the loop is delivered again.

        Returns:
            The state.

        Raises:
            ValueError: with ``order="any"``, which has no state.
        """
        delivery = self._pending
        lost = delivery is not None and (delivery.has_batch or delivery.ended)
        state: dict[str, object] = self._query("spool_loader_state_before" if lost else "spool_loader_state")
        return state

    def load_state_dict(self, state_dict: Mapping[str, object] | Sequence[Mapping[str, object]]) -> None:
        """Continue at the position of a loader with the same sources and options.

        The next loop is the rest of that epoch. Workers, prefetch and cache may differ. With another number of ranks,
        each rank loads the states of all former ranks.

        Args:
            state_dict: a state, or a list of the states of all ranks.

        Raises:
            ValueError: the state is that of another loader.
            DecodeError: the argument is not a state.
        """
        states = [state_dict] if isinstance(state_dict, Mapping) else list(state_dict)
        if not states:
            raise ValueError("state_dict: the list is empty; give a state, or the states of all ranks")
        handle = self._open()
        with self._repositioned():
            self._resume(states, handle)

    def _resume(self, states: Sequence[Mapping[str, Any]], handle: _native.Handle) -> None:
        if self._sampler is not None and not self._sampler.fixed:
            self._draw(int(states[0].get("state", {}).get("epoch", 0)), handle)
        _native.call("spool_loader_resume", handle, json.dumps(states).encode())
        self._resumed = True

    def continue_from(self, state_dict: Mapping[str, object]) -> None:
        """Continue at a state like :meth:`load_state_dict`, but let the first call that needs the library check it.

        Args:
            state_dict: a state.
        """
        if self._handle is not None:
            self.load_state_dict(state_dict)
        self._state, self._moved = state_dict, True

    def close(self) -> None:
        """End the loader. Any thread may call this at any time.

        A loop that waits ends with ClosedError or CanceledError. Batches stay valid. A loader closes itself when it is
        garbage collected.
        """
        self._closed = True
        handle, self._handle = self._handle, None
        for server in self._servers:
            server.close()
        if handle is not None:
            _native.library().spool_loader_close(handle)

    def __enter__(self) -> BaseLoader[B]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        if self._closed:
            raise ClosedError("the loader is closed", error_class="closed")
        given = {"src": [os.fsdecode(name) for name in self._sources], **self._arguments}
        return _restored, (type(self), given, self.state_dict() if self._moved else None)


def _restored(kind: type[BaseLoader[Any]], given: dict[str, Any], state: Mapping[str, Any] | None) -> BaseLoader[Any]:
    loader = kind(**given)
    if state is not None:
        loader.continue_from(state)
    return loader
