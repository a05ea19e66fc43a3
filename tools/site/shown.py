#!/usr/bin/env python3
"""Shows what spool prints, as pages for screenshots: shown.py COMMAND MEDIA FOLDER.

MEDIA is a folder with the folders photos and hard/bad. FOLDER gets python.html, a terminal with a bar of tqdm and a
report by rich; quit.html, what the command prints at SIGQUIT before
the stacks; and notebook.html, the HTML that notebooks show of a
report, a profile and a prediction. All runs are real, and the terminals are drawn by rich.
"""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import spool
from rich.console import Console
from rich.text import Text

WIDTH = 118

STYLE = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #fff; color: #111; font: 15px/1.4 sans-serif; } svg { display: block; width: 1000px; }
.cell { display: flex; padding: 4px 16px; } .number { width: 5em; flex: none; color: #777; font: 13px monospace; }
pre { margin: 0; padding: 6px; background: #f5f5f5; font: 13px monospace; flex: 1; }
table { border-collapse: collapse; font-size: 13px; } th, td { padding: 2px 8px; text-align: right; }
tr:nth-child(even) { background: #f5f5f5; } p { margin: 6px 0; }
</style>"""


class Screen(io.StringIO):
    """A terminal for tqdm."""

    def isatty(self) -> bool:
        return True

    def line(self) -> str:
        """Return what is seen at the end."""
        return [text for text in self.getvalue().split("\r") if text.strip()][-1]


def terminal(title: str, parts: list[object], file: Path) -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for part in parts:
        console.print(part, highlight=False, soft_wrap=False)
    file.write_text(STYLE + console.export_svg(title=title))


def notebook(cells: list[tuple[str, str]], file: Path) -> None:
    lines = [STYLE]
    for n, (code, shown) in enumerate(cells, 1):
        lines.append(f'<div class="cell"><span class="number">In [{n}]:</span><pre>{code}</pre></div>')
        lines.append(f'<div class="cell"><span class="number">Out[{n}]:</span><div>{shown}</div></div>')
    file.write_text("\n".join(lines))


def main() -> None:
    command, media, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sources = [media / "photos", media / "hard/bad"]
    screen, costs = Screen(), folder / "costs.json"
    options = {"batch": 32, "size": 224, "workers": 2, "shuffle": True, "on_error": "skip"}
    with spool.ImageLoader(sources, epochs=40, costs=costs, **options) as loader:
        for epoch in range(40):
            batches = loader.progress(file=screen, ncols=WIDTH) if epoch == 39 else loader
            for _ in batches:
                pass
        report = loader.report()
        profile = loader.profile(items=64, workers=[1, 2])
    parts = [
        Text(">>> for batch in loader.progress():\n...     train(batch)"),
        Text(screen.line()),
        Text(">>> rich.print(loader.report())"),
        report,
    ]
    terminal("python", parts, folder / "python.html")
    cells = [
        ("loader.report()", report._repr_html_()),
        ("loader.profile(items=64, workers=[1, 2])", profile._repr_html_()),
        (
            'spool.simulate("costs.json", workers=16, latency=0.05, cores=32)',
            spool.simulate(costs, workers=16, latency=0.05, cores=32)._repr_html_(),
        ),
    ]
    notebook(cells, folder / "notebook.html")

    words = [
        command,
        "run",
        "images",
        *map(str, sources),
        "--size",
        "224",
        "--epochs",
        "100000",
        "--workers",
        "2",
    ]
    words += ["--ledger", str(folder / "bad.jsonl")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        time.sleep(2)
        run.send_signal(signal.SIGQUIT)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        said = run.communicate()[1]
    begin = said.index("spool: state after")
    lines = said[begin:].partition("goroutine profile:")[0].splitlines() + ["(the stacks of all goroutines)"]
    shown = " ".join(["spool", *words[1:-2]])
    terminal(
        "spool",
        [Text(f"$ {shown}\n^\\"), Text("\n".join(line.expandtabs(4) for line in lines))],
        folder / "quit.html",
    )


main()
