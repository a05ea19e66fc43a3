"""Skip tests that lack something, or fail them if SPOOL_REQUIRE lists it. internal/need does the same for Go."""

from __future__ import annotations

import importlib
import os
import shutil
from typing import Any, NoReturn

import pytest

CATEGORIES = ("shared", "generated", "ffmpeg", "stores", "peers", "tools", "device", "system")


def skip(category: str, missing: str) -> NoReturn:
    """Skip a test, or all tests of a module, since something is missing. Fail if that is required."""
    __tracebackhide__ = True
    assert category in CATEGORIES
    required = {word.strip() for word in os.environ.get("SPOOL_REQUIRE", "").split(",")} - {""}
    if unknown := sorted(required.difference(CATEGORIES)):
        pytest.fail(f"SPOOL_REQUIRE has {', '.join(unknown)}, and the categories are {', '.join(CATEGORIES)}", False)
    if category in required:
        pytest.fail(f"needs {category}, which SPOOL_REQUIRE has: {missing}", False)
    pytest.skip(f"needs {category}: {missing}", allow_module_level=True)


def command(name: str) -> str:
    """Return the path of a command."""
    __tracebackhide__ = True
    path = shutil.which(name)
    if path is None:
        skip("ffmpeg" if name in ("ffmpeg", "ffprobe") else "tools", f"no command {name}")
    return path


def peer(name: str) -> Any:
    """Import a package that spool is compared with."""
    __tracebackhide__ = True
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        skip("peers", f"no {name} in this Python")


def device() -> Any:
    """Import PyTorch, with a CUDA device."""
    __tracebackhide__ = True
    torch = peer("torch")
    if not torch.cuda.is_available():
        skip("device", "no CUDA device for PyTorch")
    return torch
