from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest

import spool
from spool import errors


def test_every_bad_file(testdata: Path) -> None:
    bad = 0
    for name, want in json.loads((testdata / "expected.json").read_text()).items():
        if "classes" not in want:
            continue
        bad += 1
        path = str(testdata / name)
        with pytest.raises(spool.DecodeError) as e:
            spool.decode_image(path)
        assert e.value.error_class in want["classes"], name
        assert e.value.file == path
        assert e.value.text
        assert str(e.value) == f"{path}: {e.value.error_class}: {e.value.text}"
        with pytest.raises(spool.DecodeError) as e:
            spool.decode_image((testdata / name).read_bytes())
        assert e.value.file == ""
    assert bad >= 15


def test_files_are_os_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        spool.decode_image(tmp_path / "none.jpg")
    assert isinstance(missing.value, spool.DecodeError)
    assert missing.value.filename == str(tmp_path / "none.jpg")
    with pytest.raises(spool.DecodeError) as folder:
        spool.decode_image(tmp_path)
    assert folder.value.error_class == "not-a-file"


def test_names_that_are_no_text(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jpg")
    with pytest.raises(FileNotFoundError) as e:
        spool.decode_image(path)
    assert os.fsencode(e.value.file) == os.fsencode(path)


@pytest.mark.parametrize("kind", sorted(errors._types) + ["corrupt"])
def test_pickle(kind: str) -> None:
    error = errors.error_for(kind)("what", error_class=kind, file="a.jpg", library="libpng", code=7, op="decode")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) == f"a.jpg: {kind}: what"
    assert vars(copy) == vars(error)


def test_a_limit(photo: Path) -> None:
    with pytest.raises(spool.DecodeError, match="too-large"):
        spool.decode_image(photo, max_pixels=1000)
    with pytest.raises(spool.DecodeError, match="too-large"):
        spool.decode_image(photo, max_bytes="1KiB")


def test_accepted_damage(testdata: Path) -> None:
    with pytest.raises(spool.DecodeError, match="truncated"):
        spool.decode_image(testdata / "hard/bad/truncated.png")
    pixels = spool.decode_image(testdata / "hard/bad/truncated.png", accept=0.5, fill="#010203")
    assert pixels[-1, -1].tolist() == [1, 2, 3]
