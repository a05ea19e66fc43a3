#!/usr/bin/env python3
"""Loads random rows of a LeRobot data set with spool.lerobot and in LeRobot's way, in turns, and prints the ratios.

    bench/peers/lerobot.py [--photos 'bin/bench-media/photos/*.jpg'] [--folder DIR] [--rounds 5] [--deltas near|far]

The data set has 50 episodes of 3 cameras, in MP4 files that 25 of them share. Frames have 640x480 pixels, 30 a second,
and are encoded like LeRobot's: AV1 with a key frame every 2 frames and crf 30. A sample has 4 frames of each camera and
64 actions. The frames are at the times of LeRobot's example (far) or in succession (near).

LeRobot's way is that of its dataset_reader.py and video_utils.py. It keeps a VideoDecoder of torchcodec for each file
in a dict, with seek_mode="approximate". get_frames_at decodes the cameras of an item in threads, and torch's default
function collates items. It runs in one process, and in a DataLoader with 2 workers. Its rows are arrays in memory,
which costs less than its own lookup. spool runs with 2 workers. Before timing, all values of some batches are compared.
Rates are those of a whole pass, the start included.
"""

from __future__ import annotations

import argparse
import glob
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from torch.utils.data import DataLoader, Dataset, Subset, default_collate
from torchcodec.decoders import VideoDecoder

import spool.lerobot

FPS, SIZE, BATCH, WORKERS = 30, (640, 480), 8, 2
EPISODES, SHARED = 50, 25  # episodes, and how many of them a file has
CAMERAS = ["observation.images.top", "observation.images.left", "observation.images.right"]
TIMES = {"far": [-1, -0.5, -0.2, 0], "near": [-3 / FPS, -2 / FPS, -1 / FPS, 0]}
VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"


def scene(photo: str, seed: int, frames: int) -> Iterator[bytes]:
    """Yield the frames of an episode: a view that moves over a photo, an object on it, and the noise of a sensor."""
    draw = np.random.default_rng(seed)
    with PIL.Image.open(photo) as image:
        wide = np.asarray(image.convert("RGB").resize((960, 720)))
    angle, grain = draw.uniform(0, 6), draw.integers(-4, 5, (8, SIZE[1], SIZE[0], 1), np.int16)
    for f in range(frames):
        x, y = (int(160 + 150 * np.sin(angle + f / 40)), int(120 + 100 * np.cos(angle + f / 30)))
        view = wide[y : y + SIZE[1], x : x + SIZE[0]].astype(np.int16) + grain[f % 8]
        x, y = int(280 + 240 * np.cos(f / 15)), int(200 + 150 * np.sin(f / 12))
        view[y : y + 60, x : x + 80] = (200, 60 + seed, 40)
        yield np.clip(view, 0, 255).astype(np.uint8).tobytes()


