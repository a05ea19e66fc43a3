"""Shards that ShardWriter wrote, read by tarfile and by spool."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spool

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / "bin/spool"
PHOTO = ROOT / "testdata/photos/animal/00.jpg"


def members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {info.name: tar.extractfile(info).read() for info in tar}  # type: ignore[union-attr]


def written(folder: Path, samples: list[dict[str, Any]], **options: Any) -> list[Path]:
    with spool.ShardWriter(folder / "%04d.tar", **options) as writer:
        for sample in samples:
            writer.write(sample)
    return sorted(folder.glob("*.tar"))


def photos(n: int) -> list[dict[str, Any]]:
    data = PHOTO.read_bytes()
    return [{"__key__": f"{i:03}", "jpg": data, "cls": i % 3, "json": {"i": i}} for i in range(n)]


def test_members_and_shards(tmp_path: Path) -> None:
    samples = photos(7)
    shards = written(tmp_path, samples, maxcount=3)
    assert [shard.name for shard in shards] == ["0000.tar", "0001.tar", "0002.tar"]
    got = [item for shard in shards for item in members(shard).items()]
    want = [
        (f"{s['__key__']}.{name}", data)
        for s in samples
        for name, data in (("cls", str(s["cls"]).encode()), ("jpg", s["jpg"]), ("json", json.dumps(s["json"]).encode()))
    ]
    assert got == want
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [s["samples"] for s in manifest["shards"]] == [3, 3, 1]
    assert manifest["samples"] == 7
    for shard, entry in zip(shards, manifest["shards"], strict=True):
        assert (entry["name"], entry["bytes"]) == (shard.name, shard.stat().st_size)
        assert entry["crc64nvme"] == f"{crc64nvme(shard.read_bytes()):016x}"


def crc64nvme(data: bytes) -> int:
    """The checksum, bit by bit: of "123456789" it is ae8b14860a799888."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x9A6C9329AC4BC9B5 if byte & 1 else 0)
        table.append(byte)
    value = (1 << 64) - 1
    for byte in data:
        value = value >> 8 ^ table[(value ^ byte) & 0xFF]
    return value ^ (1 << 64) - 1


def test_checksums(tmp_path: Path) -> None:
    assert crc64nvme(b"123456789") == 0xAE8B14860A799888
    (shard,) = written(tmp_path / "sha", photos(2), checksum="sha256")
    (entry,) = json.loads((tmp_path / "sha" / "manifest.json").read_text())["shards"]
    assert entry["sha256"] == hashlib.sha256(shard.read_bytes()).hexdigest()
    with pytest.raises(ValueError, match="checksum: 'md5' must be crc64nvme or sha256"):
        spool.ShardWriter(tmp_path / "%d.tar", checksum="md5")  # type: ignore[arg-type]


def test_spool_reads_them(tmp_path: Path) -> None:
    shards = written(tmp_path, photos(5), maxcount=2)
    with spool.ImageLoader([str(s) for s in shards], batch=5, size=32, epochs=1, ignore_columns="json") as loader:
        (batch,) = list(loader)
    assert batch.labels.tolist() == [0, 1, 2, 0, 1]
    want = spool.decode_image(str(PHOTO), size=32)
    assert all((image == want).all() for image in batch.data)


def test_same_samples_same_bytes(tmp_path: Path) -> None:
    one, two = (written(tmp_path / name, photos(3)) for name in ("a", "b"))
    assert one[0].read_bytes() == two[0].read_bytes()


def test_maxsize(tmp_path: Path) -> None:
    samples = [{"__key__": str(i), "txt": "x" * 10} for i in range(5)]
    assert len(written(tmp_path, samples, maxsize=20)) == 3


def test_encoders(tmp_path: Path) -> None:
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    sample = {"__key__": "a/b", "png": pixels, "mask.npy": pixels[..., 0], "x.raw": memoryview(b"12"), "n.hex": 255}
    (shard,) = written(tmp_path, [sample], encoders={"hex": lambda n: f"{n:x}".encode()})
    got = members(shard)
    assert (spool.decode_image(got["a/b.png"]) == pixels).all()
    assert (np.load(io.BytesIO(got["a/b.mask.npy"])) == pixels[..., 0]).all()
    assert got["a/b.x.raw"] == b"12"
    assert got["a/b.n.hex"] == b"ff"


def test_bad_samples_change_nothing(tmp_path: Path) -> None:
    with spool.ShardWriter(tmp_path / "%d.tar", start_shard=7) as writer:
        assert writer.write({"__key__": "a", "txt": "t"}) == 1
        for bad, kind in (
            ({"txt": "t"}, ValueError),
            ({"__key__": "a.b", "txt": "t"}, ValueError),
            ({"__key__": "/a", "txt": "t"}, ValueError),
            ({"__key__": "a", "txt": "t"}, ValueError),
            ({"__key__": "b"}, ValueError),
            ({"__key__": "b", "bin": 3}, TypeError),
        ):
            with pytest.raises(kind):
                writer.write(bad)
    assert members(tmp_path / "7.tar") == {"a.txt": b"t"}
    with pytest.raises(spool.ClosedError):
        writer.write({"__key__": "c", "txt": "t"})
    writer.close()


def test_an_exception_leaves_finished_shards_only(tmp_path: Path) -> None:
    with pytest.raises(KeyError), spool.ShardWriter(tmp_path / "%d.tar", maxcount=1) as writer:
        writer.write({"__key__": "a", "txt": "t"})
        writer.write({"__key__": "b", "txt": "t"})
        assert {p.name for p in tmp_path.iterdir()} == {"0.tar", "1.tar.part"}
        raise KeyError
    assert [p.name for p in tmp_path.iterdir()] == ["0.tar"]


@pytest.mark.parametrize("pattern", ["x.tar", "%s.tar", "%d-%d.tar", "%d/x.tar"])
def test_patterns(pattern: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pattern"):
        spool.ShardWriter(tmp_path / pattern)
    assert not list(tmp_path.iterdir())


def test_command_verifies(tmp_path: Path) -> None:
    (shard,) = written(tmp_path, photos(2))
    assert subprocess.run([COMMAND, "verify", tmp_path], check=False).returncode == 0
    with shard.open("r+b") as file:
        file.seek(600)
        file.write(b"x")
    assert subprocess.run([COMMAND, "verify", tmp_path], check=False, capture_output=True).returncode == 1
    with pytest.raises(ValueError, match="manifest"):
        spool.ShardWriter(tmp_path / "%d.tar")
