"""Spool in one process with other libraries that bring codecs. Each decodes as it does alone, in every order.

Each of them has an FFmpeg, a libjpeg or a zlib of its own. The library under test is the package's, or SPOOL_LIBRARY.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import need
import pytest

from spool import _native

ROOT = Path(__file__).resolve().parents[3]

# Functions that return what a library decodes. Each imports its library itself.
DECODERS = """
def of_spool():
    import spool
    image = spool.decode_image(photo)
    frames = spool.decode_video(video, frames=[0, 7, 20])
    samples = spool.decode_audio(sound).data
    return image, frames, samples

def of_torchvision():
    import torchvision.io
    return (torchvision.io.decode_image(photo).numpy(),)

def of_cv2():
    import cv2
    capture = cv2.VideoCapture(video)
    return cv2.imread(photo), capture.read()[1]

def of_av():
    import av
    with av.open(video) as container:
        return tuple(f.to_ndarray(format="rgb24") for f in itertools.islice(container.decode(video=0), 3))

def of_decord():
    import decord
    return (decord.VideoReader(video)[3].asnumpy(),)

def of_torchcodec():
    from torchcodec.decoders import VideoDecoder
    return (VideoDecoder(video)[5].numpy(),)

def of_PIL():
    import PIL.Image
    return (PIL.Image.open(photo).convert("RGB"),)

def of_pyvips():
    import pyvips
    return (pyvips.Image.new_from_file(photo).numpy(),)

def of_tensorflow():
    import tensorflow
    return (tensorflow.io.decode_jpeg(tensorflow.io.read_file(photo)).numpy(),)
"""

SCRIPT = f"""
import hashlib, importlib, itertools, json, sys
import numpy as np

photo, video, sound, imports, order = *sys.argv[1:4], *map(json.loads, sys.argv[4:])
{DECODERS}
modules = {{"torchcodec": "torchcodec.decoders", "torchvision": "torchvision.io", "PIL": "PIL.Image"}}
for name in imports:
    importlib.import_module(modules.get(name, name))
digests = {{}}
for turn in range(2):  # in the order of first use, then again after all others
    for name in order:
        digest = hashlib.sha256()
        for part in globals()["of_" + name]():
            digest.update(np.ascontiguousarray(part))
        assert digests.setdefault(name, digest.hexdigest()) == digest.hexdigest(), (turn, name)
print(json.dumps(digests))
"""

NAMES = ["spool", "torchvision", "cv2", "av", "decord", "torchcodec", "PIL", "pyvips"]


def run(order: list[str], imports: Sequence[str] = (), **environment: str) -> tuple[dict[str, str], str]:
    """Decode with libraries in an order, in a new process.

    Args:
        order: the libraries.
        imports: libraries that are imported before the first is used; the others are imported at their first use.
        environment: variables of the process.

    Returns:
        Their digests, and what was printed to stderr.
    """
    files = [ROOT / "testdata/photos/animal/00.jpg", ROOT / "testdata/video/bframes.mp4"]
    files.append(next((ROOT / "testdata/audio").glob("*.flac")))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, files), json.dumps(imports), json.dumps(order)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """The digest of each library, in a process without the others."""
    found = {}
    for name in NAMES:
        found.update(run([name])[0])
    return found


def orders() -> list[list[str]]:
    """Orders of the libraries.

    One with spool first, one with spool last, and a random one. With SPOOL_EXPLORE a Williams design: each library
    stands once in each place, and once directly before each other one.
    """
    if not os.environ.get("SPOOL_EXPLORE"):
        others = [name for name in NAMES if name != "spool"]
        return [["spool", *others], [*others, "spool"], random.Random(22).sample(NAMES, len(NAMES))]
    n = len(NAMES)
    # Neighbours in this row differ by each distance once.
    row = [(i + 1) // 2 if i % 2 else -i // 2 for i in range(n)]
    return [[NAMES[(start + step) % n] for step in row] for start in range(n)]


@pytest.mark.parametrize("order", orders(), ids="-".join)
def test_every_order(alone: dict[str, str], order: list[str]) -> None:
    """The libraries are imported at their first use, or all before it in the reverse order."""
    assert run(order)[0] == alone
    assert run(order, order[::-1])[0] == alone


@pytest.mark.parametrize("order", [["spool", "tensorflow"], ["tensorflow", "spool"]], ids="-".join)
def test_tensorflow(order: list[str]) -> None:
    """Alone with spool: its h5py and the HDF5 of other packages do not get along."""
    if not importlib.util.find_spec("tensorflow"):
        need.skip("system", "no tensorflow, which is 2 GB, so no requirements file has it")
    alone = run(["spool"])[0] | run(["tensorflow"])[0]
    assert run(order)[0] == alone


def test_noise(tmp_path: Path) -> None:
    """Files that have the names of libraries, but are none, stand first in the search path."""
    if not static():
        need.skip("system", "the library loads the system's libraries")
    for name in ("libavcodec.so.59", "libavcodec.so.61", "libjpeg.so.62", "libvips.so.42", "libdav1d.so.6"):
        (tmp_path / name).write_bytes(b"no library")
    code = "import spool, sys; print(spool.decode_image(sys.argv[1]).shape)"
    photo = str(ROOT / "testdata/photos/animal/00.jpg")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "LD_BIND_NOW": "1"}
    done = subprocess.run([sys.executable, "-c", code, photo], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def test_preloaded(alone: dict[str, str]) -> None:
    """The process loads the system's libraries first. The search path has those of other packages."""
    if not static():
        need.skip("system", "the library loads the system's libraries")
    names = ("libavcodec", "libavformat", "libswscale", "libvips", "libjpeg", "libpng16", "libwebp", "libz", "libdav1d")
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.split()
    there = [name for name in known if name.partition(".so.")[0] in names]
    if not there:
        need.skip("system", "the system has none of these libraries")
    folders = [str(f) for f in Path(sysconfig.get_path("platlib")).glob("*.libs")]
    found, said = run(["spool"], LD_PRELOAD=" ".join(there), LD_LIBRARY_PATH=":".join(folders))
    assert found["spool"] == alone["spool"]
    assert "cannot be preloaded" not in said


def static() -> bool:
    """Report whether the library has its codecs inside."""
    needed = subprocess.run(["readelf", "--dynamic", _native.path()], capture_output=True, text=True, check=True).stdout
    return "libavcodec" not in needed


def test_bindings() -> None:
    """The library takes no symbol from another codec library of the process, and gives none to others."""
    if not static():
        need.skip("system", "the library loads the system's libraries")
    others = [name for name in NAMES if name != "spool"]
    _, bindings = run([*others, "spool"], LD_DEBUG="bindings", LD_BIND_NOW="1")
    library = os.path.basename(_native.path())
    taken: set[str] = set()
    given: set[str] = set()
    for line in bindings.splitlines():
        _, found, rest = line.partition("binding file ")
        if not found:
            continue
        of, _, to = rest.partition(" to ")
        of, to = of.split(" [")[0], to.split(" [")[0]
        if of.endswith(library) and not to.endswith(library):
            taken.add(os.path.basename(to))
        if to.endswith(library) and not of.endswith(library):
            given.add(of)
    allowed = ("libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libresolv.so", "ld-linux", "python")
    assert [name for name in taken if not name.startswith(allowed)] == []
    assert given == set()
    assert taken, "no binding was found: LD_DEBUG printed nothing"
