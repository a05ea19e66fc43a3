"""Decode images, video and audio into NumPy arrays and batches.

``import spool`` is cheap, also in a parent process that forks. Names are imported when they are first used, and the
first call that needs the native library loads it.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from ._version import __version__ as __version__

if TYPE_CHECKING:
    from ._transfer import Transfer as Transfer
    from ._transfer import transfer as transfer
    from .archive import Archive as Archive
    from .array import Array as Array
    from .audio import AudioDecoder as AudioDecoder
    from .audio import decode_audio as decode_audio
    from .audio_loader import AudioLoader as AudioLoader
    from .augment import ColorJitter as ColorJitter
    from .augment import GaussianBlur as GaussianBlur
    from .augment import RandAugment as RandAugment
    from .augment import RandomAdjustSharpness as RandomAdjustSharpness
    from .augment import RandomAutocontrast as RandomAutocontrast
    from .augment import RandomEqualize as RandomEqualize
    from .augment import RandomErasing as RandomErasing
    from .augment import RandomGrayscale as RandomGrayscale
    from .augment import RandomInvert as RandomInvert
    from .augment import RandomPosterize as RandomPosterize
    from .augment import RandomSolarize as RandomSolarize
    from .augment import TrivialAugmentWide as TrivialAugmentWide
    from .batch import AudioBatch as AudioBatch
    from .batch import Batch as Batch
    from .batch import ClipBatch as ClipBatch
    from .batch import ImageBatch as ImageBatch
    from .comparison import Parity as Parity
    from .comparison import parity as parity
    from .device import DeviceArray as DeviceArray
    from .encode import encode_image as encode_image
    from .encode import write_image as write_image
    from .errors import CanceledError as CanceledError
    from .errors import ClosedError as ClosedError
    from .errors import DecodeError as DecodeError
    from .errors import DeviceError as DeviceError
    from .errors import Error as Error
    from .errors import ForkError as ForkError
    from .errors import InternalError as InternalError
    from .errors import LibraryError as LibraryError
    from .fields import JSON as JSON
    from .fields import Boxes as Boxes
    from .fields import Bytes as Bytes
    from .fields import Field as Field
    from .fields import Image as Image
    from .fields import Instances as Instances
    from .fields import Mask as Mask
    from .fields import Number as Number
    from .fields import Points as Points
    from .fields import Text as Text
    from .frames import AudioSamples as AudioSamples
    from .frames import Frame as Frame
    from .frames import FrameBatch as FrameBatch
    from .graph import FilterGraph as FilterGraph
    from .image import decode_image as decode_image
    from .image_loader import ImageLoader as ImageLoader
    from .images import DecodedImages as DecodedImages
    from .images import decode_images as decode_images
    from .jpeg_decoder import JPEGDecoder as JPEGDecoder
    from .listing import Listing as Listing
    from .listing import list_samples as list_samples
    from .media import Media as Media
    from .media import probe as probe
    from .media_fields import Audio as Audio
    from .media_fields import Video as Video
    from .packets import Packet as Packet
    from .packets import Packets as Packets
    from .packets import demux as demux
    from .packets import mux as mux
    from .prediction import Prediction as Prediction
    from .prediction import Profile as Profile
    from .prediction import simulate as simulate
    from .ragged import Ragged as Ragged
    from .record_batch import RecordBatch as RecordBatch
    from .record_loader import Loader as Loader
    from .records import DecodedRecords as DecodedRecords
    from .records import RecordSpec as RecordSpec
    from .records import decode_records as decode_records
    from .samplers import LengthBuckets as LengthBuckets
    from .shard_writer import ShardWriter as ShardWriter
    from .spec import ImageSpec as ImageSpec
    from .streams import AudioStreamMetadata as AudioStreamMetadata
    from .streams import VideoStreamMetadata as VideoStreamMetadata
    from .system import doctor as doctor
    from .system import stats as stats
    from .video import decode_video as decode_video
    from .video_decoder import VideoDecoder as VideoDecoder
    from .video_loader import VideoLoader as VideoLoader
    from .writer import MediaWriter as MediaWriter
    from .writer import remux as remux

# The module of each name. The imports above declare the same for type checkers, and a test compares the two.
_names = {
    "Archive": "archive",
    "Array": "array",
    "Audio": "media_fields",
    "AudioBatch": "batch",
    "AudioDecoder": "audio",
    "AudioLoader": "audio_loader",
    "AudioSamples": "frames",
    "AudioStreamMetadata": "streams",
    "Batch": "batch",
    "Boxes": "fields",
    "Bytes": "fields",
    "CanceledError": "errors",
    "ClipBatch": "batch",
    "ClosedError": "errors",
    "ColorJitter": "augment",
    "DecodeError": "errors",
    "DecodedImages": "images",
    "DecodedRecords": "records",
    "DeviceArray": "device",
    "DeviceError": "errors",
    "Error": "errors",
    "Field": "fields",
    "FilterGraph": "graph",
    "ForkError": "errors",
    "Frame": "frames",
    "FrameBatch": "frames",
    "GaussianBlur": "augment",
    "Image": "fields",
    "ImageBatch": "batch",
    "ImageLoader": "image_loader",
    "ImageSpec": "spec",
    "Instances": "fields",
    "InternalError": "errors",
    "JPEGDecoder": "jpeg_decoder",
    "JSON": "fields",
    "LengthBuckets": "samplers",
    "LibraryError": "errors",
    "Listing": "listing",
    "Loader": "record_loader",
    "Mask": "fields",
    "Media": "media",
    "MediaWriter": "writer",
    "Number": "fields",
    "Packet": "packets",
    "Packets": "packets",
    "Parity": "comparison",
    "Points": "fields",
    "Prediction": "prediction",
    "Profile": "prediction",
    "Ragged": "ragged",
    "RandAugment": "augment",
    "RandomAdjustSharpness": "augment",
    "RandomAutocontrast": "augment",
    "RandomEqualize": "augment",
    "RandomErasing": "augment",
    "RandomGrayscale": "augment",
    "RandomInvert": "augment",
    "RandomPosterize": "augment",
    "RandomSolarize": "augment",
    "RecordBatch": "record_batch",
    "RecordSpec": "records",
    "ShardWriter": "shard_writer",
    "Text": "fields",
    "Transfer": "_transfer",
    "TrivialAugmentWide": "augment",
    "Video": "media_fields",
    "VideoDecoder": "video_decoder",
    "VideoLoader": "video_loader",
    "VideoStreamMetadata": "streams",
    "decode_audio": "audio",
    "decode_image": "image",
    "decode_images": "images",
    "decode_records": "records",
    "decode_video": "video",
    "demux": "packets",
    "doctor": "system",
    "encode_image": "encode",
    "list_samples": "listing",
    "mux": "packets",
    "parity": "comparison",
    "probe": "media",
    "remux": "writer",
    "simulate": "prediction",
    "stats": "system",
    "transfer": "_transfer",
    "write_image": "encode",
}

# Modules for other packages. Most need the package of the same name.
_modules = {
    "decord",
    "fsspec",
    "grain",
    "huggingface",
    "lerobot",
    "metrics",
    "ray",
    "spdl",
    "torch",
    "torchcodec",
    "torchvision",
    "webdataset",
}


def __getattr__(name: str) -> object:
    if name in _modules:
        return importlib.import_module(f".{name}", __name__)
    if name not in _names:
        text = f"module {__name__!r} has no attribute {name!r}"
        if os.path.exists(os.path.join(__path__[0], f"{name}.py")):  # Python asks for a module before it imports it
            raise AttributeError(text)
        import difflib

        near = difflib.get_close_matches(name, [*_names, *_modules], 1, 0.75)
        raise AttributeError(text + (f"; did you mean {near[0]}?" if near else ""))
    value: object = getattr(importlib.import_module(f".{_names[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_names, *_modules})
