"""Files of arrays, of PCM, and archives, from bytes in memory."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...media import probe
from .decoding import decode_packets
from .packets import demux_audio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.lib.npyio import NpzFile
    from numpy.typing import NDArray

    from ..._arrays import Numbers
    from ..._source import Source


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int = ..., /) -> bytes:
        """Read bytes.

        Args:
            size: int, the most bytes. Default: all.

        Returns:
            The bytes; none at the end.
        """
        ...


def load_npy(data: bytes | bytearray | memoryview, *, copy: bool = False) -> NDArray[np.generic]:
    """Return the array of an NPY file.

    Args:
        data: the file's bytes.
        copy: bool; True copies the array. False, the default, views the bytes, and is read-only for ``bytes``.

    Returns:
        The array.

    Raises:
        ValueError: the bytes are no NPY file, or its array has objects.
    """
    header = io.BytesIO(memoryview(data)[: 1 << 16])
    version = np.lib.format.read_magic(header)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(header)
    if dtype.hasobject:
        raise ValueError("data: an array of objects is not offered; numpy.load reads it")
    count = int(np.prod(shape, dtype=np.int64))
    array = np.frombuffer(data, dtype, count, header.tell()).reshape(shape, order="F" if fortran else "C")
    return array.copy() if copy else array


def load_npz(data: bytes | bytearray | memoryview) -> NpzFile:
    """Return the arrays of an NPZ file, which NumPy reads.

    Args:
        data: the file's bytes.

    Returns:
        The arrays by name.
    """
    arrays: NpzFile = np.load(io.BytesIO(data))
    return arrays


def load_wav(data: Source, time_offset_seconds: float | None = None, duration_seconds: float | None = None) -> Numbers:
    """Return the samples of a WAV file, as they are stored.

    Args:
        data: the file's bytes, or its path.
        time_offset_seconds: the begin of a window. Default: 0.
        duration_seconds: the length of a window. Default: up to the end.

    Returns:
        The samples, (time, channels).

    Raises:
        DecodeError: the bytes are no WAV file.
        ValueError: the window is not in the file, or its samples are not of 16, 24 or 32 bits.
    """
    length = probe(data).get("duration_s", 0.0)
    start = time_offset_seconds or 0.0
    end = length if duration_seconds is None else start + duration_seconds
    if not 0 <= start <= end <= length + 1e-9:
        raise ValueError(f"time_offset_seconds, duration_seconds: [{start}, {end}) is not in the file's [0, {length})")
    window = None if time_offset_seconds is None and duration_seconds is None else (start, end)
    return decode_packets(demux_audio(data, timestamp=window), filter_desc=None).data


def iter_tarfile(src: bytes | bytearray | memoryview | Readable) -> Iterator[tuple[str, bytes | memoryview]]:
    """Yield the files of a tar archive.

    Args:
        src: the archive's bytes, whose contents are views of them; or a file opened for bytes.

    Yields:
        Name and content of each regular file.
    """
    if isinstance(src, (bytes, bytearray, memoryview)):
        view = memoryview(src)
        with tarfile.open(fileobj=io.BytesIO(src), mode="r:") as tar:
            for member in tar:
                if member.isreg():
                    yield member.name, view[member.offset_data : member.offset_data + member.size]
        return
    stream: Any = src
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            if (file := tar.extractfile(member)) is not None:
                yield member.name, file.read()
