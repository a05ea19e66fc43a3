"""Skips of tests that lack something."""

from __future__ import annotations

import ast
from pathlib import Path

import need
import pytest


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("SPOOL_REQUIRE", "")
    return monkeypatch


@pytest.mark.parametrize("required", ["", "shared,peers"])
def test_skips(nothing: pytest.MonkeyPatch, required: str) -> None:
    nothing.setenv("SPOOL_REQUIRE", required)
    with pytest.raises(pytest.skip.Exception, match="^needs ffmpeg: no command ffprobe$"):
        need.command("ffprobe")


@pytest.mark.parametrize("required", ["ffmpeg", ",shared, ffmpeg"])
def test_fails_where_it_is_required(nothing: pytest.MonkeyPatch, required: str) -> None:
    nothing.setenv("SPOOL_REQUIRE", required)
    with pytest.raises(pytest.fail.Exception, match="^needs ffmpeg, which SPOOL_REQUIRE has: no command ffmpeg$"):
        need.command("ffmpeg")


def test_unknown_category(nothing: pytest.MonkeyPatch) -> None:
    nothing.setenv("SPOOL_REQUIRE", "ffmpeg,shops")
    with pytest.raises(
        pytest.fail.Exception, match="^SPOOL_REQUIRE has shops, and the categories are shared, generated, ffmpeg"
    ):
        need.skip("system", "nothing")


def test_kinds(nothing: pytest.MonkeyPatch) -> None:
    with pytest.raises(pytest.skip.Exception, match="^needs tools: no command cc$"):
        need.command("cc")
    with pytest.raises(pytest.skip.Exception, match="^needs peers: no such_package in this Python$"):
        need.peer("such_package")
    assert need.peer("json").loads("[1]") == [1]


def test_every_skip_can_be_required() -> None:
    """SPOOL_REQUIRE knows the skips of need.skip only. Marks that are about the interpreter stay."""
    interpreter = ("not FREE", "sys.version_info")
    others = set()
    for file in Path(__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Attribute(value=ast.Name(id="pytest"), attr="skip" | "importorskip"):
                    others.add(f"{file.name}: {ast.unparse(node)}")
                case ast.Call(func=ast.Attribute(attr="skip" | "skipif" as name), args=[reason, *_]) if ast.unparse(
                    node.func
                ) == f"pytest.mark.{name}" and not ast.unparse(reason).startswith(interpreter):
                    others.add(f"{file.name}: {ast.unparse(node)}")
                case _:
                    pass
    assert others == {"need.py: pytest.skip", "test_need.py: pytest.skip"}
