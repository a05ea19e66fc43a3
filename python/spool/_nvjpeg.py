"""The file of nvJPEG."""

from __future__ import annotations


def nvjpeg_file() -> str | None:
    """Return the file of nvJPEG that a package of NVIDIA has installed, or None."""
    import importlib.util  # here, since few loaders need these modules, whose import takes milliseconds
    from pathlib import Path

    spec = importlib.util.find_spec("nvidia")
    folders = (spec and spec.submodule_search_locations) or ()
    files = [str(file) for folder in folders for file in Path(folder).glob("*/lib/libnvjpeg.so.*")]
    return max(files, default=None)
