"""The lock file of the wheel's C libraries is compared with Debian's fixes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import need
import pytest
from conftest import ROOT


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """tools/sdk/lock.py."""
    need.command("dpkg")
    monkeypatch.syspath_prepend(ROOT / "tools" / "sdk")
    spec = importlib.util.spec_from_file_location("lock", ROOT / "tools" / "sdk" / "lock.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(version: str, patches: bool = True) -> dict[str, Any]:
    """A package of the lock file, or one that Debian offers."""
    return {"name": "x", "version": version, "patches": patches, "files": []}


def test_missing(lock: ModuleType) -> None:
    """A package lacks newer versions, and the patches of a security update that is built without patches."""
    offered = [package("1.2-1"), package("1.2-1+deb13u1")]
    assert lock.missing(package("1.2-1"), offered) == "Debian has 1.2-1+deb13u1"
    assert lock.missing(package("1.2-1+deb13u1"), offered) == ""
    assert "without Debian's patches" in lock.missing(package("1.2-1+deb13u1", patches=False), offered)
    assert lock.missing(package("1.2-1", patches=False), [package("1.2-1")]) == ""
    assert lock.missing(package("1:0.9-1"), offered) == "", "an epoch counts more than a version"
    assert lock.missing(package("1.3-1"), []) == ""


def test_audit(lock: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The audit names each package that lacks fixes, and asks for the security updates of stable releases."""
    asked = []

    def index(mirror: str, release: str) -> dict[str, list[dict[str, Any]]]:
        asked.append(release)
        return {"b": [package("2-1+deb13u1")]} if release == "trixie-security" else {"a": [package("1-1")]}

    packages = [
        {**package("1-1"), "name": "a", "release": "trixie"},
        {**package("2-1"), "name": "b", "release": "trixie"},
        {**package("1-1"), "name": "a", "release": "sid"},
    ]
    monkeypatch.setattr(lock, "index", index)
    monkeypatch.setattr(lock, "EXCERPT", ROOT / "no" / "tracker.json")
    monkeypatch.setattr(lock, "read", lambda: {"mirrors": ["http://mirror"], "packages": packages})
    with pytest.raises(SystemExit, match="1 of 3 packages lack fixes"):
        lock.audit()
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("vulnerabilities: not looked up")
    assert second == "b 2-1, of trixie: Debian has 2-1+deb13u1"
    assert asked == ["trixie", "trixie-security", "sid"]
    packages.pop(1)
    lock.audit()


def in_release(status: str, fixed: str = "", urgency: str = "not yet assigned", reason: str = "") -> dict[str, Any]:
    """What Debian's tracker says of a vulnerability in trixie, and of others."""
    state = {"status": status, "repositories": {"trixie": "1-1"}, "urgency": urgency}
    if fixed:
        state["fixed_version"] = fixed
    if reason:
        state |= {"nodsa": "Minor issue", "nodsa_reason": reason}
    return {"description": "A bug.", "scope": "remote", "releases": {"trixie": state, "sid": {"status": "open"}}}


def test_lacks_fix(lock: ModuleType) -> None:
    """A package without Debian's patches lacks the fixes of all revisions but the first of its upstream version."""
    assert lock.tracker.lacks_fix(package("1.2-1"), "1.2-1+deb13u1")
    assert not lock.tracker.lacks_fix(package("1.2-1+deb13u1"), "1.2-1+deb13u1")
    assert lock.tracker.lacks_fix(package("1.2-1+deb13u1", patches=False), "1.2-1+deb13u1")
    assert lock.tracker.lacks_fix(package("1.2-3", patches=False), "1.2-2")
    assert not lock.tracker.lacks_fix(package("1.2-3", patches=False), "1.2-1")
    assert not lock.tracker.lacks_fix(package("1.2-3", patches=False), "1.1-5")
    assert not lock.tracker.lacks_fix(package("1.2-3"), "0"), "no version needs it"


def test_vulnerabilities(
    lock: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The audit names what is open in the package's release, and fails only for fixes that it lacks."""
    tracker = {
        "a": {
            "CVE-2026-0001": in_release("open", urgency="low", reason="postponed"),
            "CVE-2026-0002": in_release("resolved", fixed="1-1", urgency="high"),
            "CVE-2026-0003": in_release("undetermined"),
            "CVE-2026-0004": {"releases": {"sid": {"status": "open"}}},
        },
        "of others": {"CVE-2026-0005": in_release("open")},
    }
    source = tmp_path / "all.json"
    source.write_text(json.dumps(tracker))
    packages = [{**package("1-1"), "name": name, "release": "trixie"} for name in ("a", "b")]
    monkeypatch.setattr(lock, "EXCERPT", tmp_path / "tracker.json")
    monkeypatch.setattr(lock, "index", lambda mirror, release: {})
    monkeypatch.setattr(lock, "read", lambda: {"mirrors": ["http://mirror"], "packages": packages})
    open_ones = [
        "a 1-1, of trixie: CVE-2026-0001 open, urgency low, postponed",
        "a 1-1, of trixie: CVE-2026-0003 undetermined, urgency not yet assigned",
    ]
    lock.audit(str(source))
    assert capsys.readouterr().out.splitlines() == open_ones

    lock.write_excerpt(source.as_uri())
    written = json.loads((tmp_path / "tracker.json").read_text())
    assert written["sha256"] == lock.digest(source)
    assert set(written["packages"]) == {"a", "b"}, "one without vulnerabilities, too"
    lock.audit()
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"vulnerabilities: Debian's security tracker on {written['date']}"
    assert others == open_ones

    packages[0]["version"] = "0.9-1"
    with pytest.raises(SystemExit, match="1 of 2 packages lack fixes"):
        lock.audit()
    assert "a 0.9-1, of trixie: CVE-2026-0002 fixed in 1-1, urgency high\n" in capsys.readouterr().out
