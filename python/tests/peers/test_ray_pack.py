"""spool.ray.pack on several processes of this machine: the same shards, also when workers and nodes die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import ray, running, until

import spool
import spool.ray

COMMAND = str(Path(__file__).resolve().parents[3] / "bin/spool")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of two CPUs, beside a node without any."""
    with running({"num_cpus": 0}, {"num_cpus": 2}, {"num_cpus": 2}) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of 240 files."""
    folder = tmp_path_factory.mktemp("source")
    lines = []
    for i in range(240):
        path = folder / f"{i:03}.jpg"
        path.write_bytes(bytes([i % 251]) * (1000 + 37 * i))
        lines.append(f"{path}\t{i % 7}\n")
    (folder / "list.txt").write_text("".join(lines))
    return folder / "list.txt"


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process packs."""
    out = tmp_path_factory.mktemp("whole") / "out"
    subprocess.run([COMMAND, "pack", *arguments(source), "--out", out], check=True, capture_output=True)
    return contents(out)


def arguments(source: Path) -> list[str]:
    return [f"@{source}", "--shuffle", "--seed", "5", "--per-shard", "10"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def wrapped(folder: Path, script: str) -> str:
    """Return a command that runs a part of a script before spool."""
    path = folder / "spool"
    path.write_text(f'#!/bin/sh\n{script}\nexec {COMMAND} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.mark.usefixtures("cluster")
def test_the_same_shards(tmp_path: Path, source: Path, whole: dict[str, bytes]) -> None:
    manifest = spool.ray.pack(arguments(source), tmp_path / "out", command=COMMAND)
    assert contents(tmp_path / "out") == whole
    assert manifest == json.loads(whole["manifest.json"])
    subprocess.run([COMMAND, "verify", tmp_path / "out"], check=True, capture_output=True)

    (tmp_path / "out" / "000007.tar").unlink()
    (tmp_path / "out" / "000003.tar.0123456789abcdef.part").write_text("torn")
    spool.ray.pack(arguments(source), tmp_path / "out", command=COMMAND, shards_per_task=5, num_cpus=2)
    assert contents(tmp_path / "out") == whole


@pytest.mark.usefixtures("cluster")
def test_a_command_is_killed(tmp_path: Path, source: Path, whole: dict[str, bytes]) -> None:
    """Each task's first command dies, after it has written a part of a shard."""
    script = f"""
case "$*" in *..0\\ *) ;; *)
    range=$(echo "$*" | sed 's/.*--only-shards \\([0-9.]*\\).*/\\1/')
    if mkdir {tmp_path}/$range 2>/dev/null; then
        echo torn >{tmp_path}/out/000000.tar.$range.part
        kill -9 $$
    fi ;;
esac"""
    spool.ray.pack(arguments(source), tmp_path / "out", command=wrapped(tmp_path, script), shards_per_task=6)
    assert contents(tmp_path / "out") == whole
    assert len(list(tmp_path.glob("*..*"))) == 4, "each task was killed once"


@pytest.mark.usefixtures("cluster")
def test_a_slow_task_gets_a_copy(tmp_path: Path, source: Path, whole: dict[str, bytes]) -> None:
    """The first command for one shard never ends: its copy writes the shard."""
    script = f"""
case "$*" in *" 11..12 "*)
    if mkdir {tmp_path}/once 2>/dev/null; then
        echo $$ >{tmp_path}/once/pid
        exec sleep 1000
    fi ;;
esac"""
    spool.ray.pack(arguments(source), tmp_path / "out", command=wrapped(tmp_path, script), shards_per_task=1)
    stopped = int((tmp_path / "once/pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(stopped, 0)
    assert contents(tmp_path / "out") == whole


@pytest.mark.usefixtures("cluster")
def test_errors(tmp_path: Path, source: Path) -> None:
    missing = tmp_path / "missing.txt"
    missing.write_text(source.read_text() + "/nowhere/none.jpg\n")
    with pytest.raises(spool.Error, match="none.jpg"):
        spool.ray.pack(arguments(missing), tmp_path / "out", command=COMMAND)
    assert not (tmp_path / "out" / "manifest.json").exists()
    with pytest.raises(spool.Error, match="--per-sharf"):
        spool.ray.pack(["--per-sharf", "3"], tmp_path / "other", command=COMMAND)


def test_a_worker_and_a_node_die(cluster: Any, tmp_path: Path, source: Path, whole: dict[str, bytes]) -> None:
    """Tasks of a killed worker and of a lost node run again elsewhere."""
    script = f"""
case "$*" in *..0\\ *) exec {COMMAND} "$@" ;; esac
echo $PPID >>{tmp_path}/workers
while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"""
    result: list[Any] = []
    packing = threading.Thread(
        target=lambda: result.append(
            spool.ray.pack(arguments(source), tmp_path / "out", command=wrapped(tmp_path, script), shards_per_task=4)
        )
    )
    packing.start()
    workers = tmp_path / "workers"
    try:
        until(lambda: workers.exists() and len(workers.read_text().split()) >= 4)
        os.kill(int(workers.read_text().split()[0]), signal.SIGKILL)
        driver = ray.get_runtime_context().get_node_id()
        lost = next(node for node in cluster.worker_nodes if node.node_id != driver)
        cluster.remove_node(lost, allow_graceful=False)
    finally:
        (tmp_path / "go").touch()
        packing.join(timeout=300)
    assert result, "pack did not end"
    assert contents(tmp_path / "out") == whole
