"""Batches of records in LeRobot's form."""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, Generic, TypedDict, cast

import numpy as np

from . import _delivery, _native, _option, field_options
from ._arrays import A, Values
from ._narrow import is_list, is_mapping, is_path
from ._wait import interruptibly
from .array import address
from .errors import NotFoundError
from .record_batch import RecordBatch

if TYPE_CHECKING:
    from typing_extensions import Required

    from .batch import Convert

_MM_PER_M = 1000.0


def windows(name: str, value: Any) -> dict[str, list[float]]:
    """Return the windows of features, in seconds."""
    if not isinstance(value, Mapping):
        raise _option.wrong(name, value, "a mapping of features to seconds, like {'action': [0, 0.1]}")
    return {_option.text(name, k): _option.numbers(name, v) for k, v in value.items()}  # pyright: ignore


def cameras_of(name: str, value: Any) -> dict[str, Any]:
    """Return the options of cameras."""
    known = field_options.video_field
    _option.encode(value, known)
    return {k: known[k](k, v) for k, v in value.items() if v is not None}


class Items(dict[str, "Values[A]"], Generic[A]):
    """A batch: tensors and lists by the names of features, as the default collate function makes it.

    Args:
        fields: the tensors and lists.
        batch: the batch that they come from, with the ids and keys of the samples.
    """

    def __init__(self, fields: Mapping[str, Values[A]], batch: RecordBatch[A]) -> None:
        super().__init__(fields)
        self.batch = batch

    def array(self, name: str) -> A:
        """Return a feature that is an array, which type checkers then know.

        Args:
            name: the feature's name.

        Returns:
            The array, ``items[name]``.

        Raises:
            KeyError: there is no such feature.
            TypeError: the feature is a list.
        """
        value = self[name]
        if isinstance(value, list):
            raise TypeError(f"{name}: the feature is a list, not an array: use items[{name!r}]")
        return cast("A", value)

    def __reduce__(self) -> tuple[object, ...]:
        return Items, (dict(self), self.batch)


def check(root: Any) -> None:
    """Raise a NotFoundError for a local folder that is no data set."""
    if is_path(root) and os.path.isdir(root):
        file = os.path.join(os.fspath(root), "meta", "info.json")
        if not os.path.exists(file):
            text = "no such file, which each LeRobot data set has"
            raise NotFoundError(text, error_class="not-found", file=os.fsdecode(file), op="list")


class Feature(TypedDict, total=False):
    """What ``meta/info.json`` says of a feature."""

    dtype: Required[str]
    shape: Required[list[int]]
    names: object
    info: Mapping[str, object] | None
    video_info: Mapping[str, object] | None


class About:
    """What a data set says of itself."""

    def _meta(self) -> Mapping[str, Any]:
        raise NotImplementedError

    @property
    def meta(self) -> Mapping[str, object]:
        """The object in the data set's ``meta/info.json``."""
        return self._meta()

    @property
    def fps(self) -> float:
        """The frame rate of the data set."""
        fps: float = self._meta()["fps"]
        return fps

    @property
    def features(self) -> dict[str, Feature]:
        """The features of the data set: their ``dtype``, ``shape`` and ``names``."""
        features: dict[str, Feature] = self._meta()["features"]
        return features


def read(loader: _native.Handle, rows: Sequence[int], epoch: int) -> _delivery.Delivery:
    """Call spool_loader_read.

    Args:
        loader: the library's loader.
        rows: positions of samples.
        epoch: int, the epoch of random choices.

    Returns:
        The batch as the library delivered it.
    """
    ids = np.ascontiguousarray(rows, np.int64)

    def call(cancel: _native.Handle | None) -> _delivery.Delivery:
        delivery = _delivery.Delivery()
        arguments = address(ids), len(ids), epoch, cancel, ctypes.byref(delivery.struct)
        _native.call("spool_loader_read", loader, *arguments)
        return delivery

    return interruptibly(call)


_WORDS = "task", "subtask"  # that rows name by a number


