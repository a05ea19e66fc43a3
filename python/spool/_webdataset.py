"""A pipeline with the methods of WebDataset's, which decodes with spool."""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn, cast, overload

import numpy as np

from . import fields as kinds
from .record_loader import Loader

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Self, TypeVar

    from ._loading import Sources
    from .record_batch import RecordBatch

    S = TypeVar("S", default=tuple[object, ...])
else:
    from typing import TypeVar

    S = TypeVar("S")
T = TypeVar("T")

# The functions by which WebDataset decodes members, by the ends of their names.
_VALUES: dict[str, Callable[[bytes], Any]] = {
    **dict.fromkeys(("txt", "text", "transcript"), lambda data: data.decode()),
    **dict.fromkeys(("cls", "cls2", "index", "inx", "id"), int),
    **dict.fromkeys(("json", "jsn"), json.loads),
    **dict.fromkeys(("npy",), lambda data: np.load(io.BytesIO(data), allow_pickle=False)),
}

# The extensions of images in WebDataset, and those that it decodes to objects of Python and spool does not.
_IMAGES = frozenset(("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm"))
_OBJECTS = frozenset(("pkl", "pickle", "pyd", "pth", "ten", "tb", "mp", "msg", "npz", "cbor", "gz"))

# Forms of images: torch or NumPy, and the type of pixels.
_FORMS = {
    "rgb": (False, "float32"),
    "rgb8": (False, "uint8"),
    "torch": (True, "float32"),
    "torchrgb": (True, "float32"),
    "torchrgb8": (True, "uint8"),
}

# The name of a member that no sample has.
_NONE = "_none"

# Replacements of missing methods.
_INSTEAD = {
    "map": 'spool.Loader with options of spool.Image, or decode("rgb", size=224, train=True), for what is done to '
    "images; and map() or a generator over the samples for the rest",
    "map_tuple": 'decode("rgb", size=224, train=True) for what is done to images; and map() over the samples',
    "map_dict": "to_tuple, and map() over the samples",
    "select": "spool.Loader with where= of a table, or filter() over the samples",
    "rename": 'to_tuple("jpg;png", "cls"), whose names are alternatives',
    "slice": "WebDataset(urls, limit=N)",
    "with_epoch": "WebDataset(urls, limit=N), and a loop for each epoch",
    "with_length": "len(), which is exact",
    "repeat": "a loop for each epoch",
    "resampled": "WebDataset(urls, weights=...)",
    "unbatched": "the samples without batched()",
    "compose": "webdataset.WebDataset, with spool.webdataset.collate or spool.webdataset.decoder in it",
}


