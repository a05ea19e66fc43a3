"""The file of nvJPEG."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def nvjpeg_file() -> str | None:
    """Return the file of nvJPEG that a package of NVIDIA has installed, or None."""
    spec = importlib.util.find_spec("nvidia")
    folders = (spec and spec.submodule_search_locations) or ()
    files = [str(file) for folder in folders for file in Path(folder).glob("*/lib/libnvjpeg.so.*")]
    return max(files, default=None)
