#!/usr/bin/env python3
"""Packs photos with spool and with other writers, in turns, and prints the ratios of their rates and CPU times.

    bench/peers/pack.py [--photos DIR] [--samples 100000] [--transcoded 2000] [--rounds 3] [--folder /dev/shm]

The photos are repeated as links in FOLDER, so that no disk is measured. There are two works:

copy   files as they are: spool pack, without options and with --checksum sha256, webdataset.ShardWriter and
       mosaicml-streaming's MDSWriter
small  shorter side 224, JPEG of quality 90: spool pack --resize-shorter 224 --quality 90, and two processes of Pillow
       that each write their half of the samples with webdataset.ShardWriter

MDSWriter runs in an interpreter of its own, which `bench/peers/venv.sh bench/peers/mds.txt` makes; --without mds leaves
it out.

A writer of Python is timed without its imports, spool with the start of its process. The line "start" has spool's times
for one sample. The line "floor" is floor.c, in two processes: it reads the files, and writes their bytes to shards
without names. The CPU time is user and system time of all processes. After the first round all samples are read: the
bytes must be those of the photos, and the pictures must have the size that was asked for.
"""

from __future__ import annotations

import argparse
import atexit
import functools
import hashlib
import io
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import PIL.Image

PER_SHARD, SIDE, QUALITY, PROCESSES = 1000, 224, 90, 2
HERE = Path(__file__).parent
SPOOL = HERE.parents[1] / "bin" / "spool"
Writer = Callable[[list[str], Path], None]


def by_webdataset(files: list[str], out: Path) -> None:
    import webdataset

    with webdataset.ShardWriter(f"{out}/%06d.tar", maxcount=PER_SHARD, verbose=0) as writer:
        for i, name in enumerate(files):
            writer.write({"__key__": f"{i:09d}", "jpg": Path(name).read_bytes()})


def by_mds(files: list[str], out: Path) -> None:
    import streaming

    with streaming.MDSWriter(out=str(out), columns={"jpg": "bytes"}) as writer:
        for name in files:
            writer.write({"jpg": Path(name).read_bytes()})


def read_mds(out: Path) -> None:
    """Write the samples that StreamingDataset reads to a tar file beside them."""
    import streaming

    with tarfile.open(out / "read.tar", "w") as tar:
        for i, sample in enumerate(streaming.StreamingDataset(local=str(out), shuffle=False, batch_size=1)):
            member = tarfile.TarInfo(f"{i:09d}.jpg")
            member.size = len(sample["jpg"])
            tar.addfile(member, io.BytesIO(sample["jpg"]))


def smaller(name: str) -> bytes:
    image = PIL.Image.open(name).convert("RGB")
    scale = SIDE / min(image.size)
    image = image.resize((round(image.width * scale), round(image.height * scale)), PIL.Image.Resampling.BILINEAR)
    data = io.BytesIO()
    image.save(data, "JPEG", quality=QUALITY)
    return data.getvalue()


def pillow_half(files: list[str], out: Path, half: int) -> None:
    import webdataset

    part = files[half::PROCESSES]
    with webdataset.ShardWriter(f"{out}/{half}-%06d.tar", maxcount=PER_SHARD, verbose=0) as writer:
        for i, name in enumerate(part):
            writer.write({"__key__": f"{half + PROCESSES * i:09d}", "jpg": smaller(name)})


def by_pillow(files: list[str], out: Path) -> None:
    workers = [multiprocessing.Process(target=pillow_half, args=(files, out, half)) for half in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0


WRITERS: dict[str, Writer] = {"webdataset": by_webdataset, "mds": by_mds, "pillow": by_pillow}
SPOOLS: dict[str, list[str]] = {
    "spool": [],
    "spool sha256": ["--checksum", "sha256"],
    "spool small": ["--resize-shorter", str(SIDE), "--quality", str(QUALITY)],
}
WORKS = {"copy": ["spool", "floor", "spool sha256", "webdataset", "mds"], "small": ["spool small", "pillow"]}


def cpu_seconds(times: os.times_result) -> float:
    return sum(times[:4])


def inside(name: str, listed: Path, out: Path) -> None:
    """Run a writer of Python in this process, and print its seconds and those of the CPUs."""
    if name == "read mds":
        read_mds(out)
        return
    files = listed.read_text().splitlines()
    for module in {"webdataset": ["webdataset"], "mds": ["streaming"], "pillow": ["webdataset"]}[name]:
        __import__(module)
    cpu, began = cpu_seconds(os.times()), time.perf_counter()
    WRITERS[name](files, out)
    print(json.dumps([time.perf_counter() - began, cpu_seconds(os.times()) - cpu]))


@functools.cache
def interpreter(name: str) -> str:
    """Return the Python interpreter that has a writer."""
    if name != "mds":
        return sys.executable
    script = [HERE / "venv.sh", HERE / "mds.txt"]
    own = {**os.environ, "SPOOL_PEERS_PYTHON": ""}
    return subprocess.run(script, check=True, stdout=subprocess.PIPE, text=True, env=own).stdout.strip()


@functools.cache
def floor() -> Path:
    """Build floor.c, and return the program."""
    program = Path(tempfile.mkdtemp()) / "floor"
    atexit.register(shutil.rmtree, program.parent)
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, HERE / "floor.c"], check=True)
    return program


