#!/usr/bin/env bash
# Prints the path of the sources of CPython 3.13, an archive of Debian 13. The user's cache keeps it.
set -euo pipefail
cd "$(dirname "$0")"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool/sources
mkdir -p "$cache"
PYTHONPATH=. python3 - "$cache/python3.13_3.13.5.orig.tar.xz" <<'END'
import lock, pathlib, sys
to, digest = pathlib.Path(sys.argv[1]), "93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640"
if not to.exists() or lock.digest(to) != digest:
    lock.download([f"{mirror}/pool/main/p/python3.13/{to.name}" for mirror in lock.read()["mirrors"]], to, digest)
print(to)
END
