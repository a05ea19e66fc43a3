"""Single pictures as tensors, of which PyTorch makes the batches.

In a worker of a DataLoader a picture has a type of its own. By it ``default_collate`` finds the function here, which
copies the pictures into memory that the worker shares with its parent and uses again. PyTorch's own function shares new
memory for each batch.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch.utils.data import get_worker_info
from torch.utils.data._utils.collate import collate_tensor_fn, default_collate_fn_map

from ._source import Source
from .array import to_torch
from .images import decode_one
from .torch import Collate


class Picture(torch.Tensor):  # type: ignore[misc, unused-ignore]
    """A picture in a worker. Tensors computed from it, its copies, and what is pickled are plain tensors."""

    made_by: Pictures

    __torch_function__: Any = torch._C._disabled_torch_function_impl

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _plain(self).__reduce_ex__(protocol)

    def __deepcopy__(self, memo: Any) -> Any:
        return copy.deepcopy(_plain(self), memo)

    def __repr__(self, **options: Any) -> str:
        return repr(_plain(self))


class Pictures(Collate):
    """Decodes single pictures of a fixed size."""

    def picture(self, src: Source) -> torch.Tensor:
        """Decode a picture.

        Args:
            src: the source.

        Returns:
            A tensor, in a worker a :class:`Picture`.
        """
        tensor: torch.Tensor = to_torch(decode_one(src, self.spec.parsed(), *self.draw()))
        if get_worker_info() is None:
            return tensor
        picture: Picture = tensor.as_subclass(Picture)
        picture.made_by = self
        return picture

    def memory(self, count: int) -> torch.Tensor | None:
        """Return shared memory for a number of pictures. None: all of it is in use, or this is not a worker.

        Args:
            count: the number.

        Returns:
            A tensor.
        """
        return self._memory(count)


def _plain(picture: Picture) -> torch.Tensor:
    tensor: torch.Tensor = picture.as_subclass(torch.Tensor)
    return tensor


def _batch(samples: Sequence[torch.Tensor], **options: Any) -> torch.Tensor:
    """Collate pictures. As in PyTorch's function, the first one decides the type and the shape."""
    first = cast("Picture", samples[0])
    out = first.made_by.memory(len(samples))
    if out is None or (out.dtype, out.shape[1:]) != (first.dtype, first.shape):  # changed in place
        batch: torch.Tensor = collate_tensor_fn(samples, **options)
        return batch
    torch.stack(list(samples), 0, out=out)
    return out


default_collate_fn_map[Picture] = _batch
