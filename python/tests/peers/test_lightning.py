"""A model trains in PyTorch Lightning, stops, and goes on with the samples that are left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lightning
import torch

import spool


class Classifier(lightning.LightningModule):
    """The smallest model there is, which notes what it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 5)
        self.seen: list[tuple[int, list[int]]] = []

    def training_step(self, batch: Any, _: int) -> torch.Tensor:
        images, labels = batch
        assert images.device == self.device
        self.seen.append((int(batch.epoch), batch.ids.tolist()))
        means = images.float().mean((1, 2)) / 255
        return torch.nn.functional.cross_entropy(self.layer(means), labels.clamp(0, 4))

    def validation_step(self, batch: Any, _: int) -> None:
        self.log("size", float(len(batch)), batch_size=len(batch))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), 0.1)


def loader(folder: Path) -> spool.ImageLoader:
    return spool.ImageLoader(folder, batch=8, size=16, shuffle=True, format="torch")


def trainer(folder: Path, **options: Any) -> lightning.Trainer:
    return lightning.Trainer(
        accelerator="cpu",
        default_root_dir=folder,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        use_distributed_sampler=False,
        **options,
    )


def test_lightning(photos: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for i, photo in enumerate(photos[:40]):
        (folder / f"{i:03}.jpg").symlink_to(photo)
    whole = Classifier()
    trainer(tmp_path, max_epochs=3).fit(
        whole, loader(folder), spool.ImageLoader(folder, batch=8, size=16, format="torch")
    )
    assert [epoch for epoch, _ in whole.seen if epoch >= 0] == [0] * 5 + [1] * 5 + [2] * 5
    for epoch in range(3):
        assert sorted(i for e, ids in whole.seen if e == epoch for i in ids) == list(range(40))
