"""Writing samples as WebDataset tar shards."""

from __future__ import annotations

import ctypes
import hashlib
import io
import json
import os
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np

from . import _native
from .encode import encode_image
from .errors import ClosedError

if TYPE_CHECKING:
    from typing_extensions import Self

Encoder = Callable[[Any], bytes]


def _text(value: Any) -> bytes:
    return str(value).encode()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _npy(value: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(value), allow_pickle=False)
    return file.getvalue()


_encoders: Final[Mapping[str, Encoder]] = {
    "cls": _text,
    "cls2": _text,
    "id": _text,
    "index": _text,
    "txt": _text,
    "text": _text,
    "json": _json,
    "npy": _npy,
    "jpg": lambda pixels: encode_image(pixels, "jpeg"),
    "jpeg": lambda pixels: encode_image(pixels, "jpeg"),
    "png": encode_image,
    "webp": lambda pixels: encode_image(pixels, "webp"),
}


class _CRC64:
    """A CRC-64/NVME, with the methods of a hash of hashlib."""

    def __init__(self) -> None:
        self._sum = ctypes.c_uint64()
        self.update(b"")

    def update(self, data: bytes) -> None:
        _native.call("spool_crc64nvme", data, len(data), ctypes.byref(self._sum))

    def hexdigest(self) -> str:
        return f"{self._sum.value:016x}"


_checksums: Final[Mapping[str, Callable[[], Any]]] = {"crc64nvme": _CRC64, "sha256": hashlib.sha256}


