"""Batches of records."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import numpy as np

from . import _columns, _delivery, _native
from ._arrays import A, Numbers, Values
from ._header import FieldStruct, ValueStruct
from ._tv import wrap
from .batch import Convert, FramesBatch, memory
from .ragged import Ragged

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

D = TypeVar("D")

_CPU = 1  # kDLCPU
_DTYPES = {(0, 64): "<i8", (1, 8): "u1", (2, 32): "<f4"}  # of values, by DLPack's code and the bits


class Keys(list[str]):
    """The keys of a batch's samples. It is called as a mapping's ``keys()``, and then gives the names of the fields.

    Args:
        samples: the keys of the samples.
        fields: returns the names of the fields.
    """

    def __init__(self, samples: list[str], fields: Callable[[], list[str]]) -> None:
        super().__init__(samples)
        self._fields = fields

    def __call__(self) -> list[str]:
        """Return the names of the fields.

        Returns:
            The names.
        """
        return self._fields()


class RecordBatch(FramesBatch[A], Generic[A]):
    """A batch of :class:`spool.Loader`: a mapping from the names of fields to arrays and lists.

    A field of a fixed size is an array with a row for each sample; an image with ``views`` is a list of arrays. A field
    of any length is a list with an entry for each sample: str, bytes, the value of JSON, or a NumPy array of boxes,
    points or masks of objects; None for a sample that lacks it. Images of different sizes are padded, or a
    :class:`spool.Ragged`, as the loader's ``form`` says; ``shapes`` has their sizes.

    Metadata is also in columns, with types: see :attr:`columns` and :meth:`columns_dict`.

    Args:
        delivery: the batch as the library delivered it.
        convert: converts arrays to the type that ``output`` names.
        fields: the options of each field, by its name.
        typed: whether arrays are torchvision's tv_tensors.
    """

    __slots__ = ("_absent", "_columns", "_delivery", "_fields", "_grids", "_lists", "_padded", "_shapes")

    def __init__(
        self,
        delivery: _delivery.Delivery,
        convert: Convert[A],
        fields: Mapping[str, Mapping[str, object]],
        typed: bool = False,
    ) -> None:
        super().__init__(delivery, convert)
        kinds = {name: str(options.get("kind", name)) for name, options in fields.items()}
        self._fields: dict[str, Values[A]] = {}
        self._shapes: dict[str, NDArray[np.int64]] = {}
        self._delivery: _delivery.Delivery | None = delivery  # keeps the memory of the values
        self._columns: pyarrow.RecordBatch | None = None
        self._lists: dict[str, list[object]] | None = None
        self._grids: dict[str, NDArray[np.int64]] = {}
        self._padded: dict[str, tuple[int, int, int]] = {}  # of images: the axis of rows in a sample, height, width
        s = delivery.struct
        for i in range(s.field_count):
            field = _field(delivery, i)
            name = field.name.decode()  # of a view, with its number
            if field.array < 0:
                kind = kinds.get(field.field.decode(), "") if not field.part else ""
                if kind == "column":
                    continue
                value: Any = _values(kind, field, s.count)
            else:
                value = self._array(delivery, field.array)
                if field.shapes:
                    self._shapes[name] = _integers(field.shapes, s.count, field.ndim)
                if field.grids:
                    self._grids[name] = _integers(field.grids, s.count, 2)
                if field.ragged and not field.patched:
                    value = Ragged(value, self._shapes[name])
                elif field.shapes:
                    rows = int(field.ndim == 3 and fields[field.field.decode()].get("layout") == "nchw")
                    self._padded[name] = (rows, *value.shape[1 + rows : 3 + rows])
            if field.view < 0:
                self._fields[name] = value
            else:
                whole = ".".join(part.decode() for part in (field.field, field.part) if part)
                views = self._fields.setdefault(whole, cast("list[A]", []))
                cast("list[A]", views).append(value)
        self._absent: list[list[str]] | None = None
        if typed:
            self._fields = wrap(self._fields, fields)

    def _array(self, delivery: _delivery.Delivery, number: int) -> A:
        if number == 0:
            return self.data
        handle = _native.array()
        _native.call("spool_batch_array", delivery, number, handle.out)
        return self._convert(memory(handle))

    def __reduce__(self) -> tuple[object, ...]:
        columns = self._kept_columns(), self.columns_dict()
        kept = (self._fields, self.absent, self._shapes, self._grids, self._padded, *columns)
        return _restored, (kept, self.data, self._metadata, self._convert)

    def __getitem__(self, name: str) -> Values[A]:
        return self._fields[name]

    def array(self, name: str) -> A:
        """Return a field that is an array, which type checkers then know.

        Args:
            name: the field's name.

        Returns:
            The array, ``batch[name]``.

        Raises:
            KeyError: there is no such field.
            TypeError: the field is a list, or a :class:`spool.Ragged`.
        """
        value = self._fields[name]
        if isinstance(value, (list, Ragged)):
            kind = "list" if isinstance(value, list) else "Ragged"
            raise TypeError(f"{name}: the field is a {kind}, not an array: use batch[{name!r}]")
        return value

    def __iter__(self) -> Iterator[str]:  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride]
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    @property
    def keys(self) -> Keys:
        """The key of each sample. ``keys()`` gives the names of the fields, as for any mapping."""
        return Keys(self._metadata.keys, lambda: list(self._fields))

    @property
    def absent(self) -> list[list[str]]:
        """The optional fields that each sample lacks."""
        if self._absent is None:
            s = cast("_delivery.Delivery", self._delivery).struct
            addresses = (ctypes.c_void_p * s.count).from_address(s.absent) if s.absent else ()
            self._absent = [_native.string(at).decode().split() for at in addresses]
        return self._absent

    @property
    def shapes(self) -> dict[str, NDArray[np.int64]]:
        """The shape of each sample in the arrays whose samples differ in size, by the names of these.

        A view of an image has a name of its own: ``image.0``. In a padded array, a sample is at the beginning of each
        dimension.
        """
        return self._shapes

    @property
    def grids(self) -> dict[str, NDArray[np.int64]]:
        """The rows and columns of patches of each sample, by the names of images, with ``form="patches"``."""
        return self._grids

    def valid_pixels(self, name: str) -> NDArray[np.bool_]:
        """Return which pixels of a padded array are of its samples, and not padding.

        Args:
            name: of an image or of a mask.

        Returns:
            The mask, of shape (N, H, W).
        """
        first, height, width = self._padded[name]
        rows, columns = self._shapes[name].T[first : first + 2, :, None, None]
        inside: NDArray[np.bool_] = (np.arange(height)[:, None] < rows) & (np.arange(width) < columns)
        return inside

    @property
    def columns(self) -> pyarrow.RecordBatch:
        """The metadata of the samples as a pyarrow.RecordBatch: text, JSON as text, bytes, numbers, and the columns of
        tables that ``columns`` names, with their types. It has memory of its own. Numbers on a device are left out.

        Raises:
            ImportError: pyarrow is not installed.
        """
        if self._columns is None:
            if self._delivery is None:
                raise ImportError("the batch was pickled where pyarrow is not installed: use columns_dict()")
            self._columns = _columns.record_batch(self._delivery)
        return cast("pyarrow.RecordBatch", self._columns)

    def columns_dict(self) -> dict[str, list[object]]:
        """Return the columns as lists, with None for missing values. It needs no other package.

        Returns:
            A list for each column: of str, bytes, bool, int, float, Decimal, or lists of these. Dates and times are the
            integers that the table has.
        """
        if self._lists is None:
            self._lists = self._listed()
        return self._lists

    def _listed(self) -> dict[str, list[object]]:
        lists: dict[str, list[object]] = {}
        delivery = self._delivery
        if delivery is None:
            return lists
        on_host = _native.view(delivery).device_type == _CPU
        for i in range(delivery.struct.field_count):
            field = _field(delivery, i)
            name = field.name.decode()
            if field.format is None:
                continue
            if field.array < 0:
                convert = _columns.converter(field.format.decode(), (field.element or b"").decode())
                lists[name] = [None if v is None else convert(v) for v in _texts(field, delivery.struct.count)]
            elif on_host:
                numbers = np.asarray(self._fields[name]).tolist()
                lists[name] = [None if name in self.absent[k] else v for k, v in enumerate(numbers)]
        return lists

    def _kept_columns(self) -> pyarrow.RecordBatch | None:
        """Return the columns for another process, or None without pyarrow."""
        if self._columns is None and not self.columns_dict():
            return None
        try:
            return self.columns
        except ImportError:
            return None

    def values(self) -> list[Values[A]]:
        """Return the fields' arrays and lists.

        Returns:
            The arrays and lists.
        """
        return list(self._fields.values())

    def items(self) -> list[tuple[str, Values[A]]]:
        """Return the names of the fields with their arrays and lists.

        Returns:
            The pairs.
        """
        return list(self._fields.items())

    @overload
    def get(self, name: str) -> Values[A] | None: ...
    @overload
    def get(self, name: str, default: D) -> Values[A] | D: ...
    def get(self, name: str, default: object = None) -> object:
        """Return a field, or a default if there is none of this name.

        Args:
            name: the field's name.
            default: what is returned if there is none.

        Returns:
            The array or list.
        """
        return self._fields.get(name, default)

    def __repr__(self) -> str:
        fields = {k: getattr(v, "shape", None) or f"list of {len(cast('Sized', v))}" for k, v in self._fields.items()}
        return f"spool.RecordBatch(epoch={self.epoch}, index={self.index}, fields={fields})"


def _field(delivery: _delivery.Delivery, i: int) -> FieldStruct:
    return FieldStruct.from_address(delivery.struct.fields + i * ctypes.sizeof(FieldStruct))


def _texts(field: FieldStruct, count: int) -> Iterator[bytes | None]:
    """Return the bytes of the values of a field of any length; None where there is none."""
    for i in range(count):
        value = ValueStruct.from_address(field.values + i * ctypes.sizeof(ValueStruct))
        yield ctypes.string_at(value.data, value.size) if value.data else None


def _integers(address: int, rows: int, columns: int) -> NDArray[np.int64]:
    """Return a copy of C's integers."""
    values = _native.memory(address, 8 * rows * columns)
    integers: NDArray[np.int64] = np.frombuffer(values, np.int64).reshape(rows, columns).copy()
    return integers


def _values(kind: str, field: FieldStruct, count: int) -> list[object]:
    size = ctypes.sizeof(ValueStruct)
    return [_value(kind, ValueStruct.from_address(field.values + i * size)) for i in range(count)]


def _value(kind: str, value: ValueStruct) -> object:
    """Return a value of any length as Python's type."""
    if not value.data:
        return None
    if kind not in ("text", "json", "bytes"):
        values = _native.memory(value.data, value.size)
        array: Numbers = np.frombuffer(values, _DTYPES[value.dtype_code, value.dtype_bits]).copy()
        return array.reshape(tuple(value.shape[: value.ndim]))
    data = ctypes.string_at(value.data, value.size)
    if kind == "bytes":
        return data
    return data.decode() if kind == "text" else json.loads(data)


def _restored(kept: Any, data: A, metadata: Any, convert: Convert[A]) -> RecordBatch[A]:
    batch = cast("RecordBatch[A]", RecordBatch.__new__(RecordBatch))
    batch.data, batch._metadata, batch._convert, batch._labels = data, metadata, convert, None
    batch._fields, batch._absent, batch._shapes, batch._grids, batch._padded, batch._columns, batch._lists = kept
    batch._delivery = None
    return batch
