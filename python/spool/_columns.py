"""The columns of batches of records: metadata with types, for Arrow and as lists."""

from __future__ import annotations

import ctypes
import importlib
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from . import _delivery, _native

SCHEMA_SIZE, ARRAY_SIZE = 72, 80  # bytes of the structures of Arrow's C data interface


def pyarrow() -> Any:
    """Import pyarrow.

    Returns:
        The package.

    Raises:
        ImportError: it is not installed.
    """
    try:
        return importlib.import_module("pyarrow")
    except ModuleNotFoundError as e:
        if e.name != "pyarrow":
            raise
        raise ImportError("columns need pyarrow: pip install pyarrow, or use columns_dict()") from None


def record_batch(delivery: _delivery.Delivery) -> Any:
    """Return the columns of a batch as a pyarrow.RecordBatch.

    Args:
        delivery: the batch as the library delivered it.

    Returns:
        The columns, in memory of their own.
    """
    batch = pyarrow().RecordBatch
    schema, array = ctypes.create_string_buffer(SCHEMA_SIZE), ctypes.create_string_buffer(ARRAY_SIZE)
    _native.call("spool_batch_columns", ctypes.byref(delivery.struct), schema, array)
    return batch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))  # moves both


def _decode(data: bytes) -> str:
    return data.decode(errors="replace")


# The conversions of the text of values, by the first letter of their type in Arrow's C data interface.
_converters: dict[str, Callable[[bytes], Any]] = {
    "u": _decode,
    "z": bytes,
    "w": bytes,
    "b": b"true".__eq__,
    "e": lambda data: float(np.float16(data)),  # of the text that is shortest for 16 bits
    "f": lambda data: float(np.float32(data)),
    "g": float,
    "d": lambda data: Decimal(data.decode()),
}


def converter(format: str, element: str) -> Callable[[bytes], Any]:
    """Return the conversion of a column's values from text.

    Args:
        format: their type in Arrow's C data interface.
        element: of lists, the type of their elements; else empty.

    Returns:
        A function. Integers, dates and times become int.
    """
    if not element:
        return _converters.get(format[0], int)
    convert = converter(element, "")

    def convert_list(data: bytes) -> list[Any]:
        values = json.loads(data, parse_float=str, parse_int=str, parse_constant=str)  # as they are written
        texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
        return [None if v is None else convert(v.encode()) for v in texts]

    return convert_list