class WebDataset(Generic[S]):
    """The samples of shards, by the methods of WebDataset's pipelines: a drop-in for the most common ones.

    ::

        dataset = (
            spool.webdataset.WebDataset("shards/{000..146}.tar", shardshuffle=100)
            .shuffle(1000)
            .decode("rgb")
            .to_tuple("jpg;png", "cls", "json")
            .batched(32)
        )

    Samples are those of ``wds.WebDataset``. A :class:`spool.Loader` reads and decodes them in its own threads, without
    a DataLoader. A loop is an epoch. Methods return a new pipeline.

    Differences: shuffling is exact, over all samples, and its order follows from ``seed``; ranks share the samples by
    themselves; members are not unpickled. Missing methods raise an AttributeError that says what to use.

    Args:
        urls: shards: a path, a URL, a pattern with braces, or a sequence of these.
        shardshuffle: anything but False, None and 0 shuffles all samples, as :meth:`shuffle` does.
        on_error: the policy for a bad sample: ``fail``, the default, as WebDataset without a handler; ``skip``, as with
            ``warn_and_continue``.
        **options: further keywords of :class:`spool.Loader`, such as ``seed``, ``limit`` or ``rank``.
    """

    def __init__(
        self,
        urls: Sources,
        *,
        shardshuffle: bool | int | None = None,
        on_error: Literal["fail", "skip"] = "fail",
        **options: object,
    ) -> None:
        self._urls = urls
        own: dict[str, Any] = {"on_error": on_error, "shuffle": bool(shardshuffle)}
        self._options: dict[str, Any] = {"ignore_columns": ["*", _NONE], **own, **options}
        self._names: tuple[str, ...] = ()
        self._form: str | None = None
        self._decoded = False
        self._image: dict[str, Any] = {}
        self._batched = False
        self._collation: Callable[[list[Any]], Any] | None = None
        self._opened: Loader | None = None

    def _with(self, **changes: Any) -> Self:
        new = object.__new__(type(self))
        new.__dict__ = {**self.__dict__, "_opened": None, **changes}
        return new

    def shuffle(self, size: int = 1000, *, seed: int | None = None) -> Self:
        """Shuffle all samples, in another order in each epoch.

        Args:
            size: 0 keeps the order. Any other size of WebDataset's buffer shuffles exactly, which needs no buffer.
            seed: int, the seed of the order. Default: that of the options, or 0.
        """
        also = {} if seed is None else {"seed": seed}
        return self._with(_options={**self._options, "shuffle": size > 0, **also})

    def decode(self, *forms: str, **image: object) -> Self:
        """Decode members by their extensions: images, text, ``cls``, JSON and NPY as WebDataset does.

        Args:
            forms: the form of images: ``rgb``, float32 in [0, 1] of shape (H, W, 3); ``rgb8``, uint8; ``torchrgb``,
                ``torch`` and ``torchrgb8``, tensors (3, H, W). Without one, images stay bytes.
            **image: options of :class:`spool.Image`, such as ``size=224`` and ``train=True``, which WebDataset would
                leave to ``map``.
        """
        for form in forms:
            if form not in _FORMS:
                raise ValueError(
                    f"decode: {form!r} is not one of {', '.join(_FORMS)}; use spool.Loader with spool.Image(color=...) "
                    "for other images, and PIL.Image.fromarray of rgb8 for Pillow's"
                )
        if len(forms) > 1:
            raise ValueError(f"decode: one form of images, not {len(forms)}")
        if image and not forms:
            raise ValueError("decode: options of images need a form, like decode('rgb', size=224)")
        return self._with(_decoded=True, _form=forms[0] if forms else None, _image=image)

    def to_tuple(self, *names: str) -> Self:
        """Make tuples of these members.

        Args:
            names: extensions, with alternatives like ``"jpg;png"``; or ``"__key__"``.
        """
        parts = tuple(part for name in names for part in name.split())
        if not parts:
            raise ValueError("to_tuple: give the extensions of members, like to_tuple('jpg;png', 'cls')")
        return self._with(_names=parts)

    @overload
    def batched(
        self, size: int, collation_fn: None = None, *, partial: bool = True
    ) -> WebDataset[tuple[object, ...]]: ...
    @overload
    def batched(
        self, size: int, collation_fn: Callable[[list[tuple[object, ...]]], T], *, partial: bool = True
    ) -> WebDataset[T]: ...
    def batched(
        self,
        size: int,
        collation_fn: Callable[[list[tuple[object, ...]]], object] | None = None,
        *,
        partial: bool = True,
    ) -> object:
        """Make batches: arrays of images and numbers, lists of the rest.

        Args:
            size: int, samples of a batch.
            collation_fn: makes a batch of a list of tuples. Default: WebDataset's, but images of different sizes are a
                list.
            partial: bool; False drops a short last batch.
        """
        options = {**self._options, "batch": size, "last": "keep" if partial else "drop"}
        return self._with(_options=options, _batched=True, _collation=collation_fn)

    @property
    def loader(self) -> Loader:
        """The loader underneath: ``loader.state_dict()``, ``loader.failures`` and so on."""
        if self._opened is None:
            if not self._names:
                raise ValueError("to_tuple is missing: give the extensions of members, like to_tuple('jpg;png', 'cls')")
            fields = {f"_{i}": self._field(name) for i, name in enumerate(self._names) if name != "__key__"}
            if not any(isinstance(field, kinds.Image) for field in fields.values()):
                fields[_NONE] = kinds.Number(_NONE, optional=True)  # a batch has at least one array
            dense = {"size", "crop"} & self._image.keys()
            images = any(isinstance(f, kinds.Image) for f in fields.values())
            form: dict[str, Any] = {"form": "ragged"} if images and not dense else {}
            self._opened = Loader(self._urls, fields, **{**form, **self._options})
        return self._opened

    def __iter__(self) -> Iterator[S]:
        return cast("Iterator[S]", self._values())

    def _values(self) -> Iterator[object]:
        for batch in self.loader:
            columns = [self._column(batch, i, name) for i, name in enumerate(self._names)]
            samples = list(zip(*columns, strict=True))
            if not self._batched:
                yield from samples
            elif self._collation is not None:
                yield self._collation(samples)
            else:
                yield tuple(_stacked(column) for column in columns)

    def __len__(self) -> int:
        return len(self.loader) if self._batched else self.loader.samples

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        instead = _INSTEAD.get(name, "webdataset.WebDataset with spool.webdataset.collate, or spool.Loader")
        raise AttributeError(f"spool.webdataset.WebDataset has no {name}: use {instead}")

    def _field(self, name: str) -> kinds.Field:
        """Return the field of a member."""
        ends = _ends(name)
        if name.startswith("__"):
            raise ValueError(f"to_tuple: {name} is not known; there is __key__")
        if self._form is not None and ends & _IMAGES:
            if not ends <= _IMAGES:
                raise ValueError(f"to_tuple: {name} may be an image or something else")
            torch, dtype = _FORMS[self._form]
            options: dict[str, Any] = {
                "dtype": dtype,
                "layout": "nchw" if torch else "nhwc",
                "orient": False,
                **self._image,
            }
            return kinds.Image(name, **options)
        if self._decoded and ends & _OBJECTS:
            raise ValueError(
                f"to_tuple: spool does not make objects of {name}; leave out decode, and use pickle.loads or the like "
                "on the bytes, if you trust them"
            )
        if self._decoded and len({_VALUES.get(end) for end in ends}) > 1:
            raise ValueError(f"to_tuple: {name} would be decoded in different ways")
        return kinds.Bytes(name)

    def _column(self, batch: RecordBatch, i: int, name: str) -> list[Any]:
        """Return a member's values in a batch. They do not share its memory."""
        if name == "__key__":
            return list(batch.keys)
        values: Any = batch[f"_{i}"]
        ends = _ends(name)
        if self._form is not None and ends & _IMAGES:
            copies = [np.array(image) for image in values]
            return [_tensor(image) for image in copies] if _FORMS[self._form][0] else copies
        value = _VALUES.get(ends.pop()) if self._decoded else None
        return [value(data) for data in values] if value else list(values)


def _ends(name: str) -> set[str]:
    """Return the ends of extensions, which decide how members are decoded."""
    return {word.strip().rpartition(".")[2].lower() for word in name.split(";")}


def _tensor(image: Any) -> Any:
    return _torch().from_numpy(image)


def _torch() -> Any:
    return importlib.import_module("torch")


def _stacked(values: list[Any]) -> Any:
    """Combine the values of a batch as WebDataset does, and leave images of different sizes in a list."""
    first = values[0]
    if isinstance(first, (int, float)):
        return np.array(values)
    if not hasattr(first, "shape") or any(v.shape != first.shape for v in values):
        return values
    if isinstance(first, np.ndarray):
        return np.stack(values)
    return _torch().stack(values)
