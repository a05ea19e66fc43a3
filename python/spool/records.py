"""Decoding records that a program has read itself, into one batch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypedDict, Union, cast, overload

from . import _delivery, _header, _many, _native, _option
from ._arrays import A, Values
from ._narrow import is_mapping
from ._option import Problems, one_of
from ._source import source
from ._wait import interruptibly
from .batch import outputs
from .errors import Error
from .fields import Field, schema
from .record_batch import RecordBatch
from .spec import Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Never, Unpack

    from ._arrays import Exported, JaxArray, Numbers, TorchTensor
    from .batch import Convert


Samples: TypeAlias = Sequence[Mapping[str, object]]
Schema: TypeAlias = Union["RecordSpec", Mapping[str, Field | Mapping[str, object]]]


class RecordSpecOptions(Limits, total=False):
    """The keywords of :class:`spool.RecordSpec`: see :class:`Limits`, and this one.

    Attributes:
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
        isolate: images decoded in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
    """

    jpeg: Literal["auto", "turbo"]
    isolate: Literal["off", "heic", "auto", "all"]


@dataclass(frozen=True)
class _Input:
    """An input of records: its alternatives, and whether it is the value itself and not a file."""

    names: list[str]
    value: bool

    def find(self, sample: Mapping[Any, object]) -> Any:
        """Return the value of the first alternative that a sample has, or None."""
        return next((sample[name] for name in self.names if sample.get(name) is not None), None)


class _Parsed:
    """The library's spec, and the inputs that it takes."""

    def __init__(self, text: str) -> None:
        self.handle = _native.new("spool_record_spec", text.encode())
        inputs = _native.query("spool_record_spec_inputs", self.handle)
        self.inputs = [_Input(i["name"].split(";"), i["value"]) for i in inputs]


class RecordSpec:
    """The fields of records, for :func:`spool.decode_records`: made once for many calls.

    It can be pickled, and loads the library when it is first used. Several threads may use one.

    Args:
        fields: the fields by their names, as for :class:`spool.Loader`.
        jpeg: ``auto``, the default, decodes JPEG by spool's own engine with libjpeg-turbo as the fallback. ``turbo`` is
            libjpeg-turbo only. The pixels are the same.
        isolate: images decoded in helpers: ``off``, the default, ``heic``, ``auto`` or ``all``. See docs/isolation.md.
        endpoint_url: URL of an S3 server other than AWS, like ``AWS_ENDPOINT_URL``. Default: AWS.
        region: name of the buckets' region, like ``AWS_REGION``. Without either it is us-east-1.
        no_sign_request: bool; True uses no credentials, for public buckets. Default: False, which looks for credentials
            where AWS's tools look.
        max_concurrent_requests: int, the most requests in flight to one store. Default: 512. The actual number is tuned
            automatically, up to this limit.
        max_pixels: int, width times height of an image or a frame. Default: 178956970.
        max_bytes: size of a file, in bytes or as text like ``"1GiB"``, the default.
        max_frames: int, frames of an animated image, or pages. Default: 4096.
        max_memory: memory to decode one image, the result included, in bytes or as text. Default: ``"2GiB"``.
        max_cpu: seconds of processor time for an image or a request. Default: 10 or 60, and more for large ones.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Raises:
        TypeError: a keyword is unknown, or a value has a wrong type. The message names all of them.
    """

    __slots__ = ("_json", "_parsed", "fields")

    _options: ClassVar[_option.Kinds] = {
        "fields": schema,
        "jpeg": _option.text,
        "isolate": _option.text,
        **_option.files,
    }

    fields: dict[str, dict[str, object]]
    """The options of each field, by its name."""

    def __init__(
        self,
        fields: Mapping[str, Field | Mapping[str, object]],
        *,
        jpeg: Literal["auto", "turbo"] = "auto",
        isolate: Literal["off", "heic", "auto", "all"] = "off",
        endpoint_url: str | None = None,
        region: str | None = None,
        no_sign_request: bool = False,
        max_concurrent_requests: int = 512,
        max_pixels: int = 178956970,
        max_bytes: int | str = "1GiB",
        max_frames: int = 4096,
        max_memory: int | str = "2GiB",
        max_cpu: float | None = None,
        **unknown: Never,
    ) -> None:
        options = {**_option.given(locals(), RecordSpec.__init__), "fields": fields}
        self._json = _option.encode(options, self._options)
        self.fields = json.loads(self._json)["fields"]
        self._parsed: _Parsed | None = None

    def parsed(self) -> _Parsed:
        """Return the library's parsed spec, made by the first call.

        Returns:
            The parsed spec.

        Raises:
            ValueError: values are wrong, or contradict each other. The message names all of them.
        """
        if self._parsed is None:  # two threads may both parse it; each uses its result, and one of them is kept
            self._parsed = _Parsed(self._json)
        return self._parsed

    def columns(self) -> set[str]:
        """Return the names of all inputs, with their alternatives.

        Returns:
            The names.
        """
        return {name for i in self.parsed().inputs for name in i.names}

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._json,)

    def __repr__(self) -> str:
        return f"spool.RecordSpec({self._json})"


