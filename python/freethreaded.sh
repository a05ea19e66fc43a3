#!/usr/bin/env bash
# Prints the path of a free-threaded Python 3.13, which has no global interpreter lock. It is built once from Debian 13's
# source package with --disable-gil, in some 10 minutes of CPU time, and kept in the user's cache.
#
#   PYTHON=$(python/freethreaded.sh) python/test.sh
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/spool
built=$cache/python-3.13.5-freethreaded
python=$built/bin/python3.13t
if [ ! -e "$built/complete" ]; then
    {
        tools/deps.sh python
        archive=$(tools/sdk/cpython.sh)
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        tar -C "$work" -xf "$archive"
        echo "python: building a free-threaded Python in $built"
        rm -rf "$built"
        cd "$work"/Python-*
        (./configure --quiet --disable-gil --disable-test-modules --prefix="$built" && make -s -j2 && make -s install) \
            </dev/null >"$cache/python-3.13.5-freethreaded.log" 2>&1 ||
            { tail -n 20 "$cache/python-3.13.5-freethreaded.log" && exit 1; }
        touch "$built/complete"
    } >&2
fi
"$python" -c 'import sys; sys.exit(sys._is_gil_enabled())'
echo "$python"
