"""A plugin of pytest: ``import spdl.io`` gives spool.spdl.io, and the rest of SPDL stays."""

import sys

import spdl

from spool.spdl import io

spdl.io = io
sys.modules.update({"spdl.io": io, "spdl.io.utils": io.utils})
