"""``python -m spool doctor`` and ``python -m spool --version``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
from typing import Any

from . import __version__, _native
from .errors import LibraryError
from .system import doctor, library_version


def main(arguments: list[str] | None = None) -> int:
    """Run a command; give the status of the process."""
    parser = argparse.ArgumentParser(prog="python -m spool", description="Say what spool runs with.")
    parser.add_argument("--version", action="store_true", help="print the versions and exit")
    commands = parser.add_subparsers(dest="command")
    look = commands.add_parser("doctor", help="say what was found, what limits, and what is missing")
    look.add_argument("address", nargs="?", help="a store to ask in place of the machine, like s3://bucket/prefix")
    look.add_argument("--json", action="store_true", help="print one JSON object")
    look.add_argument("--endpoint-url", metavar="URL", help="an S3 server in place of AWS's")
    look.add_argument("--region", metavar="NAME", help="of the buckets")
    look.add_argument("--no-sign-request", action="store_true", help="use no credentials")
    look.add_argument("--max-concurrent-requests", type=int, metavar="N", help="most requests at a time, 512")
    given = parser.parse_args(arguments)
    if not given.version and given.command is None:
        parser.print_help()
        return 2
    try:
        if given.version:
            print(f"spool {__version__} (library {library_version()}, Python {platform.python_version()})")
            return 0
        if given.address is None:
            found = {"python": python(), **doctor()}
        else:
            found = doctor(
                given.address,
                endpoint_url=given.endpoint_url,
                region=given.region,
                no_sign_request=given.no_sign_request,
                max_concurrent_requests=given.max_concurrent_requests,
            )
    except LibraryError as e:
        print(f"spool: {e.text}", file=sys.stderr)
        for line in missing():
            print(f"spool: {line}", file=sys.stderr)
        return 1
    if given.json:
        print(json.dumps(found))
    else:
        show(found)
    return 1 if "error" in found else 0


def python() -> dict[str, str]:
    """Say what of Python's matters: its version, NumPy's, and where the library lies."""
    import numpy as np

    return {
        "spool": __version__,
        "version": platform.python_version(),
        "numpy": np.__version__,
        "library": _native.path(),
    }


def show(found: dict[str, Any], indent: str = "") -> None:
    """Print findings, a line each."""
    for name, value in found.items():
        title = indent + name.replace("_", " ")
        if isinstance(value, dict):
            print(title)
            show(value, indent + "  ")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            print(title)
            for one in value:
                print(indent + "  " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in one.items()))
        else:
            words = ", ".join(map(str, value)) or "none" if isinstance(value, list) else value
            print(f"{title:<24}{words}")


def missing() -> list[str]:
    """Say which libraries the loader does not find, and how Debian 12 has them."""
    path = _native.path()
    if not os.path.exists(path):
        return [f"{path} is not there: `make` builds it"]
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    names = [line.split()[0] for line in said.stdout.splitlines() if line.endswith("not found")]
    lines = [f"{name} is not there" for name in names]
    if names:
        lines.append(f"on Debian 12: apt-get install {' '.join(RUNTIME)}")
    return lines


# The packages that hold what the library is linked with: [runtime] of tools/deps.sh, and a test says so.
RUNTIME = (
    "libjpeg62-turbo libpng16-16 libdeflate0 libwebp7 libwebpdemux2 libgif7 libavif15 libdav1d6 liblcms2-2 "
    "libopenjp2-7 libvips42 libavcodec59 libavdevice59 libavfilter8 libavformat59 libavutil57 "
    "libswresample4 libswscale6"
).split()

if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who reads it may stop: `| head`
    sys.exit(main())
