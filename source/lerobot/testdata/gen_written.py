"""Writes the data set of the folder written by LeRobot itself, and what LeRobotDataset makes of it.

python gen_written.py   # pip install lerobot==0.4.4

By configuration and key: the type and shape of a row's array, and the digest of all rows; other values as they are.
"""

import hashlib
import json
import pathlib
import shutil

import numpy as np
import pandas
import PIL.Image
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset

HERE = pathlib.Path(__file__).parent
FPS, LENGTHS, HEIGHT, WIDTH = 20, [9, 6, 12, 5], 48, 64  # of the cameras
FRONT, WRIST, STILL = (f"observation.images.{name}" for name in ("front", "wrist", "still"))
SUBTASKS = ["reach", "grasp", "lift"]
PHOTOS = sorted((HERE.parents[2] / "testdata/photos/animal").glob("*.jpg"))
WINDOWS = {
    "rows": None,
    "windows": {
        FRONT: [-0.1, -0.05, 0],
        WRIST: [0.1],
        STILL: [-0.05, 0],
        "observation.state": [-0.1, 0],
        "action": [i / FPS for i in range(8)],
        "next.reward": [0, 0.05],
        "next.done": [-0.5, 0.5],
    },
}


def pixels(camera, episode, frame):
    """A part of a photo that moves with the frame."""
    with PIL.Image.open(PHOTOS[(3 * episode + camera) % len(PHOTOS)]) as photo:
        left = 4 * frame
        return np.asarray(photo.convert("RGB").resize((WIDTH + 48, HEIGHT)).crop((left, 0, left + WIDTH, HEIGHT)))


def write(root):
    picture = {"shape": (HEIGHT, WIDTH, 3), "names": ["height", "width", "channels"]}
    features = {
        FRONT: {"dtype": "video", **picture},
        WRIST: {"dtype": "video", **picture},
        STILL: {"dtype": "image", "shape": (HEIGHT // 2, WIDTH // 2, 3), "names": picture["names"]},
        "observation.state": {"dtype": "float32", "shape": (6,), "names": [f"joint {i}" for i in range(6)]},
        "observation.force": {"dtype": "float64", "shape": (2, 3), "names": None},
        "action": {"dtype": "float32", "shape": (6,), "names": [f"joint {i}" for i in range(6)]},
        "next.reward": {"dtype": "float32", "shape": (1,), "names": None},
        "next.done": {"dtype": "bool", "shape": (1,), "names": None},
        "note": {"dtype": "string", "shape": (1,), "names": None},
        "subtask_index": {"dtype": "int64", "shape": (1,), "names": None},
    }
    dataset = LeRobotDataset.create("tests/written", FPS, features, root, robot_type="arm", metadata_buffer_size=2)
    # Files end early, so that there are several.
    dataset.meta.update_chunk_settings(data_files_size_in_mb=0.1, video_files_size_in_mb=0.013)
    draw = np.random.default_rng(1)
    for episode, length in enumerate(LENGTHS):
        for frame in range(length):
            dataset.add_frame({
                FRONT: pixels(0, episode, frame),
                WRIST: pixels(1, episode, frame),
                STILL: pixels(2, episode, frame)[::2, ::2],
                "observation.state": draw.normal(size=6).astype(np.float32),
                "observation.force": draw.normal(size=(2, 3)),
                "action": draw.normal(size=6).astype(np.float32),
                "next.reward": np.array([episode / 3], np.float32),
                "next.done": np.array([frame == length - 1]),
                "note": f"frame {frame}",
                "subtask_index": np.array([min(2, frame // 3)], np.int64),
                "task": ["pick the cube", "open the drawer"][episode % 2],
            })  # fmt: skip
        dataset.save_episode()
    dataset.finalize()
    table = pandas.DataFrame({"subtask_index": range(len(SUBTASKS))}, index=SUBTASKS)
    table.to_parquet(root / "meta/subtasks.parquet")
    table.drop("grasp").to_parquet(HERE / "subtasks.parquet")  # rows without a subtask
    shutil.rmtree(root / "images", ignore_errors=True)
    (root / "meta/stats.json").unlink()  # not read, and long


def summary(values):
    if not isinstance(values[0], torch.Tensor):
        return values
    rows = torch.stack(values).numpy()
    return [str(rows.dtype), list(rows.shape[1:]), hashlib.sha256(rows.tobytes()).hexdigest()]


def main():
    root = HERE / "written"
    shutil.rmtree(root, ignore_errors=True)
    write(root)
    items = {}
    for name, windows in WINDOWS.items():
        dataset = LeRobotDataset("tests/written", root, delta_timestamps=windows, video_backend="torchcodec")
        rows = [dataset[i] for i in range(len(dataset))]
        items[name] = {"delta_timestamps": windows, "items": {k: summary([r[k] for r in rows]) for k in rows[0]}}
    (HERE / "written.json").write_text(json.dumps(items, separators=(",", ":")).replace('"items"', '\n"items"') + "\n")


if __name__ == "__main__":
    main()
