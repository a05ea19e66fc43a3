#!/usr/bin/env python3
"""Runs the peers' own test suites with spool's classes in the place of theirs: run.py [SUITE...]

A suite is obtained by a pinned commit or digest, kept in the user's cache, and never changed. SPOOL_SUITE_TORCHCODEC,
SPOOL_SUITE_DECORD, SPOOL_SUITE_TORCHVISION and SPOOL_SUITE_SPDL name other places to get it from: a git repository, or
an archive.

NAME.txt lists the tests that fail, each with the reason behind two spaces. A failure that it lacks is an error, and so
is a test in it that passes. --peer runs a suite with the peer's own classes instead, and lists what fails.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[2] / "python"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "spool" / "suites"


@dataclass(frozen=True)
class Suite:
    """Where a suite is, and which of its tests are about what spool offers."""

    source: str
    pinned: str  # the commit of a repository, the SHA-256 of an archive
    paths: tuple[str, ...]  # what is needed of it
    tests: tuple[str, ...]
    folder: str = "."  # where pytest runs


SUITES = {
    # The newest commit whose tests of decoders run without the C++ sources; torchcodec 0.17 passes 168 and 45 of them.
    "torchcodec": Suite(
        "https://github.com/pytorch/torchcodec",
        "c66da14b7ba4a22f42a6d8f690c4edb3441db65f",
        ("test",),
        ("test/test_decoders.py", "test/test_samplers.py"),
    ),
    "decord": Suite(
        "https://github.com/dmlc/decord",
        "d2e56190286ae394032a8141885f76d5372bd44b",
        ("tests", "examples/flipping_a_pancake.mkv"),
        ("tests/python/unittests/test_video_reader.py", "tests/python/unittests/test_bridges.py"),
    ),
    # The images of tests are tensors of bytes; tests of functions, boxes, masks and videos are not about decoding.
    # Tests that compare two draws of one transform after the same seed are left out, since any transform passes them.
    "torchvision": Suite(
        "http://deb.debian.org/debian/pool/main/p/pytorch-vision/pytorch-vision_0.21.0.orig.tar.gz",
        "0a4a967bbb7f9810f792cd0289a07fb98c8fb5d1303fae8b63e3a6b05d720058",
        ("test",),
        tuple(
            f"test_transforms_v2.py::{test}"
            for test in (
                "TestResize::test_image_correctness",
                "TestHorizontalFlip::test_image_correctness",
                "TestHorizontalFlip::test_transform_noop",
                "TestVerticalFlip::test_image_correctness",
                "TestVerticalFlip::test_transform_noop",
                "TestCenterCrop::test_image_correctness",
                "TestCrop::test_transform_padding",
                "TestEqualize::test_image_correctness",
                "TestInvert::test_correctness_image",
                "TestPosterize::test_correctness_image",
                "TestSolarize::test_correctness_image",
                "TestAutocontrast::test_correctness_image",
                "TestAdjustSharpness::test_correctness_image",
                "TestRgbToGrayscale::test_random_transform_correctness",
            )
        ),
        "test",
    ),
    # Scripts, not tests: spdl_examples.py imports them and calls their functions.
    "spdl": Suite(
        "https://github.com/facebookresearch/spdl",
        "ff33a9f44adf2777aa0f7c5f952f34daf0a63406",
        ("examples",),
        (str(HERE / "spdl_examples.py"),),
    ),
}


def obtained(name: str) -> Path:
    """Return the folder of a suite."""
    suite = SUITES[name]
    source = os.environ.get(f"SPOOL_SUITE_{name.upper()}", suite.source)
    folder = CACHE / f"{name}-{suite.pinned[:12]}"
    if folder.exists():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as made:
        tree = Path(made) / "tree"
        tree.mkdir()
        (of_archive if source.endswith(".tar.gz") else of_repository)(suite, source, Path(made), tree)
        tree.rename(folder)
    return folder


def of_archive(suite: Suite, source: str, work: Path, tree: Path) -> None:
    """Unpack a suite from an archive, a file or a URL."""
    if "://" in source:
        archive = Path(urllib.request.urlretrieve(source, work / "suite.tar.gz")[0])
    else:
        archive = Path(source)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != suite.pinned:
        sys.exit(f"{source}: SHA-256 {digest}, not {suite.pinned}")
    with tarfile.open(archive) as tar:
        for member in tar:
            member.name = member.name.partition("/")[2]
            if any(member.name == path or member.name.startswith(f"{path}/") for path in suite.paths):
                tar.extract(member, tree, filter="data")


def of_repository(suite: Suite, source: str, work: Path, tree: Path) -> None:
    """Check a suite out of a repository, a folder or a URL. The name of a commit is the digest of its content."""
    repository = source
    if "://" in source:
        repository = str(work / "repository")
        git("init", "--quiet", "--bare", repository)
        git("--git-dir", repository, "fetch", "--quiet", "--depth=1", "--filter=blob:none", source, suite.pinned)
        git("--git-dir", repository, "remote", "add", "origin", source)
    checkout = ("checkout", suite.pinned, "--", *suite.paths)
    git("--git-dir", repository, f"--work-tree={tree}", *checkout, index=work / "index")


def git(*arguments: str, index: Path | None = None) -> None:
    environment = os.environ | ({"GIT_INDEX_FILE": str(index)} if index else {})
    subprocess.run(["git", *arguments], check=True, env=environment)


def outcomes(name: str, ours: bool, more: list[str]) -> dict[str, str]:
    """Run a suite, and return passed, failed or skipped by the names of its tests."""
    suite = SUITES[name]
    folder = obtained(name) / suite.folder
    with tempfile.TemporaryDirectory() as out:
        report = Path(out) / "report.xml"
        plugin = ["-p", f"{name}_names"] if ours else []
        flags = ["-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:warnings", "-o", "junit_family=xunit1"]
        command = [sys.executable, "-m", "pytest", *flags, *plugin, f"--junitxml={report}", *more, *suite.tests]
        path = os.pathsep.join([str(PACKAGE), str(HERE)])
        subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"})
        return dict(reported(report))


def reported(report: Path) -> Iterator[tuple[str, str]]:
    for case in ET.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        result = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        file, group, test = (case.get(key, "") for key in ("file", "classname", "name"))
        group = group.rpartition(".")[2]
        yield "::".join([file, test] if group == Path(file).stem else [file, group, test]), result


def expected(name: str) -> dict[str, str]:
    """Return the tests that fail, with the reason of each."""
    reasons = {}
    for line in (HERE / f"{name}.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            test, _, reason = line.partition("  ")
            if not reason:
                sys.exit(f"{name}.txt: {test}: there is no reason")
            reasons[test] = reason
    return reasons


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--peer", action="store_true", help="run the peer's own classes")
    parser.add_argument("--pytest", default="", help="more flags for pytest")
    asked = parser.parse_args()
    wrong = 0
    for name in asked.suites or SUITES:
        results = outcomes(name, not asked.peer, asked.pytest.split())
        failed = {test for test, result in results.items() if result == "failed"}
        known = set(expected(name)) & set(results) if not asked.peer else failed
        passed = Counter(test.partition("::")[0] for test, result in results.items() if result == "passed")
        print(f"suites: {name}: {len(failed)} failed; passed:", *(f"{file} {n}" for file, n in sorted(passed.items())))
        for test in sorted(failed - known):
            print(f"suites: {name}: failed, and is not listed: {test}")
        for test in sorted(known - failed):
            print(f"suites: {name}: is listed, and does not fail: {test}")
        if asked.peer:
            print(*sorted(failed), sep="\n")
        wrong += len(failed ^ known) + (not results)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
