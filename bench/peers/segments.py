#!/usr/bin/env python3
"""Loads segments of long videos, rows of a table, with spool and with other loaders in turns, and prints the ratios.

    bench/peers/segments.py [--videos 'bin/bench-media/video/clip*.mp4'] [--rounds 5] [--rows 240]

Each video is repeated to a minute. A row has a file, a window of 3 to 8 seconds, and a class. A sample is 8 frames that
are spread evenly over the window, at 224x224.

decord      VideoReader(file, width=224, height=224) for each row
torchcodec  VideoDecoder(file) for each row, get_frames_at and v2.Resize
cached      torchcodec with a dict of open decoders

Each of these is a loop over the rows in one process, with as many decoder threads as the library likes, and a
DataLoader with 2 workers and one thread in each.

Rates are those of a whole epoch with 2 workers, the start included. CPU time is that of the process and of its workers,
and depends less on what else runs. Before timing, the frames of all loaders are
compared for the first rows: the numbers of the frames, and the mean difference of their pixels.
"""

from __future__ import annotations

import argparse
import csv
import glob
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import decord
import numpy as np
import torch
from measure import cpu_seconds
from torch.utils.data import DataLoader, Dataset, get_worker_info
from torchcodec.decoders import VideoDecoder
from torchvision.transforms import v2

import spool

SIZE, FRAMES, BATCH, WORKERS = 224, 8, 16, 2
FPS = 30  # of the videos

Row = tuple[str, float, float, int]


def write(videos: list[str], folder: Path, count: int) -> list[Row]:
    """Write videos of a minute, and a table of segments of them."""
    draw = random.Random(5)
    files = []
    for i, video in enumerate(videos):
        file = folder / f"{i}.mp4"
        command = ["ffmpeg", "-v", "error", "-stream_loop", "5", "-i", video, "-c", "copy", "-an", str(file)]
        subprocess.run(command, check=True)
        files.append(str(file))
    rows = []
    for i in range(count):
        begin, length = draw.randrange(50 * FPS), draw.randrange(3 * FPS, 8 * FPS)
        rows.append((draw.choice(files), begin / FPS, (begin + length) / FPS, i % 10))
    with (folder / "segments.csv").open("w", newline="") as f:
        csv.writer(f).writerows([("video", "start", "end", "action"), *rows])
    return rows


def numbers(row: Row) -> list[int]:
    """The frames of a row: the middles of equal parts of its window."""
    first, n = round(row[1] * FPS), round((row[2] - row[1]) * FPS)
    return [first + min(n - 1, (2 * k + 1) * n // (2 * FRAMES)) for k in range(FRAMES)]


class Rows(Dataset[Any]):
    """Rows, decoded by a function."""

    def __init__(self, rows: list[Row], decode: Callable[[str, list[int]], torch.Tensor]) -> None:
        self.rows, self.decode = rows, decode

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        row = self.rows[i]
        return self.decode(row[0], numbers(row)), row[3]


def threads() -> int:
    """The threads of a decoder: 0, which lets the library choose, or 1 in a worker."""
    return 0 if get_worker_info() is None else 1


def with_decord(file: str, frames: list[int]) -> torch.Tensor:
    reader = decord.VideoReader(file, width=SIZE, height=SIZE, num_threads=threads())
    return torch.from_numpy(reader.get_batch(frames).asnumpy())


RESIZE = v2.Resize((SIZE, SIZE), antialias=True)


def with_torchcodec(file: str, frames: list[int]) -> torch.Tensor:
    decoder = VideoDecoder(file, num_ffmpeg_threads=threads(), seek_mode="approximate")
    return RESIZE(decoder.get_frames_at(frames).data)


_open: dict[tuple[int, str], VideoDecoder] = {}  # by process: a forked decoder hangs


def with_cache(file: str, frames: list[int]) -> torch.Tensor:
    key = os.getpid(), file
    if key not in _open:
        _open[key] = VideoDecoder(file, num_ffmpeg_threads=threads(), seek_mode="approximate")
    return RESIZE(_open[key].get_frames_at(frames).data)


def loaders(folder: Path, rows: list[Row]) -> dict[str, Callable[[], Iterator[Any]]]:
    """Return what loads an epoch, by name: spool first."""

    def ours() -> Iterator[Any]:
        fields = {
            "clip": spool.Video("video", size=SIZE, frames=FRAMES, start="start", end="end"),
            "action": spool.Number(dtype="int64"),
        }
        yield from spool.Loader(str(folder / "segments.csv"), fields, batch=BATCH, workers=WORKERS, epochs=1)

    def theirs(decode: Callable[[str, list[int]], torch.Tensor], workers: int) -> Callable[[], Iterator[Any]]:
        return lambda: iter(DataLoader(Rows(rows, decode), batch_size=BATCH, num_workers=workers))

    all_: dict[str, Callable[[], Iterator[Any]]] = {"spool.Loader": ours}
    for name, decode in (("decord", with_decord), ("torchcodec", with_torchcodec), ("cached torchcodec", with_cache)):
        all_[f"a {name} loop"] = theirs(decode, 0)
        all_[f"{name} in a DataLoader"] = theirs(decode, WORKERS)
    return all_


def check(rows: list[Row], loaders: dict[str, Callable[[], Iterator[Any]]]) -> None:
    """Compare the first batches."""
    first = next(iter(loaders["spool.Loader"]()))
    assert first["clip.index"].tolist() == [numbers(row) for row in rows[:BATCH]]
    assert first["action"].tolist() == [row[3] for row in rows[:BATCH]]
    for name, load in list(loaders.items())[1:]:
        frames = next(iter(load()))[0].numpy()
        if frames.shape[-1] != 3:
            frames = frames.transpose(0, 1, 3, 4, 2)
        difference = np.abs(frames.astype(int) - first["clip"]).mean()
        print(f"frames of {name} differ by {difference:.2f} of 255 on average")
        # decord's scaler and chroma differ, so only wrong frames are refused
        assert difference < (4 if "decord" in name else 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", default="bin/bench-media/video/clip*.mp4")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=240)
    o = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        rows = write(sorted(glob.glob(o.videos)), Path(name), o.rows)
        all_ = loaders(Path(name), rows)
        check(rows, all_)
        spent: dict[str, list[tuple[float, float]]] = {k: [] for k in all_}
        for turn in range(o.rounds):
            for k in list(all_) if turn % 2 == 0 else reversed(list(all_)):
                begun, cpu = time.perf_counter(), cpu_seconds()
                for _ in all_[k]():
                    pass
                spent[k].append((time.perf_counter() - begun, cpu_seconds() - cpu))
        ours = spent.pop("spool.Loader")
        for k, theirs in spent.items():
            pairs = list(zip(ours, theirs, strict=True))
            ratios, shares = [b[0] / a[0] for a, b in pairs], [b[1] / a[1] for a, b in pairs]
            rate = o.rows / statistics.median(s for s, _ in ours)
            cpu = statistics.median(c for _, c in ours) / o.rows * 1000
            print(
                f"segments: {rate:.0f} samples/s, {statistics.median(ratios):.2f} times the rate of {k} "
                f"({min(ratios):.2f} to {max(ratios):.2f}, {o.rounds} rounds); {cpu:.1f} ms of CPU time a sample, "
                f"of which {k} takes {statistics.median(shares):.2f} times as much "
                f"({min(shares):.2f} to {max(shares):.2f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
