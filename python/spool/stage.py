"""The common part of the stages for other loaders: a list of samples goes in, and one batch comes out.

A sample is a source (a path, bytes, or any buffer), or a tuple, list or dict that has a source in it, with labels and
other values. :class:`Stage` decodes all sources of a list in one call, without the GIL, and collates the other values.
A stage is made in the parent and used in workers: it can be pickled, and loads the library when it is first called.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from ._option import Problems, one_of
from .image import decode_images
from .spec import ImageOptions, ImageSpec

if TYPE_CHECKING:
    from typing_extensions import Unpack

OnError: TypeAlias = Literal["fail", "skip", "placeholder"]

_log = logging.getLogger("spool")


class Transform(Protocol):
    """An object that stands for keywords of :class:`Stage`, such as a :class:`spool.torchvision.Compose`."""

    @property
    def options(self) -> ImageOptions:
        """The keywords."""
        ...


class StageOptions(ImageOptions, total=False):
    """The keywords of :class:`Stage`, for functions that make a stage. :class:`Stage` describes them."""

    key: int | str
    threads: int
    on_error: OnError
    read: Callable[[list[Any]], list[Any]]


def cpus() -> int:
    """Return how many CPUs this process may use.

    Returns:
        Their number.
    """
    return len(os.sched_getaffinity(0))


class Stage:
    """Decodes a list of samples into one batch.

    A batch has the structure of a sample: pixels (N,H,W,C) alone, a list of columns, or a dict of columns. Columns of
    numbers are NumPy arrays, other columns are lists. Any number of threads may call a stage.

    Args:
        transform: a :class:`spool.torchvision.Compose`, instead of keywords or with them.
        key: where the source is in a sample: an index of a tuple, by default 0, or a key of a dict, by default
            ``"image"``.
        threads: int, how many images are decoded at a time. Default: the CPUs that the process may use.
        on_error: the policy for a sample that cannot be decoded. ``fail``, the default, raises its error. ``skip``
            leaves it out of the batch, together with its labels, and logs it. ``placeholder`` keeps its slot, filled
            with zeros, and adds which slots are valid: as ``valid`` to a batch that is a dict, otherwise as the last
            element.
        read: function that takes a list of sources and returns their bytes, such as :class:`spool.fsspec.Reader`. An
            exception takes the place of bytes that could not be read. Default: the library reads the sources.
        **options: the keywords of :func:`spool.decode_images`. All images of a batch have to get the same shape.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names all of them.
    """

    def __init__(
        self,
        transform: Transform | None = None,
        *,
        key: int | str | None = None,
        threads: int | None = None,
        on_error: OnError = "fail",
        read: Callable[[list[Any]], list[Any]] | None = None,
        **options: Unpack[ImageOptions],
    ) -> None:
        problems = Problems()
        with problems:
            one_of("on_error", on_error, "fail", "skip", "placeholder")
        given: dict[str, Any] = {**(transform.options if transform else {}), **options}
        ImageSpec.check(given, ("transform", "key", "threads", "on_error", "read"), problems)
        self.spec = ImageSpec(**given)
        self._on_error: OnError = on_error
        self._key, self._threads, self._read = key, threads, read

    def __call__(self, samples: Sequence[Any], seed: tuple[int, int] | None = None) -> Any:
        """Decode samples.

        Args:
            samples: at least one sample. All have the same structure.
            seed: two integers that random crops and flips are drawn from, together with the position of the image in
                the list. Default: different draws in each call.

        Returns:
            The batch.

        Raises:
            DecodeError: a sample cannot be decoded and ``on_error`` is ``fail``, or no sample can be decoded.
            ValueError: ``samples`` is empty.
        """
        if not samples:
            raise ValueError("samples: the list is empty")
        first = samples[0]
        if isinstance(first, Mapping):
            key = "image" if self._key is None else self._key
            columns = {name: [s[name] for s in samples] for name in first}
            return self.columns(columns, key, seed)
        if isinstance(first, (tuple, list)):
            key = 0 if self._key is None else self._key
            return list(self.columns(dict(enumerate(zip(*samples, strict=True))), key, seed).values())
        batch = list(self.columns({0: samples}, 0, seed).values())
        return batch if self._on_error == "placeholder" else batch[0]

    def columns(
        self, columns: Mapping[Any, Sequence[Any]], key: Any, seed: tuple[int, int] | None = None
    ) -> dict[Any, Any]:
        """Decode samples that are given as columns.

        Args:
            columns: the values of all samples, by the names of the columns.
            key: name of the column with the sources.
            seed: as for a call.

        Returns:
            The columns of the batch.

        Raises:
            DecodeError: a sample cannot be decoded and ``on_error`` is ``fail``, or no sample can be decoded.
        """
        sources, unread = self._fetch(columns[key])
        threads = self._cpus() if self._threads is None else self._threads
        out = self._memory(len(sources))
        drawn, epoch = self.draw() if seed is None else seed
        batch = decode_images(
            sources, self.spec, threads=threads, on_error=self._on_error, out=out, seed=drawn, epoch=epoch
        )
        errors = {**batch.errors, **unread}
        if self._on_error == "skip" and errors:
            if not batch.valid.any():
                raise errors[0]
            for i, error in errors.items():
                _log.warning("sample %d of a batch is left out: %s", i, error)
            columns = {name: list(compress(values, batch.valid)) for name, values in columns.items()}
        if out is None:
            pixels = self._array(batch.data)
        else:
            pixels = out if len(batch.data) == len(out) else out[: len(batch.data)]
        result = {name: pixels if name == key else self._column(values) for name, values in columns.items()}
        if self._on_error == "placeholder":
            result["valid"] = self._array(batch.valid)
        return result

    def _fetch(self, values: Sequence[Any]) -> tuple[list[Any], dict[int, Exception]]:
        """Return the input of the decoder for each source, and the errors of sources that could not be read."""
        if self._read is None:
            return list(values), {}
        data = self._read(list(values))
        unread = {i: d for i, d in enumerate(data) if isinstance(d, Exception)}
        if self._on_error == "fail":
            for error in unread.values():
                raise error
        return [b"" if i in unread else d for i, d in enumerate(data)], unread

    # Overridden by stages for particular loaders.

    def _cpus(self) -> int:
        return cpus()

    def draw(self) -> tuple[int, int]:
        """Return a random seed for one call.

        Returns:
            A seed and an epoch.
        """
        return secrets.randbits(64), 0

    def _memory(self, count: int) -> Any:
        """Return memory for this number of images, or None to use the library's."""
        return None

    def _array(self, values: Any) -> Any:
        return values

    def _column(self, values: Sequence[Any]) -> Any:
        return np.asarray(values) if isinstance(values[0], (bool, int, float, np.generic, np.ndarray)) else values
