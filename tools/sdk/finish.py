#!/usr/bin/env python3
"""Adds licences and the bill of materials to a wheel, and writes it with the same bytes for the same contents.

    finish.py WHEEL LICENSES SBOM FOLDER

LICENSES is a folder with a subfolder for each library. The result goes to FOLDER, under the same name.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path

TIME = (1980, 1, 1, 0, 0, 0)  # of every entry; the first that a zip file can have


def record(files: dict[str, bytes], name: str) -> bytes:
    """Return the RECORD of a wheel (https://packaging.python.org/en/latest/specifications/recording-installed-packages/).

    Args:
        files: the wheel's files, by name.
        name: the name of the RECORD itself.
    """
    lines = []
    for file, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{file},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{name},,", ""]).encode()


def expression(metadata: str, sbom: bytes) -> str:
    """Return the metadata with a licence expression that names the libraries' licences too (PEP 639)."""
    found = {component["licenses"][0]["expression"] for component in json.loads(sbom)["components"]}
    words = ["Apache-2.0", *sorted(f"({one})" if " OR " in one else one for one in found)]
    return re.sub(r"(?m)^License-Expression: .*$", "License-Expression: " + " AND ".join(words), metadata)


def main() -> None:
    """Write the wheel."""
    wheel, licenses, sbom, folder = map(Path, sys.argv[1:])
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    info = next(name.split("/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
    for file in sorted(licenses.rglob("*")):
        if file.is_file():
            files[f"{info}/licenses/{file.relative_to(licenses).as_posix()}"] = file.read_bytes()
    files[f"{info}/sboms/spool.cdx.json"] = sbom.read_bytes()
    files[f"{info}/METADATA"] = expression(files[f"{info}/METADATA"].decode(), sbom.read_bytes()).encode()
    del files[f"{info}/RECORD"]
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / wheel.name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files, key=lambda name: (name.startswith(info), name)):
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o100755 if name.endswith((".so", "/spool-helper")) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
    print(folder / wheel.name)


if __name__ == "__main__":
    main()
