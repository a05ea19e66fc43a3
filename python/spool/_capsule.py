"""Capsules of DLPack, in which arrays go to other packages."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_void_p
from typing import TYPE_CHECKING

from ._native import Handle, call

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

_python = ctypes.PyDLL(None)  # not pythonapi, whose functions other packages declare differently
_python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_IsValid.argtypes = [c_void_p, c_char_p]
_python.PyCapsule_GetPointer.argtypes = [c_void_p, c_char_p]
_python.PyCapsule_GetPointer.restype = c_void_p

# The names of capsules, and the offsets of deleters in their tensors: DLManagedTensor, DLManagedTensorVersioned.
_tensors = {b"dltensor": 56, b"dltensor_versioned": 16}


_Deleter = ctypes.CFUNCTYPE(None, c_void_p)


def _end(capsule: int) -> None:
    """Delete a tensor that no consumer has taken. A consumer that takes it renames its capsule."""
    for name, deleter in _tensors.items():
        if _python.PyCapsule_IsValid(capsule, name):
            tensor: int = _python.PyCapsule_GetPointer(capsule, name)
            _Deleter.from_address(tensor + deleter)(tensor)


_untaken = ctypes.PYFUNCTYPE(None, c_void_p)(_end)


def capsule(handle: Handle, stream: int, versioned: bool) -> CapsuleType:
    """Export an array for a consumer that uses it in a CUDA stream, as in ``__dlpack__``."""
    tensor = c_void_p()
    call("spool_array_dlpack_in", handle, stream & (1 << 64) - 1, versioned, False, tensor)
    made: CapsuleType = _python.PyCapsule_New(tensor, b"dltensor_versioned" if versioned else b"dltensor", _untaken)
    return made
