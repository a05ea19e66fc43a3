#!/usr/bin/env python3
"""Trains a small classifier on a folder of images, on the CPU: train_classifier.py FOLDER

FOLDER has a folder for each class, as for torchvision's ImageFolder. The loader is PyTorch's DataLoader. spool decodes,
crops, flips and normalizes each batch in one call, ahead of the training loop.
"""

from __future__ import annotations

import argparse
import time
from typing import TypeAlias

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

import spool.torch
from spool.torchvision import CenterCrop, Compose, Normalize, RandomHorizontalFlip, RandomResizedCrop, Resize, ToDtype

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


Batches: TypeAlias = "spool.torch.prefetch[list[torch.Tensor]]"


def loader(folder: str, size: int, batch: int, *, train: bool) -> Batches:
    """Return a loader of [images, labels], which decodes in threads of this process."""
    if train:
        steps = [RandomResizedCrop(size, scale=(0.5, 1)), RandomHorizontalFlip()]
    else:
        steps = [Resize(size), CenterCrop(size)]
    transform = Compose([*steps, ToDtype(torch.float32, scale=True), Normalize(MEAN, STD)])
    paths = ImageFolder(folder, loader=str)
    # A bad image is logged and left out of its batch, and the epoch continues.
    collate = spool.torch.collate(transform, on_error="skip")
    return spool.torch.prefetch(DataLoader(paths, batch, shuffle=train, collate_fn=collate))


def network(classes: int) -> nn.Module:
    """Return three convolutions and a linear layer."""

    def block(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride=2, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())

    layers = [block(3, 16), block(16, 32), block(32, 64), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(64, classes))


def train(model: nn.Module, optimizer: torch.optim.Optimizer, batches: Batches) -> float:
    """Train for one epoch, and return the mean loss."""
    model.train()
    total, count = 0.0, 0
    for images, labels in batches:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, count = total + loss.item() * len(labels), count + len(labels)
    return total / count


def accuracy(model: nn.Module, batches: Batches) -> float:
    """Return the share of images that are classified correctly."""
    model.eval()
    right, count = 0, 0
    with torch.no_grad():
        for images, labels in batches:
            right, count = right + int((model(images).argmax(1) == labels).sum()), count + len(labels)
    return right / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    a = parser.parse_args()

    torch.manual_seed(a.seed)
    batches = loader(a.folder, a.size, a.batch, train=True)
    classes = len(ImageFolder(a.folder, loader=str).classes)
    model = network(classes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(a.epochs):
        start = time.perf_counter()
        loss = train(model, optimizer, batches)
        print(f"epoch {epoch}: loss {loss:.3f}, {time.perf_counter() - start:.1f} s")
    print(f"accuracy {accuracy(model, loader(a.folder, a.size, a.batch, train=False)):.3f}")


if __name__ == "__main__":
    main()
