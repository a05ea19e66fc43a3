"""Virtual environments of single peers, which cannot or need not be in that of all others."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pages


def interpreter(requirements: Path) -> str:
    """Return the interpreter of an environment, which is made on first use."""
    script = pages.ROOT / "bench" / "peers" / "venv.sh"
    variables = {**os.environ, "SPOOL_PEERS_PYTHON": ""}
    made = subprocess.run([script, requirements], env=variables, check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.strip()
