"""Hooks of mkdocs for `make docs`: links to files outside of docs, and the pages that are generated.

A link to a file of the repository becomes one to GitHub. A file that does not exist is a warning, and so an error in a
strict build. Generated pages are the Python package, the help texts of all commands, and the C headers.
"""

from __future__ import annotations

import ast
import logging
import posixpath
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "spool"
# The order of the page on the package. Other modules follow by name.
MODULES = ["image", "images", "video", "video_decoder", "audio", "image_loader", "video_loader", "audio_loader"]
MODULES += ["record_loader", "fields", "media_fields", "batch", "record_batch", "frames", "augment", "media", "encode"]
REPOSITORY = "https://github.com/spoolmedia/spool/blob/main/"

log = logging.getLogger("mkdocs.hooks.spool")
_link = re.compile(r"(\]\()((?:\.\./)+[^)#\s]*)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for name, text in {"python": python(), "help": helps(), "c": headers()}.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    folder = posixpath.dirname(page.file.src_uri)

    def absolute(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, found[2]))
        if target.startswith("docs/"):
            return found[0]
        if not (ROOT / target).exists():
            log.warning("%s: no %s in the repository", page.file.src_uri, target)
        return f"{found[1]}{REPOSITORY}{target}{found[3] or ''})"

    return _link.sub(absolute, markdown)


def python() -> str:
    """Return a page with each public name of the package, the most used modules first."""
    module = ast.parse((PACKAGE / "__init__.py").read_text())
    tables = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id[:1] == "_"
    }
    order = {name: i for i, name in enumerate(MODULES)}
    names = sorted(tables["_names"].items(), key=lambda name: (order.get(name[1], len(order)), name[1], name[0]))
    text = ["# Python", "", "`import spool` has these names. Options of loaders and decoders are keyword parameters."]
    for name, defined in names:
        text += ["", f"::: spool.{defined}.{name}", "    options:", f"      heading: spool.{name}"]
    text += ["", "# Options"]
    for path in sorted([*PACKAGE.glob("spec.py"), *PACKAGE.glob("[a-z]*_spec.py"), *PACKAGE.glob("[a-z]*_options.py")]):
        text += ["", f"::: spool.{path.stem}"]
    text += ["", "# Modules for other packages"]
    for name in sorted(tables["_modules"]):
        text += ["", f"::: spool.{name}"]
    return "\n".join(text) + "\n"


def helps() -> str:
    """Return a page with the help text of each command."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "bin" / "spool", "manual", "--markdown", folder], check=True)
        return (Path(folder) / "help.md").read_text()


def headers() -> str:
    """Return a page with the headers of the C interface, without their guards."""
    text = ["# C headers", "", "`#include <spool.h>`. [The C interface](../capi.md) shows how they are used together."]
    names = ["base", "image", "source", "loader", "media", "records", "encode"]
    for name in ["spool.h", *(f"spool_{name}.h" for name in names)]:
        source = (ROOT / "capi" / name).read_text()
        source = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", source, flags=re.DOTALL)
        text += ["", f"## {name}", "", "```c", source.strip(), "```"]
    return "\n".join(text) + "\n"
