"""Arrays of one batch that differ in size."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, cast, overload

import numpy as np

from ._arrays import A

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._arrays import TorchTensor


class Ragged(Sequence[A], Generic[A]):
    """The arrays of a batch's samples, one after the other in one flat array, without padding.

    It is a sequence: ``ragged[i]`` is the array of sample i, a view of ``data``.

    Args:
        data: the flat array.
        shapes: the shape of each sample, int64 of shape (N, dimensions).
    """

    __slots__ = ("data", "offsets", "shapes")

    data: A
    shapes: NDArray[np.int64]
    offsets: NDArray[np.int64]

    def __init__(self, data: A, shapes: NDArray[np.int64]) -> None:
        self.data, self.shapes = data, shapes
        # where each sample begins in data, and the end
        self.offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.prod(shapes, axis=1))])

    def __len__(self) -> int:
        return len(self.shapes)

    @overload
    def __getitem__(self, i: int) -> A: ...
    @overload
    def __getitem__(self, i: slice) -> list[A]: ...
    def __getitem__(self, i: int | slice) -> A | list[A]:
        if isinstance(i, slice):
            return [self[k] for k in range(len(self))[i]]
        k = range(len(self))[i]
        whole: Any = self.data
        flat: A = whole[int(self.offsets[k]) : int(self.offsets[k + 1])].reshape(tuple(self.shapes[k].tolist()))
        return flat

    def __iter__(self) -> Iterator[A]:
        return (self[i] for i in range(len(self)))

    def nested(self) -> TorchTensor:
        """Return the samples as one nested tensor of torch.

        Returns:
            The tensor. It is a copy.
        """
        nested = importlib.import_module("torch.nested")
        return cast("TorchTensor", nested.as_nested_tensor(list(self)))

    def __reduce__(self) -> tuple[object, ...]:
        return Ragged, (self.data, self.shapes)

    def __repr__(self) -> str:
        return f"spool.Ragged(shapes={self.shapes.tolist()})"
