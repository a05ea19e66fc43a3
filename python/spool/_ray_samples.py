"""Samples by reference in Ray Data: rows have ids, and the node that decodes a sample reads it from its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .batch import Batch
from .record_batch import RecordBatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .audio_loader import AudioLoader
    from .image_loader import ImageLoader
    from .record_loader import Loader
    from .video_loader import VideoLoader

    AnyLoader: TypeAlias = "ImageLoader | VideoLoader | AudioLoader | Loader"


class _Wanted:
    """The ids of one call, as a sampler that a loader iterates for each loop."""

    def __init__(self) -> None:
        self.ids: list[int] = []

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids)


class LoadSamples:
    """A class for ``Dataset.map_batches``. Each actor makes one loader, which loads the samples whose ids a batch has.

    Rows cross the cluster as ids, before and after an exchange of all rows. The actor opens the sources itself: a table
    of ``spool list --out FILE.arrow`` in some milliseconds, whatever its size, and ranges of packed shards.

    Args:
        loader: function of a sampler that makes a loader with it, as ``lambda ids: spool.ImageLoader("photos.arrow",
            sampler=ids, size=224)``. Its ``batch`` is best that of ``map_batches``: results of several are copied
            together.
        column: name of the column with the ids. Default: ``id``, as of ``ray.data.range``.
        to: name of the column that gets the samples of a loader with one field. Default: ``image``. A
            :class:`spool.Loader` gives a column for each field.

    By default, the row of a bad sample is left out. With the loader's ``on_error="placeholder"``, its ``valid`` is
    false. With ``"fail"``, its error ends the dataset. Other columns stay.
    """

    def __init__(self, loader: Callable[[Iterable[int]], AnyLoader], *, column: str = "id", to: str = "image") -> None:
        self._wanted = _Wanted()
        self._loader, self._column, self._to = loader(self._wanted), column, to

    def __call__(self, batch: Mapping[str, NDArray[np.generic]]) -> dict[str, object]:
        """Load the samples of a batch in the format "numpy".

        Args:
            batch: the columns.

        Returns:
            The columns of the samples that could be loaded, with ``label`` and ``valid``.
        """
        ids = batch[self._column].astype(np.int64, copy=False)
        self._wanted.ids = ids.tolist()
        loaded = [part for part in self._loader if len(part)]
        rows = _positions(ids, (int(i) for part in loaded for i in part.ids))
        columns: dict[str, object] = {name: values[rows] for name, values in batch.items()}
        parts = [self._columns(part) for part in loaded]
        for name in parts[0] if parts else ():
            columns[name] = _joined([part[name] for part in parts])
        return columns

    def _columns(self, batch: Batch) -> dict[str, object]:
        columns: dict[str, object] = {self._to: batch.data}
        if isinstance(batch, RecordBatch):
            columns = dict(batch.items())
        columns.setdefault("label", batch.labels)
        columns["valid"] = batch.valid
        return columns


def _positions(ids: NDArray[np.int64], loaded: Iterable[int]) -> list[int]:
    """Return where the loaded ids are among those asked for, which have the same order."""
    at = iter(range(len(ids)))
    return [next(i for i in at if ids[i] == one) for one in loaded]


def _joined(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [value for part in parts for value in part]
