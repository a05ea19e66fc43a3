"""Hugging Face datasets: decoding as a transform of rows.

::

    dataset = dataset.cast_column("image", datasets.Image(decode=False))
    dataset.set_transform(spool.huggingface.Transform(size=224))

``docs/loaders/huggingface.md`` is the guide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .stage import Stage, StageOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .stage import Transform as Options


class Transform:
    """A function for ``Dataset.set_transform`` or ``with_transform``, and for ``map(batched=True)``.

    One call decodes all rows that are requested together: ``dataset[:32]``, or the batch of a DataLoader.

    Args:
        transform: a :class:`spool.torchvision.Compose`, instead of keywords or with them.
        column: name of the column of images that are not decoded: ``datasets.Image(decode=False)``, paths or bytes.
            Default: ``image``.
        **options: the other arguments of :class:`spool.stage.Stage`.
    """

    def __init__(
        self, transform: Options | None = None, *, column: str = "image", **options: Unpack[StageOptions]
    ) -> None:
        self._stage, self._column = Stage(transform, **options), column

    def __call__(self, rows: dict[str, list[Any]]) -> dict[str, Any]:
        sources = [_source(value) for value in rows[self._column]]
        return self._stage.columns({**rows, self._column: sources}, self._column)


def _source(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return value["path"] if value["bytes"] is None else value["bytes"]
