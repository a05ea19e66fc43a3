#!/usr/bin/env python3
"""Compares the items of spool.lerobot.Dataset with those of LeRobot's own code, and prints how many are equal.

    python -m pip install --no-deps --target DIR lerobot==0.4.4
    bench/peers/lerobot_items.py --lerobot DIR [--rows 40] [ROOT...]

ROOT is a data set of version 3, by default the one of source/lerobot/testdata. Each is read with and without windows,
and with some episodes only. Rows are drawn at random. Keys, types, shapes and all values must be equal. LeRobot's
package is used as it is, with torchcodec and datasets, but without accelerate, which its data sets do not need.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import types
from pathlib import Path
from typing import Any

import torch

import spool.lerobot

HERE = Path(__file__).resolve().parents[2]


def reference(folder: str) -> Any:
    """Return LeRobot's class."""
    accelerate = types.ModuleType("accelerate")
    accelerate.Accelerator = type("Accelerator", (), {})  # type: ignore[attr-defined]
    sys.modules["accelerate"] = accelerate
    sys.path.insert(0, folder)
    return importlib.import_module("lerobot.datasets.lerobot_dataset").LeRobotDataset


def windows(features: dict[str, Any], fps: float) -> dict[str, list[float]]:
    """Return windows of different lengths for the features of a data set that may have one."""
    names = [k for k, v in features.items() if v["dtype"] in ("video", "image", "float32") and k != "timestamp"]
    return {k: [n / fps for n in range(-(i % 3), 1 + i % 2)] for i, k in enumerate(names)}


def same(got: Any, want: Any) -> bool:
    """Report whether two values of an item are equal, and of one type."""
    if isinstance(want, torch.Tensor):
        return isinstance(got, torch.Tensor) and got.dtype == want.dtype and torch.equal(got, want)
    return type(got) is type(want) and got == want


def compare(theirs: Any, root: str, rows: int, name: str, **options: Any) -> None:
    """Compare rows of a data set with some options."""
    want = theirs("local/" + Path(root).name, root=root, video_backend="torchcodec", **options)
    got = spool.lerobot.Dataset(root, **options)
    if len(got) != len(want):
        sys.exit(f"{root}, {name}: {len(got)} items, LeRobot has {len(want)}")
    chosen = random.Random(1).sample(range(len(want)), min(rows, len(want)))
    for i in chosen:
        ours, items = got[i], want[i]
        if not isinstance(items["task"], str):  # the number of a row, where pandas has not written the text as an index
            items["task"] = want.meta.tasks.iloc[items["task"]]["task"]
        if set(ours) != set(items):
            sys.exit(f"{root}, {name}: keys of item {i} differ: {set(ours) ^ set(items)}")
        if wrong := [k for k in items if not same(ours[k], items[k])]:
            sys.exit(f"{root}, {name}: item {i} differs in {wrong}")
    print(f"{root}, {name}: {len(chosen)} of {len(want)} items compared, all equal", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roots", nargs="*", metavar="ROOT", default=[str(HERE / "source/lerobot/testdata/arm")])
    parser.add_argument("--lerobot", required=True, metavar="DIR", help="where LeRobot's package was installed")
    parser.add_argument("--rows", type=int, default=40)
    o = parser.parse_args()
    theirs = reference(o.lerobot)
    for root in o.roots:
        about = spool.lerobot.Dataset(root)
        deltas = windows(about.features, about.fps)
        episodes = list(range(1, about.meta["total_episodes"], 2))
        for name, options in {
            "single frames": {},
            "windows": {"delta_timestamps": deltas},
            "some episodes": {"episodes": episodes},
            "windows of some episodes": {"episodes": episodes, "delta_timestamps": deltas},
        }.items():
            compare(theirs, root, o.rows, name, **options)


if __name__ == "__main__":
    main()
