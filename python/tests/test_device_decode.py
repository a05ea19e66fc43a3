"""What devices decode and compute, on the simulated driver, NVDEC and nvJPEG of cbridge."""

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

FETCH = (
    fetch.FETCH
    + """
media = Path(sys.argv[1])
"""
)

NORMALIZE = (
    FETCH
    + """
options = {"batch": 8, "size": 32, "layout": "nchw", "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
for dtype in ("float16", "float32"):
    for loader in (spool.ImageLoader, spool.VideoLoader):
        src = media / "photos" if loader is spool.ImageLoader else [media / "video/vfr.mp4", media / "video/full.mp4"]
        on = loader(src, dtype=dtype, device="cuda", normalize_on="device", output="dlpack", **options)
        host = loader(src, dtype=dtype, **options)
        for got, want in zip(on, host, strict=True):
            assert got.data.dtype == want.data.dtype and got.data.shape == want.data.shape
            assert fetched(got.data).tobytes() == want.data.tobytes()
            said.append(len(want.data))
            del got
        on.close()
        host.close()
print(json.dumps(said))
"""
)

ALLOCATOR = (
    FETCH
    + """
Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)
Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)
cuda.cuMemAlloc_v2.argtypes = [ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t]
cuda.cuMemFree_v2.argtypes = [ctypes.c_uint64]
held, full = {}, False

@Allocate
def allocate(size, device, stream):
    assert cuda.cuCtxPushCurrent_v2(context) == 0  # any thread calls
    at = ctypes.c_uint64()
    if full or cuda.cuMemAlloc_v2(ctypes.byref(at), size):
        return 0
    assert device == 0 and stream
    held[at.value] = size
    return at.value

@Free
def free(memory, size, device, stream):
    assert held.pop(memory) == size
    assert cuda.cuMemFree_v2(memory) == 0

allocator = tuple(ctypes.cast(f, ctypes.c_void_p).value for f in (allocate, free))
host = spool.ImageLoader(media / "photos", batch=8, size=32)
on = spool.ImageLoader(media / "photos", batch=8, size=32, device="cuda", output="dlpack", allocator=allocator)
for got, want in zip(on, host, strict=True):
    assert (fetched(got.data) == want.data).all()
    at = got.data.__cuda_array_interface__["data"][0]
    assert any(a <= at < a + n for a, n in held.items())
    del got
said.append(len(held) > 0)
on.close()
del on
gc.collect()
said.append(held == {})
move = spool.Transfer("cuda", allocator=allocator)
array = move(np.arange(5))
said.append(len(held))
move.close()
assert (fetched(array) == np.arange(5)).all()
del array
gc.collect()
said.append(held == {})
full = True
try:
    spool.Transfer("cuda", allocator=allocator)(np.arange(5))
except MemoryError as e:
    said.append("allocator" in str(e))
print(json.dumps(said))
"""
)

NVJPEG = """
class Settings(ctypes.Structure):
    _fields_ = [("driver", ctypes.c_char_p), ("version", ctypes.c_int32 * 3), ("hardware", ctypes.c_int32),
                ("fail_call", ctypes.c_int64), ("fail_status", ctypes.c_int32)]

settings = Settings(b"libcuda.so.1", (12, 4, 0), 1)
assert ctypes.CDLL("libnvjpeg.so.12").fake_nvjpeg_reset(ctypes.byref(settings)) == 0
"""

