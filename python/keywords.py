#!/usr/bin/env python3
"""Writes the keyword parameters of options into the signatures and docstrings of spool's calls.

Option classes, which are TypedDicts, have the types and descriptions. This script has the defaults, and the calls that
take each class. So ``help()``, type checkers and editors show every option, and each is described once. Run it after
changing an option class; a test fails if it would change a file.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "spool"
WIDTH = 120

# The defaults of options. Options that are not listed have the default None.
DEFAULTS = {
    "mode": "stretch",
    "crops": "one",
    "filter": "bilinear",
    "profile": "exact",
    "color": "rgb",
    "alpha": "drop",
    "dtype": "uint8",
    "layout": "nhwc",
    "orient": True,
    "icc": False,
    "frame": 0,
    "fill": "#808080",
    "pad_color": "#000000",
    "jpeg": "auto",
    "isolate": "off",
    "flip_x": 0,
    "flip_y": 0,
    "filter_files": False,
    "planes": "converted",
    "chroma": "bicubic",
    "on_damage": "fail",
    "max_pixels": 178956970,
    "max_bytes": "1GiB",
    "max_frames": 4096,
    "max_memory": "2GiB",
    "no_sign_request": False,
    "max_concurrent_requests": 512,
    "quality": "default",
}
LOADER = {
    "batch": 32,
    "workers": "auto",
    "shuffle": False,
    "shuffle_window": 0,
    "repeats": 1,
    "seed": 0,
    "order": "exact",
    "last": "keep",
    "on_error": "skip",
    "max_failures": "100%",
    "attempts": 1,
    "watch": 60,
    "rest": "repeat",
    "prefetch": 2,
    "disk_cache_bytes": "10GiB",
    "disk_cache_of": "objects",
    "headspace": False,
    "streaming": False,
    "device": "host",
    "ring": 3,
    "normalize_on": "host",
    "decode_on": "host",
    "size": 224,
    "train": False,
    "flip_x": None,
}
FORM = {
    "form": "dense",
    "form_multiple": 0,
    "form_fill": 0,
    "form_memory": "4GiB",
    "budget_pixels": 0,
    "budget_tokens": 0,
    "budget_ragged": False,
    "patch": 0,
    "patch_merge": 0,
    "patch_frames": 0,
}
RESIZE = {"resize_multiple": 0, "resize_min_pixels": 0, "resize_max_pixels": 0}
WRITER = {
    "size": None,
    "fps": 25,
    "pixels": "rgb",
    "timed": False,
    "threads": 1,
    "channels": 1,
    "dtype": "float32",
    "layout": "ct",
}
STAGE = {"on_error": "fail"}

# The calls: their option class, and their own defaults.
CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "image.decode_image": ("spec.ImageOptions", {}),
    "images.decode_images": ("spec.ImageOptions", {}),
    "spec.ImageSpec": ("spec.ImageOptions", {}),
    "stage.Stage": ("stage.StageOptions", STAGE),
    "torch.collate": ("stage.StageOptions", {**STAGE, "layout": "nchw"}),
    "webdataset.decoder": ("spec.ImageOptions", {}),
    "webdataset.collate": ("stage.StageOptions", STAGE),
    "grain.Decode": ("stage.StageOptions", {**STAGE, "threads": 1}),
    "huggingface.Transform": ("stage.StageOptions", STAGE),
    "ray.DecodeImages": ("stage.StageOptions", STAGE),
    "spdl/ops.decode": ("stage.StageOptions", {**STAGE, "threads": 1}),
    "image_loader.ImageLoader": ("loader_options.ImageLoaderOptions", LOADER),
    "record_loader.Loader": ("record_options.TableLoaderOptions", {**LOADER, **FORM}),
    "lerobot.Loader": ("record_options.RecordLoaderOptions", {**LOADER, **FORM}),
    "fields.Image": (
        "field_options.ImageFieldOptions",
        {**LOADER, "optional": False, "views": 0, "size": None, **RESIZE},
    ),
    "records.RecordSpec": ("records.RecordSpecOptions", {}),
    "media_fields.Video": (
        "field_options.VideoFieldOptions",
        {**LOADER, "optional": False, "clips": 0, "random": False, "pad": "repeat", "threads": 1},
    ),
    "media_fields.Audio": (
        "field_options.AudioFieldOptions",
        {"optional": False, "rate": 16000, "channels": 1, "train": False, "dtype": "float32", "layout": "ct"},
    ),
    "video_loader.VideoLoader": ("loader_options.VideoLoaderOptions", {**LOADER, "frames": 16, "threads": 1}),
    "audio_loader.AudioLoader": (
        "loader_options.AudioLoaderOptions",
        {**LOADER, "rate": 16000, "channels": 1, "dtype": "float32", "layout": "ct"},
    ),
    "video.decode_video": ("video_spec.VideoOptions", {"threads": 1}),
    "video_decoder.VideoDecoder": ("video_spec.FrameOptions", {}),
    "audio.decode_audio": ("audio.StreamOptions", {}),
    "audio.AudioDecoder": ("audio.StreamOptions", {}),
    "media.probe": ("spec.Limits", {}),
    "listing.list_samples": ("listing.ListOptions", {"kind": "images"}),
    "system.doctor": ("spec.Stores", {}),
    "encode.encode_image": ("encode.EncodeOptions", {"quality": None, "chroma": None, "lossless": False}),
    "writer.MediaWriter": ("writer.WriterOptions", WRITER),
    "writer.remux": ("writer.RemuxOptions", {"end": None}),
    "archive.Archive": ("archive.ArchiveOptions", {}),
    "packets.demux": ("packets.DemuxOptions", {"medium": "video"}),
    "packets.mux": ("packets.MuxOptions", {}),
    "graph.FilterGraph": (
        "graph.GraphOptions",
        {"medium": "video", "skip_damage": False, "files": False, "dtype": "float32", "layout": "ct", "threads": 1},
    ),
    "encode.write_image": ("encode.EncodeOptions", {"quality": None, "chroma": None, "lossless": False}),
}

UNKNOWN = "**unknown: other keywords are refused, and the message names the keyword that was probably meant."


class Option:
    """An option of a class: its type and its description."""

    def __init__(self, name: str, kind: str, text: str) -> None:
        self.name, self.kind, self.text = name, kind, text


def entries(block: list[str], indent: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the entries of a section such as ``Args:``, by name, with their lines."""
    name, lines = "", []
    for line in block:
        if len(line) - len(line.lstrip()) == indent:
            if name:
                yield name, lines
            name, lines = line.strip().partition(":")[0], []
        lines.append(line)
    if name:
        yield name, lines


