"""The names of Python in docs/surfaces.md exist, and take the keywords that stand there."""

from __future__ import annotations

import importlib.util
import inspect
import re

import pytest
from conftest import ROOT

import spool

SPANS = sorted(
    {
        span
        for line in (ROOT / "docs" / "surfaces.md").read_text().splitlines()
        if line.startswith("| `")
        for span in re.findall(r"`(.*?)`", line.split(" | ")[1])
    }
)


def test_found() -> None:
    assert len(SPANS) > 50


@pytest.mark.parametrize("span", SPANS)
def test_name(span: str) -> None:
    name, _, keywords = span.rstrip(")").partition("(")
    package, *attributes = name.split(".")
    assert package == "spool"
    if attributes[0] in spool._modules and importlib.util.find_spec(f"spool.{attributes[0]}"):
        return  # it may need the package of the same name
    value: object = spool
    for attribute in attributes:
        value = getattr(value, attribute)
    if keywords:
        assert callable(value)
        parameters = inspect.signature(value).parameters
        for keyword in keywords.split(", "):
            assert keyword.removesuffix("=") in parameters
