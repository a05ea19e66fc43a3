"""Types of arrays in results: NumPy's, and those that the keyword ``output`` names.

A class whose arrays have one of several types is generic: ``ImageLoader(..., output="torch")`` is an
``ImageLoader[torch.Tensor]``, whose batches have tensors. Without an argument, ``ImageLoader`` has NumPy's arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import jax
    import torch
    from numpy.typing import NDArray
    from typing_extensions import TypeVar

    from .array import Array
    from .device import DeviceArray
    from .ragged import Ragged

    A = TypeVar("A", default=NDArray[np.number])
else:
    from typing import TypeVar

    A = TypeVar("A")

# Pixels, audio samples, labels and times.
Numbers: TypeAlias = "NDArray[np.number]"

# Tables of C's structs, with named fields.
Rows: TypeAlias = "NDArray[np.void]"

TorchTensor: TypeAlias = "torch.Tensor"
JaxArray: TypeAlias = "jax.Array"

# What output="dlpack" gives: memory of the host or of a device.
Exported: TypeAlias = "Array | DeviceArray"

# An array of any package that ``output`` names.
AnyArray: TypeAlias = "Numbers | TorchTensor | JaxArray | Exported"

# A field of a batch of records: an array, one that is not padded, one for each view, or a list of the samples' values.
Values: TypeAlias = "A | Ragged[A] | list[A] | list[object]"

# What is converted to the type that ``output`` names.
Memory: TypeAlias = "Exported | NDArray[np.generic]"
