"""The site of the documentation, which `make docs` builds, in a browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import need
import pytest
from conftest import ROOT

SITE = ROOT / "bin" / "site"

# What only rendering shows, as the title of the page.
LOOK = """<script>addEventListener("load", () => {
    const images = [...document.images], size = s => document.querySelector(s)?.getBoundingClientRect() ?? {};
    document.title = JSON.stringify({
        wide: document.documentElement.scrollWidth - innerWidth,
        images: images.length,
        broken: images.filter(i => !i.complete || !i.naturalWidth).map(i => i.src),
        heading: document.querySelector("h1")?.innerText,
        names: document.querySelectorAll("h2.doc-heading").length,
        article: size("article").width,
        menu: document.querySelectorAll(".md-tabs__link").length,
    });
})</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the site whose pages report what they show."""
    if not (SITE / "index.html").exists():
        need.skip("generated", "no bin/site, which make docs builds")
    return Path(shutil.copytree(SITE, tmp_path_factory.mktemp("site") / "site"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [1300, 500])
@pytest.mark.parametrize(
    ("page", "heading", "images", "names"),
    [
        ("index.html", "Documentation", 0, 0),
        ("tutorials/first-loader.html", "A first loader", 1, 0),
        ("reference/python.html", "Python", 0, 40),
    ],
)
def test_page_in_browser(
    site: Path, tmp_path: Path, page: str, heading: str, images: int, names: int, width: int
) -> None:
    browser = need.command("chromium")
    looked = site / page.replace(".html", f".{width}.html")
    looked.write_text((site / page).read_text().replace("</body>", LOOK + "</body>"))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000"]
    ended = subprocess.run(
        [browser, *flags, f"--window-size={width},900", f"--user-data-dir={tmp_path}", "--dump-dom", looked.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = re.search(r"<title>(.*?)</title>", ended.stdout)
    assert title
    seen = json.loads(html.unescape(title[1]))
    assert seen["heading"].startswith(heading)
    assert seen["wide"] <= 0, "the page is as wide as the window"
    assert seen["images"] >= images
    assert seen["broken"] == []
    assert seen["names"] >= names
    assert seen["article"] > 300
    assert seen["menu"] >= 7
