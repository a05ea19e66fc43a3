#!/usr/bin/env python3
"""Trains a small classifier with Ray Train, and survives lost nodes: train_ray.py TABLE STORAGE

TABLE is a table of images with labels, as `spool list --out FILE.arrow` writes it, on a path that all nodes reach, and
STORAGE is a folder or URL for checkpoints. Each worker is a rank of one loader. A checkpoint has the model and the
loader's state of each rank. When workers are lost, Ray Train starts with those that it can get, and they continue the
epoch with the samples that are left, each once.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ray.train
import torch
from ray.train.torch import TorchTrainer, prepare_model
from torch import nn

import spool


def network(classes: int) -> nn.Module:
    """Return a convolution and a linear layer."""
    layers = [nn.Conv2d(3, 16, 5, stride=4), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, classes)]
    return nn.Sequential(*layers)


def learn(model: nn.Module, optimizer: torch.optim.Optimizer, batch: spool.ImageBatch[torch.Tensor]) -> float:
    """Take one step of training, and return the loss."""
    loss = nn.functional.cross_entropy(model(batch.data), batch.labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss)


def save(model: nn.Module, loader: spool.ImageLoader[torch.Tensor], epoch: int, step: int, loss: float) -> None:
    """Report a checkpoint, to which each rank adds the state of its loader."""
    rank = ray.train.get_context().get_world_rank()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"loader-{rank}.json").write_text(json.dumps(loader.state_dict()))
        if rank == 0:
            inner = model.module if isinstance(model, nn.parallel.DistributedDataParallel) else model
            torch.save({"model": inner.state_dict(), "epoch": epoch, "step": step}, Path(folder, "model.pt"))
        ray.train.report({"loss": loss, "step": step}, checkpoint=ray.train.Checkpoint.from_directory(folder))


def restore(model: nn.Module, loader: spool.ImageLoader[torch.Tensor]) -> tuple[int, int]:
    """Continue from the last checkpoint, if there is one. Return its epoch and step."""
    checkpoint = ray.train.get_checkpoint()
    if checkpoint is None:
        return 0, 0
    with checkpoint.as_directory() as folder:
        # The states of all former ranks, whose number may differ from the present one.
        loader.load_state_dict([json.loads(path.read_text()) for path in sorted(Path(folder).glob("loader-*.json"))])
        saved = torch.load(Path(folder, "model.pt"))
    model.load_state_dict(saved["model"])
    return int(saved["epoch"]), int(saved["step"])


def train(config: dict[str, Any]) -> None:
    """Train in one worker."""
    context = ray.train.get_context()
    loader = spool.ImageLoader(
        config["table"],
        batch=config["batch"],
        size=config["size"],
        dtype="float32",
        layout="nchw",
        output="torch",
        shuffle=True,
        workers=1,
        rank=context.get_world_rank(),
        world=context.get_world_size(),
    )
    inner = network(config["classes"])
    first, step = restore(inner, loader)
    model = prepare_model(inner)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(first, config["epochs"]):
        for batch in loader:  # after a checkpoint, the rest of its epoch
            loss = learn(model, optimizer, batch)
            step += 1
            if step % config["steps_per_checkpoint"] == 0:
                save(model, loader, epoch, step, loss)
    loader.close()


def fit(
    config: dict[str, Any], storage: str, workers: tuple[int, int], train: Callable[[dict[str, Any]], None] = train
) -> dict[str, Any]:
    """Train on a cluster with the least and the most workers given, and return the last metrics."""
    failures = ray.train.FailureConfig(max_failures=3)
    result = TorchTrainer(
        train,
        train_loop_config=config,
        scaling_config=ray.train.ScalingConfig(num_workers=workers),
        run_config=ray.train.RunConfig(name="train_ray", storage_path=storage, failure_config=failures),
    ).fit()
    return dict(result.metrics or {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("storage")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--steps-per-checkpoint", type=int, default=10)
    parser.add_argument("--workers", type=int, nargs=2, default=(1, 4), metavar=("LEAST", "MOST"))
    a = parser.parse_args()
    config = {
        "table": a.table,
        "classes": int(max(spool.list_samples(a.table).labels)) + 1,
        "epochs": a.epochs,
        "batch": a.batch,
        "size": a.size,
        "steps_per_checkpoint": a.steps_per_checkpoint,
    }
    metrics = fit(config, a.storage, (a.workers[0], a.workers[1]))
    print(f"loss {metrics['loss']:.3f} after {metrics['step']} steps")


if __name__ == "__main__":
    main()
