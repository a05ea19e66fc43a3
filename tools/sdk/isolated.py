#!/usr/bin/env python3
"""Decodes an image in a helper process, and compares it with what this process decodes: isolated.py IMAGE

Then it prints what limits the helpers. SPOOL_LIBRARY names the library, whose folder has the helper. EMULATED is set
under an emulator, which has no filter of system calls.
"""

from __future__ import annotations

import os
import sys

import numpy as np

import spool


def main() -> None:
    """Decode the image twice."""
    image = sys.argv[1]
    if not np.array_equal(spool.decode_image(image, isolate="all"), spool.decode_image(image)):
        raise SystemExit("a helper has decoded other pixels")
    isolation = spool.doctor()["isolation"]
    print(f"isolation: {isolation}")
    how = "without" if os.environ.get("EMULATED") else "with"
    if not isolation.startswith(f"processes {how} a filter"):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
