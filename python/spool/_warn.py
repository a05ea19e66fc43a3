"""Warnings that name the code outside the package that caused them."""

from __future__ import annotations

import os
import sys
import warnings


def warn(text: str) -> None:
    """Warn about the code that called this package."""
    package, level = os.path.join(os.path.dirname(__file__), ""), 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)
