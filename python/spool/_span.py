"""Spans in the trace of torch.profiler."""

from __future__ import annotations

import importlib
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

_NOTHING = nullcontext()


def span(name: str) -> AbstractContextManager[object]:
    """Return a context that torch.profiler shows by a name while it records; nothing without torch or a profiler.

    Under ``torch.autograd.profiler.emit_nvtx`` it is a range of NVTX.
    """
    enabled = getattr(getattr(sys.modules.get("torch"), "autograd", None), "_profiler_enabled", None)
    if enabled is None or not enabled():
        return _NOTHING
    profiler: Any = importlib.import_module("torch.autograd.profiler")
    context: AbstractContextManager[object] = profiler.record_function(name)
    return context
