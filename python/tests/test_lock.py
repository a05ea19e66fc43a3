"""The lock file of the wheel's C libraries is compared with Debian's fixes."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import need
import pytest
from conftest import ROOT


@pytest.fixture
def lock() -> ModuleType:
    """tools/sdk/lock.py."""
    need.command("dpkg")
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
    monkeypatch.setattr(lock, "read", lambda: {"mirrors": ["http://mirror"], "packages": packages})
    with pytest.raises(SystemExit, match="1 of 3 packages lack fixes"):
        lock.audit()
    assert capsys.readouterr().out == "b 2-1, of trixie: Debian has 2-1+deb13u1\n"
    assert asked == ["trixie", "trixie-security", "sid"]
    packages.pop(1)
    lock.audit()
