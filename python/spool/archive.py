"""Archives: the members of tar files, and the arrays of NPY and NPZ files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _header, _native, _option
from ._source import Source, again, source
from ._wait import interruptibly
from .array import numpy_of
from .errors import ClosedError, Error
from .spec import Stores

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Never, Self

    from ._arrays import Numbers


class ArchiveOptions(Stores, total=False):
    """How an archive is read. See also :class:`spool.spec.Stores`.

    Attributes:
        max_bytes: size of a member, and of a file that is read whole, in bytes or as text like ``"1GiB"``, the default.
    """

    max_bytes: int | str


_options: _option.Kinds = {"max_bytes": _option.amount, **_option.stores}


class Archive(Mapping[str, "Numbers"]):
    """The members of a tar file, or the arrays of an NPZ or NPY file, by their names.

    Members are read when they are asked for, in any order, also from stores and by several threads. A member of a tar
    file is an array of uint8, which :func:`decode_image` and other calls take as a source. An array of NumPy has its
    shape and type; bool is uint8, int8 is int16, and uint32 is int64. The array of an NPY file has the name ``""``.

    >>> import spool
    >>> archive = spool.Archive("testdata/records/000.tar")
    >>> archive
    spool.Archive('testdata/records/000.tar', 35 members in 6 samples)
    >>> name = next(n for n in archive if n.endswith(".jpg"))
    >>> spool.decode_image(archive[name], size=8).shape
    (8, 8, 3)

    Attributes:
        format: ``tar``, ``npz`` or ``npy``.
        sizes: int64, the sizes of a tar file's members in bytes, in their order; -1 for arrays.
        damage: the error of a tar file that is damaged after the last member, or None.

    Args:
        src: a path, a URL, bytes, a buffer, or a file opened for bytes. A tar file may be compressed by gzip or zstd,
            and is then decompressed into memory.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        max_bytes: size of a member, and of a file that is read whole, in bytes or as text like ``"1GiB"``, the default.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: the source does not exist, or is no archive.
    """

    def __init__(
        self,
        src: Source,
        *,
        endpoint_url: str | None = None,
        region: str | None = None,
        no_sign_request: bool = False,
        max_concurrent_requests: int = 512,
        max_bytes: int | str = "1GiB",
        **unknown: Never,
    ) -> None:
        problems = _option.Problems()
        self._keywords = _option.given(locals(), Archive.__init__)
        with problems:
            self._source = source(src)
        options = _option.encode(self._keywords, _options, ("src",), problems).encode()
        self._handle: _native.Handle | None = interruptibly(
            lambda cancel: _native.new("spool_archive", self._source, options, cancel, by="open", end="close")
        )
        self._src = src
        self._file = os.fsdecode(self._source.path or b"<bytes>")
        info = _native.query("spool_archive_info", self._handle)
        self.format: Literal["tar", "npz", "npy"] = info["format"]
        self.damage: Error | None = _native.failure(info["damage"]) if "damage" in info else None
        listed = _native.array()
        _native.call("spool_archive_list", self._handle, listed.out)
        rows = np.frombuffer(numpy_of(listed), _header.MEMBER)
        self._places = {os.fsdecode(_native.string(at)): i for i, at in enumerate(rows["name"].tolist())}
        self._sample: NDArray[np.int64] = rows["sample"].copy()
        self.sizes: NDArray[np.int64] = rows["size"].copy()

    def __getitem__(self, name: str) -> Numbers:
        handle = self._handle
        if handle is None:
            raise ClosedError("the archive was closed", error_class="closed", file=self._file)
        member, array = self._places[name], _native.array()
        interruptibly(lambda cancel: _native.call("spool_archive_read", handle, member, cancel, array.out))
        return numpy_of(array)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def samples(self) -> Iterator[dict[str, Numbers]]:
        """Iterate over the samples: the members with one key, as in WebDataset, by their names.

        Yields:
            The members of a sample.
        """
        sample: dict[str, Numbers] = {}
        for name, i in self._places.items():
            if sample and self._sample[i] != self._sample[i - 1]:
                yield sample
                sample = {}
            sample[name] = self[name]
        if sample:
            yield sample

    def close(self) -> None:
        """Close the file. Members that were read stay valid."""
        self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        return _anew, (again(self._src, self._source), self._keywords)

    def __repr__(self) -> str:
        samples = int(self._sample[-1]) + 1 if len(self) else 0
        return f"spool.Archive({self._file!r}, {len(self)} members in {samples} samples)"


def _anew(src: Source, keywords: dict[str, Any]) -> Archive:
    return Archive(src, **keywords)
