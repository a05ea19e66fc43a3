"""The example of Ray Train: a node is lost in the middle of an epoch, and no sample comes twice or is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pages
from clusters import MEMORY, running, until
from ray.train import get_context

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "python/examples"
sys.path.insert(0, str(EXAMPLES))
import train_ray  # noqa: E402


def audited(config: dict[str, Any]) -> None:
    """Train as the example does, and write which samples each step had."""
    rank = get_context().get_world_rank()
    world = get_context().get_world_size()
    folder = Path(config.pop("audit"))
    learn, restore = train_ray.learn, train_ray.restore
    steps = 0

    def learn_and_write(model: Any, optimizer: Any, batch: Any) -> float:
        nonlocal steps
        line = {"step": steps, "epoch": int(batch.epoch), "ids": batch.ids[batch.valid].tolist(), "pid": os.getpid()}
        with (folder / f"{world}-{rank}").open("a") as file:
            file.write(json.dumps(line) + "\n")
        steps += 1
        while steps > 5 and world == 2 and not (folder / "go").exists():
            time.sleep(0.05)
        return learn(model, optimizer, batch)

    def restore_and_write(*arguments: Any) -> tuple[int, int]:
        nonlocal steps
        epoch, steps = restore(*arguments)
        (folder / f"restored-{world}").write_text(str(steps))
        return epoch, steps

    train_ray.learn, train_ray.restore = learn_and_write, restore_and_write
    train_ray.train(config)


def test_a_node_is_lost(tmp_path: Path) -> None:
    photos = pages.images()
    (tmp_path / "data").mkdir()
    lines = [f"{photos[i % len(photos)]}\t{i % 3}\n" for i in range(64)]
    (tmp_path / "list.txt").write_text("".join(lines))
    table, audit = tmp_path / "table.arrow", tmp_path / "audit"
    audit.mkdir()
    subprocess.run([ROOT / "bin/spool", "list", f"@{tmp_path}/list.txt", "--out", table], check=True)

    timeout = {"RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "15"}
    with running({"num_cpus": 1}, path=str(EXAMPLES), **timeout) as cluster:
        node = cluster.add_node(num_cpus=1, **MEMORY)
        try:
            train(cluster, node, table, audit, tmp_path / "storage")
        finally:
            (audit / "go").touch()

    restored = int((audit / "restored-1").read_text())
    assert restored == 4, "it continues at the checkpoint"
    before = [line for rank in range(2) for line in written(audit / f"2-{rank}") if line["step"] < restored]
    seen = Counter((line["epoch"], i) for line in before + written(audit / "1-0") for i in line["ids"])
    assert seen == Counter({(epoch, i): 1 for epoch in range(2) for i in range(64)})


def train(cluster: Any, node: Any, table: Path, audit: Path, storage: Path) -> None:
    """Train, and remove a node after a checkpoint."""
    config = {"table": str(table), "classes": 3, "epochs": 2, "batch": 4, "size": 32, "steps_per_checkpoint": 4}
    result: list[Any] = []
    training = threading.Thread(
        target=lambda: result.append(train_ray.fit({**config, "audit": str(audit)}, str(storage), (1, 2), audited))
    )
    training.start()
    try:
        until(lambda: all(len(written(audit / f"2-{rank}")) >= 6 for rank in range(2)))
        until(lambda: any(storage.rglob("checkpoint_manager_snapshot.json")))
        cluster.remove_node(node, allow_graceful=False)
    finally:
        training.join(timeout=300)
    assert result, "training did not end"
    assert result[0]["step"] == 28


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
