"""spool.ray on a cluster of several processes of this machine: placement, reuse, and workers that die."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
from clusters import MEMORY, ray, running

import spool.ray


class Placed(spool.ray.DecodeImages):
    """Also returns where a batch was decoded."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.calls = 0

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        where = ray.get_runtime_context()
        said = {
            "kind": where.get_node_labels()["kind"],
            "node": where.get_node_id(),
            "pid": os.getpid(),
            "call": self.calls,
        }
        return super().__call__({**batch, **{k: np.array([v] * len(batch["id"])) for k, v in said.items()}})


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A driver node of one kind, and two nodes of another kind that decode."""
    decoding = {"num_cpus": 1, "labels": {"kind": "cpu"}}
    with running({"num_cpus": 1, "labels": {"kind": "gpu"}}, decoding, decoding) as cluster:
        yield cluster


def decoded(paths: list[str], **options: Any) -> Any:
    rows = ray.data.from_items([{"path": path, "id": i} for i, path in enumerate(paths)], override_num_blocks=20)
    return rows.map_batches(
        Placed,
        fn_constructor_kwargs={"column": "path", "size": 96, **options},
        batch_size=8,
        num_cpus=1,
        compute=ray.data.ActorPoolStrategy(size=2),
        label_selector={"kind": "cpu"},
    )


@pytest.mark.usefixtures("cluster")
def test_pixels_placement_and_reuse(photos: list[Path]) -> None:
    rows = decoded([str(path) for path in photos]).take_all()
    assert sorted(row["id"] for row in rows) == list(range(72))
    assert all((row["image"] == pages.reference(photos[row["id"]], 96)).all() for row in rows)
    assert {row["kind"] for row in rows} == {"cpu"}
    assert len({row["pid"] for row in rows}) <= 2
    assert max(row["call"] for row in rows) > 1, "each batch has its own actor"


@pytest.mark.usefixtures("cluster")
def test_bad_rows(broken: list[tuple[str, int]]) -> None:
    paths = [path for path, _ in broken]
    assert [row["id"] for row in sorted(decoded(paths, on_error="skip").take_all(), key=lambda r: r["id"])] == [0, 2, 3]
    rows = decoded(paths, on_error="placeholder").take_all()
    assert {row["id"]: bool(row["valid"]) for row in rows} == {0: True, 1: False, 2: True, 3: True, 4: False}


def test_a_worker_and_a_node_die(cluster: Any, photos: list[Path]) -> None:
    """Every row is still delivered exactly once."""
    paths = [str(path) for path in photos] * 8
    counted = np.zeros(len(paths), int)
    pids, nodes = set(), set()
    for n, batch in enumerate(decoded(paths).iter_batches(batch_size=16)):
        np.add.at(counted, batch["id"], 1)
        pids |= {int(pid) for pid in batch["pid"]}
        nodes |= set(batch["node"])
        if n == 0:
            os.kill(int(batch["pid"][0]), signal.SIGKILL)
        if n == 6:
            lost = next(node for node in cluster.worker_nodes if node.node_id in nodes)
            cluster.remove_node(lost, allow_graceful=False)
            cluster.add_node(num_cpus=1, labels={"kind": "cpu"}, **MEMORY)
    assert (counted == 1).all(), counted
    assert len(pids) > 2, "no actor has replaced the dead ones"
