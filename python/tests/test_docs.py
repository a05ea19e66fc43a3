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


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "docs/python-loader.md", "docs/python-video.md"])
def test_page(page: str, python: Callable[..., Any]) -> None:
    """The Python blocks of a page run as one script, up to the first block that needs more than NumPy."""
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    blocks = list(itertools.takewhile(lambda block: "torch.utils" not in block, blocks))
    assert blocks
    code = "\n".join(blocks)
    python(f"import os; os.chdir({str(ROOT)!r})\n{code}\nprint(1)")


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
