"""Listings: the samples of sources, without reading them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from ctypes import byref, c_char_p
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np

from . import _header, _native, _option
from ._source import listed
from ._wait import interruptibly
from ._warn import warn
from .spec import Stores

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Never

    from ._loading import Sources


class ListOptions(Stores, total=False):
    """What is listed. See also :class:`spool.spec.Stores`.

    Attributes:
        kind: which files of folders are listed: ``images``, the default, ``video`` or ``audio``.
        label: the column of tables that holds the labels. Default: the first of label, target, cls, class, class_name
            and category that exists.
        ignore_columns: columns of tables, and extensions of tar members, that are left unused without a warning;
            ``"*"`` stands for all of them. A UserWarning names other unused columns.
        where: a condition on the columns of tables, like ``"width >= 256 and lang == 'en'"``: only rows that fulfil it
            are listed. Default: none.
        index_dir: folder where saved indexes of tar files are looked up. Default: the folder of each file.
    """

    kind: Literal["images", "video", "audio"]
    label: str | None
    ignore_columns: str | Sequence[str] | None
    where: str | None
    index_dir: str | os.PathLike[str] | None


_options: _option.Kinds = {
    "kind": _option.text,
    "label": _option.text,
    "ignore_columns": _option.texts,
    "where": _option.text,
    "index_dir": _option.path,
    **_option.stores,
}


class ListedSample(NamedTuple):
    """A sample of a :class:`Listing`."""

    name: str
    """Its file name or URL, as ``names`` of a batch has it."""
    key: str
    """Its key in the data set: a cell of the column ``key``, or the name of a shard's sample; empty for none."""
    label: int
    """Its class; -1 for none."""
    size: int
    """Its size in bytes, as a store's listing has it; -1 for other samples."""


class Listing(Sequence[ListedSample]):
    """The samples of sources, in their order. The position of a sample is its id in a loader of the same sources.

    It is a sequence of :class:`ListedSample`. The attributes are the same by column. It can be pickled.

    Args:
        names: file names or URLs.
        keys: keys in the data set; empty for none.
        labels: int64, classes; -1 for none.
        sizes: int64, bytes, as a store's listing has them; -1 for other samples.
        classes: the names of the labels 0, 1, 2 and so on.
        left_out: int, the rows of tables that ``where`` leaves out.
    """

    __slots__ = ("classes", "keys", "labels", "left_out", "names", "sizes")

    def __init__(
        self,
        names: list[str],
        keys: list[str],
        labels: NDArray[np.int64],
        sizes: NDArray[np.int64],
        classes: list[str],
        left_out: int = 0,
    ) -> None:
        self.names, self.keys, self.labels, self.sizes = names, keys, labels, sizes
        self.classes, self.left_out = classes, left_out

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, i: int) -> ListedSample: ...
    @overload
    def __getitem__(self, i: slice) -> list[ListedSample]: ...
    def __getitem__(self, i: int | slice) -> ListedSample | list[ListedSample]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        return ListedSample(self.names[i], self.keys[i], int(self.labels[i]), int(self.sizes[i]))

    def __iter__(self) -> Iterator[ListedSample]:
        return map(ListedSample, self.names, self.keys, self.labels.tolist(), self.sizes.tolist())

    def __reduce__(self) -> tuple[object, ...]:
        return Listing, (self.names, self.keys, self.labels, self.sizes, self.classes, self.left_out)

    def __repr__(self) -> str:
        return f"spool.Listing({len(self)} samples of {len(self.classes)} classes)"


def list_samples(
    src: Sources,
    *,
    kind: Literal["images", "video", "audio"] = "images",
    label: str | None = None,
    ignore_columns: str | Sequence[str] | None = None,
    where: str | None = None,
    index_dir: str | os.PathLike[str] | None = None,
    endpoint_url: str | None = None,
    region: str | None = None,
    no_sign_request: bool = False,
    max_concurrent_requests: int = 512,
    **unknown: Never,
) -> Listing:
    """List the samples of sources, as a loader of them would, without reading or decoding a sample.

    Rows of tables are read, and folders and stores are listed. A million rows of a table take three seconds
    and 300 MB.

    Args:
        src: files, folders, globs, ``"@LIST"``, tables, tar shards, and URLs of these; one source, or a list of them.
        kind: which files of folders are listed: ``images``, the default, ``video`` or ``audio``.
        label: the column of tables that holds the labels. Default: the first of label, target, cls, class, class_name
            and category that exists.
        ignore_columns: columns of tables, and extensions of tar members, that are left unused without a warning;
            ``"*"`` stands for all of them. A UserWarning names other unused columns.
        where: a condition on the columns of tables, like ``"width >= 256 and lang == 'en'"``: only rows that fulfil it
            are listed. Default: none.
        index_dir: folder where saved indexes of tar files are looked up. Default: the folder of each file.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Returns:
        The samples, with their names, keys, labels and sizes.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: a source does not exist, or has nothing to load.

    >>> import spool
    >>> listing = spool.list_samples("testdata/photos")
    >>> listing
    spool.Listing(44 samples of 5 classes)
    >>> listing[0].name, listing.classes[listing[0].label]
    ('testdata/photos/animal/00.jpg', 'animal')
    >>> loader = spool.ImageLoader("testdata/photos", sampler=(listing.labels == 0).nonzero()[0], size=64)
    >>> set(next(iter(loader)).labels.tolist())
    {0}
    """
    problems = _option.Problems()
    sources: list[bytes] = []
    with problems:
        sources = listed("src", src)
    options = _option.encode(_option.given(locals(), list_samples), _options, ("src",), problems)
    found = _Found()
    interruptibly(partial(found.fetch, sources, options))
    info = _native.text(found.info)
    for notice in info.get("notices", ()):
        warn(notice)
    labels, sizes = (np.frombuffer(_native.content(a), np.int64) for a in (found.labels, found.sizes))
    names, keys = (_native.content(a).split(b"\0")[:-1] for a in (found.names, found.keys))
    return Listing(
        [os.fsdecode(name) for name in names],
        [key.decode(errors="replace") for key in keys],
        labels,
        sizes,
        info["classes"] or [],
        info.get("left_out", 0),
    )


class _Found:
    """The result of spool_list. It is made before the call, and owns what C writes into it."""

    def __init__(self) -> None:
        struct = self._struct = _header.ListingStruct()
        self.names, self.keys, self.labels, self.sizes, self.info = (
            _native.array(_header.Pointer.from_buffer(struct, field.offset))
            for field in (
                *(_header.ListingStruct.names, _header.ListingStruct.keys, _header.ListingStruct.labels),
                *(_header.ListingStruct.sizes, _header.ListingStruct.info),
            )
        )

    def fetch(self, sources: list[bytes], options: str, cancel: _native.Handle | None) -> None:
        names = (c_char_p * len(sources))(*sources)
        _native.call("spool_list", names, len(sources), options.encode(), cancel, byref(self._struct))
