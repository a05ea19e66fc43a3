"""The fields of records: what a loader reads for each sample, and how it is decoded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from . import _option, field_options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from typing_extensions import Never

    from ._option import Augment, DType, Filter, Size


class Field:
    """A field of a record: see :class:`Image`, :class:`Mask`, :class:`Boxes`, :class:`Points`, :class:`Instances`,
    :class:`Video`, :class:`Audio`, :class:`Number`, :class:`Text`, :class:`JSON` and :class:`Bytes`.

    Args:
        input: where the field comes from.
        optional: bool, whether samples may lack it.
        options: the options of the kind.
        kinds: the conversions of these.
    """

    kind: ClassVar[str]

    def __init__(
        self, input: str | None, optional: bool, options: Mapping[str, object], kinds: _option.Kinds | None = None
    ) -> None:
        given = {"input": input, "optional": optional or None, **options}
        known = {"input": _option.text, "optional": _option.flag, **(kinds or {})}
        _option.encode(given, known)
        self._given = {k: v for k, v in given.items() if v is not None}
        self._options = {k: known[k](k, v) for k, v in self._given.items()}

    @property
    def options(self) -> dict[str, object]:
        """The field as a dict for JSON: its kind, and the options that were given."""
        return {"kind": self.kind, **self._options}

    def __repr__(self) -> str:
        return f"spool.{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._given.items())})"


def schema(name: str, value: object) -> dict[str, dict[str, object]]:
    """Convert fields by their names, to what a schema file has.

    Args:
        name: name of the argument, for messages.
        value: the fields.

    Returns:
        The fields as dicts, by their names.

    Raises:
        TypeError: something is no field.
    """
    if not isinstance(value, Mapping) or not value:
        raise _option.wrong(name, value, "a mapping of names to fields, like {'image': spool.Image('jpg')}")
    found: dict[str, dict[str, object]] = {}
    for key, field in value.items():  # pyright: ignore
        if isinstance(field, Field):
            found[_option.text(name, key)] = field.options
        elif isinstance(field, Mapping):  # as in a schema file
            found[_option.text(name, key)] = dict(field)  # pyright: ignore
        else:
            raise _option.wrong(f"{name}[{key!r}]", field, "a field, like spool.Image('jpg')")
    return found


class Image(Field):
    """An image, decoded to pixels: an array of shape (N, H, W, C) or (N, C, H, W), or as the loader's ``form`` says.

    Args:
        input: the extension of a member in shards, a column of tables, or a subfolder; alternatives like
            ``"jpg;png"``. ``"path"`` is the file itself in a folder or a list. Default: the field's name.
        optional: bool, whether samples may lack it. They are then filled with ``fill``. Default: False.
        random_scale: two numbers; a random crop has a share of the image's area between them, like ``(0.08, 1)``.
        random_ratio: two numbers; a random crop is so many times as wide as high, like ``(0.75, 1.3333)``.
        random_crop: int, or four for left, top, right and bottom; ``crop`` is taken at a random position, after padding
            the image by this many pixels.
        flip_x: probability of mirroring left to right. Default: 0, with ``train`` 0.5.
        flip_y: probability of mirroring top to bottom. Default: 0.
        augment: operations on the pixels of results, drawn for each sample: one of :mod:`spool.augment`, like
            ``spool.RandAugment()``, or a sequence of them. Clips have the same for all frames. Default: none.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole image, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side. With ``crop`` it replaces ``size``, like torchvision's
            ``Resize(N)`` and ``CenterCrop``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after ``resize_shorter``.
        train: bool; True takes a random crop, resized to ``size``, and flips it from left to right half of the time,
            like torchvision's RandomResizedCrop and RandomHorizontalFlip. Default: False.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, gives torchvision's bytes; ``pillow`` gives Pillow's; ``fast`` is close to
            ``exact``.
        color: ``rgb``, the default, ``bgr``, ``gray``, ``rgba``, or ``index``, the indices of a palette or the luma of
            a video as they are stored, for labels and depth maps.
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``. Floats are x/255. NumPy
            arrays of bfloat16 need package ml_dtypes.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        layout: ``nhwc``, the default, or ``nchw``.
        orient: bool, whether to turn images and frames upright. Default: True.
        fill: color of placeholders and of damaged areas. Default: ``"#808080"``.
        pad_color: color that ``fit`` and crops pad with. Default: ``"#000000"``.
        frame: int, which frame of an animation, or which page, from 0, the default. A file with fewer frames is a bad
            sample.
        alpha: ``drop``, the default, ``keep``, or ``over:#rrggbb``, which blends over a color.
        icc: bool, whether to convert to sRGB by the color profile in the file. Default: False.
        accept: fraction, from 0 to 1. A damaged image is accepted if at least this fraction of it was read, and the
            rest is filled with ``fill``. Default: damaged images are bad samples.
        allow: loaders that are blocked by default: ``svg``, ``exr``, ``hdr``, ``magick``, ``pdf``. One name or several.
        size: N for N x N pixels, (height, width), or ``"WxH"`` like the command. Default: 224, and with the loader's
            ``form`` pad, ragged, budget or patches the image's own size.
        resize_multiple: int; instead of ``size``, the sides nearest to the image's own that are multiples of it, like
            ``smart_resize`` of Qwen2-VL. Default: 0, none.
        resize_min_pixels: int, the least pixels of these results. Default: 0, no bound.
        resize_max_pixels: int, the most pixels of these results. Default: 0, no bound.
        views: int, how many differently drawn results of one image there are. The batch then has a list of them.
            Default: 0, one array.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.
    """

    kind = "image"

    def __init__(
        self,
        input: str | None = None,
        *,
        optional: bool = False,
        random_scale: tuple[float, float] | None = None,
        random_ratio: tuple[float, float] | None = None,
        random_crop: int | tuple[int, int, int, int] | None = None,
        flip_x: float | None = None,
        flip_y: float = 0,
        augment: Augment | None = None,
        mode: Literal["stretch", "fit", "cover"] = "stretch",
        resize_shorter: int | None = None,
        max_size: int | None = None,
        crop: Size | None = None,
        train: bool = False,
        filter: Filter = "bilinear",
        profile: Literal["exact", "pillow", "fast"] = "exact",
        color: Literal["rgb", "bgr", "gray", "rgba", "index"] = "rgb",
        dtype: DType = "uint8",
        mean: float | Sequence[float] | None = None,
        std: float | Sequence[float] | None = None,
        layout: Literal["nhwc", "nchw"] = "nhwc",
        orient: bool = True,
        fill: str = "#808080",
        pad_color: str = "#000000",
        frame: int = 0,
        alpha: str = "drop",
        icc: bool = False,
        accept: float | None = None,
        allow: str | Sequence[str] | None = None,
        size: Size | None = None,
        resize_multiple: int = 0,
        resize_min_pixels: int = 0,
        resize_max_pixels: int = 0,
        views: int = 0,
        **unknown: Never,
    ) -> None:
        super().__init__(input, optional, _option.given(locals(), Image.__init__), field_options.image_field)


class Mask(Field):
    """An image of labels, which follows the crop and flips of an image: uint8 of shape (N, H, W).

    It is resized like torchvision's NEAREST, so no new values arise.

    Args:
        input: as for :class:`Image`.
        like: the image field that it follows.
        optional: bool, whether samples may lack it. They are then filled with ``fill``. Default: False.
        color: ``index``, the default, is the indices of a palette, or gray levels; ``gray``, ``rgb`` and ``rgba`` are
            the image's channels.
        fill: int, the value of pixels outside of the mask. Default: 0.
    """

    kind = "mask"

    def __init__(
        self,
        input: str | None = None,
        like: str = "image",
        *,
        optional: bool = False,
        color: Literal["index", "gray", "rgb", "rgba"] = "index",
        fill: int = 0,
    ) -> None:
        kinds = {"like": _option.text, "color": _option.text, "fill": _option.integer}
        super().__init__(input, optional, {"like": like, "color": color, "fill": fill}, kinds)


class Boxes(Field):
    """Bounding boxes, which follow the crop and flips of an image: a list of float32 arrays of shape (n, 4).

    They are clamped to the image, and those that are then too small are removed, like torchvision's
    SanitizeBoundingBoxes. ``NAME.labels`` is a list of int64 arrays, with -1 for boxes without a label, and
    ``NAME.index`` a list of the positions of the boxes in the input.

    Args:
        input: as for :class:`Image`; a column or a member with NPY or JSON: a list of boxes,
            ``{"boxes": ..., "labels": ...}``, or COCO's annotations of one image.
        like: the image field that they follow.
        optional: bool, whether samples may lack them. Default: False.
        format: of the input and the result: ``xyxy``, the default, ``xywh`` or ``cxcywh``.
        keep_all: bool; True removes no box. Default: False.
        min_size: least side of a box that is kept, in pixels of the result. Default: 1.
        min_area: least area of a box that is kept, in pixels of the result. Default: 1.
    """

    kind = "boxes"

    def __init__(
        self,
        input: str | None = None,
        like: str = "image",
        *,
        optional: bool = False,
        format: Literal["xyxy", "xywh", "cxcywh"] = "xyxy",
        keep_all: bool = False,
        min_size: float | None = None,
        min_area: float | None = None,
    ) -> None:
        kinds = {
            "like": _option.text,
            "format": _option.text,
            "keep_all": _option.flag,
            "min_size": _option.number,
            "min_area": _option.number,
        }
        options = {"like": like, "format": format, "keep_all": keep_all, "min_size": min_size, "min_area": min_area}
        super().__init__(input, optional, options, kinds)


class Points(Field):
    """Key points, which follow the crop and flips of an image: a list of float32 arrays of shape (n, 2) or (n, 3).

    Args:
        input: as for :class:`Boxes`.
        like: the image field that they follow.
        optional: bool, whether samples may lack them. Default: False.
    """

    kind = "points"

    def __init__(self, input: str | None = None, like: str = "image", *, optional: bool = False) -> None:
        super().__init__(input, optional, {"like": like}, {"like": _option.text})


class Instances(Field):
    """A mask of each object in an image: a list of uint8 arrays of shape (n, H, W), 1 in the object and 0 elsewhere.

    They follow the crop and flips of an image like :class:`Mask`. The input is COCO's annotations of one image, whose
    polygons and run lengths become the masks that pycocotools makes of them.

    Args:
        input: as for :class:`Boxes`.
        like: the image field that they follow.
        boxes: the field of the boxes of the same annotations: there are masks of those that it keeps, in their order.
            Default: a mask of each annotation.
        optional: bool, whether samples may lack them. Default: False.
    """

    kind = "instances"

    def __init__(
        self, input: str | None = None, like: str = "image", boxes: str | None = None, *, optional: bool = False
    ) -> None:
        kinds = {"like": _option.text, "boxes": _option.text}
        super().__init__(input, optional, {"like": like, "boxes": boxes}, kinds)


class Number(Field):
    """A number, or a list of numbers of a fixed shape: an array of shape (N,) or (N, *shape).

    Args:
        input: a column, or a member with text or JSON. Default: the field's name.
        dtype: ``float32``, the default, ``float64``, ``int64`` or ``uint8``. Numbers that it cannot hold are errors of
            the sample.
        shape: of a list of numbers, an int or several. Default: one number.
        optional: bool, whether samples may lack it. Default: False.
        default: the value where it is absent. Default: 0.
    """

    kind = "number"

    def __init__(
        self,
        input: str | None = None,
        dtype: DType = "float32",
        shape: int | Sequence[int] | None = None,
        *,
        optional: bool = False,
        default: float = 0,
    ) -> None:
        kinds = {"dtype": _option.dtype, "shape": _option.integers, "default": _option.number}
        super().__init__(input, optional, {"dtype": dtype, "shape": shape, "default": default or None}, kinds)


class Text(Field):
    """UTF-8 text: a list of str, with None for samples that lack it.

    Args:
        input: a column, a member or a subfolder. Default: the field's name.
        optional: bool, whether samples may lack it. Default: False.
    """

    kind = "text"

    def __init__(self, input: str | None = None, *, optional: bool = False) -> None:
        super().__init__(input, optional, {})


class JSON(Field):
    """A JSON value: a list of what ``json.loads`` gives, with None for samples that lack it.

    Args:
        input: a column, a member or a subfolder. Default: the field's name.
        optional: bool, whether samples may lack it. Default: False.
    """

    kind = "json"

    def __init__(self, input: str | None = None, *, optional: bool = False) -> None:
        super().__init__(input, optional, {})


class Bytes(Field):
    """The bytes of a file or a member as they are: a list of bytes, with None for samples that lack it.

    Args:
        input: a column, a member or a subfolder. Default: the field's name.
        optional: bool, whether samples may lack it. Default: False.
    """

    kind = "bytes"

    def __init__(self, input: str | None = None, *, optional: bool = False) -> None:
        super().__init__(input, optional, {})