def section(lines: list[str], title: str) -> tuple[int, int, int] | None:
    """Return the begin and the end of a section's content, and the indentation of its entries."""
    for i, line in enumerate(lines):
        if line.strip() == title:
            indent = len(line) - len(line.lstrip())
            end = i + 1
            while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > indent:
                end += 1
            return i + 1, end, indent + 4
    return None


def options(of: str) -> dict[str, Option]:
    """Return the options of a class, those of its bases first."""
    module, _, name = of.partition(".")
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        for alias in node.names
    }
    found: dict[str, Option] = {}
    node = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id != "TypedDict":
            found |= options(imported.get(base.id, f"{module}.{base.id}"))
    lines = (ast.get_docstring(node) or "").splitlines()
    place = section(lines, "Attributes:") or (0, 0, 0)  # a class may only join others
    texts = {
        key: " ".join(line.strip() for line in rest).partition(": ")[2]
        for key, rest in entries(lines[place[0] : place[1]], place[2])
    }
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            key = item.target.id
            found.pop(key, None)
            found[key] = Option(key, ast.unparse(item.annotation), texts[key])
    return found


def last(found: dict[str, Option]) -> dict[str, Option]:
    """Return the options with those for records of the run, limits and stores at the end."""
    common = options("observed_options.ObservedOptions") | options("spec.Limits")
    return {k: v for k, v in found.items() if k not in common} | {k: v for k, v in found.items() if k in common}


def literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def parameter(o: Option, defaults: dict[str, object]) -> str:
    default = defaults.get(o.name)
    kind = o.kind.replace("'", '"').removesuffix(" | None")  # which some calls have, and others not
    if default is None:
        return f"{o.name}: {kind} | None = None"
    return f"{o.name}: {kind} = {literal(default)}"


def described(o: Option, indent: int) -> list[str]:
    text = textwrap.wrap(
        f"{o.name}: {o.text}",
        WIDTH - indent,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [" " * indent + line for line in text]


def rewritten(source: str, name: str, found: dict[str, Option], defaults: dict[str, object]) -> str:
    """Return the source of a module with the options of a call."""
    tree = ast.parse(source)
    outer = [n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and n.name == name][
        -1
    ]  # overloads come first
    inner = outer
    if isinstance(outer, ast.ClassDef):
        inner = [n for n in outer.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"][-1]
    assert isinstance(inner, ast.FunctionDef)
    lines = source.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line.encode()))
    text = source.encode()

    # the signature, which follows the docstring of a class and precedes that of a function
    begin = text.index(b"(", offsets[inner.lineno - 1])
    depth, end = 1, begin + 1
    while depth:
        depth += {b"(": 1, b"[": 1, b")": -1, b"]": -1}.get(text[end : end + 1], 0)
        end += 1
    a = inner.args
    parts: list[str] = []
    first_default = len(a.args) - len(a.defaults)
    for i, arg in enumerate(a.args):
        said = ast.get_source_segment(source, arg) or ""
        if i >= first_default:
            said += f" = {ast.get_source_segment(source, a.defaults[i - first_default])}"
        parts.append(said)
    parts.append("*")
    for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        if arg.arg not in found:
            assert default is not None
            parts.append(f"{ast.get_source_segment(source, arg)} = {ast.get_source_segment(source, default)}")
    parts += [parameter(o, defaults) for o in found.values()]
    parts.append("**unknown: Never")
    pad = " " * (inner.col_offset + 4)
    signature = "(\n" + "".join(f"{pad}{p},\n" for p in parts) + " " * inner.col_offset + ")"

    docstring = outer.body[0]
    assert isinstance(docstring, ast.Expr)
    doc = lines[docstring.lineno - 1 : docstring.end_lineno]
    place = section([line.rstrip("\n") for line in doc], "Args:")
    assert place, name
    own: list[str] = []
    for key, rest in entries([line.rstrip("\n") for line in doc[place[0] : place[1]]], place[2]):
        if key not in found and not key.startswith("**"):
            own += rest
    for o in found.values():
        own += described(o, place[2])
    own += textwrap.wrap(
        UNKNOWN, WIDTH, initial_indent=" " * place[2], subsequent_indent=" " * (place[2] + 4), break_long_words=False
    )
    doc[place[0] : place[1]] = [line + "\n" for line in own]

    doc_begin, doc_end = offsets[docstring.lineno - 1], offsets[docstring.end_lineno or 0]
    changes = [(begin, end, signature.encode()), (doc_begin, doc_end, "".join(doc).encode())]
    for start, stop, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[stop:]
    return text.decode()


def generate() -> dict[Path, str]:
    """Return the content of each module that has calls with options."""
    content: dict[Path, str] = {}
    for call, (of, own) in CALLS.items():
        module, _, name = call.partition(".")
        path = PACKAGE / f"{module}.py"
        before = content.get(path) or path.read_text()
        content[path] = rewritten(before, name, last(options(of)), {**DEFAULTS, **own})
    return content


def main() -> int:
    """Write the modules. With ``--check``, print those that would change, and return 1 if there are any."""
    changed = {path: text for path, text in generate().items() if path.read_text() != text}
    for path, text in changed.items():
        if "--check" in sys.argv:
            print(f"{path}: run python/keywords.py")
        else:
            path.write_text(text)
    return 1 if changed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
