"""Hints for unknown keywords.

Other packages have other names for the same option. A name that is not listed here is compared with the names of the
call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

# Other packages' names: for each, keywords of spool with a hint. A call uses the first hint whose keyword it has.
_known: dict[str, tuple[tuple[str, str], ...]] = {}


def _alias(own: str, *names: str, hint: str = "") -> None:
    """Add other packages' names of a keyword."""
    for name in names:
        _known[name] = (*_known.get(name, ()), (own, hint or f"use {own}"))


_DATALOADER = "it is an argument of the DataLoader"

_alias("batch", "batch_size", "batchsize", "bs")
_alias("workers", "num_workers", "n_workers", "num_threads", "threads", "num_parallel_calls")
_alias("threads", "workers", "num_workers", "n_workers", "num_threads", "n_threads", "num_ffmpeg_threads")
_alias("num_ffmpeg_threads", "threads", "num_threads", "num_workers", "workers")
_alias("last", "drop_last", "drop_remainder", hint='use last="drop", or "keep", the default')
_alias("device", "pin_memory", hint='use device="pinned"')
_alias("device", "pin_memory_device")
_alias("order", "in_order", hint='use order="any" for False')
_alias("prefetch", "prefetch_factor", "prefetch_batches", "buffer_size", "queue_size")
_alias("shuffle", "shuffle_buffer", hint="use shuffle=True: it needs no buffer")
_alias("seed", "generator", "random_state", "random_seed", "manual_seed", hint="use seed, a number")
_alias("sampler", "batch_sampler", hint="use sampler, which gives single samples, and batch")
for _name in ("persistent_workers", "worker_init_fn", "multiprocessing_context"):
    _alias("workers", _name, hint="there are no worker processes")
_alias("deadline", "timeout", hint="use deadline for a sample; close() ends a loop that waits")
_alias("attempts", "retries", "max_retries", "num_retries")
_alias("workers", "collate_fn", "batch_transform", hint="change the batch in the loop: it is an array")
_alias("world", "world_size", "num_replicas", "num_shards", "shard_count")
_alias("rank", "shard_id", "shard_index", "local_rank", "process_index")
_alias("epochs", "num_epochs", "repeat")
_alias("on_error", "errors", "on_bad", "handler", "skip_errors", "ignore_errors")
_alias("mix", "sampling_weights", "probabilities")
_alias("cache", "cache_size")
_alias("disk_cache", "cache_dir", "cache_folder")
_alias("limit", "max_samples", "num_samples")
_alias("sample", "num_frames", "n_frames", "num_samples")
_alias("frames", "num_frames", "n_frames", "clip_length", "clip_len", "indices")
_alias("stride", "frame_step", "frame_interval", "sampling_rate", "dilation")
_alias("size", "image_size", "img_size", "resize", "resize_to", "target_size", "output_size", "shape")
_alias("size", "height", "width", hint="use size=(height, width)")
_alias("crop", "crop_size", "center_crop")
_alias("filter", "interpolation", "resample", "interp")
_alias("size", "antialias", hint="filters always antialias, except the nearest ones")
_alias("output", "format", "return_type", "framework", "backend")
_alias("dtype", "output_dtype", "data_type")
_alias("output_dtype", "dtype", "data_type")
_alias("layout", "data_format", "dimension_order", "channels_first", "channels_last", "output_layout")
_alias("dimension_order", "layout", "data_format", "channels_first", "channels_last")
_alias("color", "mode", "color_mode", "color_space", "pixel_format", "output_format")
_alias("stream", "stream_index")
_alias("stream_index", "stream")
_alias("rate", "sample_rate", "sampling_rate", "sr", "target_sr")
_alias("sample_rate", "rate", "sampling_rate", "sr", "target_sr")
_alias("channels", "num_channels", "mono", "n_channels")
_alias("num_channels", "channels", "mono", "n_channels")
_alias("duration", "clip_duration", "max_length", "max_duration", "window")
_alias("start", "start_seconds", "offset", "start_time")
_alias("end", "end_seconds", "stop", "stop_seconds", "end_time")
_alias("quality", "resample_quality", "q")
_alias("mean", "normalize", "normalization", hint="use mean and std, with a float dtype")
_alias("flip_x", "hflip", "horizontal_flip")
_alias("flip_y", "vflip", "vertical_flip")
_alias("no_sign_request", "anon", "anonymous")
_alias("endpoint_url", "endpoint")
_alias("read", "batch_size", "num_workers", "shuffle", "drop_last", "pin_memory", "prefetch_factor", hint=_DATALOADER)
_alias("read", "batch", "workers", "sampler", "persistent_workers", "worker_init_fn", "collate_fn", hint=_DATALOADER)
_alias("train", "augment", "augmentation", "training", "is_train")
_alias("train", "transform", "transforms", hint="use size, resize_shorter, crop, train, dtype, mean and std")
_alias(
    "size", "transform", "transforms", hint="use size, resize_shorter, crop, random_scale, flip_x, dtype, mean and std"
)
_alias(
    "src", "dataset", "data", "path", "paths", "root", "source", "sources", "files", "urls", hint="pass it first: src"
)
_alias("label", "label_column", "target_column", "target")
_alias("labels", "targets")
_alias("label", "labels", "targets", hint="class folders and tables have labels; label names the column of a table")


def hints(unknown: Collection[str], names: Collection[str]) -> Iterator[str]:
    """Yield a line for each unknown keyword of a call.

    Args:
        unknown: the unknown keywords.
        names: the keywords that the call has.

    Yields:
        An error message, with the keyword to use instead if there is one.
    """
    for name in sorted(unknown):
        said = next((hint for own, hint in _known.get(name, ()) if own in names), None) or _near(name, names)
        yield f"unknown keyword {name!r}: {said or 'this call has no such option'}"


def _near(name: str, names: Collection[str]) -> str:
    near = nearest(name, names)
    return f"did you mean {near}?" if near else ""


def nearest(word: str, words: Collection[str]) -> str:
    """Return the word that a misspelled one probably means, or an empty string.

    Args:
        word: the misspelled word.
        words: the known words.

    Returns:
        One of the known words, or an empty string.
    """
    import difflib  # only messages need it

    lowered = {w.lower(): w for w in words}
    near = difflib.get_close_matches(word.lower(), lowered, 1, 0.7)
    return lowered[near[0]] if near else ""
