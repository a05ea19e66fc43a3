"""Makes the arrays of this folder with NumPy, and expected.json with what they hold: python3 gen.py."""

import hashlib
import json
import pathlib
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(1)

arrays = {}
for code in "|b1 |i1 |u1 <i2 >i2 <u2 <i4 >i4 <u4 <i8 <u8 >u8 <f2 >f2 <f4 >f4 <f8 >f8 <c8 >c8 <c16".split():
    a = rng.integers(0, 2 if code == "|b1" else 100, (3, 4, 5)).astype(code)
    arrays[code.strip("|<>") + ("_big" if code[0] == ">" else "")] = a
arrays["fortran"] = np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4))
arrays["fortran_big"] = np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3))
arrays["scalar"] = np.array(7.5, dtype="<f8")
arrays["empty"] = np.zeros((3, 0, 2), dtype="<f4")
arrays["vector"] = np.arange(5, dtype="<u2")

expected = {}


def note(name, a):
    little = a.astype(a.dtype.newbyteorder("<"))
    expected[name] = {
        "type": np.lib.format.dtype_to_descr(a.dtype),
        "shape": a.shape,
        "fortran": bool(a.flags.f_contiguous and not a.flags.c_contiguous),
        "sha256": hashlib.sha256(little.tobytes("C")).hexdigest(),
    }


for name, a in arrays.items():
    np.save(HERE / f"{name}.npy", a)
    note(f"{name}.npy", a)
for version in (1, 2, 3):
    with open(HERE / f"version{version}.npy", "wb") as f:
        np.lib.format.write_array(f, arrays["f4"], version=(version, 0))
    note(f"version{version}.npy", arrays["f4"])
for name, a in {
    "structured": np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")]),
    "text": np.array(["a", "bc"]),
    "bytes": np.array([b"a", b"bc"]),
    "time": np.array(["2026-11-22"], dtype="M8[D]"),
}.items():
    np.save(HERE / f"refused_{name}.npy", a)
np.save(HERE / "refused_object.npy", np.array([None, {}], dtype=object), allow_pickle=True)

some = {name: arrays[name] for name in ("f4", "i8", "fortran", "scalar", "empty", "i2_big")}
np.savez(HERE / "stored.npz", **some)
np.savez_compressed(HERE / "deflated.npz", **some)
# the records of zip64 in small archives: of files, and of the end
zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 10, 2
np.savez(HERE / "zip64.npz", **some)
zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = (1 << 31) - 1, (1 << 16) - 1


class Pipe:
    """A file without seek, so that sizes and checksums come after the data."""

    def __init__(self, name):
        self.file = open(name, "wb")
        self.write, self.flush, self.close = self.file.write, self.file.flush, self.file.close


pipe = Pipe(HERE / "streamed.npz")
with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:
    for name in some:
        with z.open(f"{name}.npy", "w") as f:
            f.write((HERE / f"{name}.npy").read_bytes())
pipe.close()
(HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
