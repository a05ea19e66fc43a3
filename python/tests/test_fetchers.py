"""Samples that are awaited in an event loop (spool._fetchers), without PyTorch."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from typing import Any

import pytest

from spool._fetchers import Fetchers


class Awaited:
    """Samples of which those from 1 are never ready."""

    def __init__(self) -> None:
        self.begun, self.canceled = threading.Semaphore(0), threading.Semaphore(0)

    async def __getitem__(self, i: int) -> int:
        if i < 0:
            raise KeyError(i)
        if i > 0:
            self.begun.release()
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.canceled.release()
                raise
        return i


def fetchers(dataset: Any, most: int) -> Fetchers:
    made = Fetchers(dataset, most, None, False)
    assert made.submit(0).result() == 0  # the first sample is got in this thread
    return made


def test_results_and_errors() -> None:
    made = fetchers(Awaited(), 2)
    assert made.submit(0).result(60) == 0
    with pytest.raises(KeyError):
        made.submit(-1).result(60)


def test_a_canceled_sample_is_no_longer_awaited() -> None:
    dataset = Awaited()
    made = fetchers(dataset, 1)
    begun, waiting = made.submit(1), made.submit(2)
    assert dataset.begun.acquire(timeout=60)
    assert waiting.cancel()
    assert begun.cancel()
    assert dataset.canceled.acquire(timeout=60)
    assert made.submit(0).result(60) == 0, "its place is free"


def test_the_end_cancels_what_is_awaited() -> None:
    dataset = Awaited()
    made = fetchers(dataset, 1)
    begun, waiting = made.submit(1), made.submit(2)
    assert dataset.begun.acquire(timeout=60)
    del made
    assert dataset.canceled.acquire(timeout=60)
    for future in (begun, waiting):
        with pytest.raises(CancelledError):
            future.result(60)
