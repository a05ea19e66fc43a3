"""Memory that a worker of a DataLoader writes and its parent reads, again and again.

What torch shares is new memory for each tensor: a worker that decodes into it has the kernel clear and map every
page, a fifth of its time. Here a worker has a few slots: files without a name that both processes map once. A
tensor in one crosses as the slot's number, and with the parent's last reference to it the slot is free again.

A slot begins with a byte that says whether it is taken. Its holder in the worker sets it before anything is
written; the holder in the parent clears it after the last use, which torch's reference counts put before that.
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

_HEAD = 64  # bytes before the pixels, which so are aligned
_LIMIT = 8  # slots of a worker: what a DataLoader has under way, and some that the consumer keeps


class Slot:
    """A slot, as one of the two processes has it."""

    def __init__(self, number: int, size: int, fd: int) -> None:
        self.number, self.size, self.fd = number, size, fd
        self.memory = mmap.mmap(fd, _HEAD + size)
        self.address: int = np.frombuffer(self.memory, np.uint8).__array_interface__["data"][0]
        self.known = False  # to the parent

    @property
    def taken(self) -> bool:
        return self.memory[0] != 0

    @taken.setter
    def taken(self, taken: bool) -> None:
        self.memory[0] = taken


class Holder:
    """Has a slot until the last array over it is gone, or until it is sent."""

    def __init__(self, slot: Slot, shape: Sequence[int], dtype: str) -> None:
        self.slot, self.sent, self._process = slot, False, os.getpid()
        place = (slot.address + _HEAD, False)
        self.__array_interface__ = {"version": 3, "typestr": dtype, "shape": tuple(shape), "data": place}

    def __del__(self) -> None:
        if not self.sent and self._process == os.getpid():  # and not a copy in a fork
            self.slot.taken = False


class SlotTensor(torch.Tensor):  # type: ignore[misc, unused-ignore]
    """A tensor in a slot of the worker. What is computed from it is a plain one, which torch copies when it is sent."""

    holder: Holder

    __torch_function__: Any = torch._C._disabled_torch_function_impl

    def __reduce_ex__(self, protocol: Any) -> Any:
        holder, slot = self.holder, self.holder.slot
        fd = None if slot.known else reduction.DupFd(slot.fd)
        holder.sent = slot.known = True
        array = holder.__array_interface__
        return _received, (os.getpid(), slot.number, slot.size, fd, array["shape"], array["typestr"])


class Slots:
    """The slots of a worker. It is not safe for concurrent use."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []

    def tensor(self, shape: Sequence[int], dtype: np.dtype[Any]) -> SlotTensor | None:
        """Give a tensor in a slot, or None where the parent has them all."""
        size = math.prod(shape) * dtype.itemsize
        slot = next((s for s in self._slots if s.size >= size and not s.taken), None)
        if slot is None:
            if len(self._slots) == _LIMIT:
                return None
            slot = Slot(len(self._slots), size, _file(_HEAD + size))
            self._slots.append(slot)
        slot.taken = True
        holder = Holder(slot, shape, dtype.str)
        tensor: SlotTensor = torch.from_numpy(np.asarray(holder)).as_subclass(SlotTensor)
        tensor.holder = holder
        return tensor


def _file(size: int) -> int:
    fd = os.memfd_create("spool")
    os.ftruncate(fd, size)
    return fd


# The slots of the workers of this process, by process and number.
_attached: dict[tuple[int, int], Slot] = {}


def _received(process: int, number: int, size: int, fd: Any, shape: Sequence[int], dtype: str) -> torch.Tensor:
    if fd is not None:
        for key in [key for key in _attached if not _alive(key[0])]:
            del _attached[key]
        own = fd.detach()
        _attached[process, number] = Slot(number, size, own)
        os.close(own)  # the mapping stays
    return torch.from_numpy(np.asarray(Holder(_attached[process, number], shape, dtype)))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
