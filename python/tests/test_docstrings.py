"""Every public definition documents its parameters, its result and its errors, and options are real parameters."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

import spool

PACKAGE = ROOT / "python" / "spool"

Definition = ast.FunctionDef | ast.ClassDef


def public() -> Iterator[tuple[str, Definition, ast.ClassDef | None]]:
    """Yield the public functions, classes and methods of public modules, with their name and their class."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name.startswith("_") and path.name != "__init__.py":
            continue
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, Definition) or node.name.startswith("_"):
                continue
            name = f"{path.relative_to(PACKAGE).with_suffix('')}.{node.name}"
            yield name, node, None
            if isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        yield f"{name}.{method.name}", method, node


DEFINITIONS = {name: (node, owner) for name, node, owner in public()}


def entries(doc: str, title: str) -> list[str] | None:
    """Return the names of a section's entries, or None if there is no such section."""
    found = re.search(rf"^{title}:\n((?: {{4,}}.*\n?|\n)+)", doc + "\n", re.MULTILINE)
    if found is None:
        return None
    return [name for names in re.findall(r"^ {4}(\S[^:\n]*): ", found[1], re.MULTILINE) for name in names.split(", ")]


def parameters(function: ast.FunctionDef) -> list[str]:
    a = function.args
    names = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs) if arg.arg not in ("self", "cls")]
    names += [f"*{a.vararg.arg}"] if a.vararg else []
    return names + ([f"**{a.kwarg.arg}"] if a.kwarg else [])


def decorated(node: Definition, *names: str) -> bool:
    return any(ast.unparse(d).split("(")[0].split(".")[-1] in names for d in node.decorator_list)


def constructor(node: ast.ClassDef) -> ast.FunctionDef | None:
    made = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
    return made[-1] if made else None  # overloads, which help() does not show, come first


def within(function: ast.FunctionDef, kind: type[ast.AST]) -> bool:
    """Report whether a function's own body has such a node, apart from functions in it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, kind):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)
    return False


def test_there_are_definitions() -> None:
    assert len(DEFINITIONS) > 150


@pytest.mark.parametrize("name", DEFINITIONS)
def test_docstring(name: str) -> None:
    node, _ = DEFINITIONS[name]
    doc = ast.get_docstring(node) or ""
    assert doc, "no docstring"
    function = constructor(node) if isinstance(node, ast.ClassDef) else node
    if function is None or decorated(node, "property", "cached_property", "overload"):
        return
    assert (entries(doc, "Args") or []) == parameters(function)
    if isinstance(node, ast.FunctionDef):
        result = "None" if node.returns is None else ast.unparse(node.returns)
        assert ("Returns:" in doc or "Yields:" in doc) == (result != "None"), result
    if within(function, ast.Raise) and not (len(function.body) == 2 and "NotImplementedError" in ast.unparse(function)):
        assert "Raises:" in doc


def test_options_are_parameters() -> None:
    """No public call takes a TypedDict as keywords, which help() does not show. The script has written all options."""
    for name, (node, _) in DEFINITIONS.items():
        function = constructor(node) if isinstance(node, ast.ClassDef) else node
        if function is not None and function.args.kwarg is not None:
            assert "Unpack" not in ast.unparse(function.args), name
    script = ROOT / "python" / "keywords.py"
    loaded = importlib.util.spec_from_file_location("keywords", script)
    assert loaded is not None
    assert loaded.loader is not None
    keywords = importlib.util.module_from_spec(loaded)
    sys.modules["keywords"] = keywords
    loaded.loader.exec_module(keywords)
    assert [path for path, text in keywords.generate().items() if Path(path).read_text() != text] == []


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (spool.ImageLoader, "batch: int = 32"),
        (spool.ImageLoader, "size: Size = 224"),
        (spool.ImageLoader, "on_error: Literal['skip', 'fail', 'placeholder'] = 'skip'"),
        (spool.VideoLoader, "frames: int = 16"),
        (spool.AudioLoader, "rate: int = 16000"),
        (spool.decode_image, "max_bytes: int | str = '1GiB'"),
        (spool.decode_images, "on_error: Literal['fail', 'skip', 'placeholder'] = 'fail'"),
        (spool.decode_video, "chroma: Literal['bicubic', 'bilinear'] = 'bicubic'"),
        (spool.ImageSpec, "filter: Filter = 'bilinear'"),
        (spool.probe, "max_pixels: int = 178956970"),
    ],
)
def test_help(call: type, parameter: str) -> None:
    """``help()`` and editors show each option with its type and its default."""
    name, _, rest = parameter.partition(": ")
    kind, _, default = rest.partition(" = ")
    found = inspect.signature(call).parameters[name]
    assert (found.annotation.replace('"', "'"), repr(found.default)) == (kind, default)
    assert f"\n    {name}: " in (inspect.getdoc(call) or "")
