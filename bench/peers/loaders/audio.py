"""Loaders of audio: whole files as float32 mono. Each file is one delivery."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .work import Peer, Work


def torchcodec(work: Work) -> Callable[[], Iterable[Any]]:
    import torch
    from torchcodec.decoders import AudioDecoder

    torch.set_num_threads(1)

    def load(path: str) -> Any:
        return AudioDecoder(path, sample_rate=work.rate, num_channels=1).get_all_samples().data

    return lambda: work.in_threads(load)


def spdl(work: Work) -> Callable[[], Iterable[Any]]:
    import spdl.io

    wanted = spdl.io.get_audio_filter_desc(sample_rate=work.rate, num_channels=1)
    return lambda: work.in_threads(lambda path: spdl.io.to_numpy(spdl.io.load_audio(path, filter_desc=wanted)))


PEERS: dict[str, dict[str, Peer]] = {"audio": {"torchcodec": torchcodec, "spdl": spdl}}
