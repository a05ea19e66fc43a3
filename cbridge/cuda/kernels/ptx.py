#!/usr/bin/env python3
"""Compiles each .cu file to PTX: ptx.py [--check] [FOLDER]

It needs nvrtc and ptxas, the packages of requirements.txt, but no device and no driver. It writes the results to
FOLDER, or next to the sources. With --check it compares instead, and prints the files that differ. Each file begins
with a hash of its sources and options, which a Go test compares without these packages.
"""

import argparse
import ctypes
import hashlib
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = ["--gpu-architecture=compute_70", "--fmad=false", "--prec-div=true", "--ftz=false"]
VERSION = "7.0"  # of PTX: that of CUDA 11.0, the oldest supported driver; ptxas refuses newer instructions
TARGETS = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]


def part(package: str, path: str) -> Path:
    """A file of one of NVIDIA's packages, whose folders are a namespace of modules."""
    spec = importlib.util.find_spec("nvidia." + package)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"ptx.py: no nvidia.{package} here: pip install -r {HERE / 'requirements.txt'}")
    return Path(next(iter(spec.submodule_search_locations))) / path


def sources(kernel: Path) -> dict[str, bytes]:
    """The file and the headers that it may include."""
    return {file.name: file.read_bytes() for file in [kernel, *sorted(HERE.glob("*.h"))]}


def digest(files: dict[str, bytes]) -> str:
    """Names, sizes and bytes of the sources, and the options: as embed_test.go computes it."""
    h = hashlib.sha256(" ".join(OPTIONS).encode())
    for name, text in files.items():
        h.update(f"\n{name} {len(text)}\n".encode() + text)
    return h.hexdigest()


def compiled(kernel: Path) -> str:
    """The PTX of a file."""
    nvrtc = ctypes.CDLL(str(part("cuda_nvrtc", "lib/libnvrtc.so.12")))
    files = sources(kernel)
    headers = {name: text for name, text in files.items() if name.endswith(".h")}
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * len(headers))(*headers.values())
    names = (ctypes.c_char_p * len(headers))(*(name.encode() for name in headers))
    options = (ctypes.c_char_p * len(OPTIONS))(*(option.encode() for option in OPTIONS))
    assert (
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), files[kernel.name], kernel.name.encode(), len(headers), texts, names
        )
        == 0
    )
    failed = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options)

    def text(what: str) -> str:
        size = ctypes.c_size_t()
        assert getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
        out = ctypes.create_string_buffer(size.value)
        assert getattr(nvrtc, f"nvrtcGet{what}")(program, out) == 0
        return out.value.decode()

    log = text("ProgramLog")
    if failed or log.strip():
        sys.exit(f"{kernel.name}: {log}")
    ptx = text("PTX")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    body = ptx[ptx.index("\n.version") + 1 :].rstrip() + "\n"
    body = re.sub(r"^\.version .*$", f".version {VERSION}", body, count=1, flags=re.M)
    body = re.sub(r"^\s*\.pragma \"used_bytes_mask .*\n", "", body, flags=re.M)  # a hint of newer text
    made = importlib.metadata.version("nvidia-cuda-nvrtc-cu12")
    head = f"// Made by ptx.py of {kernel.name}, with nvrtc {made}: do not edit.\n// {' '.join(OPTIONS)}\n"
    return f"{head}// sha256 {digest(files)}\n{body}"


def assemble(name: str, ptx: str) -> None:
    """Has ptxas take the text for each target, without warnings and without a register spilled."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_text(ptx)
        for target in TARGETS:
            run = subprocess.run(
                [str(part("cuda_nvcc", "bin/ptxas")), "-v", f"--gpu-name={target}", str(file), "-o", "/dev/null"],
                capture_output=True,
                text=True,
                check=False,
            )
            log = run.stdout + run.stderr
            spills = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", log)
            if run.returncode or not spills or any(set(s) != {"0"} for s in spills) or "warning" in log:
                sys.exit(f"{name}: {target}: {log}")
            registers = [int(n) for n in re.findall(r"Used (\d+) registers", log)]
            print(f"{name}: {target}: {len(registers)} kernels, at most {max(registers)} registers, no spills")


def main() -> None:
    """Makes or checks all files."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true", help="compare with what is there")
    arguments.add_argument("folder", nargs="?", type=Path, default=HERE)
    o = arguments.parse_args()
    for kernel in sorted(HERE.glob("*.cu")):
        ptx, file = compiled(kernel), o.folder / kernel.with_suffix(".ptx").name
        assemble(file.name, ptx)
        if not o.check:
            file.write_text(ptx)
        elif file.read_text() != ptx:
            sys.exit(f"{file.name} is not what {kernel.name} gives")


if __name__ == "__main__":
    main()
