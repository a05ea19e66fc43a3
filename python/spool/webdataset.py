"""WebDataset: a decoder of single samples, and a stage that decodes batches.

``docs/loaders/webdataset.md`` is the guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .image import decode_image
from .spec import ImageSpec
from .stage import Stage, StageOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .spec import ImageOptions
    from .stage import Transform

EXTENSIONS = frozenset(
    ("avif", "bmp", "gif", "heic", "heif", "jp2", "jpeg", "jpg", "jxl", "png", "ppm", "tga", "tif", "tiff", "webp")
)


class decoder:  # noqa: N801
    """A handler for ``WebDataset.decode`` that decodes images to NumPy arrays, one at a time.

    ::

        dataset = wds.WebDataset(shards).decode(spool.webdataset.decoder(size=224)).to_tuple("jpg", "cls")

    A field is an image if its name ends with one of ``EXTENSIONS``: ``jpg``, ``png``, ``left.webp``. WebDataset turns
    the error of a bad image into its ``DecodingError``, for ``handler=``.

    Args:
        **options: the keywords of :func:`spool.decode_image`.
    """

    def __init__(self, **options: Unpack[ImageOptions]) -> None:
        self._spec = ImageSpec(**options)

    def __call__(self, key: str, data: bytes) -> NDArray[Any] | None:
        if key.rpartition(".")[2].lower() not in EXTENSIONS:
            return None
        return decode_image(data, spec=self._spec)


def collate(transform: Transform | None = None, **options: Unpack[StageOptions]) -> Stage:
    """Make a ``collation_fn`` for ``WebDataset.batched``, which decodes a batch in one call and replaces ``decode``.

    ::

        dataset = wds.WebDataset(shards).to_tuple("jpg;png", "cls").batched(32, spool.webdataset.collate(size=224))

    Batches are NumPy arrays. For tensors, use :func:`spool.torch.collate` instead. Labels stay as ``decode`` leaves
    them, so call ``.decode(only="cls")`` before it, for example.

    Args:
        transform: as for :class:`spool.stage.Stage`.
        **options: the other arguments of :class:`spool.stage.Stage`.

    Returns:
        The function.
    """
    return Stage(transform, **options)
