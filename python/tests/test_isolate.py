"""Decoding in helper processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from conftest import ROOT

import spool

HEIC = ROOT / "cbridge/vips/testdata/ten.heic"
TASKS = Path("/proc/self/task")


def helpers() -> set[int]:
    """Return the helpers of this process."""
    children = {int(child) for task in TASKS.iterdir() for child in (task / "children").read_text().split()}
    return {child for child in children if Path(f"/proc/{child}/comm").read_text() == "spool-helper\n"}


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
