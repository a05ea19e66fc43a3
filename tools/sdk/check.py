#!/usr/bin/env python3
"""Checks a file that was built with the SDK: check.py [--map capi/spool.map | --helper] ARCHITECTURE FILE

The file must be for ARCHITECTURE, x86_64 or aarch64. It may need glibc 2.28 or older, and no other library. It has no
text relocations, no lost ones and no search path. It uses little static thread-local storage, and names no folder of
the build. With --map it exports exactly the functions of the map. With --helper it is spool-helper, which finds the
library in its own folder.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2"}
# What readelf calls an architecture, and its dynamic loader.
MACHINES = {
    "x86_64": ("Advanced Micro Devices X86-64", "ld-linux-x86-64.so.2"),
    "aarch64": ("AArch64", "ld-linux-aarch64.so.1"),
}
GLIBC = (2, 28)
TLS = 512  # bytes; a library that is opened later has to fit in 1664 bytes, together with others


def readelf(*arguments: str | Path) -> str:
    """Return what readelf prints."""
    return subprocess.run(["readelf", "--wide", *arguments], check=True, capture_output=True, text=True).stdout


def problems(arch: str, file: Path, exports: Path | None, *, helper: bool) -> list[str]:
    """Return what is wrong with a file.

    Args:
        arch: the architecture that it is for.
        file: the library or program.
        exports: the linker's version script, or None for a program.
        helper: the program is spool-helper.
    """
    found = []
    machine, loader = MACHINES[arch]
    if not re.search(rf"Machine: +{machine}$", readelf("--file-header", file), re.MULTILINE):
        found.append(f"is not for {arch}")
    dynamic = readelf("--dynamic", file)
    if helper:
        for line in (r"\(NEEDED\) .*\[libspool\.so\]\n", r"\(RUNPATH\) .*\[\$ORIGIN\]\n"):
            dynamic, lines = re.subn(rf".*{line}", "", dynamic)
            if lines != 1:
                found.append("does not find the library beside it")
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if name not in LIBRARIES and name != loader:
            found.append(f"needs {name}")
    for entry in ("TEXTREL", "RPATH", "RUNPATH"):
        if re.search(rf"\({entry}\)|\(FLAGS\).*\b{entry}\b", dynamic):
            found.append(f"has {entry}")
    for major, minor in set(re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf("--version-info", file))):
        if (int(major), int(minor)) > GLIBC:
            found.append(f"needs glibc {major}.{minor}")
    for size in re.findall(r"^ +TLS +\S+ \S+ \S+ \S+ (0x[0-9a-f]+)", readelf("--segments", file), re.MULTILINE):
        if int(size, 16) > TLS and exports:
            found.append(f"has {int(size, 16)} bytes of thread-local storage")
    if re.search(r"R_(X86_64|AARCH64)_NONE", readelf("--relocs", file)):
        found.append("has relocations that do nothing: the linker has lost indirect functions")
    if exports:
        wanted = set(re.findall(r"\b(spool_\w+);", exports.read_text()))
        lines = [line.split() for line in readelf("--dyn-syms", file).splitlines()]
        defined = {
            line[7].split("@")[0]
            for line in lines
            if len(line) > 7 and line[4] in ("GLOBAL", "WEAK", "UNIQUE") and line[6] not in ("UND", "ABS")
        }
        found += [f"does not export {name}" for name in sorted(wanted - defined)]
        found += [f"exports {name}" for name in sorted(defined - wanted)]
    data = file.read_bytes()
    folders = (b"/src/spool/", b"/go/pkg/", b"/tmp/sdk/", b"/tmp/sdk-aarch64/")
    found += [f"names {path.decode()}" for path in folders if path in data]
    return found


def main() -> None:
    """Check a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--map", type=Path)
    parser.add_argument("--helper", action="store_true")
    parser.add_argument("arch", choices=MACHINES, metavar="ARCHITECTURE")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    found = problems(options.arch, options.file, options.map, helper=options.helper)
    for problem in found:
        print(f"{options.file}: {problem}")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
