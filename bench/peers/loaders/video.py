"""Loaders of video: evenly sampled frames, or all frames, at size x size. Each file is one delivery."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .work import Peer, Work

PART = 32  # frames at a time, for all frames


def torchcodec(work: Work) -> Callable[[], Iterable[Any]]:
    """The seek mode is approximate, which is torchcodec's fastest. The frames are the same for these files."""
    import torch
    from torchcodec import transforms
    from torchcodec.decoders import VideoDecoder

    torch.set_num_threads(1)
    resize = transforms.Resize((work.size, work.size))

    def load(path: str) -> Any:
        video = VideoDecoder(
            path, num_ffmpeg_threads=1, seek_mode="approximate", dimension_order="NHWC", transforms=[resize]
        )
        if work.name == "video":
            return video.get_frames_at(work.sample(len(video))).data
        return [video.get_frames_in_range(i, min(len(video), i + PART)).data for i in range(0, len(video), PART)]

    return lambda: work.in_threads(load)


def decord(work: Work) -> Callable[[], Iterable[Any]]:
    import decord

    def load(path: str) -> Any:
        video = decord.VideoReader(path, width=work.size, height=work.size, num_threads=1)
        if work.name == "video":
            return video.get_batch(work.sample(len(video))).asnumpy()
        n = len(video)
        return [video.get_batch(list(range(i, min(n, i + PART)))).asnumpy() for i in range(0, n, PART)]

    return lambda: work.in_threads(load)


def spdl(work: Work) -> Callable[[], Iterable[Any]]:
    import spdl.io

    wanted = f"scale={work.size}:{work.size}:flags=bilinear,format=rgb24"

    def load(path: str) -> Any:
        packets = spdl.io.demux_video(path)
        if work.name == "video":
            frames = spdl.io.sample_decode_video(packets, work.sample(len(packets)), filter_desc=wanted)
        else:
            frames = spdl.io.decode_packets(packets, filter_desc=wanted)
        return spdl.io.to_numpy(spdl.io.convert_frames(frames))

    return lambda: work.in_threads(load)


def pyav(work: Work) -> Callable[[], Iterable[Any]]:
    import av
    import numpy as np

    def load(path: str) -> Any:
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.thread_type = "NONE"
            chosen = set(work.sample(stream.frames)) if work.name == "video" else None
            frames = (frame for i, frame in enumerate(container.decode(stream)) if chosen is None or i in chosen)
            return np.stack([frame.reformat(work.size, work.size, "rgb24").to_ndarray() for frame in frames])

    return lambda: work.in_threads(load)


_ALL: dict[str, Peer] = {"torchcodec": torchcodec, "decord": decord, "spdl": spdl, "pyav": pyav}
PEERS = {"video": _ALL, "videofull": _ALL}
