"""The pages of docs/loaders: their code, and the folder of images that it runs in."""

from __future__ import annotations

import hashlib
import io
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "loaders"
SHARED = ROOT.parent / "shared" / "media" / "photos"

_block = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def images() -> list[Path]:
    """Return the available photos: those outside of the repository, otherwise its own."""
    return sorted(SHARED.glob("*.jpg")) or sorted((ROOT / "testdata" / "photos").glob("*/*.jpg"))


def prepare(folder: Path, count: int, *, shards: bool = True) -> list[Path]:
    """Make the files that the pages' code loads: photos in the folders of two classes, and shards of them."""
    found = images()
    paths = []
    for i in range(count):
        path = folder / "photos" / ("cat" if i < count // 2 else "dog") / f"{i:05}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(found[i % len(found)])
        paths.append(path)
    (folder / "testdata").symlink_to(ROOT / "testdata")
    (folder / "shards").mkdir()
    for shard in range(4) if shards else ():
        with tarfile.open(folder / "shards" / f"{shard:03}.tar", "w") as tar:
            for i in range(shard * count // 4, (shard + 1) * count // 4):
                _add(tar, f"{i:05}.jpg", paths[i].read_bytes())
                _add(tar, f"{i:05}.cls", str(int(i >= count // 2)).encode())
    return paths


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def run(page: Path) -> dict[str, Any]:
    """Run a page's code from top to bottom, in this process and its folder, and return its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, code in blocks(page):
        exec(compile("\n" * line + code, str(page), "exec"), names)
    return names


def blocks(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the blocks of code of a page, each with the number of lines before it."""
    text = page.read_text()
    for block in _block.finditer(text):
        yield text.count("\n", 0, block.start(1)), block[1]


def contents(batch: Any) -> tuple[Any, Any]:
    """Return pixels (N,H,W,3) and labels of a batch of any structure. Labels are None if there are none."""
    if isinstance(batch, dict):
        batch = [batch["image"], batch.get("label")]
    pixels, labels = batch if isinstance(batch, (list, tuple)) else (batch, None)
    pixels = np.asarray(pixels)
    return pixels.transpose(0, 2, 3, 1) if pixels.shape[1] == 3 else pixels, labels


def samples(batches: Iterable[Any]) -> Counter[Any]:
    """Count the samples of batches by the digest and the label of each."""
    counted: Counter[Any] = Counter()
    for batch in batches:
        pixels, labels = contents(batch)
        labels = [None] * len(pixels) if labels is None else [int(label) for label in labels]
        counted.update(zip(map(digest, pixels), labels, strict=True))
    return counted


def digest(image: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(image).tobytes()).hexdigest()


def check(page: Path, names: Iterable[str]) -> None:
    """Run a page's code in the prepared folder, and compare the pixels of some of its loaders with torchvision's."""
    paths = sorted(Path("photos").glob("*/*.jpg"))
    wanted = [(digest(reference(path)), int(path.parent.name == "dog")) for path in paths]
    loaders = run(page)
    for name in sorted(names, key=list(loaders).index):
        got = samples(loaders[name])
        labelled = all(label is not None for _, label in got)
        want = Counter((image, label if labelled else None) for image, label in wanted)
        assert got == want, f"{page.name}: {name}: {len(got - want)} of {len(paths)} samples are not torchvision's"


def reference(path: Path, size: int = 224) -> Any:
    """Return an image decoded and resized by torchvision, (H,W,3)."""
    from torchvision.io import ImageReadMode, decode_image
    from torchvision.transforms import v2

    image = decode_image(str(path), mode=ImageReadMode.RGB, apply_exif_orientation=True)
    return v2.functional.resize(image, [size, size], antialias=True).permute(1, 2, 0).numpy()


if __name__ == "__main__":
    check(PAGES / sys.argv[1], sys.argv[2:])
