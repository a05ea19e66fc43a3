"""Options of the loader of records: its keywords. They are the flags of ``spool run records``, with ``_`` for ``-``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from . import _option
from .loader_options import LoaderOptions, common

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from ._option import Size


class RecordLoaderOptions(LoaderOptions, total=False):
    """The keywords of loaders of records: see :class:`LoaderOptions`, and the following.

    Attributes:
        columns: columns of tables that batches have beside the fields, with their types: one name or several. See
            ``RecordBatch.columns``. Default: none.
        form: how batches hold images of different sizes, and the masks that follow them. ``dense``, the default: all
            have one size. ``pad``: each batch has the size of its largest image, and others are padded. ``ragged``:
            they follow each other without padding, as a :class:`spool.Ragged`. ``bucket``: each batch has one of
            several sizes, which follows from the aspect ratio of its images. ``budget``: a batch has as many images as
            ``budget_pixels`` or ``budget_tokens`` allow, and at most ``batch``. ``patches``: images are cut into
            squares, the rows of one array. With all but ``dense`` and ``bucket``, images without ``size`` keep their
            own size, and with ``patches`` nearly so.
        form_multiple: int; the sides of padded batches and of the default buckets are multiples of it. Default: 0,
            which is 1 for padded batches and 16 for buckets.
        form_fill: value of the padding of images, in their type. That of masks is their ``fill``. Default: 0.
        form_memory: memory for decoded samples that wait for their batch, and for batches, in bytes or as text. A
            sample that takes more than an eighth of it with its batch is a bad sample. Default: ``"4GiB"``.
        buckets: the sizes of ``form="bucket"``, each N, (height, width) or ``"WxH"``. Default: eleven aspect ratios
            from 1:2 to 2:1 with the area of the image field's ``size``.
        bucket_field: the image field that has the size of the bucket. Default: the first.
        bucket_lengths: ascending ints; the buckets of ``form="bucket"`` are the lengths of the first video field with
            ``frames="all"``, in frames, or of the first audio field without ``duration``, in samples. A sample goes to
            the shortest that holds it, and is padded; what exceeds the longest is cut off. Default: buckets by size.
        budget_frames: int, the most frames of all clips of a batch, padding included. Default: 0, no bound.
        budget_samples: int, the most audio samples of one channel of a batch, padding included. Default: 0, no bound.
        budget_pixels: int, the most pixels of a batch, padding included. Default: 0, no bound.
        budget_tokens: int, the most tokens of a batch, squares of ``patch`` pixels. Default: 0, no bound.
        budget_ragged: bool; True makes the batches of ``form="budget"`` ragged. Default: False, padded.
        patch: int, the side of a patch, which is a token, in pixels. Default: 0, which is 16.
        patch_merge: int; patches are ordered by squares of so many patches each way, which a model merges. Default: 0,
            by rows.
        patch_frames: int, how often the pixels of each patch are repeated, for models of video. Default: 0, once.
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
    """

    columns: str | Sequence[str] | None
    form: Literal["dense", "pad", "ragged", "bucket", "budget", "patches"]
    form_multiple: int
    form_fill: float
    form_memory: int | str
    buckets: Sequence[Size] | str | None
    bucket_field: str | None
    bucket_lengths: Sequence[int] | None
    budget_frames: int | None
    budget_samples: int | None
    budget_pixels: int
    budget_tokens: int
    budget_ragged: bool
    patch: int
    patch_merge: int
    patch_frames: int
    jpeg: Literal["auto", "turbo"]


class TableLoaderOptions(RecordLoaderOptions, total=False):
    """The keywords of :class:`spool.Loader`: see :class:`RecordLoaderOptions`, and the following.

    Attributes:
        images: folder or URL of the images of a file of COCO's annotations. Default: a folder near the file.
        windows: float, seconds; a sample for each window of this length of each video, instead of one for each video.
            Video and audio fields without ``start`` and ``end`` have the window. All videos of the first such field are
            opened first, to find how long they are. Default: none.
    """

    images: str | os.PathLike[str] | None
    windows: float | None


records: _option.Kinds = {
    **common,
    "columns": _option.texts,
    "form": _option.text,
    "form_multiple": _option.integer,
    "form_fill": _option.number,
    "form_memory": _option.amount,
    "buckets": _option.sizes,
    "bucket_field": _option.text,
    "bucket_lengths": _option.integers,
    "budget_frames": _option.integer,
    "budget_samples": _option.integer,
    "budget_pixels": _option.integer,
    "budget_tokens": _option.integer,
    "budget_ragged": _option.flag,
    "patch": _option.integer,
    "patch_merge": _option.integer,
    "patch_frames": _option.integer,
    "jpeg": _option.text,
}
