"""What type checkers know of results: mypy and pyright check this file, and nothing runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import spool

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from typing_extensions import assert_type

    Numbers = NDArray[np.number]


def images(name: str) -> None:
    assert_type(spool.decode_image(name), Numbers)
    out: NDArray[np.uint8] = np.empty((8, 8, 3), np.uint8)
    same: NDArray[np.uint8] = spool.decode_image(name, size=8, out=out)
    print(same)
    batch = spool.decode_images([name], size=8)
    assert_type(batch.data, Numbers)
    assert_type(batch.shape, tuple[int, ...])
    scaled: NDArray[np.float64] = batch.data.astype(np.float64) / 255
    print(scaled)


def loaders(folder: str, limit: int | None) -> None:
    assert_type(spool.ImageLoader(folder), spool.ImageLoader[Numbers])
    assert_type(spool.ImageLoader(folder, output="torch", limit=limit), spool.ImageLoader[torch.Tensor])
    for images in spool.ImageLoader(folder, output="torch", shuffle=True):
        assert_type(images.images, torch.Tensor)
        assert_type(images.labels, torch.Tensor)
    for clips in spool.VideoLoader(folder, frames=2):
        assert_type(clips.clips, Numbers)
        assert_type(clips.frames, NDArray[np.void])
    for audio in spool.AudioLoader(folder, output="dlpack"):
        assert_type(audio.samples, spool.Array | spool.DeviceArray)


async def waits(folder: str) -> None:
    async for batch in spool.ImageLoader(folder, output="torch"):
        assert_type(batch.images, torch.Tensor)


def records(folder: str) -> None:
    fields = {"image": spool.Image("path", size=8), "name": spool.Text("path")}
    for batch in spool.Loader(folder, fields):
        assert_type(batch.array("image"), Numbers)
        names = batch["name"]
        assert isinstance(names, list)
    for tensors in spool.Loader(folder, fields, output="tv_tensors"):
        assert_type(tensors.array("image"), torch.Tensor)


def videos(name: str) -> None:
    decoder = spool.VideoDecoder(name)
    assert_type(decoder[0], Numbers)
    assert_type(decoder.get_frames_at([0, 1]).pts_seconds, Numbers)
    tensors = spool.VideoDecoder(name, output="torch", size=32)
    assert_type(tensors.get_all_frames(fps=2).data, torch.Tensor)
    assert_type(spool.decode_video(name).to_torch().frame(0).data, torch.Tensor)
    assert_type(spool.AudioDecoder(name, output="torch").get_all_samples().data, torch.Tensor)
    for frame in spool.FilterGraph("hflip", name):
        assert_type(frame.data, Numbers)


def devices(names: list[str]) -> None:
    assert_type(spool.JPEGDecoder(output="dlpack")(names), list[spool.DeviceArray])
    assert_type(spool.JPEGDecoder()(names, on_error="skip"), list[torch.Tensor | None])
    assert_type(spool.transfer({"names": names}), dict[str, list[str]])