def _restored(text: str) -> RecordSpec:
    spec = RecordSpec.__new__(RecordSpec)
    spec._json, spec.fields, spec._parsed = text, json.loads(text)["fields"], None
    return spec


@dataclass(repr=False, eq=False)
class DecodedRecords(Generic[A]):
    """Records in one batch."""

    fields: RecordBatch[A] | dict[str, Values[A]]
    """The arrays and lists of the fields: a batch as of :class:`spool.Loader`. Empty if no record was decoded."""
    valid: NDArray[np.bool_]
    """True for each sample that was decoded: of shape (number of samples,), with every policy."""
    errors: dict[int, Error]
    """The errors of the other samples, by their position. The text begins with the field."""

    def __repr__(self) -> str:
        return f"spool.DecodedRecords(fields={list(self.fields)}, failed={len(self.errors)})"


class _Records(TypedDict, total=False):
    """The keywords of :func:`decode_records` beside ``output``."""

    on_error: Literal["fail", "skip", "placeholder"]
    threads: int | None
    seed: int
    epoch: int
    ids: ArrayLike | None


@overload
def decode_records(
    samples: Samples, spec: Schema, *, output: Literal["numpy"] = ..., **keywords: Unpack[_Records]
) -> DecodedRecords[Numbers]: ...
@overload
def decode_records(
    samples: Samples, spec: Schema, *, output: Literal["torch", "tv_tensors"], **keywords: Unpack[_Records]
) -> DecodedRecords[TorchTensor]: ...
@overload
def decode_records(
    samples: Samples, spec: Schema, *, output: Literal["jax"], **keywords: Unpack[_Records]
) -> DecodedRecords[JaxArray]: ...
@overload
def decode_records(
    samples: Samples, spec: Schema, *, output: Literal["dlpack"], **keywords: Unpack[_Records]
) -> DecodedRecords[Exported]: ...
def decode_records(
    samples: Samples,
    spec: Schema,
    *,
    on_error: Literal["fail", "skip", "placeholder"] = "fail",
    threads: int | None = None,
    seed: int = 0,
    epoch: int = 0,
    ids: ArrayLike | None = None,
    output: Literal["numpy", "torch", "jax", "dlpack", "tv_tensors"] = "numpy",
) -> DecodedRecords[Numbers] | DecodedRecords[TorchTensor] | DecodedRecords[JaxArray] | DecodedRecords[Exported]:
    """Decode records into one batch, in parallel.

    A sample is a mapping from the inputs of the fields to their values: WebDataset's samples, rows of a table, or any
    dict. Inputs that are files are paths, URLs, bytes, buffers, open files, or Hugging Face's ``{"bytes", "path"}``.
    Text, JSON, numbers, boxes, points and masks of objects are the value itself: text, bytes, or what ``json.dumps`` or
    NumPy have. A missing value, or None, is an absent input.

    Any number of threads may call this function. The GIL is released while it decodes, and Ctrl-C interrupts it.

    Args:
        samples: the samples.
        spec: the fields: a :class:`RecordSpec`, made once for many calls, or a mapping of names to fields.
        on_error: the policy for bad samples. ``fail``, the default, raises the error of the first. ``skip`` leaves them
            out. ``placeholder`` fills their slots as if all fields were absent.
        threads: int, how many records are decoded at a time. Default: one for each CPU that the process may use.
        seed: int, part of the key that all random choices are drawn from, such as crops and clips. Default: 0.
        epoch: int, part of that key. Default: 0.
        ids: part of that key, one integer for each sample. Default: 0, 1, 2 and so on.
        output: the type of arrays: ``numpy``, the default, ``torch``, ``jax``, ``dlpack`` or ``tv_tensors``.

    Returns:
        The batch. Its memory is released with the last view of it.

    Raises:
        DecodeError: a sample is bad, with ``fail``. The error is that of the first in the order of samples.
        TypeError, ValueError: an argument is wrong. The message names it.
        KeyboardInterrupt: decoding was interrupted.
        ForkError: the process was forked from one that had used spool.

    >>> import spool
    >>> sample = {"jpg": "testdata/photos/animal/00.jpg", "caption": "a dog", "score": 0.5}
    >>> fields = {"image": spool.Image("jpg", size=64), "caption": spool.Text(), "score": spool.Number()}
    >>> batch = spool.decode_records([sample, {**sample, "jpg": "none.jpg"}], fields, on_error="skip")
    >>> batch.fields["image"].shape, batch.fields["caption"], batch.valid.tolist()
    ((1, 64, 64, 3), ['a dog'], [True, False])
    >>> print(batch.errors[1])
    none.jpg: not-found: field image: no such file or directory
    """
    problems = Problems()
    o = _many.options(problems, on_error, threads, seed, epoch)
    with problems:
        one_of("output", output, *outputs, "tv_tensors")
    with problems:
        spec = spec if isinstance(spec, RecordSpec) else RecordSpec(spec)
    problems.settle()
    parsed = cast("RecordSpec", spec).parsed()
    structs = [_struct(i, i.find(sample)) for sample in samples for i in parsed.inputs]
    n = len(samples)
    arrays = _many.Samples(o, n, ids, "sample")

    def decode(cancel: _native.Handle | None) -> tuple[_delivery.Delivery, dict[int, Error]]:
        return _delivery.decode_records(parsed.handle, structs, n, o, cancel)

    delivery, failed = interruptibly(decode)
    if not delivery.has_batch:
        return DecodedRecords({}, arrays.statuses == 0, failed)
    typed = output == "tv_tensors"
    convert = cast("Convert[Numbers]", outputs["torch" if typed else output])
    batch = RecordBatch(delivery, convert, cast("RecordSpec", spec).fields, typed)
    return DecodedRecords(batch, arrays.statuses == 0, failed)


_absent = _header.SourceStruct()


def _is_bytes(value: object) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview))


def _struct(i: _Input, value: Any) -> _header.SourceStruct:
    """Return C's view of an input of a sample."""
    if value is None:
        return _absent
    if not i.value:
        if is_mapping(value):  # of Hugging Face
            value = value["path"] if value.get("bytes") is None else value["bytes"]
        return source(value)
    if isinstance(value, str):
        value = value.encode()
    struct = source(value if _is_bytes(value) else json.dumps(value, default=_plain).encode())
    return struct if struct.data or struct.path else _header.SourceStruct(data=b"", size=0)


def _plain(value: Any) -> Any:
    """Return a value of NumPy or torch as Python's."""
    convert: Callable[[], Any] | None = getattr(value, "tolist", None)
    if convert is None:
        raise TypeError(f"expected text, bytes, numbers or lists of them, got {type(value).__name__}")
    return convert()
