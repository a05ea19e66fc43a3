"""Two processes under torch.distributed share the samples: disjoint, complete, with the same number of batches."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

RANK = """
import json, os, sys
import torch, torch.distributed
import spool

if sys.argv[2] == "initialised":
    torch.distributed.init_process_group("gloo")
    for name in "RANK", "WORLD_SIZE":
        del os.environ[name]
loader = spool.ImageLoader(sys.argv[1], batch=4, size=16, shuffle=True, output="torch")
ids, batches = [], 0
for epoch in range(2):
    for images, labels in loader:
        assert images.shape[1:] == (16, 16, 3) and images.dtype == torch.uint8 and labels.dtype == torch.int64
        batches += 1
    loader.set_epoch(epoch + 1)
loader.set_epoch(0)
ids = [i for batch in loader for i in batch.ids.tolist()]
if sys.argv[2] == "initialised":
    total = torch.tensor(batches)
    torch.distributed.all_reduce(total)
    assert total == 2 * batches
    torch.distributed.destroy_process_group()
print(json.dumps([loader.rank, batches, ids]))
"""


@pytest.mark.parametrize("how", ["initialised", "environment"])
def test_two_processes(photos: list[Path], tmp_path: Path, how: str) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for i, photo in enumerate(photos[:41]):
        (folder / f"{i:03}.jpg").symlink_to(photo)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RANK, str(folder), how],
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    ended = [p.communicate(timeout=170)[0] for p in processes]
    assert [p.returncode for p in processes] == [0, 0]
    (first, batches, ids), (second, others, rest) = (json.loads(out.splitlines()[-1]) for out in ended)
    assert (first, second) == ([0, 2], [1, 2])
    assert batches == others
    assert set(ids + rest) == set(range(41))
    assert len(ids + rest) <= 42, "at most one sample is repeated, so that both ranks have the same number"
