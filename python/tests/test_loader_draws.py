"""Repeated samples, padding, and unused columns of tables."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

IDS = [5, 5, 2, 5, 7, 2, 5, 9]


class Twice:
    """A sampler like torch's, which gives each sample twice."""

    def __iter__(self) -> Any:
        return iter([i for i in range(4) for _ in range(2)])


def drawn(testdata: Path, **options: Any) -> dict[tuple[int, int, int], bytes]:
    """Return the images of two epochs by epoch, id and occurrence, without padding."""
    loader = spool.ImageLoader(testdata / "photos", train=True, size=24, batch=3, seed=4, epochs=2, **options)
    images = {}
    for _ in range(2):
        for batch in loader:
            rows = zip(batch.ids, batch.occurrences, batch.images, batch.padding, strict=True)
            for i, occurrence, image, padding in rows:
                if not padding:
                    key = (batch.epoch, int(i), int(occurrence))
                    assert key not in images
                    images[key] = image.tobytes()
    return images


class TestDraws:
    """Each occurrence of a sample gets another draw."""

    def test_lists(self, testdata: Path) -> None:
        once = drawn(testdata)
        several = drawn(testdata, sampler=IDS)
        assert len(set(several.values())) == 2 * len(IDS)
        for key, pixels in several.items():
            assert (pixels == once[(*key[:2], 0)]) == (key[2] == 0)

    def test_samplers_of_objects(self, testdata: Path) -> None:
        assert len(set(drawn(testdata, sampler=Twice()).values())) == 16

    def test_weights(self, testdata: Path) -> None:
        weights = np.zeros(44)
        weights[5] = 1
        several = drawn(testdata, weights=weights, draws=30)
        assert len(set(several.values())) == 60

    def test_mixtures(self, testdata: Path) -> None:
        folders = [testdata / "photos" / name for name in ("animal", "space")]
        loader = spool.ImageLoader(
            folders, mix={"animal": 0.01, "space": 0.99}, train=True, size=24, limit=40, batch=40
        )
        batch = next(iter(loader))
        assert batch.occurrences.max() > 1
        assert len({image.tobytes() for image in batch.images}) == 40

    def test_they_are_the_same(self, testdata: Path) -> None:
        want = drawn(testdata, sampler=IDS, workers=1)
        assert drawn(testdata, sampler=IDS, workers=8) == want
        for world in (2, 3):
            shares: dict[Any, bytes] = {}
            for rank in range(world):
                shares |= drawn(testdata, sampler=IDS, rank=rank, world=world)
            assert shares == want

    @pytest.mark.parametrize("stop", range(1, 4))
    def test_they_go_on(self, testdata: Path, stop: int) -> None:
        options: dict[str, Any] = {"sampler": IDS, "train": True, "size": 24, "batch": 2}
        loop = iter(loader := spool.ImageLoader(testdata / "photos", **options))
        for _ in range(stop):
            next(loop)
        again = spool.ImageLoader(testdata / "photos", workers=7, **options)
        again.load_state_dict(json.loads(json.dumps(loader.state_dict())))
        for ours, theirs in zip(again, loop, strict=True):
            assert (ours.images == theirs.images).all()
            assert (ours.occurrences == theirs.occurrences).all()


def test_slots_that_fill(testdata: Path) -> None:
    """The slots of all ranks that are not padding hold each sample once."""
    for world in (1, 2, 3, 7):
        for last in ("keep", "pad"):
            own: list[int] = []
            for rank in range(world):
                loader = spool.ImageLoader(testdata / "photos", size=8, batch=3, last=last, rank=rank, world=world)
                for batch in loader:
                    assert batch.padding.dtype == bool
                    assert (batch.valid == ~batch.padding).all()
                    assert batch.padding[len(batch.ids) - batch.padded :].all()
                    own += batch.ids[~batch.padding].tolist()
            assert sorted(own) == list(range(44))


