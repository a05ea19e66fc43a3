"""Batches on a device. There is no device here, so the tests use the simulated driver of cbridge/cuda/fake."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fetch
import need
import pytest
from conftest import ROOT

import spool

Python = Callable[..., Any]


def test_there_is_none(testdata: Path) -> None:
    if Path("/dev/nvidiactl").exists():
        need.skip("system", "a CUDA device may be there")
    for device, output, error, text in (
        ("cuda:0", "dlpack", spool.DeviceError, "cuda:0"),
        ("tpu", "numpy", ValueError, "device"),
        ("cuda", "numpy", ValueError, "output"),
    ):
        with pytest.raises(error, match=text):
            next(iter(spool.ImageLoader(testdata / "photos", device=device, output=output)))


def test_pinned(testdata: Path) -> None:
    """The bytes are the same. If memory cannot be pinned, the loader reports it."""
    plain = spool.ImageLoader(testdata / "photos", batch=8, size=32)
    pinned = spool.ImageLoader(testdata / "photos", batch=8, size=32, device="pinned")
    kept = [(a, b) for a, b in zip(plain, pinned, strict=True)]
    assert all((a.images == b.images).all() for a, b in kept)
    assert plain.note == ""
    assert isinstance(pinned.note, str)
    pinned.close()
    assert all((a.images == b.images).all() for a, b in kept)


DEVICE = """
import ctypes, gc, json, sys, time
import spool
from spool import _native

loader = spool.ImageLoader(sys.argv[1], batch=8, size=32, device="cuda", output="dlpack", ring=3)
plain = spool.ImageLoader(sys.argv[1], batch=8, size=32)
said = []
api = ctypes.pythonapi
api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = [ctypes.py_object], ctypes.c_char_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuMemcpyDtoHAsync_v2.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]

context, stream = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuInit(0) == cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxPushCurrent_v2(context) == 0
assert cuda.cuStreamCreate(ctypes.byref(stream), 0) == 0

def fetched(tensor, n):
    # What a consumer's stream reads after the copy, although the host does not wait for the copy.
    room = ctypes.create_string_buffer(n)
    assert cuda.cuMemcpyDtoHAsync_v2(room, tensor.data, n, stream) == cuda.cuStreamSynchronize(stream) == 0
    return room.raw

class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64))]

same = 0
for batch, expected in zip(loader, plain):
    a = batch.images
    assert (type(a).__name__, a.shape, str(a.dtype)) == ("DeviceArray", expected.shape, "uint8")
    assert a.__dlpack_device__() == (2, 0)
    assert (batch.labels == expected.labels).all() and batch.names == expected.names
    capsule = a.__dlpack__(stream=stream.value)
    assert api.PyCapsule_GetName(capsule) == b"dltensor"
    t = Tensor.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor"))
    assert (t.device_type, t.device_id, t.code, t.bits, t.shape[:t.ndim]) == (2, 0, 1, 8, list(expected.shape))
    assert fetched(t, expected.images.nbytes) == expected.images.tobytes()
    versioned = a.__dlpack__(stream=-1, max_version=(1, 1))
    assert api.PyCapsule_GetName(versioned) == b"dltensor_versioned"
    described = a.__cuda_array_interface__
    assert (described["typestr"], described["version"], described["stream"]) == ("|u1", 3, 1)
    assert described["shape"] == expected.shape and described["strides"] is None and described["data"][1] is False
    assert described["data"][0] == t.data
    same += 1
    del capsule, versioned, a, batch
assert same == 6
try:
    next(iter(loader)).images.__dlpack__(copy=True)
except BufferError as e:
    said.append(type(e).__name__)
begin = time.monotonic()
kept = []
try:
    for batch in loader:
        kept.append(batch)
except ValueError as e:
    said += [type(e).__name__, "ring" in str(e), time.monotonic() - begin > 4]
assert len(kept) == 3
del kept[1:], batch
next(iter(loader))  # the loader stays usable
loader.close()
plain.close()
del loader, plain, kept, expected
gc.collect()
said.append([_native.query("spool_stats")[k] for k in ("arrays", "handles")])
print(json.dumps(said))
"""


MOVE = (
    fetch.FETCH
    + """
Pair = collections.namedtuple("Pair", "a b")
rng = np.random.default_rng(1)
clip = spool.decode_image(sys.argv[1]).copy()
held = _native.query("spool_stats")["handles"]  # the spec of decode_image
data = {"image": clip, "pair": Pair(rng.random((3, 5), np.float32), "text"),
        "list": [np.arange(7), (np.int16([[1], [2]]), None)], "strided": rng.random((4, 6))[:, ::2]}
move = spool.Transfer("cuda:0", ring=2)
for _ in range(5):
    moved = move(data)
    assert list(moved) == list(data) and type(moved["pair"]) is Pair and moved["pair"].b == "text"
    assert moved["list"][1][1] is None and type(moved["list"][1]) is tuple
    for got, want in ((moved["image"], clip), (moved["pair"].a, data["pair"].a), (moved["list"][0], data["list"][0]),
                      (moved["list"][1][0], data["list"][1][0]), (moved["strided"], data["strided"])):
        assert type(got) is spool.DeviceArray and got.shape == want.shape and got.dtype == want.dtype
        assert (fetched(got) == want).all()
    del moved, got
assert move({"a": 1}) == {"a": 1}
kept = [move(clip), move(clip)]
try:
    move(clip)
except ValueError as e:
    said.append("ring" in str(e))
del kept
one = move(clip)
move.close()
assert (fetched(one) == clip).all()
try:
    move(clip)
except spool.ClosedError:
    said.append("closed")
for wrong in (np.array(["x"]), np.array([True]), np.zeros(3, np.int8), one):
    try:
        spool.transfer(wrong, "cuda:0")
    except TypeError as e:
        said.append(str(e).split(":")[0])
for device in ("host", "tpu", "cuda:7"):
    try:
        spool.transfer(clip, device)
    except (ValueError, spool.DeviceError) as e:
        said.append(type(e).__name__)
assert (fetched(spool.transfer([clip], "cuda:0")[0]) == clip).all()
del one, wrong, clip, data
gc.collect()
said.append([_native.query("spool_stats")[k] for k in ("arrays", "handles")] == [0, held])
print(json.dumps(said))
"""
)


@pytest.mark.slow
def test_transfer(python: Python, testdata: Path, tmp_path: Path) -> None:
    """Arrays of nested containers arrive together, and their memory is used again."""
    fake = tmp_path / "libcuda.so.1"
    need.command(os.environ.get("CC", "cc"))
    subprocess.run([ROOT / "cbridge/cuda/fake/build.sh", fake], check=True)
    path = f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    said = python(MOVE, str(testdata / "photos/animal/00.jpg"), LD_LIBRARY_PATH=path)
    assert said == [True, "closed", *["data"] * 4, "ValueError", "ValueError", "DeviceError", True]


@pytest.mark.slow
def test_fake_device(python: Python, testdata: Path, tmp_path: Path) -> None:
    """Batches arrive, unused tensors are deleted, and a loop that keeps the whole ring gets an error."""
    fake = tmp_path / "libcuda.so.1"
    need.command(os.environ.get("CC", "cc"))
    subprocess.run([ROOT / "cbridge/cuda/fake/build.sh", fake], check=True)
    path = f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    said = python(DEVICE, str(testdata / "photos"), LD_LIBRARY_PATH=path)
    assert said == ["BufferError", "ValueError", True, True, [0, 0]]
