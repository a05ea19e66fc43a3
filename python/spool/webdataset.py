"""WebDataset: a decoder of single samples, and a stage that decodes batches.

``docs/loaders/webdataset.md`` has the whole page.
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
    """A handler for ``WebDataset.decode``: pictures become NumPy arrays, one at a time.

    ::

        dataset = wds.WebDataset(shards).decode(spool.webdataset.decoder(size=224)).to_tuple("jpg", "cls")

    Takes the keywords of :func:`spool.decode_image`. A field is a picture by its name: ``jpg``, ``png``, ``left.webp``;
    ``EXTENSIONS`` lists them. What cannot be decoded is WebDataset's ``DecodingError``, for ``handler=``.
    """

    def __init__(self, **options: Unpack[ImageOptions]) -> None:
        self._spec = ImageSpec(**options)

    def __call__(self, key: str, data: bytes) -> NDArray[Any] | None:
        if key.rpartition(".")[2].lower() not in EXTENSIONS:
            return None
        return decode_image(data, spec=self._spec)


def collate(transform: Transform | None = None, **options: Unpack[StageOptions]) -> Stage:
    """Make a ``collation_fn`` for ``WebDataset.batched``, in place of ``decode``: a batch is decoded in one call.

    ::

        dataset = wds.WebDataset(shards).to_tuple("jpg;png", "cls").batched(32, spool.webdataset.collate(size=224))

    Takes what :class:`spool.stage.Stage` takes, and gives NumPy arrays; :func:`spool.torch.collate` goes in its place
    for tensors. Labels come as ``decode`` leaves them: ``.decode(only="cls")`` before it, say.
    """
    return Stage(transform, **options)
