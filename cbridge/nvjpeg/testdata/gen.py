#!/usr/bin/env python3
"""Makes api.json: what NVIDIA's public headers say of everything that ../api.h names.

Needs pip, which fetches the headers (the packages below, of PyPI), and gcc. Run it in this folder after a change of
api.h. The headers' own terms forbid to keep them here; names, numbers and signatures are facts.
"""
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES = [
    "nvidia-nvjpeg-cu11==11.8.0.2",
    "nvidia-nvjpeg-cu12==12.0.0.28",
    "nvidia-nvjpeg-cu12==12.4.0.76",
    "nvidia-nvjpeg==13.3.2.43",
]
RUNTIME = ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88"]  # whose headers all of them include

header = Path("../api.h").read_text()
functions = re.findall(r"^    X\((\w+),", header, re.M)
numbers = re.findall(r"(\w+) = \d+", header)
types = re.findall(r"^typedef (?!struct nvjpeg(?:Dev|Pinned)).*?\*?(\w+);", header, re.M)


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def parameters(declaration):
    """Types of a parameter list, without names, as clang-format writes them."""
    found = []
    for p in declaration.split(","):
        words = re.findall(r"\w+|\*", p)
        if len(words) > 1 and re.fullmatch(r"\w+", words[-1]) and words[-1] not in ("int", "char"):
            words.pop()
        found.append(re.sub(r"\* (?=\*|const)", "*", " ".join(words)))
    return ", ".join(found)


def api(folder):
    include = ["-I", folder, "-include", "nvjpeg.h"]
    text = run("gcc", "-E", "-P", *include, "-", text="")
    declared = dict(re.findall(r"nvjpegStatus_t\s+(\w+)\s*\(([^()]*)\)\s*;", text))
    image = re.search(r"typedef struct\s*{([^{}]*)}\s*nvjpegImage_t;", text).group(1)
    known = [n for n in numbers if n in text + run("gcc", "-E", "-dM", *include, "-", text="")]
    lines = [f'printf("n {n} %d\\n", (int)({n}));' for n in known]
    for t in types:
        kind = f'__builtin_classify_type(({t})0) == 5 ? "pointer" : ({t})-1 < ({t})0 ? "signed" : "unsigned"'
        lines.append(f'printf("t {t} %s %zu\\n", {kind}, 8 * sizeof({t}));')
    program = "#include <stdio.h>\n#include <nvjpeg.h>\nint main(void) {" + "\n".join(lines) + "return 0;}"
    run("gcc", "-w", "-I", folder, "-x", "c", "-", "-o", folder + "/program", text=program)
    out = [line.split() for line in run(folder + "/program").splitlines()]
    return {
        "functions": {f: parameters(declared[f]) for f in functions},
        "numbers": {w[1]: int(w[2]) for w in out if w[0] == "n"},
        "types": {w[1]: " ".join(w[2:]) for w in out if w[0] == "t"},
        "image": " ".join(re.findall(r"\w+|[^\w\s]", image)),
    }


result = {}
for package in PACKAGES:
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder]
        run(*pip, package, *RUNTIME)
        for wheel in Path(folder).glob("*.whl"):
            archive = zipfile.ZipFile(wheel)
            for name in archive.namelist():
                if "/include/" in name and name.endswith((".h", ".hpp")):
                    at = Path(folder) / name.split("/include/")[1]
                    at.parent.mkdir(parents=True, exist_ok=True)
                    at.write_bytes(archive.read(name))
        result[package] = api(folder)
Path("api.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
