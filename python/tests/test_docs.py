"""The code in the documentation runs, and prints what the documentation shows."""

from __future__ import annotations

import doctest
import importlib
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import spool
from spool.__main__ import RUNTIME, main

# The modules that need only NumPy.
MODULES = sorted(
    path.stem
    for path in Path(spool.__file__).parent.glob("*.py")
    if ">>> " in path.read_text() and path.stem not in spool._modules
)


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(importlib.import_module(f"spool.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0


# Pages whose Python needs NumPy only, up to a block that needs torch.
PAGES = [
    "README.md",
    "python/README.md",
    "docs/augmentation.md",
    "docs/isolation.md",
    "docs/python-loader.md",
    "docs/python-video.md",
    "docs/record-sources.md",
    "docs/records.md",
    "docs/tutorials/first-loader.md",
    "docs/tutorials/gpus.md",
    "docs/tutorials/video.md",
]
DOCUMENTS = sorted(
    str(page.relative_to(ROOT))
    for page in [*ROOT.glob("*.md"), ROOT / "python" / "README.md", *ROOT.glob("docs/**/*.md")]
    if page.name != "CHANGELOG.md"
)

_block = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, python: Callable[..., Any]) -> None:
    """The Python blocks of a page run as one script, up to the first block that needs more than NumPy."""
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    blocks = list(itertools.takewhile(lambda block: "torch.utils" not in block, blocks))
    assert blocks
    code = "\n".join(blocks)
    python(f"import os; os.chdir({str(ROOT)!r})\n{code}\nprint(1)")


def _runners(language: str, program: bool) -> set[str]:
    """Return the pages whose blocks of a language are run, by the tests and commands that run them."""
    makefile = (ROOT / "Makefile").read_text()
    listed = re.findall(r"^\tbin/tools/examples ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)[0]
    examples = set(listed.replace("\\\n", " ").split())
    match language:
        case "python":
            loaders = {str(page.relative_to(ROOT)) for page in ROOT.glob("docs/loaders/*.md")}  # python/tests/peers
            return {*PAGES, *loaders, "docs/python.md", "docs/remote.md", "docs/tutorials/s3.md"}
        case "sh":
            return examples
        case "go":
            guides = re.findall(r'"([a-z-]+\.md)": +\{"', (ROOT / "pipe" / "docs_test.go").read_text())
            return {*(examples if program else ["README.md"]), *(f"docs/{guide}" for guide in guides)}
        case "c":
            return {"docs/capi.md", "README.md"}  # of the program, and see test_short_forms
        case "diff":
            return {"README.md"}  # python/tests/peers
    return set()


@pytest.mark.parametrize("page", DOCUMENTS)
def test_blocks_are_run(page: str) -> None:
    """Each block of code of a page is run, or is marked as output (text), as a terminal (console), or as data."""
    for language, text in _block.findall((ROOT / page).read_text()):
        if language not in ("text", "console", "mermaid", "json", "yaml"):
            runners = _runners(language, text.startswith("package main\n"))
            assert page in runners, f"nothing runs this block of {language or 'no language'}:\n{text}"


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", _block.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS)
def test_links(page: str) -> None:
    """Relative links lead to files of the repository, and to headings of pages."""
    folder = (ROOT / page).parent
    text = re.sub(r"`[^`\n]*`", "", _block.sub("", (ROOT / page).read_text()))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = folder / name if name else ROOT / page
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            assert anchor in _anchors(path), target


def test_named_tests_exist() -> None:
    """Pages name tests of Go and Python as their evidence."""
    defined: set[str] = set()
    for pattern, start in [("**/*_test.go", r"^func "), ("python/tests/**/test_*.py", r"^ *def ")]:
        for file in ROOT.glob(pattern):
            defined.update(re.findall(rf"{start}(\w+)\(", file.read_text(), re.MULTILINE))
    for page in DOCUMENTS:
        named = re.findall(r"`(Test[A-Z]\w*|test_\w+)`", (ROOT / page).read_text())
        assert not [name for name in named if name not in defined], page


def test_every_error_has_a_cure() -> None:
    """The page on errors has the classes of the command's page, each with a cause and a cure."""
    command = (ROOT / "docs" / "command.md").read_text().split("| class | meaning |")[1].split("\n\n")[0]
    classes = re.findall(r"^\| `([a-z-]+)` \|", command, re.MULTILINE)
    cures = re.findall(r"^\| `([a-z-]+)` \| .+ \| .+ \|$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE)
    assert len(classes) > 10
    assert cures == classes


def _lines(code: str) -> list[str]:
    return [line.strip().replace("../testdata", "testdata") for line in code.splitlines()]


@pytest.mark.parametrize(("language", "whole"), [("c", "docs/capi.md"), ("go", "loader/example_test.go")])
def test_short_forms(language: str, whole: str) -> None:
    """The lines of Go and C in README.md are those of a whole program that is run, in its order."""
    code = next(text for found, text in _block.findall((ROOT / "README.md").read_text()) if found == language)
    lines = iter(_lines((ROOT / whole).read_text()))
    for line in _lines(code):
        assert line in lines, line


def test_every_option_is_described() -> None:
    """Each keyword is described in the docstring of the options, and each has a type for type checkers."""
    from spool.spec import ImageOptions, ImageSpec, Limits

    assert {*ImageSpec._options} == ImageOptions.__optional_keys__
    text = ImageOptions.__doc__ or ""
    described = ImageOptions.__optional_keys__ - Limits.__optional_keys__
    assert not [name for name in described if not re.search(rf"^ *{name}: ", text, re.MULTILINE)]


def test_doctor(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "FFmpeg" in said
    assert "cores used" in said
    assert main(["--version"]) == 0
    assert spool.__version__ in capsys.readouterr().out
    assert main([]) == 2


def test_doctor_names_the_packages() -> None:
    groups = (ROOT / "tools" / "deps.sh").read_text()
    runtime = groups.split('[runtime]="')[1].split('"')[0]
    assert runtime.split() == RUNTIME