JPEG = (
    FETCH
    + NVJPEG
    + """
names = sorted((media / "hard/good").glob("*.jpg")) + [media / "hard/bad/truncated60.jpg"]
good = []
for name in names:
    try:
        good.append(np.asarray(spool.decode_image(name)))
    except spool.DecodeError:
        good.append(None)
decode = spool.JPEGDecoder("cuda", output="dlpack")
for sources in (names, [n.read_bytes() for n in names]):
    images = decode(sources, on_error="skip")
    for image, want in zip(images, good, strict=True):
        assert (image is None) == (want is None)
        if want is not None:
            want = np.broadcast_to(want.reshape(*want.shape[:2], -1), (*want.shape[:2], 3))
            assert (fetched(image) == want).all()
    del image, images
counts = decode.counts
said += [counts["device"] > 30, sum(counts["host"].values()) > 10, counts["failed"], counts["nvjpeg"]]
try:
    decode(names)
except spool.DecodeError as e:
    said.append(Path(e.file).name)
again = pickle.loads(pickle.dumps(decode))
said.append(len(again(names[:2])))
kept = [decode(names[:2]) for _ in range(3)]
try:
    decode(names[:2])
except ValueError as e:
    said.append("ring" in str(e))
decode.close()
assert (fetched(kept[0][0]) == good[0]).all()
try:
    decode(names[:1])
except spool.ClosedError:
    said.append("closed")
del kept, again, decode, good, want
gc.collect()
said.append(_native.query("spool_stats")["arrays"])
print(json.dumps(said))
"""
)

RESIZED = (
    FETCH
    + NVJPEG
    + """
names = sorted((media / "photos").glob("*/*.jpg"))[:6] + sorted((media / "hard/good").glob("*.jpg"))
on = off = 0
for options in ({"size": 40}, {"size": (30, 50), "mode": "cover", "filter": "bicubic"},
                {"resize_shorter": 32, "crop": 24}, {"crop": 8}, {"max_size": 50, "filter": "nearest"}):
    decode = pickle.loads(pickle.dumps(spool.JPEGDecoder("cuda", output="dlpack", **options)))
    for name, image in zip(names, decode(names, on_error="skip"), strict=True):
        if image is None:
            off += 1
            continue
        want = spool.decode_image(name, color="rgb", **options)
        assert image.shape == want.shape, name
        assert (fetched(image) == want).all(), (name, options)
        on += 1
    assert decode.counts["device"] >= 20
    del image, want
    decode.close()
for options, text in (({"size": 8, "mode": "fit"}, "pad"), ({"size": 8, "resize_shorter": 8}, "size"),
                      ({"size": "8"}, "size"), ({"filter": "cubic"}, "filter"), ({"crop": 1.5}, "crop")):
    try:
        spool.JPEGDecoder("cuda", **options)
    except (TypeError, ValueError) as e:
        said.append(text in str(e))
photo = [names[0]]
(missed,) = spool.JPEGDecoder("cuda", output="dlpack", crop=5000)(photo, on_error="skip")
said += [missed is None, on > 150, off < 40]
gc.collect()
said.append(_native.query("spool_stats")["arrays"])
print(json.dumps(said))
"""
)

FRAMES = (
    FETCH
    + """
from spool._opened import Opened
from spool._source import source
from spool._video_device import VideoDevice
from spool import _option, video_spec

def opened(name, **options):
    options = {"layout": "nchw", "threads": 1, **options}
    on = VideoDevice("cuda", options)
    spec = video_spec.parsed("spool_video_spec", _option.encode(options, video_spec.video))
    return on, Opened("spool_video", spec, source(str(media / "video" / name)))

on, video = opened("bframes.mp4")
alone = {}
for i in (9, 0, 3, 4):
    batch = on.decode(video, np.array([i], np.int64), None)
    assert on.why == "", on.why
    alone[i] = fetched(batch.data)[0]
    del batch
wanted = [3, 9, 0, 3, 4]
batch = on.decode(video, np.array(wanted, np.int64), None)
pixels = fetched(batch.data)
said += [list(batch.data.shape), batch.index.tolist()]
assert all((pixels[k] == alone[i]).all() for k, i in enumerate(wanted))
assert len({p.tobytes() for p in alone.values()}) == 4
del batch
floats, again = opened("bframes.mp4", dtype="float32")
made = fetched(floats.decode(again, np.array(wanted, np.int64), None).data)
assert (made == pixels.transpose(0, 3, 1, 2) / np.float32(255)).all()
for more in ({"size": 16}, {"resize_shorter": 24, "crop": (16, 20)}, {"size": (30, 20), "mode": "cover"}):
    on, video = opened("bframes.mp4", **more)
    batch = on.decode(video, np.array([4, 0, 9], np.int64), None)
    small = fetched(batch.data)
    assert on.why == "", on.why
    for made, i in zip(small, (4, 0, 9), strict=True):
        assert (made == spool.decode_image(spool.encode_image(alone[i]), **more)).all(), more
    del batch
for name, more in (("bframes.mp4", {"size": 16, "mode": "fit"}), ("ffv1.mkv", {}), ("turned.mp4", {})):
    on, video = opened(name, **more)
    batch = on.decode(video, np.array([1, 0, 1], np.int64), None)
    want = spool.decode_video(media / "video" / name, frames=[1, 0, 1], **more)
    assert (fetched(batch.data) == want.data).all()
    assert (batch.pts_seconds == want.pts_seconds).all()
    said.append(bool(on.why))
    del batch
on = video = floats = again = want = None
gc.collect()
said.append(_native.query("spool_stats")["arrays"])
print(json.dumps(said))
"""
)

