"""What Debian's security tracker says of the packages of lock.py."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

TRACKER = "https://security-tracker.debian.org/tracker/data/json"

Package = dict[str, Any]
Vulnerability = dict[str, Any]  # one release of it, by the tracker: status, urgency, and the version that has the fix


def tracked(source: str) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of a tracker's data, and what they hold.

    Args:
        source: a file or URL.
    """
    if "://" in source:
        with urllib.request.urlopen(source, timeout=600) as answer:
            data = answer.read()
    else:
        data = Path(source).read_bytes()
    return data, json.loads(data)


def excerpt(tracker: dict[str, Any], packages: list[Package]) -> dict[str, dict[str, Vulnerability]]:
    """Return the vulnerabilities of packages in their releases, by package and number.

    Args:
        tracker: all data of Debian's tracker: package, number, "releases", release.
        packages: those of the lock file.
    """
    found: dict[str, dict[str, Vulnerability]] = {}
    for package in packages:
        of = found.setdefault(package["name"], {})
        for number, vulnerability in sorted(tracker.get(package["name"], {}).items()):
            state = vulnerability.get("releases", {}).get(package["release"])
            if state is not None:
                keys = ("status", "urgency", "fixed_version", "nodsa_reason")
                of[number] = {key: state[key] for key in keys if state.get(key)}
    return found


def newer(a: Package, b: Package) -> bool:
    """Report whether version a is later than b, by Debian's rules."""
    return subprocess.run(["dpkg", "--compare-versions", a["version"], "gt", b["version"]]).returncode == 0


def upstream(version: str) -> str:
    """Return the upstream part of a Debian version."""
    return version.split(":", 1)[-1].rsplit("-", 1)[0]


def lacks_fix(package: Package, fixed: str) -> bool:
    """Report whether a package lacks a fix.

    Args:
        package: a package of the lock file.
        fixed: the first version with the fix; 0 if no version needs it.
    """
    if fixed == "0":
        return False
    if newer({"version": fixed}, package):
        return True
    # The first revision of an upstream version has what upstream fixed, and later ones have Debian's patches.
    patched = "-" in fixed and re.fullmatch(r"(0\.)?1", fixed.rsplit("-", 1)[1]) is None
    return not package["patches"] and patched and upstream(fixed) == upstream(package["version"])


def vulnerabilities(package: Package, known: dict[str, Vulnerability]) -> list[tuple[str, bool]]:
    """Return a line for each vulnerability of a package, and whether Debian has fixed it.

    Args:
        package: a package of the lock file.
        known: its vulnerabilities in the excerpt.
    """
    found = []
    for number, one in known.items():
        urgency = f"urgency {one.get('urgency', 'unknown')}"
        if one["status"] != "resolved":
            reason = f", {one['nodsa_reason']}" if one.get("nodsa_reason") else ""
            found.append((f"{number} {one['status']}, {urgency}{reason}", False))
        elif lacks_fix(package, one["fixed_version"]):
            found.append((f"{number} fixed in {one['fixed_version']}, {urgency}", True))
    return found
