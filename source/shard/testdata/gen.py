"""Makes the shards of this folder, by Python's tarfile, GNU tar and webdataset, and expected.json: the members that
tarfile finds in each, and of webdataset's the samples that webdataset reads.

    python gen.py   # webdataset 1.0, GNU tar 1.34, zstd 1.5
"""

import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile

import webdataset

HERE = pathlib.Path(__file__).parent


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


def found(archive):
    return [
        [m.name.lstrip("/"), m.offset_data, m.size]
        for m in tarfile.open(fileobj=io.BytesIO(archive), ignore_zeros=False)
        if m.isfile()
    ]


expected = {}
long = "a folder of a long name/" * 8
members = [
    ("0001.jpg", 700, 0),
    ("0001.cls", 1, 0),
    (long + "0002.jpg", 3, 0),
    ("ünïcode.jpg", 512, 0),
    ("id.jpg", 5, 1 << 30),
    ("/absolute.jpg", 0, 0),
]
for name, fmt in ("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=fmt, bufsize=512) as t:
        for path, size, owner in members:
            if fmt == tarfile.USTAR_FORMAT:
                owner = 0  # for which it has no room
            info = tarfile.TarInfo(path)
            info.size, info.uid, info.mtime = size, owner, 1.5 if fmt == tarfile.PAX_FORMAT else 1
            t.addfile(info, io.BytesIO((b"7" if path.endswith("cls") else b"x") * size))
    data = out.getvalue()
    (HERE / f"python_{name}.tar").write_bytes(data)
    expected[f"python_{name}.tar"] = {"members": found(data)}
    # a member of 9 GiB, whose size GNU writes in base 256 and PAX as a record: the first bytes of the archive
    if fmt != tarfile.USTAR_FORMAT:
        info = tarfile.TarInfo("large.jpg")
        info.size = 9 << 30
        (HERE / f"large_{name}.tar").write_bytes(info.tobuf(format=fmt) + b"the beginning".ljust(512, b"\0"))

with tempfile.TemporaryDirectory() as folder:
    for path, size, _ in members[:4]:
        os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
        pathlib.Path(folder, path).write_bytes((b"7" if path.endswith("cls") else b"x") * size)
    os.link(f"{folder}/0001.jpg", f"{folder}/hard.jpg")
    os.symlink("0001.jpg", f"{folder}/soft.jpg")
    with open(f"{folder}/sparse.jpg", "wb") as f:
        f.truncate(1 << 20)
        f.seek(1 << 19)
        f.write(b"in the middle")
    names = [m[0] for m in members[:4]] + ["soft.jpg"]
    options = ["--sort=name", "--mtime=@1", "--owner=0", "--group=0", "-b1", "-C", folder, "-c"]
    for name, more in ("gnu", []), ("posix", ["--pax-option=delete=atime,delete=ctime"]):
        data = subprocess.run(
            ["tar", f"--format={name}", *more, *options, *names], check=True, capture_output=True
        ).stdout
        (HERE / f"tar_{name}.tar").write_bytes(data)
        expected[f"tar_{name}.tar"] = {"members": found(data)}
    data = subprocess.run(
        ["tar", "--format=gnu", *options, "0001.jpg", "hard.jpg"], check=True, capture_output=True
    ).stdout
    (HERE / "tar_link.tar").write_bytes(data)
    for name, more in ("gnu", []), ("posix", ["--sparse-version=1.0", "--pax-option=delete=atime,delete=ctime"]):
        data = subprocess.run(
            ["tar", f"--format={name}", "-S", *more, *options, "sparse.jpg", "0001.cls"],
            check=True,
            capture_output=True,
        ).stdout
        (HERE / f"sparse_{name}.tar").write_bytes(data)
    for ending, program in ("gz", "gzip -n"), ("zst", "zstd"):
        data = subprocess.run(
            ["tar", "--format=gnu", "-I", program, *options, *names], check=True, capture_output=True
        ).stdout
        (HERE / f"tar.tar.{ending}").write_bytes(data)
    expected["tar.tar.gz"] = expected["tar.tar.zst"] = expected["tar_gnu.tar"]

with webdataset.TarWriter(str(HERE / "webdataset.tar"), mtime=1) as w:
    for i in range(4):
        w.write(
            {
                "__key__": f"deep/{i:04}" + (".x" if i == 3 else ""),
                "jpg": bytes([i]) * (i * 300),
                "cls": i * i,
                "json": {"i": i},
                "seg.png": b"mask",
            }
        )
data = (HERE / "webdataset.tar").read_bytes()
samples = []
for s in webdataset.WebDataset(str(HERE / "webdataset.tar"), shardshuffle=False):
    samples.append([s["__key__"], {k: sha(v) for k, v in s.items() if not k.startswith("__")}])
expected["webdataset.tar"] = {"members": found(data), "samples": samples}

(HERE / "expected.json").write_text(
    "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in expected.items()) + "\n}\n"
)
