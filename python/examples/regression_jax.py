#!/usr/bin/env python3
"""Trains a logistic regression on a folder of class folders in JAX, on the CPU: regression_jax.py FOLDER

Batches are JAX arrays, which ``output="jax"`` makes. Images, labels and the step are on one device.
"""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp

import spool

EPOCHS, RATE = 20, 0.05


def loss(weights: jax.Array, images: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the mean cross entropy of a linear model."""
    scores = jax.nn.log_softmax(images.reshape(len(images), -1) @ weights)
    return -jnp.mean(scores[jnp.arange(len(labels)), labels])


def main() -> None:
    """Train, and print the share of images whose class is found."""
    step = jax.jit(jax.value_and_grad(loss))
    loader = spool.ImageLoader(
        sys.argv[1], output="jax", size=8, dtype="float32", mean=0.5, std=0.25, batch=16, shuffle=True, last="drop"
    )
    with loader:
        weights = jnp.zeros((8 * 8 * 3, len(loader.classes)))
        for _ in range(EPOCHS):
            for batch in loader:
                _, slope = step(weights, batch.images, batch.labels)
                weights -= RATE * slope
        right = [float(jnp.mean(jnp.argmax(b.images.reshape(len(b), -1) @ weights, 1) == b.labels)) for b in loader]
    print(f"accuracy {sum(right) / len(right):.3f}")


if __name__ == "__main__":
    main()
