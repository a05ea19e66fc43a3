#!/usr/bin/env python3
"""Draws the panels of a Grafana dashboard from a Prometheus: panels.py URL DASHBOARD.json SECONDS PAGE.html.

It is no Grafana, whose licence keeps it out of here: it asks Prometheus for each query of the last SECONDS, and draws
lines at the places that the dashboard gives.
"""

from __future__ import annotations

import html
import json
import sys
import time
import urllib.parse
import urllib.request

COLORS = ["#1f77b4", "#d95f02", "#2ca02c", "#9467bd", "#d62728", "#8c564b", "#17a2b8", "#7f7f7f"]
CELL, HEIGHT, WIDE, HIGH = 41, 168, 460, 100  # pixels: of a column, a panel and its lines

Points = list[tuple[float, float]]


def series(url: str, query: str, legend: str, start: float, end: float) -> dict[str, Points]:
    words = urllib.parse.urlencode({"query": query, "start": start, "end": end, "step": 1})
    with urllib.request.urlopen(f"{url}/api/v1/query_range?{words}") as answer:
        result = json.load(answer)["data"]["result"]
    found = {}
    for one in result:
        name = legend
        for key, value in one["metric"].items():
            name = name.replace("{{%s}}" % key, value)
        found[name] = [(t, float(v)) for t, v in one["values"] if v != "NaN"]
    return found


def amount(value: float, unit: str) -> str:
    if unit == "percentunit":
        return f"{100 * value:.3g} %"
    if unit == "bytes":
        return f"{value / (1 << 20):.3g} MiB"
    if unit == "s":
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g}" + {"cps": "/s", "reqps": "/s"}.get(unit, "")


def panel(title: str, unit: str, found: dict[str, Points], start: float, end: float) -> str:
    top = max((v for points in found.values() for _, v in points), default=0)
    lines, names = [], []
    for (name, points), color in zip(found.items(), COLORS * 3, strict=False):
        if not points:
            continue
        way = " ".join(
            f"{(t - start) / (end - start) * WIDE:.1f},{HIGH - v / (top or 1) * HIGH:.1f}" for t, v in points
        )
        lines.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        names.append(f'<span style="color: {color}">{html.escape(name)}</span>')
    empty = "" if lines else f'<text x="{WIDE / 2}" y="{HIGH / 2}" text-anchor="middle">no data</text>'
    return (
        f"<h2>{html.escape(title)} <small>{f'up to {amount(top, unit)}' if top else ''}</small></h2>"
        f'<svg width="{WIDE}" height="{HIGH}"><rect width="{WIDE}" height="{HIGH}" fill="#f7f7f7"/>'
        f"{''.join(lines)}{empty}</svg><p>{' '.join(names)}</p>"
    )


def main() -> None:
    url, dashboard, seconds, page = sys.argv[1:]
    end = time.time()
    start = end - float(seconds)
    with open(dashboard) as file:
        panels = json.load(file)["panels"]
    out = [
        '<!doctype html><meta charset="utf-8"><style>body { margin: 0; font: 12px sans-serif; }'
        " div { position: absolute; } h2 { margin: 2px 0; font-size: 13px; } small { color: #666; }"
        " p { margin: 2px 0; } span { margin-right: 6px; }</style>"
    ]
    for one in panels:
        found: dict[str, Points] = {}
        for target in one["targets"]:
            query = target["expr"].replace("$instance", ".*")
            found |= series(url, query, target["legendFormat"], start, end)
        at, unit = one["gridPos"], one["fieldConfig"]["defaults"]["unit"]
        place = f"left: {at['x'] * CELL + 8}px; top: {at['y'] / at['h'] * HEIGHT + 4}px"
        out.append(f'<div style="{place}">{panel(one["title"], unit, found, start, end)}</div>')
    with open(page, "w") as file:
        file.write("\n".join(out))


main()