def timed(*commands: list[str]) -> tuple[float, float]:
    """Run commands side by side, and return their seconds and those of the CPUs."""
    before, began = cpu_seconds(os.times()), time.perf_counter()
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    assert not any([process.wait() for process in processes]), commands
    return time.perf_counter() - began, cpu_seconds(os.times()) - before


def run(name: str, photos: Path, listed: Path, out: Path) -> tuple[float, float]:
    """Run a writer in processes of its own, and return its seconds and those of the CPUs."""
    shutil.rmtree(out, ignore_errors=True)
    if name in SPOOLS:
        return timed([str(SPOOL), "pack", str(photos), "--out", str(out), "--per-shard", str(PER_SHARD), *SPOOLS[name]])
    out.mkdir()
    if name == "floor":
        parts = range(PROCESSES)
        return timed(*([str(floor()), str(listed), str(out), str(k), str(PROCESSES), str(PER_SHARD)] for k in parts))
    command = [interpreter(name), __file__, "--inside", name, str(listed), str(out)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds, cpu = json.loads(text.splitlines()[-1])
    return seconds, cpu


def samples(name: str, out: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each sample. The samples of MDS are written to a tar file by its own reader."""
    if name == "mds":
        subprocess.run([interpreter(name), __file__, "--inside", "read mds", str(out), str(out)], check=True)
    for shard in sorted(out.glob("*.tar")):
        with tarfile.open(shard) as tar:
            for member in tar:
                if member.name.endswith(".jpg"):
                    file = tar.extractfile(member)
                    assert file is not None
                    yield int(member.name.split(".")[0]), file.read()


def verify(name: str, files: list[str], out: Path) -> None:
    """Check that the shards have each sample once, and what it is."""
    if name == "floor":
        blocks = sum(512 + (os.stat(file).st_size + 511) // 512 * 512 for file in files)
        assert blocks == sum(shard.stat().st_size for shard in out.iterdir()), name
        return
    if name in SPOOLS:
        subprocess.run([str(SPOOL), "verify", str(out)], check=True, stdout=subprocess.DEVNULL)
    digests: dict[int, bytes] = {}  # of the photos, by their inode: there are many links to each
    seen = 0
    for i, data in samples(name, out):
        seen += 1
        if name in WORKS["small"]:
            assert min(PIL.Image.open(io.BytesIO(data)).size) == SIDE, (name, i)
            continue
        inode = os.stat(files[i]).st_ino
        want = digests.setdefault(inode, hashlib.sha256(Path(files[i]).read_bytes()).digest())
        assert hashlib.sha256(data).digest() == want, (name, i)
    assert seen == len(files), (name, seen)


def repeat(photos: str, n: int, folder: Path) -> list[str]:
    """Link n photos below a folder, and return their paths in the order in which spool lists them."""
    shutil.rmtree(folder, ignore_errors=True)
    kept = folder.parent / "originals"
    kept.mkdir(parents=True, exist_ok=True)
    originals = []
    for i, name in enumerate(sorted(Path(photos).rglob("*.jpg"))):
        originals.append(shutil.copyfile(name, kept / f"{i}.jpg"))
    files = []
    for i in range(n):
        file = folder / f"{i // 1000:04d}" / f"{i:09d}.jpg"
        file.parent.mkdir(parents=True, exist_ok=True)
        os.link(originals[i % len(originals)], file)
        files.append(str(file))
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", default="../shared/media/photos")
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--transcoded", type=int, default=2000, help="samples of the work small")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--without", action="append", default=[], help="a writer to leave out; may be repeated")
    parser.add_argument("--inside", nargs=3, help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.inside:
        inside(o.inside[0], Path(o.inside[1]), Path(o.inside[2]))
        return
    folder = Path(o.folder) / f"spool-pack-{os.getpid()}"
    try:
        for work, n in (("copy", o.samples), ("small", o.transcoded)):
            files = repeat(o.photos, n, folder / "photos")
            listed = folder / "list"
            listed.write_text("\n".join(files))
            names = [name for name in WORKS[work] if name not in o.without]
            if not names:
                continue
            results: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
            starts = []
            for turn in range(o.rounds):
                starts.append(run(names[0], Path(files[0]), listed, folder / "out"))
                for name in names:
                    results[name].append(run(name, folder / "photos", listed, folder / "out"))
                    if turn == 0:
                        verify(name, files, folder / "out")
            ours = results[names[0]]
            print(f"{work}: {n} samples, medians of {o.rounds} rounds")
            for what, at in (("seconds", 0), ("of the CPUs", 1)):
                start, whole = (statistics.median(t[at] for t in times) for times in (starts, ours))
                print(f"  start          {start:9.3f} s of {whole:.3f} {what} of {names[0]}: {start / whole:.0%}")
            for name, times in results.items():
                rate = n / statistics.median(t for t, _ in times)
                cpu = 1e6 * statistics.median(c for _, c in times) / n
                faster = statistics.median(t[0] / own[0] for t, own in zip(times, ours, strict=True))
                cheaper = statistics.median(t[1] / own[1] for t, own in zip(times, ours, strict=True))
                print(
                    f"  {name:14} {rate:9.0f} samples/s {cpu:8.1f} us CPU a sample;"
                    f" {names[0]} has {faster:5.2f} of its rate, and it takes {cheaper:5.2f} of the CPU"
                )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
