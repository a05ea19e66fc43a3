"""What scripts begin with that read arrays of the simulated device."""

FETCH = """
import collections, ctypes, gc, json, pickle, sys
from pathlib import Path
import numpy as np
import spool
from spool import _native

cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuMemcpyDtoHAsync_v2.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
context = ctypes.c_void_p()
assert cuda.cuInit(0) == cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxPushCurrent_v2(context) == 0

def fetched(array):
    # The default stream follows the device's work.
    described = array.__cuda_array_interface__
    assert described["stream"] == 1
    out = np.empty(described["shape"], described["typestr"])
    assert cuda.cuMemcpyDtoHAsync_v2(out.ctypes.data, described["data"][0], out.nbytes, None) == 0
    assert cuda.cuStreamSynchronize(None) == 0
    return out

said = []
"""
