"""Memory that a worker of a DataLoader shares with its parent and uses again.

torch shares each tensor in new memory. If a worker decodes into it, the kernel clears and maps every page, which takes
a fifth of the worker's time. Here a worker has a few slots: unnamed files that both processes map once. A tensor in a
slot is sent as the number of the slot. When the parent drops its last reference, the slot is free again.

The first byte of a slot says whether it is in use. The holder in the worker sets it before it writes. The holder in the
parent clears it after the last use; torch's reference counts establish that order.
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Sequence
from multiprocessing import reduction
from typing import Any

import numpy as np
import torch

from .array import to_torch

_HEAD = 64  # bytes before the pixels, for their alignment
_LIMIT = 8  # slots of a worker: for the batches that a DataLoader has in flight, and some that the consumer keeps


class Slot:
    """A slot, mapped into one of the two processes. Its number in the worker is that of its file, which stays open."""

    def __init__(self, size: int, fd: int) -> None:
        self.size, self.fd = size, fd
        self.memory = mmap.mmap(fd, _HEAD + size)
        self.address: int = np.frombuffer(self.memory, np.uint8).__array_interface__["data"][0]
        self.known = False  # the parent has mapped it

    @property
    def taken(self) -> bool:
        """Whether the slot is in use."""
        return self.memory[0] != 0

    @taken.setter
    def taken(self, taken: bool) -> None:
        self.memory[0] = taken


class Holder:
    """Holds a slot until the last array over it is gone, or until it is sent."""

    def __init__(self, slot: Slot, shape: Sequence[int], dtype: str) -> None:
        self.slot, self.sent, self._process = slot, False, os.getpid()
        place = (slot.address + _HEAD, False)
        self.__array_interface__ = {"version": 3, "typestr": dtype, "shape": tuple(shape), "data": place}

    def __del__(self) -> None:
        if not self.sent and self._process == os.getpid():  # not a copy in a fork
            self.slot.taken = False


class SlotTensor(torch.Tensor):  # type: ignore[misc, unused-ignore]
    """A tensor in a slot of the worker.

    Tensors computed from it are plain tensors, which torch copies when it sends them.
    """

    holder: Holder

    __torch_function__: Any = torch._C._disabled_torch_function_impl

    def __reduce_ex__(self, protocol: Any) -> Any:
        holder, slot = self.holder, self.holder.slot
        fd = None if slot.known else reduction.DupFd(slot.fd)
        holder.sent = slot.known = True
        array = holder.__array_interface__
        return _received, (os.getpid(), slot.fd, slot.size, fd, array["shape"], array["typestr"])


class Slots:
    """The slots of a worker. It is not safe for concurrent use."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []

    def tensor(self, shape: Sequence[int], dtype: np.dtype[Any]) -> SlotTensor | None:
        """Return a tensor in a free slot, or None if all slots are in use."""
        size = math.prod(shape) * dtype.itemsize
        slot = next((s for s in self._slots if s.size >= size and not s.taken), None)
        if slot is None:
            if len(self._slots) == _LIMIT:
                return None
            slot = Slot(size, _file(_HEAD + size))
            self._slots.append(slot)
        slot.taken = True
        holder = Holder(slot, shape, dtype.str)
        tensor: SlotTensor = to_torch(np.asarray(holder)).as_subclass(SlotTensor)
        tensor.holder = holder
        return tensor


def _file(size: int) -> int:
    fd = os.memfd_create("spool")
    os.ftruncate(fd, size)
    return fd


# The slots of this process's workers, by the worker's process id and the slot's number.
_attached: dict[tuple[int, int], Slot] = {}


def _received(process: int, number: int, size: int, fd: Any, shape: Sequence[int], dtype: str) -> torch.Tensor:
    if fd is not None:
        for key in [key for key in _attached if not _alive(key[0])]:
            del _attached[key]
        own = fd.detach()
        _attached[process, number] = Slot(size, own)
        os.close(own)  # the mapping stays valid
    received: torch.Tensor = to_torch(np.asarray(Holder(_attached[process, number], shape, dtype)))
    return received


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
