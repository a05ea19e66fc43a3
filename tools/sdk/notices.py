#!/usr/bin/env python3
"""The licences and notices of the packages that sources.json names.

    notices.py write SOURCES FOLDER    writes them from the files that `lock.py fetch` got, a subfolder for each package
    notices.py check ARTEFACT...       fails if a file that was built lacks those of a library in its bill of materials

An ARTEFACT is a wheel, a tarball or a Debian package. Needs only the standard library.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

LOCK = Path(__file__).resolve().parent / "sources.json"

# In an upstream archive, whose files are in one folder, and in Debian's.
TEXT = re.compile(r"[^/]+/(third_party/[^/]+/)?(COPYING|LICEN[CS]E|NOTICE|PATENTS)[^/]*")
COPYRIGHT = "debian/copyright"


def members(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files in an archive, and of the links to them."""
    for member in archive.getmembers():
        try:
            file = archive.extractfile(member)
        except KeyError:  # a link to a file that is not in the archive
            continue
        if file:
            yield member.name.removeprefix("./"), file.read()


def texts(archive: Path) -> dict[str, bytes]:
    """Return the licences and notices in a source archive, by their names without the archive's own folder.

    An archive of headers without such files has its licence in the comments that the headers begin with.
    """
    found, comments = {}, set()
    with tarfile.open(archive) as opened:
        for name, data in members(opened):
            inner = name.split("/", 1)[-1]
            if name == COPYRIGHT:
                found["copyright"] = data
            elif TEXT.fullmatch(name):
                found[inner] = data
            elif name.endswith(".h") and (comment := re.match(rb"\s*/\*.*?\*/\n", data, re.DOTALL)):
                comments.add(comment.group())
    if not found and ".orig.tar" in archive.name:
        found["LICENSE"] = b"\n".join(sorted(comments))
    return found


def write(sources: Path, folder: Path) -> None:
    """Write the licences and notices of all packages."""
    for package in json.loads(LOCK.read_text())["packages"]:
        for file in package["files"]:
            if ".tar." not in file["name"]:  # a patch
                continue
            for name, data in texts(sources / file["name"]).items():
                to = folder / package["name"] / name
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(data)


def contents(artefact: Path) -> dict[str, bytes]:
    """Return the licences and the bill of materials in a file that was built, by their names."""
    if artefact.suffix == ".whl":
        with zipfile.ZipFile(artefact) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" in name}
    if artefact.suffix == ".deb":
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", artefact], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(unpacked)) as package:
            return dict(members(package))
    with tarfile.open(artefact) as tarball:
        return dict(members(tarball))


def missing(artefact: Path) -> list[str]:
    """Return the libraries in the bill of materials of a file without a licence in it."""
    files = contents(artefact)
    bills = [json.loads(data) for name, data in files.items() if name.endswith(".cdx.json")]
    if len(bills) != 1:
        return [f"{len(bills)} bills of materials"]
    names = [component["name"] for component in bills[0]["components"]]
    written = {name.partition("/licenses/")[2] for name, data in files.items() if data.strip()}
    return [name for name in names if not any(text.startswith(f"{name}/") for text in written)]


def main() -> None:
    """Run a command."""
    match sys.argv[1:]:
        case ["write", sources, folder]:
            write(Path(sources), Path(folder))
        case ["check", *artefacts] if artefacts:
            lacking = {artefact: missing(Path(artefact)) for artefact in artefacts}
            for artefact, names in lacking.items():
                if names:
                    print(f"notices: {artefact} has no licence of: {', '.join(names)}", file=sys.stderr)
            raise SystemExit(any(lacking.values()))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
