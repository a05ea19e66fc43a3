"""The stages for SPDL, WebDataset, Hugging Face, Grain and fsspec, beyond the examples of their pages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pages
import pytest

import spool
import spool.fsspec

Samples = list[tuple[str, int]]


def expected(samples: Samples, size: int = 64) -> Any:
    return np.stack([pages.reference(Path(path), size) for path, _ in samples])


def test_spdl_counts_bad_batches(samples: Samples, broken: Samples) -> None:
    from spdl.pipeline import PipelineBuilder, PipelineFailure

    import spool.spdl

    def run(decode: Any, source: Samples, **options: Any) -> list[Any]:
        built = PipelineBuilder().add_source(source).aggregate(4).pipe(decode, output_order="input", **options)
        pipeline = built.add_sink(2).build(num_threads=2)
        with pipeline.auto_stop():
            return list(pipeline)

    batches = run(spool.spdl.decode(size=64), samples[:8], concurrency=2)
    assert [numbers.tolist() for _, numbers in batches] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert (np.concatenate([pixels for pixels, _ in batches]) == expected(samples[:8])).all()
    with pytest.raises(PipelineFailure):
        run(spool.spdl.decode(size=64), broken, max_failures=0)
    [(pixels, numbers), *_] = run(spool.spdl.decode(size=64, on_error="skip"), broken[:4])
    assert numbers.tolist() == [0, 2, 3]
    assert len(pixels) == 3


def test_webdataset_decoder_leaves_the_rest(photos: list[Path]) -> None:
    import spool.webdataset

    decode = spool.webdataset.decoder(size=64)
    data = photos[0].read_bytes()
    assert (decode(".JPG", data) == pages.reference(photos[0], 64)).all()
    assert (decode(".left.jpeg", data) == pages.reference(photos[0], 64)).all()
    assert decode(".json", b"{}") is None
    with pytest.raises(spool.DecodeError, match="truncated"):
        decode(".jpg", data[:2000])


def test_webdataset_handles_what_is_bad(tmp_path: Path, photos: list[Path]) -> None:
    import webdataset as wds

    import spool.webdataset

    with wds.TarWriter(str(tmp_path / "0.tar")) as tar:
        for i, path in enumerate(photos[:4]):
            data = path.read_bytes()
            tar.write({"__key__": f"{i}", "jpg": data[:2000] if i == 1 else data, "cls": i})
    dataset = wds.WebDataset(str(tmp_path / "0.tar"), shardshuffle=False)
    decoded = dataset.decode(spool.webdataset.decoder(size=64), handler=wds.ignore_and_continue)
    assert [sample["cls"] for sample in decoded] == [0, 2, 3]

    dataset = wds.WebDataset(str(tmp_path / "0.tar"), shardshuffle=False).decode(only="cls").to_tuple("jpg", "cls")
    [(pixels, numbers)] = dataset.batched(4, collation_fn=spool.webdataset.collate(size=64, on_error="skip"))
    assert numbers.tolist() == [0, 2, 3]
    assert (pixels == expected([(str(photos[i]), i) for i in numbers])).all()


def test_huggingface_rows_and_slices(samples: Samples) -> None:
    import datasets

    import spool.huggingface

    paths, numbers = zip(*samples[:6], strict=True)
    rows = datasets.Dataset.from_dict({"image": list(paths), "number": list(numbers)})
    want = expected(samples[:6])
    encoded = rows.cast_column("image", datasets.Image(decode=False))
    for dataset in (rows, encoded):
        decoded = dataset.with_transform(spool.huggingface.Transform(size=64))
        assert (decoded[1:4]["image"] == want[1:4]).all()
        assert decoded[5]["number"] == 5
        assert (decoded[5]["image"] == want[5]).all()
    with pytest.raises(TypeError, match="src"):
        rows.cast_column("image", datasets.Image()).with_transform(spool.huggingface.Transform(size=64))[0]


def test_grain_draws_depend_on_the_place(samples: Samples) -> None:
    import grain

    import spool.grain
    from spool.torchvision import Compose, RandomResizedCrop

    crops = spool.grain.Decode(Compose([RandomResizedCrop(48)]))
    batches = grain.MapDataset.source(samples[:12]).seed(3).batch(4, batch_fn=list).random_map(crops)
    first = [pixels for pixels, _ in batches]
    for i in (2, 0, 1):
        assert (batches[i][0] == first[i]).all()
    iterator = iter(batches.to_iter_dataset(grain.ReadOptions(num_threads=2)))
    assert (next(iterator)[0] == first[0]).all()
    state = iterator.get_state()
    assert (next(iterator)[0] == first[1]).all()
    iterator.set_state(state)
    assert (next(iterator)[0] == first[1]).all()


@pytest.fixture
def stored(samples: Samples) -> Iterator[list[tuple[str, int]]]:
    """Photos in fsspec's memory, one of which is missing."""
    store = fsspec.filesystem("memory")
    for path, i in samples[:5]:
        store.pipe_file(f"/spool/{i}.jpg", Path(path).read_bytes())
    yield [(f"memory://spool/{i}.jpg", i) for i in range(6)]
    store.rm("/spool", recursive=True)


def test_fsspec_reads_and_masks(stored: list[tuple[str, int]], samples: Samples) -> None:
    from spool.stage import Stage

    read = spool.fsspec.Reader(threads=3)
    pixels, numbers = Stage(size=64, read=read)(stored[:5])
    assert (pixels == expected(samples[:5])).all()
    assert numbers.tolist() == [0, 1, 2, 3, 4]
    pixels, numbers = Stage(size=64, read=read, on_error="skip")(stored)
    assert numbers.tolist() == [0, 1, 2, 3, 4]
    *_, valid = Stage(size=64, read=read, on_error="placeholder")(stored)
    assert valid.tolist() == [True] * 5 + [False]
    with pytest.raises(FileNotFoundError):
        Stage(size=64, read=read)(stored)


def test_open_files_are_sources(samples: Samples) -> None:
    """The rest of a file object is read, as fsspec and other packages open them."""
    from spool.stage import Stage

    files = [io.BytesIO(Path(path).read_bytes()) for path, _ in samples[:3]]
    assert (Stage(size=64)(files) == expected(samples[:3])).all()
