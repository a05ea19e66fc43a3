"""spool.lerobot beside LeRobot's rules, written down again: rows by pyarrow, frames by torchcodec, torch's collate."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pyarrow.parquet as pq
import pytest
import torch
from torch.utils.data import DataLoader, default_collate
from torchcodec.decoders import VideoDecoder

import spool
import spool.errors
import spool.lerobot

DATA = Path(__file__).resolve().parents[3] / "source/lerobot/testdata"
FRONT, WRIST = "observation.images.front", "observation.images.wrist"
DELTAS = {
    FRONT: [-0.3, -0.1, 0, 0.1],
    WRIST: [-0.1],
    "observation.state": [-0.1, 0],
    "observation.force": [0.2],
    "action": [i / 10 for i in range(12)],
    "next.reward": [0, 0.1],
    "next.done": [-2, 5],
}


class Reference:
    """The items of LeRobotDataset, as its dataset_reader.py makes them."""

    def __init__(self, root: Path, deltas: dict[str, list[float]] | None = None, uint8: bool = False) -> None:
        self.root, self.deltas, self.uint8 = root, deltas or {}, uint8
        self.info = json.loads((root / "meta/info.json").read_text())
        self.episodes = [e for f in sorted(root.glob("meta/episodes/*/*")) for e in pq.read_table(f).to_pylist()]
        self.rows = [r for f in sorted(root.glob("data/*/*")) for r in pq.read_table(f).to_pylist()]
        table = pq.read_table(root / "meta/tasks.parquet").to_pylist()
        self.tasks = [next(v for v in row.values() if isinstance(v, str)) for row in table]
        self.decoders: dict[Path, VideoDecoder] = {}

    def __getitem__(self, i: int) -> dict[str, Any]:
        row = self.rows[i]
        episode = self.episodes[row["episode_index"]]
        first, end = episode["dataset_from_index"], episode["dataset_to_index"]
        item: dict[str, Any] = {}
        for key, feature in self.info["features"].items():
            if key == "observation.far":  # of an unknown type
                continue
            offsets = [round(d * self.info["fps"]) for d in self.deltas.get(key, [0])]
            rows = [self.rows[max(first, min(end - 1, i + n))] for n in offsets]
            if key in self.deltas:
                item[f"{key}_is_pad"] = torch.BoolTensor([not first <= i + n < end for n in offsets])
            if feature["dtype"] == "video":
                item[key] = self.frames(key, episode, [r["timestamp"] for r in rows])
            elif key in self.deltas:
                item[key] = torch.stack([self.value(r[key]) for r in rows])
            else:
                item[key] = self.value(row[key])
        return {**item, "task": self.tasks[row["task_index"]]}

    def value(self, x: Any) -> Any:
        if isinstance(x, list) and x and isinstance(x[0], dict) or x == []:  # of language
            return [{**e, "tool_calls": e["tool_calls"] and [json.loads(c) for c in e["tool_calls"]]} for e in x]
        if isinstance(x, dict) and str(x["path"]).startswith("depth"):
            return torch.from_numpy(np.array(PIL.Image.open(io.BytesIO(x["bytes"]))).astype(np.float32))[None]
        if isinstance(x, dict):
            pixels = np.array(PIL.Image.open(io.BytesIO(x["bytes"])).convert("RGB"))
            return torch.from_numpy(pixels).permute(2, 0, 1).float() / 255
        return x if isinstance(x, str) else torch.tensor(x)

    def frames(self, key: str, episode: dict[str, Any], times: Sequence[float]) -> torch.Tensor:
        place = {k: episode[f"videos/{key}/{k}"] for k in ("chunk_index", "file_index", "from_timestamp")}
        path = self.root / self.info["video_path"].format(video_key=key, **place)
        decoder = self.decoders.setdefault(path, VideoDecoder(str(path), seek_mode="exact"))
        frames = decoder.get_frames_at([round((place["from_timestamp"] + t) * self.info["fps"]) for t in times]).data
        return (frames if self.uint8 else (frames / 255.0).type(torch.float32)).squeeze(0)


LANGUAGE = ("language_persistent", "language_events")


def same(got: dict[str, Any], want: dict[str, Any]) -> None:
    assert set(got) == set(want)
    for key, value in want.items():
        if isinstance(value, torch.Tensor):
            assert got[key].dtype == value.dtype, key
            assert got[key].shape == value.shape, key
            assert torch.equal(got[key], value), key
        else:
            assert list(got[key]) == list(value), key


@pytest.mark.parametrize("uint8", [False, True])
@pytest.mark.parametrize("deltas", [None, DELTAS])
def test_items(deltas: dict[str, list[float]] | None, uint8: bool) -> None:
    """Every row of every episode, in order and shuffled."""
    reference = Reference(DATA / "arm", deltas, uint8)
    loader = spool.lerobot.Loader(DATA / "arm", delta_timestamps=deltas, return_uint8=uint8, batch=5, last="keep")
    rows: list[int] = []
    for batch in loader:
        rows += batch["index"].tolist()
        same(batch, default_collate([reference[i] for i in rows[-len(batch["index"]) :]]))
    assert rows == list(range(32))
    assert len(loader) == 7
    assert loader.samples == 32
    assert loader.fps == 10
    assert loader.features == reference.info["features"]

    options: dict[str, Any] = {"delta_timestamps": deltas, "return_uint8": uint8, "shuffle": True}
    shuffled = spool.lerobot.Loader(str(DATA / "arm"), batch=8, **options)
    seen = [i for batch in shuffled for i in checked(batch, reference)]
    assert sorted(seen) == rows
    assert seen != rows


@pytest.mark.parametrize("name", ["rows", "windows"])
def test_written_by_lerobot(name: str) -> None:
    """A data set of LeRobot's own writer, in AV1, has the items that LeRobotDataset has given: gen_written.py."""
    recorded = json.loads((DATA / "written.json").read_text())[name]
    deltas, expected = recorded["delta_timestamps"], recorded["items"]
    dataset = spool.lerobot.Dataset(DATA / "written", delta_timestamps=deltas)
    items: Any = [dataset[i] for i in range(len(dataset))]
    assert {key: summary([item[key] for item in items]) for key in items[0]} == expected
    batches = list(spool.lerobot.Loader(DATA / "written", delta_timestamps=deltas, batch=9, last="keep"))
    assert {key: summary([x for batch in batches for x in batch[key]]) for key in batches[0]} == expected
    assert batches[0].array("index") is batches[0]["index"]
    with pytest.raises(TypeError, match="task: the feature is a list"):
        batches[0].array("task")


