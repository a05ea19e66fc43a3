"""Arrays of one batch that differ in size."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ragged(Sequence[Any]):
    """The arrays of a batch's samples, one after the other in one flat array, without padding.

    It is a sequence: ``ragged[i]`` is the array of sample i, a view of ``data``.

    Args:
        data: the flat array.
        shapes: the shape of each sample, int64 of shape (N, dimensions).
    """

    __slots__ = ("data", "offsets", "shapes")

    data: Any
    shapes: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def __init__(self, data: Any, shapes: NDArray[np.int64]) -> None:
        self.data, self.shapes = data, shapes
        # where each sample begins in data, and the end
        self.offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.prod(shapes, axis=1))])

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(len(self))[i]]
        k = range(len(self))[i]
        flat = self.data[int(self.offsets[k]) : int(self.offsets[k + 1])]
        return flat.reshape(tuple(self.shapes[k].tolist()))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def nested(self) -> Any:
        """Return the samples as one nested tensor of torch.

        Returns:
            The tensor. It is a copy.
        """
        nested = importlib.import_module("torch.nested")
        return nested.as_nested_tensor(list(self))

    def __reduce__(self) -> tuple[object, ...]:
        return Ragged, (self.data, self.shapes)

    def __repr__(self) -> str:
        return f"spool.Ragged(shapes={self.shapes.tolist()})"
