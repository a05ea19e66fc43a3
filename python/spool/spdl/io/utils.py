"""Spans of time in traces."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os


def tracing(output: str | os.PathLike[str], *, enable: bool = True) -> AbstractContextManager[None]:
    """Do nothing, for scripts that trace on request.

    Args:
        output: the file of the trace.
        enable: bool; True is not offered.

    Returns:
        A context that does nothing.

    Raises:
        NotImplementedError: a trace was asked for.
    """
    if enable:
        raise NotImplementedError("enable: use trace= of spool's loaders, or torch.profiler")
    return nullcontext()


def trace_event(name: str) -> AbstractContextManager[None]:
    """Do nothing: there is no trace that the span could be in.

    Args:
        name: the span's name.

    Returns:
        A context that does nothing.
    """
    return nullcontext()
