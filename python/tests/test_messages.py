"""What a user reads after a likely mistake: ``messages.txt`` has wrong calls, each with the exact message.

A call is an expression, made in a folder with media. If its value is a loader, a loop over it follows.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import spool
from spool import _native

TRANSCRIPT = (Path(__file__).parent / "messages.txt").read_text()

MISTAKES = [
    tuple(block.removeprefix(">>> ").split("\n", 1)) for block in TRANSCRIPT.strip().split("\n\n") if block[0] != "#"
]


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with good and bad files."""
    folder = tmp_path_factory.mktemp("media")
    photo = ROOT / "testdata" / "photos" / "animal" / "00.jpg"
    for name in ("photos", "empty"):
        (folder / name).mkdir()
    for i in range(3):
        shutil.copy(photo, folder / "photos" / f"{i}.jpg")
    shutil.copy(photo, folder / "photo.jpg")
    shutil.copy(ROOT / "testdata" / "video" / "vfr.mp4", folder / "clip.mp4")
    shutil.copy(ROOT / "testdata" / "audio" / "s16.wav", folder / "sound.wav")
    (folder / "text.jpg").write_text("no image" * 10)
    (folder / "empty.jpg").touch()
    (folder / "labels.csv").write_text("path,label\nphoto.jpg,0.5\n")
    (folder / "widths.csv").write_text("path,width\nphoto.jpg,300\n")
    (folder / "clips.csv").write_text("path,label,start_frame,end_frame\nclip.mp4,1,0,9\n")
    (folder / "cut.jpg").write_bytes(photo.read_bytes()[:9000])
    return folder


def closed(what: Any) -> Any:
    what.close()
    return what


def test_there_are_enough() -> None:
    assert len(MISTAKES) >= 60
    assert len({call for call, _ in MISTAKES}) == len(MISTAKES)


def test_no_message_names_a_flag() -> None:
    assert not [message for _, message in MISTAKES if re.search("--[a-z]", message)]


@pytest.mark.parametrize(("call", "message"), MISTAKES)
def test_message(call: str, message: str, media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(media)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    _native.library()  # a loader reports wrong values at once if the library is loaded
    with pytest.raises(Exception) as error:  # noqa: PT011  # the transcript has the type
        value = eval(call, {"spool": spool, "np": np, "closed": closed})
        if hasattr(value, "verdict"):
            list(value)
    assert f"{type(error.value).__name__}: {error.value}" == message
