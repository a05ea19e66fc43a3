"""Files that fsspec reaches: buckets, HTTP, archives. Read in threads, to be decoded in one call.

::

    collate = spool.torch.collate(size=224, read=spool.fsspec.Reader())  # the dataset gives s3://... and the like

``docs/loaders/fsspec.md`` has the whole page.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fsspec.core import url_to_fs


class Reader:
    """Reads whole files, many at a time: for ``read=`` of a :class:`spool.stage.Stage`.

    Args:
        threads: how many files are read at a time.
        **options: of the filesystem: credentials, caches; see fsspec.

    A call takes URLs, as fsspec has them, and gives the bytes of each; for one that could not be read the
    exception in their place.

    """

    def __init__(self, threads: int = 16, **options: Any) -> None:
        if threads < 1:
            raise ValueError(f"threads: {threads} is less than 1")
        self._threads, self._options = threads, options

    def __call__(self, urls: Sequence[str]) -> list[bytes | Exception]:
        with ThreadPoolExecutor(min(self._threads, len(urls)), "spool.fsspec") as threads:
            return list(threads.map(self._read, urls))

    def _read(self, url: str) -> bytes | Exception:
        try:
            filesystem, path = url_to_fs(url, **self._options)
            data: bytes = filesystem.cat_file(path)
            return data
        except Exception as e:
            return e