LOADERS = (
    FETCH
    + NVJPEG
    + """
src = [*sorted((media / "photos").glob("*/*.jpg")), *sorted((media / "hard").glob("*/*.jpg"))]
floats = {"layout": "nchw", "dtype": "float32", "mean": 0.45, "std": 0.2}
for options in ({"size": (24, 40)}, {"size": 32, "train": True, "flip_y": 0.5, "shuffle": True, **floats}):
    options["batch"] = 8
    on = {"normalize_on": "device"} if "dtype" in options else {}
    on = spool.ImageLoader(src, device="cuda", decode_on="device", output="dlpack", **on, **options)
    host = spool.ImageLoader(src, **options)
    for got, want in zip(on, host, strict=True):
        assert got.names == want.names and (got.regions == want.regions).all()
        assert (fetched(got.data) == want.data).all()
        del got
    counts = on.stats["decoded_on"]
    said.append(counts["device"] > 40 and sum(counts["host"].values()) > 5)
    assert "decoded_on" not in host.stats
    on.close()
    host.close()
clips = {"frames": 3, "batch": 2, "epochs": 1, "device": "cuda", "decode_on": "device", "output": "dlpack"}
whole = spool.VideoLoader(media / "video/bframes.mp4", size=(48, 64), **clips)
(first,) = whole
frames = fetched(first.data)[0]
assert first.frames["index"][0].tolist() == [i["index"] for i in first.frames[0]]
del first
for options in ({"size": 16}, {"size": 16, "flip_x": 1, "flip_y": 1}, {"resize_shorter": 24, "crop": (16, 20)}):
    flips = options.get("flip_x", 0)
    loader = spool.VideoLoader([media / "video/bframes.mp4", media / "video/ffv1.mkv"], **clips, **options)
    (batch,) = loader
    made = fetched(batch.data)
    geometry = {k: v for k, v in options.items() if "flip" not in k}
    for got, frame in zip(made[0], frames, strict=True):
        want = spool.decode_image(spool.encode_image(frame), **geometry)
        assert (got == (want[::-1, ::-1] if flips else want)).all(), options
    (other,) = spool.VideoLoader(media / "video/ffv1.mkv", frames=3, **options)
    assert (made[1] == other.data[0]).all()
    assert batch.regions["flip_x"].all() == bool(flips)
    said.append(loader.stats["decoded_on"] == {"device": 1, "host": {"declined": 1}, "failed": 0})
    del batch
    loader.close()
whole.close()
for loader, wrong in ((spool.ImageLoader, {"color": "bgr"}), (spool.VideoLoader, {"mode": "fit"}),
                      (spool.ImageLoader, {"device": "host"})):
    try:
        loader(src, **{"device": "cuda", "output": "dlpack", "decode_on": "device", **wrong}).stats
    except ValueError as e:
        said.append(next(iter(wrong)) in str(e) and "decode_on=device" in str(e))
on = host = want = whole = other = loader = None
gc.collect()
said.append(_native.query("spool_stats")["arrays"])
print(json.dumps(said))
"""
)


