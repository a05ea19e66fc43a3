"""SPDL's functions over spool: ``from spool import spdl`` in place of ``import spdl.io``.

The functions have the arguments and the shapes of SPDL 0.8. Arrays are NumPy's, or on a device those of
:class:`spool.DeviceArray`. Errors are spool's. Other names of SPDL raise NotImplementedError, with an alternative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import utils
from ._filters import get_audio_filter_desc, get_filter_desc, get_video_filter_desc
from .absent import ABSENT
from .decoding import (
    AudioFrames,
    DecodeConfig,
    ImageFrames,
    VideoFrames,
    convert_frames,
    decode_config,
    decode_packets,
    sample_decode_video,
)
from .devices import CUDAConfig, cuda_config, to_jax, to_numpy, to_torch, transfer_buffer
from .files import iter_tarfile, load_npy, load_npz, load_wav
from .loading import load_audio, load_image, load_image_batch, load_video, save_image
from .packets import AudioPackets, Demuxer, ImagePackets, VideoPackets, demux_audio, demux_image, demux_video

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Never

    CPUBuffer = NDArray[np.generic]
else:
    from numpy import ndarray as CPUBuffer  # noqa: N812

__all__ = [
    "AudioFrames",
    "AudioPackets",
    "CPUBuffer",
    "CUDAConfig",
    "DecodeConfig",
    "Demuxer",
    "ImageFrames",
    "ImagePackets",
    "VideoFrames",
    "VideoPackets",
    "convert_frames",
    "cuda_config",
    "decode_config",
    "decode_packets",
    "demux_audio",
    "demux_image",
    "demux_video",
    "get_audio_filter_desc",
    "get_filter_desc",
    "get_video_filter_desc",
    "iter_tarfile",
    "load_audio",
    "load_image",
    "load_image_batch",
    "load_npy",
    "load_npz",
    "load_video",
    "load_wav",
    "sample_decode_video",
    "save_image",
    "to_jax",
    "to_numpy",
    "to_torch",
    "transfer_buffer",
    "utils",
]


def __getattr__(name: str) -> Callable[..., Never]:
    if name not in ABSENT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def absent(*_: object, **__: object) -> Never:
        raise NotImplementedError(f"{name} is not offered; use {ABSENT[name]}")

    return absent
