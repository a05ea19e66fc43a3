"""Frames of videos that stay on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from . import _header, _native, _option
from ._transfer import device_of
from .array import address, to_torch
from .batch import outputs
from .device import DeviceArray
from .frames import FrameBatch
from .video import table, work_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._arrays import Numbers, TorchTensor
    from ._opened import Opened

_RING = 2  # results in flight: those that torch has are copies


class VideoDevice:
    """A device that decodes the frames of a video.

    Args:
        name: ``cuda`` or ``cuda:N``.
        options: options of the frames. Their layout becomes the one that the device makes.

    Attributes:
        why: why the host decoded the frames of the last call; empty if the device did.

    Raises:
        DeviceError: there is no such device, or no driver.
    """

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self._handle = device_of(name, _RING, None)
        self._wanted = options["layout"]
        float_type = "float" in _option.dtype("output_dtype", options.get("dtype", "uint8"))
        self._made = options["layout"] = "nchw" if float_type else "nhwc"
        self.why = ""

    def decode(self, opened: Opened, frames: NDArray[np.int64], cancel: _native.Handle | None) -> FrameBatch:
        """Decode frames of an open video to the device.

        Args:
            opened: the open video.
            frames: indices of frames.
            cancel: ends the call early. None: the call cannot be interrupted.

        Returns:
            The frames, with a :class:`DeviceArray`, in the layout that the device makes.

        Raises:
            Error: the frames cannot be decoded.
        """
        clip, why = _header.ClipStruct(), _native.array()
        wanted = (self._handle, address(frames), len(frames))
        _native.call("spool_video_decode_on", opened.handle, opened.spec, *wanted, cancel, clip, why.out)
        pixels = _native.array(clip.pixels)
        rows = table(_native.array(clip.frames))
        self.why = _native.content(why).decode() if why else ""
        data = cast("Numbers", DeviceArray(pixels, _native.view(pixels)))  # until in_torch
        times = (rows[name] for name in ("pts", "duration", "index", "state"))
        return FrameBatch(data, *times, work=work_of(clip))

    def in_torch(self, batch: FrameBatch) -> FrameBatch[TorchTensor]:
        """Return frames in memory of torch's, so that any number of them can be held.

        Args:
            batch: frames of :meth:`decode`.

        Returns:
            The frames, as torch tensors of the layout that the options asked for.
        """
        data: Any = outputs["torch"](batch.data)
        if self._made == self._wanted:
            data = data.clone()
        else:
            data = data.permute(*((0, 3, 1, 2) if self._wanted == "nchw" else (0, 2, 3, 1))).contiguous()
        rest = (to_torch(a) for a in (batch.pts_seconds, batch.duration_seconds, batch.index, batch.state))
        return FrameBatch(data, *rest, work=batch.work)
