"""Skips of tests that lack something."""

from __future__ import annotations

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
