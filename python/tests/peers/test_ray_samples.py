"""spool.ray.LoadSamples: samples by reference, on the nodes that hold them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
from clusters import ray, running

import spool
import spool.ray

ROOT = Path(__file__).resolve().parents[3]
COMMAND = str(ROOT / "bin/spool")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of two CPUs, beside a node without any."""
    with running({"num_cpus": 0}, {"num_cpus": 2}, {"num_cpus": 2}) as cluster:
        yield cluster


def command(*words: str | Path) -> None:
    subprocess.run([COMMAND, *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two packed sets, as tables of their shards."""
    out = []
    for kind in ("animal", "landscape"):
        folder = tmp_path_factory.mktemp(kind)
        photos = sorted((ROOT / "testdata/photos" / kind).glob("*.jpg"))
        (folder / "list.txt").write_text("".join(f"{path}\t{i % 3}\n" for i, path in enumerate(photos)))
        command("pack", f"@{folder}/list.txt", "--per-shard", "3", "--out", folder / "shards")
        command("list", f"{folder}/shards/*.tar", "--out", folder / "table.arrow")
        out.append(folder / "table.arrow")
    return out


class Placed(spool.ray.LoadSamples):
    """Also returns the node."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        node = ray.get_runtime_context().get_node_id()
        loaded = super().__call__(batch)
        return {**loaded, "node": np.array([node] * len(loaded["id"]))}


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The functions of docs/loaders/ray.md, whose rows also have the node."""
    monkeypatch.setattr(spool.ray, "LoadSamples", Placed)
    names: dict[str, Any] = {"ray": ray}
    for _, code in pages.blocks(pages.PAGES / "ray.md"):
        if "def samples" in code:
            exec(code, names)
    return names


def pixels_of(table: Path) -> Any:
    return np.concatenate([batch.data.copy() for batch in spool.ImageLoader(table, size=224)])


@pytest.mark.usefixtures("cluster")
def test_samples_by_id(page: dict[str, Any], tables: list[Path]) -> None:
    want = pixels_of(tables[0])
    rows = page["samples"](tables[0], len(want)).take_all()
    assert sorted(row["id"] for row in rows) == list(range(len(want)))
    assert [row["id"] for row in rows] != list(range(len(want)))
    assert all((row["image"] == want[row["id"]]).all() and row["valid"] for row in rows)


def test_each_node_reads_what_it_holds(page: dict[str, Any], cluster: Any, tables: list[Path]) -> None:
    """Each node decodes the packed set on its own disk."""
    nodes = [node.node_id for node in cluster.worker_nodes]
    want = {node: pixels_of(table) for node, table in zip(nodes, tables, strict=True)}
    counts = {node: len(pixels) for node, pixels in want.items()}
    rows = page["samples_of_nodes"](dict(zip(nodes, tables, strict=True)), counts).take_all()
    assert len(rows) == sum(counts.values())
    assert {row["node"] for row in rows} == set(nodes)
    assert all((row["image"] == want[row["node"]][row["id"]]).all() for row in rows)


@pytest.mark.usefixtures("cluster")
def test_fields_of_records(tables: list[Path]) -> None:
    fields = {"image": spool.Image("jpg", size=32), "label": spool.Number("cls")}
    shards = str(tables[1].parent / "shards/*.tar")
    want = spool.Loader(shards, fields, batch=64)
    [whole] = list(want)
    rows = ray.data.range(len(whole.ids)).map_batches(
        spool.ray.LoadSamples,
        fn_constructor_args=(lambda ids: spool.Loader(shards, fields, sampler=ids, batch=4),),
        batch_size=8,
        compute=ray.data.ActorPoolStrategy(size=1),
    )
    taken = sorted(rows.take_all(), key=lambda row: row["id"])
    assert len(taken) == len(whole.ids)
    assert all((row["image"] == whole["image"][row["id"]]).all() for row in taken)
    assert [row["label"] for row in taken] == [i % 3 for i in range(len(taken))]


def bad(tmp_path: Path) -> Path:
    """Return a table of which each third file is broken."""
    photos = sorted((ROOT / "testdata/photos/animal").iterdir())[:2]
    for i in range(12):
        (tmp_path / f"{i:02}.jpg").write_bytes(b"broken" if i % 3 == 1 else photos[i % 2].read_bytes())
    command("list", tmp_path, "--out", tmp_path / "table.arrow")
    return tmp_path / "table.arrow"


def rows_of(table: Path, **options: Any) -> Any:
    return ray.data.range(12).map_batches(
        spool.ray.LoadSamples,
        fn_constructor_args=(lambda ids: spool.ImageLoader(table, sampler=ids, size=64, batch=4, **options),),
        batch_size=6,
        compute=ray.data.ActorPoolStrategy(size=1),
    )


@pytest.mark.usefixtures("cluster")
def test_bad_samples(tmp_path: Path) -> None:
    table = bad(tmp_path)
    good = [i for i in range(12) if i % 3 != 1]
    assert sorted(row["id"] for row in rows_of(table).take_all()) == good
    rows = rows_of(table, on_error="placeholder").take_all()
    assert sorted(row["id"] for row in rows) == list(range(12))
    assert sorted(row["id"] for row in rows if row["valid"]) == good
    with pytest.raises(Exception, match="04.jpg|01.jpg|07.jpg|10.jpg"):
        rows_of(table, on_error="fail").take_all()