def summary(rows: list[Any]) -> list[Any]:
    """What gen_written.py records of the rows of a key."""
    if not isinstance(rows[0], torch.Tensor):
        return rows
    values = torch.stack(rows).numpy()
    return [str(values.dtype), list(values.shape[1:]), hashlib.sha256(values.tobytes()).hexdigest()]


def checked(batch: dict[str, Any], reference: Reference) -> Iterator[int]:
    rows = batch["index"].tolist()
    same(batch, default_collate([reference[i] for i in rows]))
    yield from rows


def test_images() -> None:
    """Images and depth maps in the rows, alone and in windows; a feature of an unknown type is left out."""
    depth = {"observation.depth": [0, 0.1], "observation.image": [0]}
    for deltas in (None, {"observation.image": [-0.1, 0, 0.1]}, {"observation.image": [0.1]}, depth):
        reference = Reference(DATA / "stills", deltas)
        with pytest.warns(UserWarning, match=r"not loaded: observation\.far$"):
            (batch,) = spool.lerobot.Loader(DATA / "stills", delta_timestamps=deltas, batch=5, return_uint8=not deltas)
        items = [reference[i] for i in range(5)]
        language = {name: [item.pop(name) for item in items] for name in LANGUAGE}  # default_collate cannot take these
        same(batch, {**default_collate(items), **language})
    (metres,) = spool.lerobot.Loader(DATA / "stills", depth_output_unit="m", output="numpy")
    np.testing.assert_array_equal(metres["observation.depth"], batch["observation.depth"][:, 0].numpy() / 1000)


def depth_videos(root: Path, codes: np.ndarray[Any, Any]) -> None:
    """Replace the videos of a camera by depth maps of LeRobot's coding: 12 bits of gray, lossless."""
    for video in sorted((root / "videos" / WRIST).rglob("*.mp4")):
        frames = VideoDecoder(str(video)).metadata.num_frames or 0
        command = "ffmpeg -v error -y -f rawvideo -pix_fmt gray12le -video_size 48x64 -r 10 -i - -c:v libx265"
        command += " -x265-params lossless=1:log-level=none:bframes=0 -video_track_timescale 10240"
        subprocess.run([*command.split(), str(video)], input=codes[:frames].tobytes(), check=True)