def write(root: Path, photos: list[str], frames: int) -> None:
    """Write the data set."""
    features: dict[str, Any] = {
        name: {"dtype": "video", "shape": [SIZE[1], SIZE[0], 3], "names": ["height", "width", "channels"]}
        for name in CAMERAS
    }
    features |= {name: {"dtype": "float32", "shape": [14], "names": None} for name in ("observation.state", "action")}
    features |= {"timestamp": {"dtype": "float32", "shape": [1], "names": None}}
    features |= {
        name: {"dtype": "int64", "shape": [1], "names": None}
        for name in ("frame_index", "episode_index", "index", "task_index")
    }
    info = {
        "codebase_version": "v3.0", "fps": FPS, "features": features, "total_episodes": EPISODES, "total_tasks": 1,
        "total_frames": EPISODES * frames, "data_path": DATA, "video_path": VIDEO,
    }  # fmt: skip
    (root / "meta/episodes/chunk-000").mkdir(parents=True)
    (root / "data/chunk-000").mkdir(parents=True)
    (root / "meta/info.json").write_text(json.dumps(info))
    pq.write_table(pa.table({"task_index": [0], "task": ["move"]}), root / "meta/tasks.parquet")
    episodes = []
    for e in range(EPISODES):
        row = {"episode_index": e, "dataset_from_index": e * frames, "dataset_to_index": (e + 1) * frames}
        row |= {"data/chunk_index": 0, "data/file_index": 0, "length": frames}
        for name in CAMERAS:
            place = {"chunk_index": 0, "file_index": e // SHARED, "from_timestamp": e % SHARED * frames / FPS}
            row |= {f"videos/{name}/{k}": v for k, v in place.items()}
        episodes.append(row)
    pq.write_table(pa.Table.from_pylist(episodes), root / "meta/episodes/chunk-000/file-000.parquet")
    n = np.arange(EPISODES * frames)
    vectors = {k: np.sin(n[:, None] / 50 + np.arange(14)).astype(np.float32) for k in ("observation.state", "action")}
    columns: dict[str, Any] = {k: pa.array(list(v), pa.list_(pa.float32(), 14)) for k, v in vectors.items()}
    columns |= {"timestamp": (n % frames / FPS).astype(np.float32), "frame_index": n % frames}
    columns |= {"episode_index": n // frames, "index": n, "task_index": 0 * n}
    pq.write_table(pa.table(columns), root / "data/chunk-000/file-000.parquet", row_group_size=frames)
    for c, name in enumerate(CAMERAS):
        for file in range(EPISODES // SHARED):
            to = root / VIDEO.format(video_key=name, chunk_index=0, file_index=file)
            to.parent.mkdir(parents=True, exist_ok=True)
            command = f"ffmpeg -loglevel error -f rawvideo -pix_fmt rgb24 -s {SIZE[0]}x{SIZE[1]} -r {FPS} -i - "
            command += "-c:v libsvtav1 -preset 12 -pix_fmt yuv420p -g 2 -crf 30"
            with subprocess.Popen([*command.split(), str(to)], stdin=subprocess.PIPE) as encoder:
                assert encoder.stdin
                for e in range(file * SHARED, (file + 1) * SHARED):
                    for pixels in scene(photos[(3 * e + c) % len(photos)], 3 * e + c, frames):
                        encoder.stdin.write(pixels)
            assert encoder.returncode == 0


class LeRobotWay(Dataset[dict[str, Any]]):
    """Items as LeRobotDataset makes them."""

    def __init__(self, root: Path, deltas: dict[str, list[float]]) -> None:
        self.root = root
        self.offsets = {k: [round(d * FPS) for d in v] for k, v in deltas.items()}
        self.episodes = pq.read_table(root / "meta/episodes").to_pylist()
        table = pq.read_table(root / "data/chunk-000/file-000.parquet")
        self.columns = {k: torch.tensor(np.stack(table[k].to_numpy())) for k in table.column_names}
        self.decoders: dict[str, VideoDecoder] = {}

    def __len__(self) -> int:
        return len(self.columns["index"])

    def decode(self, name: str, times: list[float], episode: dict[str, Any]) -> tuple[str, torch.Tensor]:
        place = {k: episode[f"videos/{name}/{k}"] for k in ("chunk_index", "file_index")}
        path = str(self.root / VIDEO.format(video_key=name, **place))
        decoder = self.decoders.get(path)
        if decoder is None:
            decoder = self.decoders[path] = VideoDecoder(path, seek_mode="approximate")
        times = [episode[f"videos/{name}/from_timestamp"] + t for t in times]
        batch = decoder.get_frames_at(indices=[round(t * decoder.metadata.average_fps) for t in times])
        distance = torch.cdist(torch.tensor(times)[:, None], batch.pts_seconds.float()[:, None], p=1)
        least, nearest = distance.min(1)
        assert (least <= 1e-4).all()
        frames = torch.stack([batch.data[i] for i in nearest])
        return name, (frames / 255.0).type(torch.float32).squeeze(0)

    def __getitem__(self, i: int) -> dict[str, Any]:
        item = {k: v[i] for k, v in self.columns.items()}
        episode = self.episodes[int(item["episode_index"])]
        first, end = episode["dataset_from_index"], episode["dataset_to_index"]
        rows = {k: [max(first, min(end - 1, i + n)) for n in v] for k, v in self.offsets.items()}
        for k, v in self.offsets.items():
            item[f"{k}_is_pad"] = torch.BoolTensor([not first <= i + n < end for n in v])
        item["action"] = self.columns["action"][rows["action"]]
        times = {k: self.columns["timestamp"][rows[k]].tolist() for k in CAMERAS}
        with ThreadPoolExecutor(max_workers=len(CAMERAS)) as pool:
            futures = [pool.submit(self.decode, k, t, episode) for k, t in times.items()]
            item |= dict(f.result() for f in futures)
        return {**item, "task": "move"}


def check(ours: spool.lerobot.Loader, theirs: LeRobotWay, batches: int) -> None:
    """Compare some batches: keys, types and all values."""
    for n, batch in enumerate(ours):
        want = default_collate([theirs[int(i)] for i in batch["index"]])
        assert set(batch) == set(want), set(batch) ^ set(want)
        for k, v in want.items():
            same = torch.equal(batch[k], v) if isinstance(v, torch.Tensor) else list(batch[k]) == list(v)
            assert same and getattr(batch[k], "dtype", None) == getattr(v, "dtype", None), k
        if n + 1 == batches:
            break


def contestants(root: Path, deltas: dict[str, list[float]], rows: list[int]) -> dict[str, Callable[[], Iterator[Any]]]:
    """Return what loads the rows, by name: spool first."""

    def ours() -> Iterator[Any]:
        yield from spool.lerobot.Loader(root, delta_timestamps=deltas, batch=BATCH, sampler=rows, workers=WORKERS)

    def theirs(workers: int) -> Iterator[Any]:
        data = Subset(LeRobotWay(root, deltas), rows)
        yield from DataLoader(data, batch_size=BATCH, num_workers=workers)

    return {"spool": ours, "one process": lambda: theirs(0), "DataLoader": lambda: theirs(WORKERS)}


def seconds(load: Callable[[], Iterator[Any]], batches: int) -> float:
    begun = time.perf_counter()
    assert sum(1 for _ in load()) == batches
    return time.perf_counter() - begun


def run(root: Path, work: str, samples: int, rounds: int) -> None:
    """Measure one choice of deltas."""
    deltas = {**dict.fromkeys(CAMERAS, TIMES[work]), "action": [n / FPS for n in range(64)]}
    total = json.loads((root / "meta/info.json").read_text())["total_frames"]
    rows = torch.randperm(total, generator=torch.Generator().manual_seed(1))[:samples].tolist()
    check(
        spool.lerobot.Loader(root, delta_timestamps=deltas, batch=BATCH, sampler=rows, workers=WORKERS),
        LeRobotWay(root, deltas),
        4,
    )
    loaders = contestants(root, deltas, rows)
    took: dict[str, list[float]] = {k: [] for k in loaders}
    for turn in range(rounds):
        for k in list(loaders) if turn % 2 == 0 else reversed(list(loaders)):
            took[k].append(seconds(loaders[k], -(-samples // BATCH)))
    print(f"{work}: " + ", ".join(f"{k} {samples / statistics.median(v):.1f} samples/s" for k, v in took.items()))
    for k in list(loaders)[1:]:
        ratios = [b / a for a, b in zip(took["spool"], took[k], strict=True)]
        print(f"  {statistics.median(ratios):.2f} times {k} ({min(ratios):.2f} to {max(ratios):.2f}, {rounds} rounds)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", default="bin/bench-media/photos/*.jpg")
    parser.add_argument("--folder", type=Path, help="where the data set is, or will be written and stay")
    parser.add_argument("--frames", type=int, default=100, help="frames of an episode")
    parser.add_argument("--samples", type=int, default=320)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deltas", action="append", choices=list(TIMES))
    o = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        root = o.folder or Path(name)
        if not (root / "meta/info.json").exists():
            if not (photos := sorted(glob.glob(o.photos))):
                parser.error(f"no photos match {o.photos}")
            write(root, photos, o.frames)
        for work in o.deltas or list(TIMES):
            run(root, work, o.samples, o.rounds)


if __name__ == "__main__":
    main()
