"""A plugin of pytest: torchcodec's modules have the classes of spool.torchcodec."""

import torch
import torchcodec
from torchcodec import _core, decoders, samplers

import spool.torchcodec
from spool.streams import StreamMetadata

for module, ours in (
    (torchcodec, spool.torchcodec),
    (decoders, spool.torchcodec.decoders),
    (samplers, spool.torchcodec.samplers),
):
    for name in vars(module).keys() & vars(ours).keys():
        if not name.startswith("_") and callable(getattr(ours, name)):
            setattr(module, name, getattr(ours, name))

# Private names that tests look at.
_core._metadata.StreamMetadata = StreamMetadata
decoders.VideoDecoder._num_frames = property(len)
decoders.VideoDecoder._get_key_frame_indices = lambda decoder: torch.tensor(decoder.get_key_indices())
