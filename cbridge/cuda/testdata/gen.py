#!/usr/bin/env python3
"""Makes api.json: what NVIDIA's public headers say of everything that ../driver.h names.

Needs pip, which fetches the headers (the packages below, of PyPI), and gcc. Run it in this folder after a change of
driver.h. The headers' own terms forbid to keep them here; names, numbers and signatures are facts.
"""
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES = [
    "nvidia-cuda-runtime-cu11==11.8.89",
    "nvidia-cuda-runtime-cu12==12.0.146",
    "nvidia-cuda-runtime-cu12==12.9.79",
    "nvidia-cuda-runtime==13.0.96",
]

header = Path("../driver.h").read_text()
functions = re.findall(r"^    X\((\w+),", header, re.M)
numbers = re.findall(r"^    (CU\w+) = \d+,", header, re.M)
types = re.findall(r"^typedef .*?\*?(CU\w+);", header, re.M)


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def parameters(declaration):
    """Types of a parameter list, without names, as clang-format writes them."""
    found = []
    for p in declaration.split(","):
        words = re.findall(r"\w+|\*", p)
        if len(words) > 1 and re.fullmatch(r"\w+", words[-1]) and words[-1] not in ("int", "char"):
            words.pop()
        found.append(re.sub(r"\* (?=\*)", "*", " ".join(words)))
    return ", ".join(found)


def api(folder):
    text = run("gcc", "-E", "-P", "-I", folder, "-include", "cuda.h", "-", text="")
    declared = dict(re.findall(r"CUresult\s+(\w+)\s*\(([^()]*)\)\s*;", text))
    lines = [f'printf("n {n} %d\\n", (int){n});' for n in numbers]
    for t in types:
        kind = f'__builtin_classify_type(({t})0) == 5 ? "pointer" : ({t})-1 < ({t})0 ? "signed" : "unsigned"'
        lines.append(f'printf("t {t} %s %zu\\n", {kind}, 8 * sizeof({t}));')
    program = "#include <stdio.h>\n#include <cuda.h>\nint main(void) {" + "\n".join(lines) + "return 0;}"
    run("gcc", "-w", "-I", folder, "-x", "c", "-", "-o", folder + "/program", text=program)
    out = [line.split() for line in run(folder + "/program").splitlines()]
    return {
        "functions": {f: parameters(declared[f]) for f in functions},
        "numbers": {w[1]: int(w[2]) for w in out if w[0] == "n"},
        "types": {w[1]: " ".join(w[2:]) for w in out if w[0] == "t"},
    }


result = {}
for package in PACKAGES:
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder, package)
        wheel = zipfile.ZipFile(next(Path(folder).glob("*.whl")))
        for name in wheel.namelist():
            if name.endswith("/include/cuda.h"):
                (Path(folder) / "cuda.h").write_bytes(wheel.read(name))
        result[package] = api(folder)
Path("api.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
