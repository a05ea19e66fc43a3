"""The declarations of capi/spool.h for ctypes: structs, and functions with the types of their arguments.

Nothing else in the package declares them. spool.h documents them.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

ABI = 3  # SPOOL_ABI of the declared header
MAX_DIMS = 8


class ErrorStruct(ctypes.Structure):
    """spool_error."""

    _fields_ = (
        ("status", c_int32),
        ("library_code", c_int32),
        ("error_class", c_char * 32),
        ("op", c_char * 32),
        ("library", c_char * 32),
        ("file", c_char * 4096),
        ("text", c_char * 4096),
    )


class ArrayView(ctypes.Structure):
    """spool_array_view."""

    _fields_ = (
        ("data", c_void_p),
        ("size", c_int64),
        ("dtype_code", c_int32),
        ("dtype_bits", c_int32),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("layout", c_char * 12),
        ("shape", c_int64 * MAX_DIMS),
        ("strides", c_int64 * MAX_DIMS),
    )


Pointer = c_void_p  # the type of output arguments for handles and arrays


class SourceStruct(ctypes.Structure):
    """spool_source. A field keeps the bytes that it is set to alive; an address is not kept alive."""

    _fields_ = (("path", c_char_p), ("data", c_char_p), ("size", c_size_t), ("name", c_char_p))


class RegionStruct(ctypes.Structure):
    """spool_region."""

    _fields_ = (
        ("left", c_double),
        ("top", c_double),
        ("width", c_double),
        ("height", c_double),
        ("flip_x", c_int32),
        ("flip_y", c_int32),
    )


class ReportStruct(ctypes.Structure):
    """spool_image_report."""

    _fields_ = (
        ("width", c_int32),
        ("height", c_int32),
        ("channels", c_int32),
        ("bits", c_int32),
        ("frames", c_int32),
        ("orientation", c_int32),
        ("damaged", c_int32),
        ("warnings", c_int32),
        ("fraction", c_double),
        ("region", RegionStruct),
        ("shape", c_int64 * MAX_DIMS),
        ("ndim", c_int32),
        ("reserved", c_int32),
    )


# spool_region as a NumPy dtype.
REGION = [("left", "<f8"), ("top", "<f8"), ("width", "<f8"), ("height", "<f8"), ("flip_x", "<i4"), ("flip_y", "<i4")]


class ImagesOptions(ctypes.Structure):
    """spool_images_options."""

    _fields_ = (
        ("struct_size", c_uint32),
        ("on_error", c_int32),
        ("threads", c_int32),
        ("reserved", c_int32),
        ("out", c_void_p),
        ("out_size", c_size_t),
        ("seed", c_uint64),
        ("epoch", c_uint64),
        ("ids", c_void_p),
        ("statuses", c_void_p),
        ("regions", c_void_p),
        ("cancel", c_void_p),
    )


class ClipStruct(ctypes.Structure):
    """spool_clip."""

    _fields_ = (
        ("pixels", c_void_p),
        ("view", ArrayView),
        ("frames", c_void_p),
        ("read", c_int64),
        ("decoded", c_int64),
        ("skipped", c_int64),
        ("seeks", c_int64),
        ("damaged", c_int64),
    )


class AudioSamplesStruct(ctypes.Structure):
    """spool_audio_samples."""

    _fields_ = (("samples", c_void_p), ("first", c_int64), ("rate", c_int32), ("damaged", c_int32))


class GraphInputStruct(ctypes.Structure):
    """spool_graph_input."""

    _fields_ = (("source", SourceStruct), ("options", c_char_p))


class GraphOutputStruct(ctypes.Structure):
    """spool_graph_output."""

    _fields_ = (
        ("data", c_void_p),
        ("pts", c_double),
        ("output", c_int32),
        ("video", c_int32),
        ("rate", c_int32),
        ("reserved", c_int32),
    )


class PixelsPointer(Pointer):
    """A pointer in a struct, which has the value that C writes there. ctypes gives fields of c_void_p as numbers."""


class BatchStruct(ctypes.Structure):
    """spool_batch."""

    _fields_ = (
        ("epoch", c_int64),
        ("index", c_int64),
        ("count", c_int32),
        ("padded", c_int32),
        ("pixels", PixelsPointer),
        ("about", c_void_p),
        ("samples", c_void_p),
        ("frames", c_void_p),
        ("frames_each", c_int32),
        ("field_count", c_int32),
        ("fields", c_void_p),
        ("absent", c_void_p),
    )


class ListingStruct(ctypes.Structure):
    """spool_listing."""

    _fields_ = (
        ("count", c_int64),
        ("names", c_void_p),
        ("keys", c_void_p),
        ("labels", c_void_p),
        ("sizes", c_void_p),
        ("info", c_void_p),
    )


class FieldStruct(ctypes.Structure):
    """spool_field."""

    _fields_ = (
        ("name", c_char_p),
        ("field", c_char_p),
        ("part", c_char_p),
        ("view", c_int32),
        ("array", c_int32),
        ("ragged", c_int32),
        ("values", c_void_p),
        ("shapes", c_void_p),
        ("ndim", c_int32),
        ("format", c_char_p),
        ("patched", c_int32),
        ("grids", c_void_p),
        ("element", c_char_p),
    )


class ValueStruct(ctypes.Structure):
    """spool_value."""

    _fields_ = (
        ("data", c_void_p),
        ("size", c_int64),
        ("dtype_code", c_int32),
        ("dtype_bits", c_int32),
        ("ndim", c_int32),
        ("shape", c_int64 * 3),
    )


# spool_sample as a NumPy dtype.
SAMPLE = [
    ("id", "<i8"),
    ("label", "<i8"),
    ("name", "<u8"),
    ("key", "<u8"),
    ("region", REGION),
    ("start", "<f8"),
    ("length", "<i8"),
    ("state", "<i4"),
    ("warnings", "<i4"),
    ("occurrence", "<i4"),
    ("padding", "<i4"),
]

# spool_packet as a NumPy dtype.
PACKET = [
    ("data", "<u8"),
    ("size", "<i8"),
    ("pts", "<i8"),
    ("dts", "<i8"),
    ("duration", "<i8"),
    ("flags", "<i4"),
    ("reserved", "<i4"),
]

# spool_member as a NumPy dtype.
MEMBER = [("name", "<u8"), ("sample", "<i8"), ("size", "<i8")]

# spool_frame as a NumPy dtype.
FRAME = [("index", "<i8"), ("pts", "<f8"), ("duration", "<f8"), ("state", "<i4"), ("key", "<i4")]

handle = c_void_p  # ctypes accepts a Handle for it
array = POINTER(c_void_p)
error = POINTER(ErrorStruct)
source = POINTER(SourceStruct)

# Functions that can fail. They return an int32. Their last argument is the error, which is not listed here.
functions: dict[str, list[Any]] = {
    "spool_cancel_new": [POINTER(handle)],
    "spool_cancel_set": [handle],
    # image
    "spool_image_spec_new": [c_char_p, POINTER(handle)],
    "spool_image_spec_describe": [handle, POINTER(ArrayView)],
    "spool_decode_images": [handle, source, c_int64, POINTER(ImagesOptions), array, array],
    "spool_decode_image": [handle, source, handle, array, POINTER(ReportStruct)],
    "spool_decode_image_into": [handle, source, handle, c_void_p, c_size_t, POINTER(ReportStruct)],
    # records
    "spool_record_spec_new": [c_char_p, POINTER(handle)],
    "spool_record_spec_inputs": [handle, array],
    "spool_decode_records": [handle, source, c_int64, POINTER(ImagesOptions), POINTER(BatchStruct), array],
    # encode, probe, doctor
    "spool_encode_image": [POINTER(ArrayView), c_char_p, handle, array],
    "spool_write_image": [c_char_p, POINTER(ArrayView), c_char_p, handle],
    "spool_writer_open": [c_char_p, c_char_p, handle, POINTER(handle)],
    "spool_writer_frames": [handle, POINTER(ArrayView), c_void_p, handle],
    "spool_writer_samples": [handle, POINTER(ArrayView), handle],
    "spool_writer_finish": [handle, handle, array],
    "spool_remux": [c_char_p, source, c_char_p, handle],
    "spool_probe": [source, c_char_p, handle, array],
    "spool_doctor": [array],
    "spool_simulate": [c_char_p, c_char_p, array],
    "spool_doctor_store": [c_char_p, c_char_p, handle, array],
    "spool_stats": [array],
    "spool_list": [POINTER(c_char_p), c_size_t, c_char_p, handle, POINTER(ListingStruct)],
    # video
    "spool_video_spec_new": [c_char_p, POINTER(handle)],
    "spool_video_open": [handle, source, handle, POINTER(handle)],
    "spool_video_info": [handle, array],
    "spool_video_frames": [handle, array],
    "spool_video_decode": [handle, handle, c_void_p, c_size_t, handle, POINTER(ClipStruct)],
    "spool_video_decode_into": [
        *(handle, handle, c_void_p, c_size_t, handle),
        *(c_void_p, c_size_t, POINTER(ClipStruct)),
    ],
    "spool_video_decode_on": [
        *(handle, handle, handle, c_void_p, c_size_t, handle),
        *(POINTER(ClipStruct), array),
    ],
    # archives
    "spool_archive_open": [source, c_char_p, handle, POINTER(handle)],
    "spool_archive_info": [handle, array],
    "spool_archive_list": [handle, array],
    "spool_archive_read": [handle, c_int64, handle, array],
    "spool_crc64nvme": [c_char_p, c_size_t, POINTER(c_uint64)],
    # packets, graphs
    "spool_packets_read": [source, c_char_p, handle, POINTER(handle)],
    "spool_packets_filter": [handle, c_char_p, handle, POINTER(handle)],
    "spool_packets_load": [c_char_p, c_size_t, POINTER(handle)],
    "spool_packets_save": [handle, array],
    "spool_packets_info": [handle, array],
    "spool_packets_list": [handle, array],
    "spool_mux": [c_char_p, POINTER(handle), c_size_t, c_char_p, handle],
    "spool_video_open_packets": [handle, handle, handle, POINTER(handle)],
    "spool_graph_open": [c_char_p, POINTER(GraphInputStruct), c_size_t, c_char_p, handle, POINTER(handle)],
    "spool_graph_info": [handle, array],
    "spool_graph_next": [handle, handle, POINTER(GraphOutputStruct)],
    # audio
    "spool_audio_spec_new": [c_char_p, POINTER(handle)],
    "spool_audio_open": [handle, source, handle, POINTER(handle)],
    "spool_audio_info": [handle, array],
    "spool_audio_decode": [handle, handle, POINTER(c_double * 2), handle, POINTER(AudioSamplesStruct)],
    "spool_array_dlpack_in": [handle, c_uint64, c_int32, c_int32, POINTER(c_void_p)],
    "spool_array_cuda": [handle, c_uint64, c_int32, array],
    "spool_device_open": [c_char_p, POINTER(handle)],
    "spool_device_copy": [handle, POINTER(ArrayView), c_size_t, handle, POINTER(handle)],
    "spool_device_decode": [handle, source, c_size_t, handle, POINTER(handle), array],
    "spool_device_counts": [handle, array],
    # loader
    "spool_loader_open": [c_char_p, POINTER(c_char_p), c_size_t, c_char_p, handle, POINTER(handle)],
    "spool_loader_next": [handle, c_int64, POINTER(BatchStruct)],
    "spool_loader_read": [handle, c_void_p, c_size_t, c_int64, handle, POINTER(BatchStruct)],
    "spool_batch_array": [handle, c_int32, array],
    "spool_batch_columns": [POINTER(BatchStruct), c_void_p, c_void_p],
    "spool_loader_again": [handle, c_int64, c_char_p, handle, POINTER(BatchStruct), array],
    "spool_loader_start": [handle, c_int64],
    "spool_loader_state": [handle, array],
    "spool_loader_state_before": [handle, array],
    "spool_loader_resume": [handle, c_char_p],
    "spool_loader_choose": [handle, c_void_p, c_size_t, c_int64, c_int32],
    "spool_loader_bucket": [handle, c_void_p, c_size_t, c_int64],
    "spool_loader_weigh": [handle, c_void_p, c_size_t, c_int64],
    "spool_loader_info": [handle, array],
    "spool_loader_report": [handle, array],
    "spool_loader_trace": [handle, c_char_p, c_double, handle],
    "spool_loader_profile": [handle, c_char_p, handle, array],
    "spool_loader_failures": [handle, array],
    "spool_loader_page": [handle, c_char_p, array],
}

# Functions that cannot fail: their arguments and their result.
plain: dict[str, tuple[list[Any], Any]] = {
    "spool_abi": ([], c_int32),
    "spool_version": ([], c_char_p),
    "spool_array_describe": ([c_void_p, POINTER(ArrayView)], None),
    "spool_array_retain": ([c_void_p], c_void_p),
    "spool_array_release": ([c_void_p], None),
    "spool_batch_release": ([POINTER(BatchStruct)], None),
    "spool_cancel_release": ([handle], None),
    "spool_image_spec_release": ([handle], None),
    "spool_record_spec_release": ([handle], None),
    "spool_video_spec_release": ([handle], None),
    "spool_video_close": ([handle], None),
    "spool_audio_spec_release": ([handle], None),
    "spool_audio_close": ([handle], None),
    "spool_loader_close": ([handle], None),
    "spool_writer_close": ([handle], None),
    "spool_packets_release": ([handle], None),
    "spool_archive_close": ([handle], None),
    "spool_graph_close": ([handle], None),
    "spool_device_close": ([handle], None),
}