@pytest.fixture(scope="module")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the simulated libraries, as a search path."""
    need.command(os.environ.get("CC", "cc"))
    folder = tmp_path_factory.mktemp("fakes")
    for name in ("libcuda.so.1", "libnvcuvid.so.1"):
        subprocess.run([ROOT / "cbridge/av/fake/build.sh", folder / name], check=True)
    subprocess.run([ROOT / "cbridge/nvjpeg/fake/build.sh", folder / "libnvjpeg.so.12"], check=True)
    return f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"


@pytest.mark.slow
def test_floats_of_the_device(python: Python, testdata: Path, fakes: str) -> None:
    """They are the host's."""
    assert sum(python(NORMALIZE, str(testdata), LD_LIBRARY_PATH=fakes)) > 40


@pytest.mark.slow
def test_allocator(python: Python, testdata: Path, fakes: str) -> None:
    """All memory of batches comes from it and goes back to it."""
    assert python(ALLOCATOR, str(testdata), LD_LIBRARY_PATH=fakes) == [True, True, 1, True, True]


@pytest.mark.slow
def test_jpeg(python: Python, testdata: Path, fakes: str) -> None:
    """The simulated nvJPEG has the host's pixels. What it refuses, the host decodes."""
    said = python(JPEG, str(testdata), LD_LIBRARY_PATH=fakes)
    assert said == [True, True, 2, "12.4.0", "truncated60.jpg", 2, True, "closed", 0]


@pytest.mark.slow
def test_the_device_resizes(python: Python, testdata: Path, fakes: str) -> None:
    """Its bytes are those of decode_image. What it cannot do is refused."""
    said = python(RESIZED, str(testdata), LD_LIBRARY_PATH=fakes)
    assert said == [*[True] * 5, True, True, True, 0]


@pytest.mark.slow
def test_loaders(python: Python, testdata: Path, fakes: str) -> None:
    """Batches of a device's decoders have the host's samples, order and metadata."""
    assert python(LOADERS, str(testdata), LD_LIBRARY_PATH=fakes) == [*[True] * 8, 0]


@pytest.mark.slow
def test_frames(python: Python, testdata: Path, fakes: str) -> None:
    """Frames arrive where they are wanted, also resized. What the device does not decode, the host does."""
    said = python(FRAMES, str(testdata), LD_LIBRARY_PATH=fakes)
    assert said == [[5, 48, 64, 3], [3, 9, 0, 3, 4], True, True, True, 0]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"dtype": "uint8", "layout": "nchw"}, "dtype"),
        ({"dtype": "float16"}, "layout"),
        ({"dtype": "float16", "layout": "nchw", "device": "host", "output": "numpy"}, "device"),
        ({"dtype": "float16", "layout": "nchw", "on_error": "placeholder"}, "placeholder"),
        ({"dtype": "float16", "layout": "nchw", "last": "pad"}, "pad"),
        ({"allocator": "tensorflow"}, "allocator"),
        ({"allocator": (1, 0)}, "allocator"),
    ],
)
def test_options(testdata: Path, options: dict[str, Any], problem: str) -> None:
    spool.doctor()
    options = {"device": "cuda", "output": "dlpack", **options}
    if "allocator" not in options:
        options["normalize_on"] = "device"
    with pytest.raises((TypeError, ValueError), match=problem):
        spool.ImageLoader(testdata / "photos", **options)


def test_devices_of_a_video(testdata: Path) -> None:
    with pytest.raises(ValueError, match="output='torch'"):
        spool.VideoDecoder(testdata / "video/vfr.mp4", device="cuda")
    with pytest.raises(ValueError, match="device=tpu"):
        spool.VideoDecoder(testdata / "video/vfr.mp4", device="tpu", output="torch")
    assert spool.VideoDecoder(testdata / "video/vfr.mp4").cpu_fallback == ""
