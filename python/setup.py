"""The build: the package holds a native library, and is otherwise the same for every version of Python."""

import os
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

LIBRARY = Path(__file__).resolve().parent / "spool" / "_lib" / "libspool.so"


def need_library() -> None:
    """Exit if the library is missing: the package would fail at its first call. SPOOL_LIBRARY names another library."""
    if not LIBRARY.exists() and not os.environ.get("SPOOL_LIBRARY"):
        raise SystemExit(
            f"error: {LIBRARY} is missing: the package loads this library, which pip does not build.\n"
            "Run `make deps library` in the root of the repository, which takes some minutes, then run pip again."
        )


class Native(Distribution):
    def has_ext_modules(self) -> bool:
        return True


class Build(build_py):
    def run(self) -> None:
        need_library()
        super().run()


class Sources(sdist):
    """A source distribution includes the library too, since it does not have the Go sources."""

    def run(self) -> None:
        need_library()
        super().run()


class Wheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", os.environ.get("SPOOL_WHEEL_PLATFORM") or super().get_tag()[2]


setup(distclass=Native, cmdclass={"bdist_wheel": Wheel, "build_py": Build, "sdist": Sources})
