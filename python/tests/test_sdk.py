"""The scripts that build the wheel (tools/sdk)."""

from __future__ import annotations

import copy
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import need
import pytest
from conftest import ROOT


def script(name: str) -> ModuleType:
    """Import a script of tools/sdk."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "sdk" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_lock_file() -> None:
    """The lock file is complete, and a package without a digest, a recipe or a licence for linking is refused."""
    lock = script("lock")
    good = lock.read()
    assert lock.problems(good) == []
    for change, problem in [
        ({"license": ""}, "no licence"),
        ({"license": "GPL-2.0-or-later"}, "is not for libspool.so"),
        ({"name": "x264"}, "no recipe"),
        ({"files": [{"name": "zlib.orig.tar.gz", "sha256": "abc"}]}, "no SHA-256"),
        ({"files": []}, "no source archive"),
    ]:
        bad = copy.deepcopy(good)
        bad["packages"][0].update(change)
        assert any(problem in text for text in lock.problems(bad)), change


def test_sbom(capsys: pytest.CaptureFixture[str]) -> None:
    lock = script("lock")
    lock.sbom()
    document = json.loads(capsys.readouterr().out)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    found = {component["name"]: component for component in document["components"]}
    assert found.keys() == {package["name"] for package in lock.read()["packages"]}
    assert found["ffmpeg"]["licenses"] == [{"expression": "LGPL-2.1-or-later"}]
    assert found["ffmpeg"]["version"] == "7.1.5"
    assert all(c["externalReferences"][0]["hashes"][0]["content"] for c in found.values())


def test_finished_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Licences and the bill of materials are in the wheel and in its RECORD, and two runs give the same bytes."""
    finish = script("finish")
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a/__init__.py", "")
        archive.writestr("a/_lib/a.so", "library")
        archive.writestr("a-1.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("a-1.dist-info/METADATA", "Name: a\nLicense-Expression: Apache-2.0\n")
        archive.writestr("a-1.dist-info/RECORD", "old")
    (tmp_path / "licenses" / "zlib").mkdir(parents=True)
    (tmp_path / "licenses" / "zlib" / "LICENSE").write_text("text")
    sbom = tmp_path / "a.cdx.json"
    either = {"licenses": [{"expression": "MIT OR Zlib"}]}
    sbom.write_text(json.dumps({"components": [{"licenses": [{"expression": "Zlib"}]}, either]}))
    made = []
    for folder in ("one", "two"):
        monkeypatch.setattr(
            sys, "argv", ["finish.py", *map(str, (wheel, tmp_path / "licenses", sbom, tmp_path / folder))]
        )
        finish.main()
        made.append((tmp_path / folder / wheel.name).read_bytes())
    assert made[0] == made[1]
    with zipfile.ZipFile(tmp_path / "one" / wheel.name) as archive:
        record = archive.read("a-1.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == set(archive.namelist())
        assert "a-1.dist-info/RECORD,," in record
        assert archive.read("a-1.dist-info/licenses/zlib/LICENSE") == b"text"
        metadata = archive.read("a-1.dist-info/METADATA").decode()
        assert "License-Expression: Apache-2.0 AND (MIT OR Zlib) AND Zlib\n" in metadata


def test_checked_library() -> None:
    """The check finds what a library of the system's build needs."""
    check = script("check")
    library = ROOT / "python" / "spool" / "_lib" / "libspool.so"
    if not library.exists():
        need.skip("generated", "no library of the system's build")
    machine = platform.machine()
    found = check.problems(machine, library, ROOT / "capi" / "spool.map", helper=False)
    assert any("libavcodec" in problem for problem in found)
    assert not any("export" in problem or "is not for" in problem for problem in found)
    other = "aarch64" if machine == "x86_64" else "x86_64"
    assert f"is not for {other}" in check.problems(other, library, None, helper=False)


def test_environment_for_go(tmp_path: Path) -> None:
    """env.sh of the tarball for Go works in a folder with a space, and keeps what is set."""
    sdk = tmp_path / "a folder"
    (sdk / "share").mkdir(parents=True)
    (sdk / "share" / "key").write_text("0123abcd\n")
    shutil.copy(ROOT / "tools" / "sdk" / "goenv.sh", sdk / "env.sh")

    def environment(**before: str) -> list[str]:
        show = 'eval "$(./env.sh)"; printf "%s\\n" "$PKG_CONFIG_PATH" "$CGO_CFLAGS" "$CGO_LDFLAGS" "$GOFLAGS"'
        full = {"PATH": os.environ["PATH"]} | before
        ran = subprocess.run(["sh", "-ec", show], cwd=sdk, env=full, check=True, capture_output=True, text=True)
        return ran.stdout.splitlines()

    folder, macro, hidden = f"{sdk}/lib/pkgconfig", "-DSPOOL_SDK=0123abcd", "-static-libgcc -Wl,--exclude-libs,ALL"
    assert environment() == [folder, f"-O2 -g {macro}", f"-O2 -g {hidden}", "-tags=spool_static"]
    assert environment(PKG_CONFIG_PATH="/x", CGO_CFLAGS="-O1", CGO_LDFLAGS="-s", GOFLAGS="-trimpath") == [
        f"{folder}:/x",
        f"-O1 {macro}",
        f"-s {hidden}",
        "-trimpath -tags=spool_static",
    ]
