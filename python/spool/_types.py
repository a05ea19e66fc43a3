"""Types of arguments and results that several modules share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Buffer, CapsuleType


class Tensor(Protocol):
    """An array that others may import by DLPack, such as a tensor of torch or an array of JAX."""

    def __dlpack__(self, *, stream: None = None) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


# Arrays in host memory: what a call reads or writes.
HostArray: TypeAlias = Union["NDArray[np.generic]", "Buffer", Tensor]

# What selects frames of a batch.
Index: TypeAlias = Union[int, slice, Sequence[int], "NDArray[np.integer | np.bool_]", Tensor]

# Indices of frames, and times in seconds.
Indices: TypeAlias = Union[Sequence[int], "NDArray[np.integer]", Tensor]
Seconds: TypeAlias = Union[Sequence[float], "NDArray[np.floating | np.integer]", Tensor]


class TorchDevice(Protocol):
    """A device of torch."""

    @property
    def type(self) -> str: ...
    @property
    def index(self) -> int | None: ...
