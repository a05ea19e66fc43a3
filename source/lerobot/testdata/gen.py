"""Makes the LeRobot data sets of this folder: arm, with two cameras, and stills, with images in the rows.

python gen.py   # pyarrow 26.0.1, numpy, Pillow, and ffmpeg with libx264 in PATH

Frames show their camera, episode and frame number as bits, in blocks of 8x8 pixels. Other values follow from the
episode e, the frame f and the position k: state 100e + f + k/4, force e - f + k, action f/8 - k, reward e/2.
"""

import io
import json
import pathlib
import shutil
import subprocess

import numpy as np
import PIL.Image
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
FPS = 10
LENGTHS = [7, 5, 1, 9, 6, 4]
TASKS = ["pick the cube", "open the drawer"]
DATA = [(0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (1, 0)]  # chunk and file of each episode
CAMERAS = {  # size, and chunk and file of each episode
    "observation.images.front": ((64, 48), [(0, 0), (0, 0), (0, 1), (0, 1), (0, 1), (0, 1)]),
    "observation.images.wrist": ((48, 64), [(0, 0), (0, 1), (0, 1), (0, 1), (1, 0), (1, 0)]),
}
DEFAULTS = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64"}


def frame(size, camera, episode, number):
    width, height = size
    bits = [camera >> i & 1 for i in range(4)]
    bits += [episode >> i & 1 for i in range(8)] + [number >> i & 1 for i in range(8)]
    blocks = np.zeros(width * height // 64, np.uint8)
    blocks[: len(bits)] = bits
    return np.kron(blocks.reshape(height // 8, width // 8) * 200 + 20, np.ones((8, 8))).astype(np.uint8)


def path(template, at, camera=""):
    return template.format(video_key=camera, chunk_index=at[0], file_index=at[1])


def write(root, features, columns, lengths, data, cameras, tasks, index):
    """Write the files of a data set. columns gives a row's values by episode and frame."""
    shutil.rmtree(root, ignore_errors=True)
    info = {
        "codebase_version": "v3.0", "robot_type": "arm", "total_episodes": len(lengths), "total_frames": sum(lengths),
        "total_tasks": len(tasks), "chunks_size": 1000, "data_files_size_in_mb": 100, "video_files_size_in_mb": 200,
        "fps": FPS, "splits": {"train": f"0:{len(lengths)}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4" if cameras else None,
        "features": features,
    }  # fmt: skip
    for folder in ("meta", "data"):
        (root / folder).mkdir(parents=True)
    (root / "meta/info.json").write_text(json.dumps(info, indent=4))
    table = pa.table({"task_index": range(len(tasks)), index: tasks})
    pq.write_table(table, root / "meta/tasks.parquet")
    first, rows, episodes, groups = 0, {}, [], {}
    for e, length in enumerate(lengths):
        for f in range(length):
            t = {"timestamp": f / FPS, "frame_index": f, "episode_index": e, "index": first + f}
            t["task_index"] = e % len(tasks)
            rows.setdefault(data[e], []).append({**columns(e, f), **t})
        groups.setdefault(data[e], []).append(length)
        episode = {"episode_index": e, "tasks": [tasks[e % len(tasks)]], "length": length}
        episode |= {"data/chunk_index": data[e][0], "data/file_index": data[e][1]}
        episode |= {"dataset_from_index": first, "dataset_to_index": first + length}
        for name, (_, places) in cameras.items():
            start = sum(n for n, at in zip(lengths[:e], places, strict=False) if at == places[e])
            video = {"chunk_index": places[e][0], "file_index": places[e][1]}
            video |= {"from_timestamp": start / FPS, "to_timestamp": (start + length) / FPS}
            episode |= {f"videos/{name}/{k}": v for k, v in video.items()}
        episode["stats/action/mean"] = [0.0, 1.0]
        episodes.append(episode)
        first += length
    half = max(1, len(lengths) - 2)
    for number, part in enumerate((episodes[:half], episodes[half:])):
        to = root / f"meta/episodes/chunk-000/file-{number:03}.parquet"
        to.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(part), to)
    for at, list_ in rows.items():
        to = root / path(info["data_path"], at)
        to.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist(list_, schema(features))
        with pq.ParquetWriter(to, table.schema) as w:  # a row group for each episode, or one for all
            for n in groups[at] if at[1] == 0 else [len(list_)]:
                w.write_table(table.slice(0, n))
                table = table.slice(n)
    for number, (name, (size, places)) in enumerate(cameras.items()):
        for at in dict.fromkeys(places):
            frames = [frame(size, number, e, f) for e, n in enumerate(lengths) if places[e] == at for f in range(n)]
            encode(root / path(info["video_path"], at, name), size, frames)


def schema(features):
    """Return LeRobot's types of columns."""
    fields = []
    for name, f in features.items():
        if f["dtype"] == "language":
            entry = [("role", pa.string()), ("content", pa.string()), ("style", pa.string())]
            entry += [("timestamp", pa.float32())] * (name == "language_persistent")
            entry += [("camera", pa.string()), ("tool_calls", pa.list_(pa.string()))]
            fields.append((name, pa.list_(pa.struct(entry))))
            continue
        if f["dtype"] in ("video", "image"):
            if f["dtype"] == "image":
                fields.append((name, pa.struct([("bytes", pa.binary()), ("path", pa.string())])))
            continue
        kind = {"bool": pa.bool_(), "string": pa.string()}.get(f["dtype"]) or getattr(pa, f["dtype"])()
        if f["shape"] == [1]:
            fields.append((name, kind))
        elif len(f["shape"]) == 1:
            fields.append((name, pa.list_(kind, f["shape"][0])))
        else:
            fields.append((name, pa.list_(pa.list_(kind))))
    return pa.schema(fields)


def encode(to, size, frames):
    to.parent.mkdir(parents=True, exist_ok=True)
    raw = f"-f rawvideo -pix_fmt gray -s {size[0]}x{size[1]} -r {FPS} -i -"
    codec = "-c:v libx264 -preset veryslow -pix_fmt yuv420p -crf 24 -g 4 -bf 2 -threads 1 -fflags +bitexact"
    command = f"ffmpeg -loglevel error -y {raw} {codec} -flags:v +bitexact -video_track_timescale 10240"
    subprocess.run([*command.split(), str(to)], input=b"".join(map(np.ndarray.tobytes, frames)), check=True)


def feature(dtype, *shape, names=None):
    return {"dtype": dtype, "shape": list(shape), "names": names}


ROWS = {
    "observation.state": feature("float32", 3, names=["x", "y", "z"]),
    "observation.force": feature("float64", 2, 3),
    "action": feature("float32", 2, names=["x", "y"]),
    "next.reward": feature("float32", 1),
    "next.done": feature("bool", 1),
    "note": feature("string", 1),
    **{name: feature(dtype, 1) for name, dtype in DEFAULTS.items()},
    "task_index": feature("int64", 1),
}


def columns(e, f):
    return {
        "observation.state": [100 * e + f + k / 4 for k in range(3)],
        "observation.force": [[float(e - f + 3 * i + k) for k in range(3)] for i in range(2)],
        "action": [f / 8 - k for k in range(2)],
        "next.reward": e / 2,
        "next.done": f == LENGTHS[e] - 1,
        "note": f"frame {f} of episode {e}",
    }


def stills(e, f):
    data = io.BytesIO()
    pixels = frame((64, 48), 3, e, f)
    PIL.Image.fromarray(np.stack([pixels, pixels, 255 - pixels], 2)).save(data, "PNG")
    depth = io.BytesIO()
    values = np.arange(48 * 64, dtype=np.uint16).reshape(48, 64) * 20 + 7 * f + e
    PIL.Image.fromarray(values).save(depth, "TIFF")
    said = {"role": "user", "content": f"grab it, {e}", "style": "interjection", "camera": None}
    said["tool_calls"] = [json.dumps({"name": "say", "arguments": {"text": "äh"}})] if f else None
    plan = {"role": "assistant", "content": "reach", "style": "subtask", "timestamp": 0.1, "camera": None}
    return {
        "observation.image": {"bytes": data.getvalue(), "path": f"frame-{f:06}.png"},
        "observation.depth": {"bytes": depth.getvalue(), "path": f"depth-{f:06}.tiff"},
        "language_persistent": [{**plan, "tool_calls": None}] * (1 + e),
        "language_events": [said] * (f % 2),
        "action": [f / 8, e / 2],
    }


def main():
    pictures = ["height", "width", "channels"]
    info = {"video.fps": FPS, "video.codec": "h264", "video.is_depth_map": False}
    cameras = {
        name: {**feature("video", size[1], size[0], 3, names=pictures), "info": info}
        for name, (size, _) in CAMERAS.items()
    }
    depth = feature("image", 48, 64, 1, names=pictures)
    depth = {"observation.depth": {**depth, "info": {"is_depth_map": True, "depth_unit": "mm"}}}
    depth["observation.far"] = feature("points", 48, 64, 1, names=pictures)  # there is no such type
    language = {name: feature("language", 1) for name in ("language_persistent", "language_events")}
    write(HERE / "arm", {**cameras, **ROWS}, columns, LENGTHS, DATA, CAMERAS, TASKS, "task")
    table = pq.read_table(HERE / "arm/meta/episodes/chunk-000/file-001.parquet").to_pylist()
    table[-1]["videos/observation.images.wrist/from_timestamp"] = None
    pq.write_table(pa.Table.from_pylist(table), HERE / "gaps.parquet")  # an episode without a camera's place
    image = {"observation.image": feature("image", 3, 48, 64, names=["channels", "height", "width"])}
    rows = {k: ROWS[k] for k in (*DEFAULTS, "task_index", "action")}
    index = "__index_level_0__"  # as pandas calls one without a name
    features = {**image, **depth, **language, **rows}
    write(HERE / "stills", features, stills, [3, 2], [(0, 0), (0, 0)], {}, TASKS[:1], index)


main()