class ShardWriter:
    """Writes samples to tar shards that WebDataset, :class:`spool.ImageLoader` and :class:`spool.Loader` read.

    The calls are those of ``webdataset.ShardWriter``. The differences are guarantees: the same samples give the same
    bytes; a shard is on the disk as a whole or not at all, under the name ``NAME.part`` until then; ``manifest.json``
    has the size and the checksum of each shard, which ``spool verify FOLDER`` compares.

    A sample is a mapping with ``__key__``, text that names it, and a member for each other name that does not begin
    with ``__``. Bytes are written as they are. Other values are encoded by the last part of the member's name:
    ``cls``, ``id``, ``index`` and ``txt`` by ``str``; ``json``; ``npy``; ``jpg``, ``png`` and ``webp`` by
    :func:`spool.encode_image` from an array (H, W, C) of uint8.

    An instance belongs to one thread at a time. It keeps one sample in memory. Leaving its ``with`` block by an
    exception discards the unfinished shard, and writes no manifest; finished shards stay.

    Args:
        pattern: path of the shards, with the shard's number in the form of ``%``: ``"train/%06d.tar"``. Its folder is
            created, and must not have a ``manifest.json``.
        maxcount: the most samples in a shard. Default: 100,000.
        maxsize: the most bytes of members in a shard, above which a new one begins. Default: 3e9.
        start_shard: number of the first shard. Default: 0.
        encoders: functions that give bytes for further names of members, or in place of those above.
        checksum: checksum of shards in the manifest: ``crc64nvme``, the default of ``spool pack`` too, or ``sha256``.

    Raises:
        ValueError: the pattern has no number, a limit is not above 0, the checksum is unknown, or the folder has a
            manifest.
        OSError: the folder cannot be created.
        ForkError: the checksum is ``crc64nvme``, and a parent of this process used the library before it forked.
    """

    def __init__(
        self,
        pattern: str | os.PathLike[str],
        maxcount: int = 100_000,
        maxsize: float = 3e9,
        *,
        start_shard: int = 0,
        encoders: Mapping[str, Encoder] | None = None,
        checksum: Literal["crc64nvme", "sha256"] = "crc64nvme",
    ) -> None:
        self._pattern = os.fspath(pattern)
        if not re.fullmatch(r"[^%]*%0?\d*d[^%/]*", self._pattern):
            raise ValueError(f"pattern: {self._pattern!r} needs one number, like %06d, in the name of the file")
        if maxcount < 1 or not maxsize > 0:
            raise ValueError(f"maxcount and maxsize must be above 0, not {maxcount} and {maxsize}")
        if checksum not in _checksums:
            raise ValueError(f"checksum: {checksum!r} must be crc64nvme or sha256")
        self._maxcount, self._maxsize = maxcount, maxsize
        self._checksum = checksum
        _checksums[checksum]()  # an error of the library comes before the first shard
        self._encoders = {**_encoders, **(encoders or {})}
        self._manifest = Path(self._pattern).parent / "manifest.json"
        if self._manifest.exists():
            raise ValueError(f"pattern: {self._manifest} exists: use an empty folder")
        self._manifest.parent.mkdir(parents=True, exist_ok=True)
        self._next = start_shard
        self._shards: list[dict[str, Any]] = []
        self._file: io.FileIO | None = None
        self._tar: tarfile.TarFile | None = None
        self._name = ""
        self._samples = self._bytes = 0
        self._keys: set[str] = set()
        self._closed = False

    def write(self, sample: Mapping[str, object]) -> int:
        """Write a sample.

        Args:
            sample: the sample; see :class:`ShardWriter`.

        Returns:
            The bytes of its members.

        Raises:
            ValueError: the sample has no key, no member, or the key of another sample of the shard.
            TypeError: a value is not bytes, and there is no encoder for the member's name.
            OSError: the shard cannot be written.
            ClosedError: the writer was closed.
        """
        if self._closed:
            raise ClosedError("the writer is closed")
        key = sample.get("__key__")
        if not isinstance(key, str) or not key or key.startswith("/") or "." in key.rsplit("/", 1)[-1]:
            raise ValueError(f"__key__: {key!r} must be text, with no dot in its last part")
        members = {name: self._encoded(name, value) for name, value in sample.items() if not name.startswith("__")}
        if not members:
            raise ValueError(f"{key}: no member")
        size = sum(map(len, members.values()))
        if self._samples == self._maxcount or self._samples and self._bytes + size > self._maxsize:
            self._finish()
        if key in self._keys:
            raise ValueError(f"{key}: a sample of this shard has the same key")
        tar = self._tar or self._begin()
        self._keys.add(key)
        for name, data in sorted(members.items()):
            info = tarfile.TarInfo(f"{key}.{name}")
            info.size, info.mode = len(data), 0o644
            tar.addfile(info, io.BytesIO(data))
        self._samples += 1
        self._bytes += size
        return size

    def close(self) -> None:
        """Finish the last shard and write the manifest. A second call does nothing.

        Raises:
            OSError: a file cannot be written.
        """
        if self._closed:
            return
        self._closed = True
        self._finish()
        samples = sum(shard["samples"] for shard in self._shards)
        text = json.dumps({"version": 1, "samples": samples, "shards": self._shards}, indent=2)
        with Path(f"{self._manifest}.part").open("w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        self._rename(f"{self._manifest}.part", str(self._manifest))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            self._closed = True
            self._discard()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self._samples} samples in the current shard"
        return f"ShardWriter({self._pattern!r}, {len(self._shards)} finished shards, {state})"

    def _encoded(self, name: str, value: Any) -> bytes:
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(cast("bytes", value))
        encode = self._encoders.get(name.rsplit(".", 1)[-1].lower())
        if encode is None:
            raise TypeError(f"{name}: {type(value).__name__} is not bytes, and no encoder is known for this name")
        return encode(value)

    def _begin(self) -> tarfile.TarFile:
        self._name = self._pattern % self._next
        self._file = io.FileIO(f"{self._name}.part", "w+")
        self._tar = tarfile.open(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115
        return self._tar

    def _finish(self) -> None:
        """Give the current shard its name, when its bytes are on the disk."""
        if self._tar is None or self._file is None:
            return
        self._tar.close()
        os.fsync(self._file.fileno())
        self._file.seek(0)
        digest = _checksums[self._checksum]()
        while block := self._file.read(1 << 20):
            digest.update(block)
        shard = {
            "name": os.path.basename(self._name),
            "samples": self._samples,
            "bytes": self._file.tell(),
            self._checksum: digest.hexdigest(),
        }
        self._file.close()
        self._rename(f"{self._name}.part", self._name)
        self._shards.append(shard)
        self._next += 1
        self._file = self._tar = None
        self._samples = self._bytes = 0
        self._keys.clear()

    def _discard(self) -> None:
        if self._file is not None:
            self._file.close()
            os.remove(f"{self._name}.part")
            self._file = self._tar = None

    def _rename(self, old: str, new: str) -> None:
        os.replace(old, new)
        folder = os.open(self._manifest.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