class TestTables:
    """Columns of tables are used, reported or refused."""

    def table(self, folder: Path, testdata: Path, columns: str, *cells: str) -> Path:
        photo = testdata / "photos" / "animal" / "00.jpg"
        table = folder / "table.csv"
        table.write_text(f"path,{columns}\n" + "".join(f"{photo},{c}\n" for c in cells))
        return table

    def test_columns_that_are_not_used(self, tmp_path: Path, testdata: Path) -> None:
        table = self.table(tmp_path, testdata, "species,width", "dog,7", "cat,8")
        with pytest.warns(UserWarning, match=r"table\.csv: columns that are not used: species, width.* \(label=\)"):
            spool.ImageLoader(table, size=8)
        with pytest.warns(UserWarning, match="not used: width"):
            loader = spool.ImageLoader(table, size=8, label="species")
        assert next(iter(loader)).labels.tolist() == [1, 0]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            spool.ImageLoader(table, size=8, label="species", ignore_columns=["width"])
            spool.ImageLoader(table, size=8, ignore_columns="*")
        with pytest.raises(spool.DecodeError, match="no column is called genus"):
            spool.ImageLoader(table, size=8, label="genus")

    def test_labels(self, tmp_path: Path, testdata: Path) -> None:
        for name in ("label", "cls", "class", "category"):
            loader = spool.ImageLoader(self.table(tmp_path, testdata, name, "3"), size=8)
            assert next(iter(loader)).labels.tolist() == [3]
        with pytest.raises(spool.DecodeError, match=r"row 1, column label.*0\.5"):
            spool.ImageLoader(self.table(tmp_path, testdata, "label", "0.5", "1.5"), size=8)

    def test_where(self, tmp_path: Path, testdata: Path) -> None:
        table = self.table(tmp_path, testdata, "label,width,lang", "0,300,en", "1,200,en", "2,400,", "3,500,en")
        loader = spool.ImageLoader(table, size=8, where="width >= 256 and lang == 'en'", batch=1)
        assert [batch.labels.tolist() for batch in loader] == [[0], [3]]
        assert loader.stats["left_out"] == 2
        assert [batch.ids.tolist() for batch in loader] == [[0], [1]]
        state = loader.state_dict()
        spool.ImageLoader(table, size=8, where="lang == 'en' and width > 255", batch=1).load_state_dict(state)
        with pytest.raises(ValueError, match="selection"):
            spool.ImageLoader(table, size=8, where="width >= 400", ignore_columns="lang").load_state_dict(state)
        with pytest.raises(ValueError, match="no column is called widht.* did you mean width"):
            spool.ImageLoader(table, size=8, where="widht > 1", ignore_columns="*")

    def test_times(self, tmp_path: Path, testdata: Path) -> None:
        table = tmp_path / "clips.csv"
        table.write_text(f"path,label,start,end\n{testdata / 'video' / 'bframes.mp4'},1,0.2,0.4\n")
        (batch,) = spool.VideoLoader(table, frames=2, size=8)
        times = np.array(batch.frames["pts"])
        assert ((times >= 0.2) & (times < 0.4)).all(), times
        (whole,) = spool.VideoLoader(table, frames=2, size=8, ignore_columns=["start", "end"])
        assert whole.labels.tolist() == [1]
        assert whole.frames["pts"][0][1] > 0.4
        table.write_text(table.read_text().replace("start,end", "start_frame,end_frame"))
        with pytest.raises(spool.DecodeError, match="start_frame, end_frame"):
            spool.VideoLoader(table, frames=2, size=8)


def test_masks() -> None:
    """Palette indices are those of the file."""
    masks = Path(__file__).resolve().parents[2] / "decode" / "image" / "testdata" / "indexed"
    mask = spool.decode_image(masks / "mask.png", color="index")
    assert mask.shape == (11, 19, 1)
    assert set(np.unique(mask)) <= {*range(21), 255}
    assert (mask[:2] == 255).all()
    files = [masks / "mask.png", masks / "mask.bmp", masks / "gray.png"]
    batch = next(iter(spool.ImageLoader(files, size=(11, 19), color="index", filter="nearest")))
    assert (batch.images == mask).all()
    with pytest.raises(ValueError, match="nearest"):
        spool.ImageLoader(files, size=8, color="index")
