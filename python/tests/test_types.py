"""No ``Any`` in what users touch. ``typed.py`` has what type checkers know of results."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import spool

PACKAGE = Path(spool.__file__).parent

# Classes and functions of private modules that users meet: bases of public classes, and what public modules import.
MET = {
    "_arrays": None,
    "_awaited": None,
    "_concurrent": {"ConcurrentDataLoader"},
    "_filters": {"FilterDesc", "get_audio_filter_desc", "get_filter_desc", "get_video_filter_desc"},
    "_lerobot": {"About", "Feature", "Items"},
    "_loading": None,
    "_loop": None,
    "_operation": {"Augmentation"},
    "_ray_pack": {"pack"},
    "_ray_samples": {"AnyLoader", "LoadSamples"},
    "_reports": None,
    "_sampler": {"SamplerOptions"},
    "_shown": {"Bar", "progress"},
    "_source": {"Source"},
    "_transfer": {"Transfer", "transfer"},
    "_types": None,
    "_video_index": None,
    "_webdataset": {"WebDataset"},
}


def _has_any(node: ast.AST | None) -> bool:
    if node is None:
        return False
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and n.id == "Any":
            return True
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and n is not node and "Any" in _words(n.value):
            return True
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "Any" in _words(node.value)


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name.startswith("__")


def _signatures(body: list[ast.stmt], prefix: str = "", only: set[str] | None = None) -> Iterator[str]:
    """Yield the names of what has ``Any``: parameters, results, attributes, aliases and bases."""
    for n in body:
        if isinstance(n, ast.If):
            yield from _signatures([*n.body, *n.orelse], prefix, only)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not _is_public(n.name) or (only and n.name not in only):
                continue
            if isinstance(n, ast.ClassDef):
                if any(map(_has_any, n.bases)):
                    yield prefix + n.name
                yield from _signatures(n.body, f"{prefix}{n.name}.")
                continue
            a = n.args
            for arg in [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]:
                if _has_any(arg.annotation):
                    yield f"{prefix}{n.name}({arg.arg})"
            if _has_any(n.returns):
                yield f"{prefix}{n.name} ->"
        elif isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and _is_public(n.target.id):
            name = n.target.id
            is_alias = isinstance(n.annotation, ast.Name) and n.annotation.id == "TypeAlias"
            if (not only or name in only) and (_has_any(n.annotation) or (is_alias and _has_any(n.value))):
                yield prefix + name


def test_it_finds() -> None:
    source = (
        "A: TypeAlias = 'list[Any]'\nclass B(dict[str, Any]):\n  c: Any\n  def d(self, e: 'Any', f: int) -> Any: ..."
    )
    found = list(_signatures(ast.parse(source).body))
    assert found == ["A", "B", "B.c", "B.d(e)", "B.d ->"]
    assert not list(_signatures(ast.parse("def _f(x: Any): ...\nx: str = 'Any'").body))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_any(path: Path) -> None:
    """Signatures of public modules, and of what private modules have for users, have no ``Any``."""
    name = path.stem
    if name.startswith("_") and not name.startswith("__") and name not in MET:
        return
    assert not list(_signatures(ast.parse(path.read_text()).body, only=MET.get(name)))


def test_met_exist() -> None:
    for name, only in MET.items():
        (path,) = PACKAGE.rglob(f"{name}.py")
        nodes = list(ast.walk(ast.parse(path.read_text())))
        names = {getattr(n, "name", "") or getattr(getattr(n, "target", None), "id", "") for n in nodes}
        assert (only or set()) <= names, name
