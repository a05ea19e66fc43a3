"""A model trains in PyTorch Lightning, with loaders of spool."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import lightning
import pytest
import torch

import spool
import spool.torch


class Classifier(lightning.LightningModule):
    """A minimal model that records the samples it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 5)
        self.seen: list[Any] = []

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
    return spool.ImageLoader(folder, batch=8, size=16, shuffle=True, output="torch")


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
        whole, loader(folder), spool.ImageLoader(folder, batch=8, size=16, output="torch")
    )
    assert [epoch for epoch, _ in whole.seen if epoch >= 0] == [0] * 5 + [1] * 5 + [2] * 5
    for epoch in range(3):
        assert sorted(i for e, ids in whole.seen if e == epoch for i in ids) == list(range(40))


class Numbers(torch.utils.data.Dataset[Any]):
    """A dataset whose samples take some time."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        time.sleep(0.001)
        return torch.full((3,), float(i)), torch.tensor(i)


class Noting(Classifier):
    """Records the numbers."""

    def note(self, stage: str, batch: Any) -> torch.Tensor:
        values, numbers = batch
        self.seen.append((stage, numbers.tolist()))
        return torch.nn.functional.cross_entropy(self.layer(values), numbers % 5)

    def training_step(self, batch: Any, _: int) -> torch.Tensor:
        return self.note("train", batch)

    def validation_step(self, batch: Any, _: int) -> None:
        self.note("validate", batch)

    def predict_step(self, batch: Any, _: int) -> None:
        self.note("predict", batch)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.filterwarnings("ignore")
def test_a_concurrent_loader(workers: int, tmp_path: Path) -> None:
    """Lightning replaces some loaders by others with other samplers. Batches are still those of DataLoader."""

    def run(kind: Any) -> list[Any]:
        context = {"multiprocessing_context": "fork", "persistent_workers": True} if workers else {}

        def loader(shuffle: bool) -> Any:
            seeded = torch.Generator().manual_seed(3)
            return kind(Numbers(), batch_size=8, shuffle=shuffle, generator=seeded, num_workers=workers, **context)

        model = Noting()
        trainer(tmp_path, max_epochs=2).fit(model, loader(True), loader(False))
        trainer(tmp_path, max_epochs=1, overfit_batches=2).fit(model, loader(True))
        trainer(tmp_path).predict(model, loader(False))
        return model.seen

    seen = run(spool.torch.ConcurrentDataLoader)
    assert seen == run(torch.utils.data.DataLoader)
    assert [numbers for stage, numbers in seen if stage == "predict"] == [
        list(range(i, i + 8)) for i in range(0, 40, 8)
    ]
