"""The package can be built only with its library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import need
import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow

WAYS = ["wheel", "editable", "sdist"]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The sources of the package, without a library."""
    copy = tmp_path / "package"
    copy.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / "python" / name, copy)
    shutil.copytree(ROOT / "python" / "spool", copy / "spool", ignore=shutil.ignore_patterns("_lib", "__pycache__"))
    return copy


def build(package: Path, way: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Build as pip does, through the hooks of the build backend."""
    code = f"from setuptools import build_meta; print(build_meta.build_{way}('.'))"
    clean = {name: value for name, value in os.environ.items() if name != "SPOOL_LIBRARY"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=package,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("way", WAYS)
def test_without_the_library(package: Path, way: str) -> None:
    ran = build(package, way)
    assert ran.returncode != 0
    assert "libspool.so is missing" in ran.stderr
    assert "make deps library" in ran.stderr
    assert not [*package.glob("*.whl"), *package.glob("*.tar.gz")]


def test_pip(package: Path) -> None:
    """Pip shows the message of the build."""
    arguments = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    clean = {name: value for name, value in os.environ.items() if name != "SPOOL_LIBRARY"}
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "install", *arguments, "--target", str(package / "target"), str(package)],
        env=clean,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode != 0
    assert "make deps library" in ran.stdout + ran.stderr
    assert not (package / "target" / "spool").exists()


@pytest.mark.parametrize("way", WAYS)
def test_with_the_library(package: Path, way: str) -> None:
    (package / "spool" / "_lib").mkdir()
    (package / "spool" / "_lib" / "libspool.so").write_bytes(b"library")
    ran = build(package, way)
    assert ran.returncode == 0, ran.stderr
    name = package / ran.stdout.splitlines()[-1]
    if way == "sdist":
        with tarfile.open(name) as tar:
            assert any(member.endswith("spool/_lib/libspool.so") for member in tar.getnames())
            assert any(member.endswith("spool/decord/bridge.py") for member in tar.getnames())
            assert any(member.endswith("setup.py") for member in tar.getnames())
        return
    with zipfile.ZipFile(name) as wheel:
        inside = wheel.namelist()
    assert ("spool/_lib/libspool.so" in inside) == (way == "wheel")
    assert ("spool/decord/bridge.py" in inside) == (way == "wheel")


# The versions that pkg-config reports for FFmpeg's libraries, in the order of tools/ffmpeg.sh.
LIBRARIES = "libavcodec libavdevice libavfilter libavformat libavutil libswresample libswscale".split()
RELEASES = {
    "4.4": "58.134.100 58.13.100 7.110.100 58.76.100 56.70.100 3.9.100 5.9.100",
    "5.0": "59.18.100 59.4.100 8.24.100 59.16.100 57.17.100 4.3.100 6.4.100",
    "5.1": "59.37.100 59.7.100 8.44.100 59.27.100 57.28.100 4.7.100 6.7.100",
    "6.1": "60.31.102 60.3.100 9.12.100 60.16.100 58.29.100 4.12.100 7.5.100",
    "7.1": "61.19.101 61.3.100 10.4.100 61.7.103 59.39.100 5.3.100 8.3.100",
    "8.0": "62.11.100 62.1.100 11.4.100 62.3.100 60.8.100 6.1.100 9.1.100",
    "5.1 with a later libswscale": "59.37.100 59.7.100 8.44.100 59.27.100 57.28.100 4.7.100 8.3.100",
    "5.1 without libswscale": "59.37.100 59.7.100 8.44.100 59.27.100 57.28.100 4.7.100",
    "none": "",
}


@pytest.mark.parametrize(
    ("release", "says"),
    [
        ("4.4", "libavcodec 58.134.100 is of FFmpeg 4"),
        ("5.0", "FFmpeg 5.1 has libavcodec 59.37 or later: found 59.18.100"),
        ("5.1", ""),
        ("6.1", "libavcodec 60.31.102 is of FFmpeg 6"),
        ("7.1", ""),
        ("8.0", "libavcodec 62.11.100 is of FFmpeg 8"),
        ("5.1 with a later libswscale", "FFmpeg 5.1 has libswscale 6.7 or later: found 8.3.100"),
        ("5.1 without libswscale", "pkg-config does not find libswscale"),
        ("none", "pkg-config does not find libavcodec"),
    ],
)
@pytest.mark.parametrize("target", ["library", "command"])
def test_a_version_of_ffmpeg(tmp_path: Path, release: str, says: str, target: str) -> None:
    """Make names an unsupported version before it builds anything."""
    need.command("pkg-config")
    for name, version in zip(LIBRARIES, RELEASES[release].split(), strict=False):
        (tmp_path / f"{name}.pc").write_text(f"Name: {name}\nDescription: {name}\nVersion: {version}\n")
    compiler = tmp_path / "go"
    library = ROOT / "python/spool/_lib/libspool.so"  # stays: capi/build.sh takes it from where go would link it
    compiler.write_text(
        '#!/bin/sh\necho "built $GOFLAGS"\n[ "$GOTMPDIR" ] || exit 0\n'
        f'mkdir -p "$GOTMPDIR/go-build1/b001/exe"\ncp "{library}" "$GOTMPDIR/go-build1/b001/exe/a.out"\n'
    )
    compiler.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["make", "-C", str(ROOT), target],
        env={**os.environ, "PATH": path, "PKG_CONFIG_LIBDIR": str(tmp_path), "PKG_CONFIG_PATH": "", "GOFLAGS": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if says:
        assert ran.returncode != 0
        assert says in ran.stderr
        assert "FFmpeg 5.1 (Debian 12) or 7.1 (Debian 13)" in ran.stderr
        assert "built" not in ran.stdout.splitlines()
    else:
        assert ran.returncode == 0, ran.stderr
        built = next(line for line in ran.stdout.splitlines() if line.startswith("built "))
        assert ("go.ffmpeg7.mod" in built) == (release == "7.1")


def test_a_library_that_lies_elsewhere(package: Path) -> None:
    ran = build(package, "wheel", SPOOL_LIBRARY="/usr/lib/libspool.so")
    assert ran.returncode == 0, ran.stderr
