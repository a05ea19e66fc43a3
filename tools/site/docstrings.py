"""An extension of griffe for the docstrings of the package.

Roles of Sphinx become code. Examples that have no heading of their own become a section.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_role = re.compile(r":(?:class|func|meth|mod|data|attr):`~?([^`]+)`")


class Docstrings(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            obj.docstring.value = headed(_role.sub(r"`\1`", obj.docstring.value))


def headed(text: str) -> str:
    """Return a docstring whose paragraphs that begin with >>> at the margin are below a heading."""
    paragraphs = text.split("\n\n")
    for i, paragraph in enumerate(paragraphs):
        if paragraph.startswith(">>> "):
            below = "\n".join(f"    {line}" for line in paragraph.split("\n"))
            follows = i > 0 and paragraphs[i - 1].startswith(("Examples:", "    >>> "))
            paragraphs[i] = below if follows else f"Examples:\n{below}"
    return "\n\n".join(paragraphs)
