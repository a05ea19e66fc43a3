"""Files that fsspec reads: from buckets, HTTP servers and archives. Threads read them, and one call decodes them.

::

    collate = spool.torch.collate(size=224, read=spool.fsspec.Reader())  # the dataset gives s3://... and the like

``docs/loaders/fsspec.md`` is the guide.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from fsspec.core import url_to_fs


class Reader:
    """Reads whole files in parallel, for the argument ``read`` of a :class:`spool.stage.Stage`.

    A call takes fsspec's URLs and returns the bytes of each file, or an exception in the place of a file that could not
    be read.

    Args:
        threads: int, how many files are read at a time. Default: 16.
        **options: options of the file system, such as credentials and caches; see fsspec.

    Raises:
        ValueError: ``threads`` is less than 1.
    """

    def __init__(self, threads: int = 16, **options: object) -> None:
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
