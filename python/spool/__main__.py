"""The commands ``python -m spool doctor`` and ``python -m spool --version``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping

from . import _native
from ._narrow import is_list, is_mapping
from ._version import __version__
from .errors import LibraryError
from .system import doctor, library_version


def main(arguments: list[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: arguments of the command line. Default: those of the process.

    Returns:
        The exit code of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m spool", description="Report on spool's environment.")
    parser.add_argument("--version", action="store_true", help="print the versions and exit")
    commands = parser.add_subparsers(dest="command")
    look = commands.add_parser("doctor", help="report what was found, what limits spool, and what is missing")
    look.add_argument("url", nargs="?", help="measure a store instead, like s3://bucket/prefix")
    look.add_argument("--json", action="store_true", help="print one JSON object")
    look.add_argument("--endpoint-url", metavar="URL", help="an S3 server other than AWS")
    look.add_argument("--region", metavar="NAME", help="the region of the buckets")
    look.add_argument("--no-sign-request", action="store_true", help="use no credentials")
    look.add_argument("--max-concurrent-requests", type=int, metavar="N", help="most requests in flight, default 512")
    given = parser.parse_args(arguments)
    if not given.version and given.command is None:
        parser.print_help()
        return 2
    try:
        if given.version:
            print(f"spool {__version__} (library {library_version()}, Python {platform.python_version()})")
            return 0
        if given.url is None:
            found: Mapping[str, object] = {"python": python(), **doctor()}
        else:
            found = doctor(
                given.url,
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
    """Return the versions of Python, NumPy and this package, and the path of the library."""
    import numpy as np

    return {
        "spool": __version__,
        "version": platform.python_version(),
        "numpy": np.__version__,
        "library": _native.path(),
    }


def show(found: Mapping[str, object], indent: str = "") -> None:
    """Print findings, one on a line."""
    for name, value in found.items():
        title = indent + name.replace("_", " ")
        if is_mapping(value):
            print(title)
            show(value, indent + "  ")
        elif is_list(value) and value and is_mapping(value[0]):
            print(title)
            for one in value:
                print(indent + "  " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in one.items()))
        else:
            words = ", ".join(map(str, value)) or "none" if is_list(value) else value
            print(f"{title:<24}{words}")


def missing() -> list[str]:
    """Return lines that name the missing libraries and the packages of Debian 12 that have them."""
    path = _native.path()
    if not os.path.exists(path):
        return [f"{path} is missing: `make` builds it"]
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
    names = [line.split()[0] for line in said.stdout.splitlines() if line.endswith("not found")]
    lines = [f"{name} is missing" for name in names]
    if names:
        lines.append(f"on Debian 12: apt-get install {' '.join(RUNTIME)}")
    return lines


# The packages of the libraries that libspool.so is linked with: [runtime] of tools/deps.sh, which a test compares.
RUNTIME = (
    "libjpeg62-turbo libpng16-16 libdeflate0 libwebp7 libwebpdemux2 libgif7 libavif15 libdav1d6 liblcms2-2 "
    "libopenjp2-7 libvips42 libavcodec59 libavdevice59 libavfilter8 libavformat59 libavutil57 "
    "libswresample4 libswscale6"
).split()

if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the reader of the output may exit early: `| head`
    sys.exit(main())
