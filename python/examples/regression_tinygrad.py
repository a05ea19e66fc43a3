#!/usr/bin/env python3
"""Trains a logistic regression on a folder of class folders in tinygrad, on the CPU: regression_tinygrad.py FOLDER

tinygrad takes NumPy arrays, which are views of spool's memory: ``Tensor(batch.images)`` copies them to its device. Its
CPU device needs clang. ``DEV=PYTHON`` in the environment needs nothing, and is slow.
"""

from __future__ import annotations

import sys

from tinygrad import Tensor

import spool

EPOCHS, RATE = 5, 0.05


def main() -> None:
    """Train, and print the share of images whose class is found."""
    loader = spool.ImageLoader(
        sys.argv[1], size=8, dtype="float32", mean=0.5, std=0.25, batch=16, shuffle=True, last="drop"
    )
    with loader:
        weights = Tensor.zeros(8 * 8 * 3, len(loader.classes)).contiguous()
        for _ in range(EPOCHS):
            for batch in loader:
                images, labels = Tensor(batch.images).flatten(1), Tensor(batch.labels)
                slope = (images @ weights).sparse_categorical_crossentropy(labels).gradient(weights)[0]
                weights = (weights - RATE * slope).realize()
        right = [float(((Tensor(b.images).flatten(1) @ weights).argmax(1).numpy() == b.labels).mean()) for b in loader]
    print(f"accuracy {sum(right) / len(right):.3f}")


if __name__ == "__main__":
    main()
