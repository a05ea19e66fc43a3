"""The work of a peer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any


@dataclass
class Work:
    name: str  # images, train, video, videofull, audio
    files: list[str]
    batch: int
    size: int  # width and height of an image or frame
    workers: int
    frames: int  # of each video file
    rate: int  # sample rate of audio

    def batches(self) -> list[list[str]]:
        return [self.files[i : i + self.batch] for i in range(0, len(self.files), self.batch)]

    def sample(self, length: int) -> list[int]:
        """Return the frames that `spool decode video --sample` takes."""
        return [min(length - 1, int((i + 0.5) * length / self.frames)) for i in range(self.frames)]

    def items(self, batch: Any) -> float:
        """Return the number of items in a batch.

        Videos of every frame are lists of parts. Audio is (channels, samples) or (samples,).
        """
        if self.name == "audio":
            return max(batch.shape) / self.rate
        return sum(len(part) for part in batch) if isinstance(batch, list) else len(batch)

    def bytes(self, batch: Any) -> int:
        """Return the bytes of a batch. Videos of every frame are lists of parts."""
        return sum(part.nbytes for part in batch) if isinstance(batch, list) else batch.nbytes

    def in_threads(self, load: Callable[[str], Any]) -> Iterator[Any]:
        """Load the files in threads, and yield them in order."""
        with ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(load, self.files)


Peer = Callable[[Work], Callable[[], Iterable[Any]]]
