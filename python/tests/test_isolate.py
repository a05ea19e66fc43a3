"""Decoding in helper processes."""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from conftest import ROOT, within

import spool

HEIC = ROOT / "cbridge/vips/testdata/ten.heic"
TASKS = Path("/proc/self/task")


def helpers() -> set[int]:
    """Return the helpers of this process."""
    found = set()
    for task in TASKS.iterdir():
        with contextlib.suppress(FileNotFoundError):  # the thread, or a child, has ended meanwhile
            for child in (task / "children").read_text().split():
                if Path(f"/proc/{child}/comm").read_text() == "spool-helper\n":
                    found.add(int(child))
    return found


def test_loader(photos: list[Path]) -> None:
    with (
        spool.ImageLoader(photos[:4], batch=4, size=32) as here,
        spool.ImageLoader(photos[:4], batch=4, size=32, isolate="all") as there,
    ):
        assert np.array_equal(next(iter(here)).images, next(iter(there)).images)
        assert helpers()
    assert spool.doctor()["isolation"].startswith("processes with")


def test_no_helper(python: Callable[..., Any]) -> None:
    code = f"""
import json, spool
assert spool.decode_image({str(HEIC)!r}, isolate="heic").shape == (48, 64, 3)
try:
    spool.decode_image(photo, isolate="all")
except spool.DecodeError as e:
    print(json.dumps([e.error_class, str(e)]))
"""
    error_class, text = python(code, SPOOL_HELPER="/no/such/program")
    assert error_class == "io"
    assert "cannot start a helper" in text
    assert "/no/such/program" in text


def test_off_by_default(python: Callable[..., Any]) -> None:
    code = f"""
import json, spool
from pathlib import Path
spool.decode_image({str(HEIC)!r})
print(json.dumps([(task / "children").read_text() for task in Path("/proc/self/task").iterdir()]))
"""
    assert set(python(code)) == {""}


@pytest.mark.parametrize("isolate", ["heic", "auto", "all"])
def test_same_pixels(isolate: Literal["heic", "auto", "all"], photo: Path, testdata: Path) -> None:
    for file in (HEIC, photo, testdata / "hard/good/lossless.jp2"):
        assert np.array_equal(spool.decode_image(file), spool.decode_image(file, isolate=isolate))


def test_a_killed_helper_costs_one_image(photo: Path) -> None:
    spec = spool.ImageSpec(isolate="all")
    spool.decode_image(photo, spec)
    for helper in helpers():
        os.kill(helper, signal.SIGKILL)
    wanted = spool.decode_image(photo)
    died: list[spool.DecodeError] = []
    for _ in range(100):  # the library may not know yet that the helper has ended
        try:
            image = spool.decode_image(photo, spec)
            break
        except spool.DecodeError as e:
            died.append(e)
    else:
        pytest.fail("no helper was started anew")
    assert np.array_equal(image, wanted)
    assert all((e.error_class, "signal 9" in str(e)) == ("crashed", True) for e in died)


@pytest.mark.slow
def test_a_helper_starts_soon_after_a_crash() -> None:
    """20 ms with the libraries inside. The dynamic linker takes longer than that for those of the system."""
    image = spool.encode_image(np.zeros((8, 8, 3), np.uint8))
    spec = spool.ImageSpec(isolate="all")
    taken = []
    for _ in range(11):
        spool.decode_image(image, spec)
        (helper,) = helpers()
        os.kill(helper, signal.SIGKILL)
        while helpers():
            time.sleep(0.001)
        time.sleep(0.1)  # until the library knows
        begin = time.perf_counter()
        spool.decode_image(image, spec)
        taken.append(time.perf_counter() - begin)
    inside = "libvips" not in Path("/proc/self/maps").read_text()
    within(statistics.median(taken), 0.02 if inside else 0.15)


@pytest.mark.parametrize("isolate", ["heic", "auto", "all"])
def test_video_and_audio(isolate: Literal["heic", "auto", "all"], testdata: Path) -> None:
    """Frames and samples are the same, of files, of bytes, of open decoders and of loaders."""
    video, audio = testdata / "video/bframes.mp4", testdata / "audio/aac.m4a"
    for source in (video, video.read_bytes()):
        here = spool.decode_video(source, sample=5, size=64)
        there = spool.decode_video(source, sample=5, size=64, isolate=isolate)
        assert np.array_equal(here, there)
    with spool.VideoDecoder(video) as a, spool.VideoDecoder(video, isolate=isolate) as b:
        assert np.array_equal(a[3:20:4], b[3:20:4])
        assert np.array_equal(a[0], b[0])
    assert np.array_equal(spool.decode_audio(audio), spool.decode_audio(audio, isolate=isolate))
    with (
        spool.VideoLoader([video], batch=1, frames=4, size=32) as v,
        spool.VideoLoader([video], batch=1, frames=4, size=32, isolate=isolate) as w,
    ):
        assert np.array_equal(next(iter(v)).clips, next(iter(w)).clips)
    with (
        spool.AudioLoader([audio], batch=1, duration=0.5) as x,
        spool.AudioLoader([audio], batch=1, duration=0.5, isolate=isolate) as y,
    ):
        assert np.array_equal(next(iter(x)).samples, next(iter(y)).samples)
        assert isolate == "heic" or helpers()


def test_a_killed_helper_costs_one_clip(testdata: Path) -> None:
    with spool.VideoDecoder(testdata / "video/vfr.mp4", isolate="all") as decoder:
        wanted = decoder[0]
        for helper in helpers():
            os.kill(helper, signal.SIGKILL)
        died = None
        frame = np.zeros(0)
        for _ in range(100):  # the library may not know yet that the helper has ended
            try:
                frame = decoder[0]
                break
            except spool.DecodeError as e:
                died = e
        assert died is None or (died.error_class, "signal 9" in str(died)) == ("crashed", True)
        assert np.array_equal(frame, wanted)
