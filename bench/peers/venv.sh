#!/usr/bin/env bash
# Prints the path of a Python interpreter with the peers installed: bench/peers/venv.sh REQUIREMENTS...
#
# It is SPOOL_PEERS_PYTHON if that is set. Otherwise it is that of a virtual environment in the user's cache folder,
# which is created on first use, one for each version of the requirements. It takes some gigabytes. One process creates
# it, with a lock on a file beside it. Others that need it wait, and then use it.
set -euo pipefail

if [ -n "${SPOOL_PEERS_PYTHON:-}" ]; then
    echo "$SPOOL_PEERS_PYTHON"
    exit
fi
digest=$(cat "$@" | sha256sum)
venv=${XDG_CACHE_HOME:-$HOME/.cache}/spool/peers-${digest:0:12}
if [ ! -e "$venv/complete" ]; then
    mkdir -p "${venv%/*}"
    exec 9>"$venv.lock"
    if ! flock --nonblock 9; then
        echo "peers: another process installs into $venv; waiting for it" >&2
        flock 9
    fi
    # The other process may have completed it by now.
    if [ ! -e "$venv/complete" ]; then
        python3 -c 'import ensurepip, venv' 2>/dev/null || "$(dirname "$0")/../../tools/deps.sh" test >&2
        echo "peers: installing $* into $venv" >&2
        python3 -m venv --clear "$venv" >&2
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${@/#/--requirement=}" >&2
        touch "$venv/complete"
    fi
fi
echo "$venv/bin/python"