def distances(codes: torch.Tensor, near: float, far: float, shift: float, log: bool) -> torch.Tensor:
    """Return the metres of codes: LeRobot's rule, in double precision."""
    part = codes.double() / 4095
    if not log:
        return near + part * (far - near)
    first, last = np.log(near + shift), np.log(far + shift)
    return torch.exp(first + part * (last - first)) - shift


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("deltas", [None, {WRIST: [-0.1, 0]}])
def test_depth_videos(tmp_path: Path, log: bool, deltas: dict[str, list[float]] | None) -> None:
    """Depth maps in videos have the distances that LeRobot computes from their codes."""
    root = tmp_path / "arm"
    shutil.copytree(DATA / "arm", root)
    codes = np.random.default_rng(1).integers(0, 4096, (40, 64, 48)).astype("<u2")
    depth_videos(root, codes)
    info = json.loads((root / "meta/info.json").read_text())
    feature = info["features"][WRIST]
    feature |= {"shape": [64, 48, 1], "names": ["height", "width", "channels"]}
    feature["info"] = {"is_depth_map": True}
    if not log:
        feature["info"] |= {"video.depth_min": 0.5, "video.depth_max": 3, "video.shift": 0, "video.use_log": False}
    (root / "meta/info.json").write_text(json.dumps(info))
    reference = Reference(root, deltas)
    firsts = [e[f"videos/{WRIST}/from_timestamp"] for e in reference.episodes]
    for unit in ("mm", "m"):
        loader = spool.lerobot.Loader(root, delta_timestamps=deltas, depth_output_unit=unit, batch=7)
        for batch in loader:
            got = batch[WRIST]
            assert got.dtype == torch.float32
            for i, map_ in zip(batch["index"].tolist(), got, strict=True):
                row = reference.rows[i]
                first = reference.episodes[row["episode_index"]]["dataset_from_index"]
                rows = [max(first, i + n) for n in ([-1, 0] if deltas else [0])]
                times = [firsts[row["episode_index"]] + reference.rows[k]["timestamp"] for k in rows]
                stored = torch.from_numpy(codes[[round(10 * t) for t in times]].astype(int))
                want = distances(stored, *((0.01, 10, 3.5) if log else (0.5, 3, 0)), log)[:, None]
                want = want if deltas else want[0]
                assert map_.shape == want.shape
                torch.testing.assert_close(
                    map_.double(), want if unit == "m" else want * 1000, rtol=0, atol=1e-5 if unit == "m" else 0.501
                )
    item = spool.lerobot.Dataset(root, delta_timestamps=deltas, depth_output_unit="m")[3]
    torch.testing.assert_close(item[WRIST], next(iter(loader))[WRIST][3])


@pytest.mark.parametrize("root", ["arm", "stills"])
@pytest.mark.parametrize("deltas", [False, True])
@pytest.mark.filterwarnings("ignore:.*observation.far")
def test_dataset(root: str, deltas: bool) -> None:
    """Items of a dataset, one by one, in slices, from episodes, and in a DataLoader with workers."""
    windows = {"arm": DELTAS, "stills": {"observation.image": [-0.1, 0], "observation.depth": [0.1]}}[root]
    given = windows if deltas else None
    reference = Reference(DATA / root, given)
    dataset = spool.lerobot.Dataset(DATA / root, delta_timestamps=given)
    n = {"arm": 32, "stills": 5}[root]
    assert len(dataset) == n
    for i in (*range(n), -1):
        item = dataset[i]
        assert isinstance(item, dict)
        same(item, reference[i % n])
        assert {k: type(v) for k, v in item.items()} == {k: type(v) for k, v in reference[i % n].items()}
    for item, i in zip(dataset[1:4], range(1, 4), strict=True):
        same(item, reference[i])
    assert dataset[n:] == []
    assert sum(1 for _ in dataset) == n
    with pytest.raises(IndexError):
        dataset[n]

    episodes = spool.lerobot.Dataset(DATA / root, delta_timestamps=given, episodes=[1])
    first = 3 if root == "stills" else 7
    same(episodes[0], reference[first])
    again = pickle.loads(pickle.dumps(dataset))
    same(again[2], reference[2])
    if root == "arm":
        for workers in (0, 2):
            context = "forkserver" if workers else None
            loader = DataLoader(dataset, 5, num_workers=workers, multiprocessing_context=context)
            rows: list[int] = []
            for batch in loader:
                rows += batch["index"].tolist()
                same(batch, default_collate([reference[i] for i in rows[-len(batch["index"]) :]]))
            assert rows == list(range(n))


