"""What the stages for other loaders share: a list of samples goes in, one batch comes out.

A sample is a source (a path, bytes, or whatever has the buffer protocol), or a tuple, list or dict with one in it,
beside labels and the like. :class:`Stage` decodes the sources of a whole list in one call, which leaves the
interpreter to other threads, and puts the rest together beside them. It is made in the parent and used in
workers: it can be pickled, and loads the library when it is first called.
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

Errors: TypeAlias = Literal["raise", "skip", "mask"]

_log = logging.getLogger("spool")


class Transform(Protocol):
    """What stands for keywords of :class:`Stage`: a :class:`spool.torchvision.Compose`."""

    @property
    def options(self) -> ImageOptions: ...


class StageOptions(ImageOptions, total=False):
    """The keywords of :class:`Stage`, for functions that make one."""

    key: int | str
    threads: int
    errors: Errors
    read: Callable[[list[Any]], list[Any]]


def cpus() -> int:
    """Give how many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


class Stage:
    """Decodes a list of samples into one batch.

    Args:
        transform: a :class:`spool.torchvision.Compose`, in place of keywords or beside them.
        key: where the source lies in a sample: an index of a tuple (0), a key of a dict (``"image"``).
        threads: how many pictures are decoded at a time. Default: the CPUs that the process may use.
        errors: what becomes of a batch with a sample that cannot be decoded. ``raise`` raises it. ``skip``
            leaves it out, its labels too, and logs it: the batch is shorter. ``mask`` keeps its place, all
            zeros, and gives a mask: ``valid`` in a batch that is a dict, the last element otherwise.
        read: gives the bytes of a list of sources, such as :class:`spool.fsspec.Reader`; in place of bytes an
            exception, for one that could not be read.
        **options: keywords of :func:`spool.decode_images`. All pictures of a batch have to come out in one shape.

    A batch has the structure of a sample: pixels (N,H,W,C) alone, a list of columns, or a dict of them. Columns of
    numbers are NumPy arrays, others are lists.

    A stage may be called from any number of threads.

    """

    def __init__(
        self,
        transform: Transform | None = None,
        *,
        key: int | str | None = None,
        threads: int | None = None,
        errors: Errors = "raise",
        read: Callable[[list[Any]], list[Any]] | None = None,
        **options: Unpack[ImageOptions],
    ) -> None:
        problems = Problems()
        with problems:
            one_of("errors", errors, "raise", "skip", "mask")
        given: dict[str, Any] = {**(transform.options if transform else {}), **options}
        ImageSpec.check(given, ("transform", "key", "threads", "errors", "read"), problems)
        self.spec = ImageSpec(**given)
        self._errors: Errors = errors
        self._key, self._threads, self._read = key, threads, read

    def __call__(self, samples: Sequence[Any], seed: tuple[int, int] | None = None) -> Any:
        """Decode samples.

        Args:
            samples: at least one; all of one structure.
            seed: of random crops and flips: two numbers. The n-th picture's are a function of them and of n.
                Default: others in each call.

        Raises:
            DecodeError: a sample could not be decoded and ``errors`` is ``raise``; or none of them could.

        """
        if not samples:
            raise ValueError("samples: there are none")
        first = samples[0]
        if isinstance(first, Mapping):
            key = "image" if self._key is None else self._key
            columns = {name: [s[name] for s in samples] for name in first}
            return self.columns(columns, key, seed)
        if isinstance(first, (tuple, list)):
            key = 0 if self._key is None else self._key
            return list(self.columns(dict(enumerate(zip(*samples, strict=True))), key, seed).values())
        batch = list(self.columns({0: samples}, 0, seed).values())
        return batch if self._errors == "mask" else batch[0]

    def columns(
        self, columns: Mapping[Any, Sequence[Any]], key: Any, seed: tuple[int, int] | None = None
    ) -> dict[Any, Any]:
        """Decode samples that come as columns, of which ``key`` has the sources; else as a call."""
        sources, unread = self._fetch(columns[key])
        threads = self._cpus() if self._threads is None else self._threads
        out = self._memory(len(sources))
        drawn, epoch = self.draw() if seed is None else seed
        batch = decode_images(
            sources, self.spec, threads=threads, errors=self._errors, out=out, seed=drawn, epoch=epoch
        )
        errors = {**batch.errors, **unread}
        if self._errors == "skip" and errors:
            if not batch.mask.any():
                raise errors[0]
            for i, error in errors.items():
                _log.warning("sample %d of a batch left out: %s", i, error)
            columns = {name: list(compress(values, batch.mask)) for name, values in columns.items()}
        if out is None:
            pixels = self._array(batch.data)
        else:
            pixels = out if len(batch.data) == len(out) else out[: len(batch.data)]
        result = {name: pixels if name == key else self._column(values) for name, values in columns.items()}
        if self._errors == "mask":
            result["valid"] = self._array(batch.mask)
        return result

    def _fetch(self, values: Sequence[Any]) -> tuple[list[Any], dict[int, Exception]]:
        """Give what can be decoded of each source, and what could not be read."""
        if self._read is None:
            return list(values), {}
        data = self._read(list(values))
        unread = {i: d for i, d in enumerate(data) if isinstance(d, Exception)}
        if self._errors == "raise":
            for error in unread.values():
                raise error
        return [b"" if i in unread else d for i, d in enumerate(data)], unread

    # What stages for a loader of their own do differently.

    def _cpus(self) -> int:
        return cpus()

    def draw(self) -> tuple[int, int]:
        """Give a seed for one call."""
        return secrets.randbits(64), 0

    def _memory(self, count: int) -> Any:
        """Give memory for so many pictures, or None for the library's."""
        return None

    def _array(self, values: Any) -> Any:
        return values

    def _column(self, values: Sequence[Any]) -> Any:
        return np.asarray(values) if isinstance(values[0], (bool, int, float, np.generic, np.ndarray)) else values
