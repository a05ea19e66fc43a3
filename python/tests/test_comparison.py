from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import spool


def same(file: str, size: tuple[int, int] | None) -> np.ndarray:
    return spool.decode_image(file, size=size)


def brighter(file: str, size: tuple[int, int] | None) -> np.ndarray:
    pixels = spool.decode_image(file, size=size)
    return np.where(pixels < 255, pixels + 1, pixels)


def test_a_loader_of_ones_own(photos: list[Path]) -> None:
    table = spool.parity(photos[:3], same, size=(100, 120), profiles=["exact", "fast"])
    assert len(table) == 6
    exact = [row for row in table if row["profile"] == "exact"]
    assert all(row["equal"] and row["mean"] == 0 and row["psnr"] == float("inf") for row in exact)
    fast = [row for row in table if row["profile"] == "fast"]
    assert all(not row["equal"] and 0 < row["mean"] < 1 and row["psnr"] > 38 for row in fast)
    assert table[0]["file"] == str(photos[0])


def test_figures(photo: Path) -> None:
    row = spool.parity([photo], brighter, profiles=["exact"])[0]
    assert row["largest"] == 1
    assert 0.9 < row["mean"] <= 1
    assert row["psnr"] == pytest.approx(48.13 - 10 * np.log10(row["mean"]), abs=0.01)  # 20 log10(255 / 1)


def test_what_cannot_be_compared(photo: Path, testdata: Path) -> None:
    def refuses(file: str, size: object) -> np.ndarray:
        raise OSError("no such thing")

    def turned(file: str, size: object) -> np.ndarray:
        return spool.decode_image(file).swapaxes(0, 1)

    assert spool.parity([photo], refuses, profiles=["exact"])[0]["error"] == "refuses: no such thing"
    row = spool.parity([photo], turned)[0]
    assert row["error"] == "the shape is (451, 300, 3), spool's is (300, 451, 3)"
    bad = spool.parity([testdata / "hard/bad/text.jpg"], lambda *_: np.zeros((1, 1, 3), np.uint8))[0]
    assert bad["error"].startswith("spool: not-media")


def test_tables(photo: Path) -> None:
    table = spool.parity([photo, "<none>.jpg"], same, profiles=["exact"])
    assert str(table).splitlines()[1].split()[:4] == ["exact", "yes", "0.000", "0"]
    page = table._repr_html_()
    assert page.count("<tr>") == 3
    assert "&lt;none&gt;.jpg" in page
    assert "<none>" not in page