def test_dataset_options() -> None:
    """A transform of images, NumPy, the random choices of epochs, and what a dataset says of itself."""
    dataset = spool.lerobot.Dataset(DATA / "arm", image_transforms=lambda image: image.mean(), output="numpy")
    reference = Reference(DATA / "arm")
    item, want = dataset[3], reference[3]
    assert isinstance(item, dict)
    assert np.allclose(item[FRONT], want[FRONT].mean())
    assert item["action"].tolist() == want["action"].tolist()
    assert (dataset.fps, list(dataset.features)) == (10, list(reference.info["features"]))
    assert dataset.meta["total_frames"] == 32
    drawn = spool.lerobot.Dataset(DATA / "arm", cameras={"size": 16, "train": True})
    first = drawn[3]
    assert isinstance(first, dict)
    drawn.set_epoch(1)
    assert not torch.equal(first[FRONT], drawn[3][FRONT])  # type: ignore[call-overload, index]
    drawn.set_epoch(0)
    assert torch.equal(first[FRONT], drawn[3][FRONT])  # type: ignore[call-overload, index]
    with pytest.raises(TypeError, match="image_transforms"):
        spool.lerobot.Dataset(DATA / "arm", image_transforms=3)  # type: ignore[arg-type]
    with pytest.raises((ValueError, spool.DecodeError)):
        spool.lerobot.Dataset(DATA / "none")[0]
    with pytest.raises(TypeError, match="did you mean episodes"):
        spool.lerobot.Dataset(DATA / "arm", episode=[1])  # type: ignore[arg-type]


def test_episodes_and_state() -> None:
    """A choice of episodes, the rest of an epoch, NumPy, other sizes, and a pickled loader."""
    reference = Reference(DATA / "arm", DELTAS)
    options: dict[str, Any] = {"delta_timestamps": DELTAS, "episodes": [4, 1], "batch": 3, "shuffle": True}
    loader = spool.lerobot.Loader(DATA / "arm", **options)
    whole = [list(checked(batch, reference)) for batch in loader]
    assert sorted(sum(whole, [])) == [*range(7, 12), *range(22, 28)]
    loader = spool.lerobot.Loader(DATA / "arm", **options)
    loop = iter(loader)
    assert [list(checked(next(loop), reference))] == whole[:1]
    again = pickle.loads(pickle.dumps(loader))
    assert [list(checked(batch, reference)) for batch in again] == whole[1:]
    batch = pickle.loads(pickle.dumps(next(iter(spool.lerobot.Loader(DATA / "arm", **options)))))
    assert batch["index"].tolist() == whole[0]
    assert batch.batch.keys[0].startswith("episode-00000")

    small = spool.lerobot.Loader(DATA / "arm", output="numpy", cameras={"size": (16, 24)}, batch=32)
    (arrays,) = small
    assert arrays[FRONT].shape == (32, 3, 16, 24)
    assert arrays[FRONT].dtype == np.float32
    assert arrays["next.done"].dtype == bool
    assert arrays["observation.force"].dtype == np.float32


def test_errors(tmp_path: Path) -> None:
    """Wrong arguments, and rows that are bad."""
    for options, text in (
        ({"delta_timestamps": {"action": [0.05]}}, "no multiple of 1/10"),
        ({"delta_timestamps": {"acton": [0]}}, "did you mean action?"),
        ({"episodes": [9]}, "has 6 episodes"),
        ({"cameras": {"times": [0], "stride": 3}}, "stride"),
    ):
        with pytest.raises(ValueError, match=text):
            list(spool.lerobot.Loader(DATA / "arm", **options))
    for options in ({"delta_timestamps": [0]}, {"delta_timestamp": {}}, {"cameras": {"sise": 3}}):
        with pytest.raises(TypeError):
            spool.lerobot.Loader(DATA / "arm", **options)
    with pytest.raises(ValueError, match="numpy"):
        spool.lerobot.Loader(DATA / "arm", output="jax")
    with pytest.raises((ValueError, spool.DecodeError)):
        list(spool.lerobot.Loader(DATA))
    root = shutil.copytree(DATA / "arm", tmp_path / "arm")
    (root / f"videos/{WRIST}/chunk-001/file-000.mp4").unlink()
    loader = spool.lerobot.Loader(root, batch=32)
    assert sum(len(batch["index"]) for batch in loader) == 22
    assert {f["field"] for f in loader.failures} == {WRIST}
    assert {int(f["id"]) for f in loader.failures} == set(range(22, 32))
    with pytest.raises(spool.errors.NotFoundError, match=r"file-000\.mp4"):
        list(spool.lerobot.Loader(root, on_error="fail"))


@pytest.mark.parametrize("call", [spool.lerobot.Loader, spool.lerobot.Dataset])
def test_other_folder(call: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"meta/info\.json: not-found: no such file, which each LeRobot"):
        call(tmp_path)
