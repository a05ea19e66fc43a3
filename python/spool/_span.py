"""Spans in the trace of torch.profiler."""

from __future__ import annotations

import importlib
import sys
from contextlib import AbstractContextManager
from typing import Any


def span(name: str) -> AbstractContextManager[object] | None:
    """Return a context that torch.profiler shows by a name while it records; None without torch or a profiler.

    Under ``torch.autograd.profiler.emit_nvtx`` it is a range of NVTX.
    """
    enabled = getattr(getattr(sys.modules.get("torch"), "autograd", None), "_profiler_enabled", None)
    if enabled is None or not enabled():
        return None
    profiler: Any = importlib.import_module("torch.autograd.profiler")
    context: AbstractContextManager[object] = profiler.record_function(name)
    return context
