"""What to use in place of a keyword that a call does not have.

Other packages have other names for the same option. A name that is in no list here is compared with the names that
the call has.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

# Other packages' names. A hint holds for calls that have one of its first words; "" is each call. The first one counts.
_known: dict[str, tuple[tuple[str, str], ...]] = {}


def _is(own: str, *names: str, hint: str = "") -> None:
    """Add names of a keyword."""
    for name in names:
        _known[name] = (*_known.get(name, ()), (own, hint or f"use {own}"))


_DATALOADER = "it is an argument of the DataLoader"

_is("batch", "batch_size", "batchsize", "bs")
_is("workers", "num_workers", "n_workers", "num_threads", "threads", "num_parallel_calls")
_is("threads", "workers", "num_workers", "n_workers", "num_threads", "n_threads", "num_ffmpeg_threads")
_is("num_ffmpeg_threads", "threads", "num_threads", "num_workers", "workers")
_is("last", "drop_last", "drop_remainder", hint='use last="drop", or "keep", the default')
_is("device", "pin_memory", hint='use device="pinned"')
_is("device", "pin_memory_device")
_is("order", "in_order", hint='use order="any" for False')
_is("prefetch", "prefetch_factor", "prefetch_batches", "buffer_size", "queue_size")
_is("shuffle", "shuffle_buffer", hint="use shuffle=True: it needs no buffer")
_is("seed", "generator", "random_state", "random_seed", "manual_seed", hint="use seed, a number")
_is("sampler", "batch_sampler", hint="use sampler, which gives single samples, and batch")
for _name in ("persistent_workers", "worker_init_fn", "multiprocessing_context"):
    _is("workers", _name, hint="there are no worker processes")
_is("workers", "timeout", hint="close() ends a loop that waits")
_is("workers", "collate_fn", "batch_transform", hint="change the batch in the loop: it is an array")
_is("world", "world_size", "num_replicas", "num_shards", "shard_count")
_is("rank", "shard_id", "shard_index", "local_rank", "process_index")
_is("epochs", "num_epochs", "repeat")
_is("on_error", "errors", "handler", "skip_errors", "ignore_errors")
_is("errors", "on_error", "handler", "skip_errors", "ignore_errors")
_is("mix", "sampling_weights", "probabilities")
_is("cache", "cache_size")
_is("disk_cache", "cache_dir", "cache_folder")
_is("limit", "max_samples", "num_samples")
_is("sample", "num_frames", "n_frames", "num_samples")
_is("frames", "num_frames", "n_frames", "clip_length", "clip_len", "indices")
_is("stride", "frame_step", "frame_interval", "sampling_rate", "dilation")
_is("size", "image_size", "img_size", "resize", "resize_to", "target_size", "output_size", "shape")
_is("size", "height", "width", hint="use size=(height, width)")
_is("crop", "crop_size", "center_crop")
_is("filter", "interpolation", "resample", "interp")
_is("size", "antialias", hint='filters antialias by themselves, but for "nearest"')
_is("dtype", "output_dtype", "data_type")
_is("output_dtype", "dtype", "data_type")
_is("layout", "data_format", "dimension_order", "channels_first", "channels_last", "output_layout")
_is("dimension_order", "layout", "data_format", "channels_first", "channels_last")
_is("color", "mode", "color_mode", "color_space", "pixel_format", "output_format")
_is("stream", "stream_index")
_is("stream_index", "stream")
_is("rate", "sample_rate", "sampling_rate", "sr", "target_sr")
_is("sample_rate", "rate", "sampling_rate", "sr", "target_sr")
_is("channels", "num_channels", "mono", "n_channels")
_is("num_channels", "channels", "mono", "n_channels")
_is("duration", "clip_duration", "max_length", "max_duration", "window")
_is("start", "start_seconds", "offset", "start_time")
_is("end", "end_seconds", "stop", "stop_seconds", "end_time")
_is("quality", "resample_quality", "q")
_is("mean", "normalize", "normalization", hint="use mean and std, with dtype a float")
_is("flip_x", "hflip", "horizontal_flip")
_is("flip_y", "vflip", "vertical_flip")
_is("no_sign_request", "anon", "anonymous")
_is("endpoint_url", "endpoint")
_is("read", "batch_size", "num_workers", "shuffle", "drop_last", "pin_memory", "prefetch_factor", hint=_DATALOADER)
_is("read", "batch", "workers", "sampler", "persistent_workers", "worker_init_fn", "collate_fn", hint=_DATALOADER)
_is("train", "augment", "augmentation", "training", "is_train")
_is("train", "transform", "transforms", hint="use size, resize_shorter, crop, train, dtype, mean and std")
_is("size", "transform", "transforms", hint="use size, resize_shorter, crop, random_scale, flip_x, dtype, mean and std")
_is("src", "dataset", "data", "path", "paths", "root", "source", "sources", "files", "urls", hint="it comes first: src")
_is("label", "label_column", "target_column", "target")
_is("label", "labels", "targets", hint="class folders and tables have labels; label names the column of a table")


def hints(unknown: Collection[str], names: Collection[str]) -> Iterator[str]:
    """Give a line for each keyword that a call does not have, given the names that it has."""
    for name in sorted(unknown):
        said = next((hint for own, hint in _known.get(name, ()) if own in names), None) or _near(name, names)
        yield f"unknown keyword {name!r}: {said}" if said else f"unknown keyword {name!r}"


def _near(name: str, names: Collection[str]) -> str:
    near = difflib.get_close_matches(name.lower(), names, 1, 0.7)
    return f"use {near[0]}?" if near else ""