def items(
    delivery: _delivery.Delivery,
    convert: Convert[A],
    features: Mapping[str, Feature],
    uint8: bool,
    unit: str,
) -> Items[A]:
    """Return a batch in LeRobot's form.

    Args:
        delivery: the batch as the library delivered it.
        convert: converts arrays to the type of the output.
        features: of the data set.
        uint8: whether frames are uint8.
        unit: of depth maps.

    Returns:
        The batch: cameras first, then the other features, and the words of task and subtask.
    """
    kinds = {"string": "text", "language": "json"}
    fields = {name: {"kind": kinds.get(f["dtype"], "")} for name, f in features.items()}
    batch = RecordBatch(delivery, convert, {**fields, **dict.fromkeys(_WORDS, {"kind": "text"})})
    values: dict[str, Any] = {}
    pads: dict[str, Any] = {}
    for name, feature in sorted(features.items(), key=lambda f: f[1]["dtype"] != "video"):
        window = list(takewhile(batch.__contains__, (f"{name}.{i}" for i in count())))  # of images
        if window or name in batch:
            values[name] = _item(feature, [batch[k] for k in window] or batch[name], uint8, unit)
        if (pad := f"{name}_is_pad") in batch:
            pads[pad] = _cast(batch[pad], "bool")
    words = {name: batch[name] for name in _WORDS if name in batch}
    return Items({**values, **pads, **words}, batch)


def is_depth(feature: Feature) -> bool:
    """Return whether a feature has depth maps, as info.json says in one of several ways.

    Args:
        feature: of the data set.
    """
    notes: list[Mapping[str, object]] = [feature.get("info") or {}, feature.get("video_info") or {}]
    return any(n.get("is_depth_map") or n.get("video.is_depth_map") for n in notes)


def _item(feature: Feature, values: Any, uint8: bool, unit: str) -> Any:
    """Return a feature in LeRobot's form. Only windows of one video frame lose the axis of time."""
    dtype = feature["dtype"]
    if dtype == "video":
        values = values[:, 0] if values.shape[1] == 1 else values
        return _distances(values, feature, unit) if is_depth(feature) else values
    if dtype == "image":
        if is_list(values):  # a window
            values = np.stack(values, 1) if isinstance(values[0], np.ndarray) else _torch().stack(values, 1)
        if is_depth(feature):
            info: Mapping[str, Any] = feature.get("info") or {}
            return _in_unit(_cast(values, "float32"), info.get("depth_unit"), unit)
        return _cast(values, "float32") / 255 if uint8 else values
    if dtype == "language":
        return [_entries(value) for value in values]
    if dtype == "float64":  # torch.tensor makes single precision of Python's floats
        return _cast(values, "float32")
    return _cast(values, "bool") if dtype == "bool" else values


def _entries(value: Any) -> Any:
    """Return the entries of a row of language. Calls of tools are JSON in the data set, and values here. Times have the
    value of single precision.
    """
    for entry in value or ():
        if "timestamp" in entry:
            entry["timestamp"] = float(np.float32(entry["timestamp"]))
        if calls := entry.get("tool_calls"):
            entry["tool_calls"] = [json.loads(c) if isinstance(c, str) else c for c in calls]
    return value


_CODES = 4095  # the largest code of a depth map in a video


def _distances(codes: Any, feature: Feature, unit: str) -> Any:
    """Convert the codes of depth maps in videos, which stand for distances from depth_min to depth_max in metres. The
    codes are even in the distance, or in the logarithm of distance + shift.
    """
    notes: dict[str, Any] = {}
    for key in "video_info", "info":
        found = feature.get(key)
        notes |= {k: v for k, v in found.items() if v is not None} if is_mapping(found) else {}
    near, far = float(notes.get("video.depth_min", 0.01)), float(notes.get("video.depth_max", 10))
    shift, log = float(notes.get("video.shift", 3.5)), notes.get("video.use_log", True)
    first, last = (math.log(near + shift), math.log(far + shift)) if log else (near, far)
    values = _cast(codes, "float32") * ((last - first) / _CODES) + first
    if log:
        values = (np.exp(values) if isinstance(values, np.ndarray) else values.exp()) - shift
    values = values.clip(near, far)
    return (values * _MM_PER_M).round() if unit == "mm" else values


def _in_unit(values: Any, stored: str | None, unit: str) -> Any:
    """Convert depth maps from the unit that the data set says. Without one they stay as they are."""
    if stored is None or stored == unit:
        return values
    return values * _MM_PER_M if stored == "m" else values / _MM_PER_M


def _torch() -> Any:
    return importlib.import_module("torch")


def _cast(values: Any, dtype: str) -> Any:
    """Convert an array or a tensor to a type."""
    return values.astype(dtype) if hasattr(values, "astype") else values.to(getattr(_torch(), dtype))
