"""The scripts that make a release (tools/release)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import need
import pytest
from conftest import ROOT

CHANGELOG = """# Changelog

## [Unreleased]

- Later.

## [1.2.3] - 2026-11-26

### Added

- This.

## [1.2.2] - 2026-11-25
"""


class Tree:
    """A repository of its own with the scripts and one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "tools" / "release", folder / "tools" / "release")
        (folder / "CHANGELOG.md").write_text(CHANGELOG)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.commit()

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = [need.command("git"), *identity, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self) -> None:
        self.git("commit", "--quiet", "--allow-empty", "--message=a")

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self.folder / "tools" / "release" / script, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def version(self) -> str:
        return self.run("version.sh").stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_version(tree: Tree) -> None:
    """A tag is the version. A later commit appends its number and hash to it."""

    def head() -> str:
        return tree.git("rev-parse", "--short=10", "HEAD")

    assert tree.version() == f"0.0.0+1.g{head()}"
    tree.git("tag", "v1.2.3")
    assert tree.version() == "1.2.3"
    tree.git("tag", "other")
    assert tree.version() == "1.2.3"
    (tree.folder / "CHANGELOG.md").write_text("changed")
    assert tree.version() == f"1.2.3+0.g{head()}.dirty"
    tree.git("checkout", "CHANGELOG.md")
    tree.commit()
    tree.commit()
    assert tree.version() == f"1.2.3+2.g{head()}"
    tree.git("tag", "v1.3")
    assert tree.run("version.sh").returncode == 1


def test_versions_are_in_order(tree: Tree) -> None:
    """Python and Debian take a commit after a tag for later than the tag, and for earlier than the next one."""
    packaging = need.peer("packaging.version")
    dpkg = need.command("dpkg")
    tree.git("tag", "v1.2.3")
    tree.commit()
    versions = ["1.2.3", tree.version(), "1.2.4"]
    for earlier, later in zip(versions, versions[1:], strict=False):
        assert packaging.Version(earlier) < packaging.Version(later)
        assert str(packaging.Version(later)) == later
        subprocess.run([dpkg, "--compare-versions", earlier, "lt", later], check=True)


def test_notes(tree: Tree) -> None:
    assert tree.run("notes.sh", "1.2.3").stdout.strip() == "### Added\n\n- This."
    assert tree.run("notes.sh", "1.2.3+1.gabc").stdout.strip() == "- Later."
    for version in ("1.2.2", "1.2.4", "1.2"):
        refused = tree.run("notes.sh", version)
        assert (refused.returncode, refused.stderr) == (1, f"notes: CHANGELOG.md has nothing on {version}\n")


def test_release_is_refused(tree: Tree) -> None:
    """There is no release of a commit without a tag, of changed files, or of a version without notes."""
    assert "is no release: commit all changes" in tree.run("release.sh").stderr
    tree.git("tag", "v1.2.3")
    (tree.folder / "CHANGELOG.md").write_text("changed")
    assert "is no release: commit all changes" in tree.run("release.sh").stderr
    tree.git("checkout", "CHANGELOG.md")
    tree.commit()
    tree.git("tag", "v1.2.4")
    assert "CHANGELOG.md has nothing on 1.2.4" in tree.run("release.sh").stderr


def test_agreement(tree: Tree) -> None:
    """A file of another version is found."""
    (tree.folder / "dist").mkdir()
    (tree.folder / "dist" / "spool_media-1.2.3-py3-none-any.whl").touch()
    refused = tree.run("agree.sh", "1.2.4")
    assert refused.returncode == 1
    assert "spool_media-1.2.3-py3-none-any.whl is 1.2.3, not 1.2.4" in refused.stderr
