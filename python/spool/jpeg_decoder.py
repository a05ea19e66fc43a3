"""JPEG images that a device decodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, cast, overload

from . import _header, _native, _option
from ._arrays import A
from ._nvjpeg import nvjpeg_file
from ._source import Source, source
from ._transfer import device_of
from ._wait import interruptibly
from .batch import outputs
from .device import DeviceArray
from .errors import ClosedError, Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self, Unpack

    from ._allocator import Allocator
    from ._arrays import JaxArray, TorchTensor
    from ._option import Filter, Size
    from .batch import Convert
    from .reports import DecoderCounts


class JPEGDecoder(Generic[A]):
    """Decodes batches of JPEG images on a CUDA device by nvJPEG, like torchvision's ``decode_jpeg(device="cuda")``.

    ``decode = JPEGDecoder("cuda:0")``, then ``images = decode(sources)``: a list of tensors of uint8, (H, W, 3), each
    of its image's size, or of the size that is asked for. The device resizes and crops, with the bytes that the host
    makes of the same pixels. Only compressed bytes cross the bus. The host decodes what nvJPEG does not take, at the
    same time: other formats, CMYK, images that are turned by their EXIF orientation, and more; :attr:`counts` has the
    reasons. The pixels of nvJPEG are close to those of the host, not equal.

    A call returns when the device's work is queued, and work in the consumer's stream waits for it. The ring bounds the
    batches on the device. Memory of a batch is used again when all of its images are released. Any number of threads
    may call a decoder.

    Args:
        device: ``cuda`` or ``cuda:N``. Default: ``cuda``.
        ring: int, the most batches on the device: those that are held, and those in flight. Default: 3.
        output: ``torch``, the default, or ``jax``, for these packages' arrays; ``dlpack`` for arrays of
            :class:`spool.DeviceArray`.
        allocator: what allocates the memory of batches: ``torch``, PyTorch's caching allocator, or the addresses of two
            C functions, those of a CUDAPluggableAllocator. Default: the driver.
        nvjpeg: file name of nvJPEG. Default: that of NVIDIA's packages for Python, like nvidia-nvjpeg, which PyTorch
            may have installed; or else the newest that the dynamic linker finds.
        size: N for N x N pixels, (height, width) like the shape of results, or ``"WxH"`` like the command. Default: the
            image's own size.
        mode: how ``size`` is reached: ``stretch``, the default; ``cover``, the largest centered crop of this aspect
            ratio.
        resize_shorter: int, pixels of the shorter side, like torchvision's ``Resize(N)``. Not together with ``size``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after the resize, like torchvision's ``CenterCrop``, within the image. Default:
            none.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.

    Raises:
        DeviceError: there is no such device, or no driver.
        TypeError, ValueError: an argument is wrong. The message names it.
    """

    if TYPE_CHECKING:

        class Keywords(TypedDict, total=False):
            """The keywords that images are made by."""

            size: Size | None
            mode: Literal["stretch", "cover"]
            resize_shorter: int | None
            max_size: int | None
            crop: Size | None
            filter: Filter

    @overload
    def __init__(
        self: JPEGDecoder[TorchTensor],
        device: str = "cuda",
        ring: int = 3,
        output: Literal["torch"] = "torch",
        allocator: Allocator | None = None,
        nvjpeg: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> None: ...
    @overload
    def __init__(
        self: JPEGDecoder[JaxArray],
        device: str = "cuda",
        ring: int = 3,
        *,
        output: Literal["jax"],
        allocator: Allocator | None = None,
        nvjpeg: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> None: ...
    @overload
    def __init__(
        self: JPEGDecoder[DeviceArray],
        device: str = "cuda",
        ring: int = 3,
        *,
        output: Literal["dlpack"],
        allocator: Allocator | None = None,
        nvjpeg: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> None: ...
    def __init__(
        self,
        device: str = "cuda",
        ring: int = 3,
        output: Literal["torch", "jax", "dlpack"] = "torch",
        allocator: Allocator | None = None,
        nvjpeg: str | None = None,
        *,
        size: Size | None = None,
        mode: Literal["stretch", "cover"] = "stretch",
        resize_shorter: int | None = None,
        max_size: int | None = None,
        crop: Size | None = None,
        filter: Filter = "bilinear",
    ) -> None:
        _option.one_of("output", output, "torch", "jax", "dlpack")
        file = nvjpeg_file() if nvjpeg is None else _option.text("nvjpeg", nvjpeg)
        given: dict[str, Any] = {
            "size": size,
            "mode": mode,
            "resize_shorter": resize_shorter,
            "max_size": max_size,
            "crop": crop,
            "filter": filter,
        }
        other = {name: _geometry[name](name, value) for name, value in given.items() if value is not None}
        if file is not None:
            other["nvjpeg"] = file
        self._arguments, self._given = (device, ring, output, allocator, nvjpeg), given
        self._convert = cast("Convert[A]", outputs[output])
        self._handle: _native.Handle | None = device_of(device, ring, allocator, **other)

    def __repr__(self) -> str:
        return f"spool.JPEGDecoder({self._arguments[0]!r}, output={self._arguments[2]!r})"

    @overload
    def __call__(self, sources: Sequence[Source], on_error: Literal["fail"] = "fail") -> list[A]: ...
    @overload
    def __call__(self, sources: Sequence[Source], on_error: Literal["fail", "skip"]) -> list[A | None]: ...
    def __call__(self, sources: Sequence[Source], on_error: Literal["fail", "skip"] = "fail") -> Sequence[A | None]:
        """Decode images.

        Args:
            sources: paths, URLs, bytes, buffers or files opened for bytes, one for each image.
            on_error: ``fail``, the default, raises the error of the first bad image. ``skip`` has None in its place.

        Returns:
            The images, in the order of the sources.

        Raises:
            DecodeError: an image is bad, with ``fail``.
            ValueError: the whole ring is held.
            DeviceError: nvJPEG is missing, or the device is lost.
            ClosedError: the decoder was closed.
        """
        _option.one_of("on_error", on_error, "fail", "skip")
        handle = self._open()
        structs = [source(s) for s in sources]
        n = len(structs)
        if n == 0:
            return []
        side_by_side = (_header.SourceStruct * n)(*structs)
        pointers = (_header.Pointer * n)()
        made = [_native.array(_header.Pointer.from_buffer(pointers, 8 * i)) for i in range(n)]
        failures = _native.array()
        interruptibly(
            lambda cancel: _native.call("spool_device_decode", handle, side_by_side, n, cancel, pointers, failures.out)
        )
        failed: dict[int, Error] = {f["index"]: _native.failure(f) for f in _native.text(failures)} if failures else {}
        if failed and on_error == "fail":
            made.clear()  # the error refers to this frame, which would keep the memory
            raise failed[min(failed)]
        return [None if i in failed else self._convert(DeviceArray(m, _native.view(m))) for i, m in enumerate(made)]

    @property
    def counts(self) -> DecoderCounts:
        """How many images were decoded: ``device``, by nvJPEG; ``host``, by the host, by reason; ``failed``.

        Also ``engine``, whether the device has one for JPEG, and ``nvjpeg``, its version.
        """
        counts: DecoderCounts = _native.query("spool_device_counts", self._open())
        return counts

    def _open(self) -> _native.Handle:
        if self._handle is None:
            raise ClosedError("the decoder was closed", error_class="closed")
        return self._handle

    def close(self) -> None:
        """Close the device. Images on it stay valid. Further calls do nothing."""
        self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        self._open()
        return _restored, (self._arguments, self._given)


_geometry: _option.Kinds = {**_option.geometry, "filter": _option.text}


def _restored(arguments: tuple[Any, ...], given: dict[str, Any]) -> object:
    return JPEGDecoder(*arguments, **given)
