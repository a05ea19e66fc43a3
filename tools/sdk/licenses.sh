#!/usr/bin/env bash
# Writes the licences and notices of all that the SDK has, and what its sources are: licenses.sh SDK FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."

root=${1%/sdk/*} # of the Debian that built it
sources=${XDG_CACHE_HOME:-$HOME/.cache}/spool/sources
tools/sdk/lock.py fetch "$sources"
tools/sdk/notices.py write "$sources" "$2"
cp /usr/share/common-licenses/{Apache-2.0,LGPL-2.1,LGPL-3,GPL-3} "$2/" # which notices name
mkdir -p "$2/gcc"                                                      # libstdc++ and libgcc
cp -L "$root/usr/share/doc/gcc-10-base/copyright" "$2/gcc/"
cp tools/sdk/sources.json "$2/SOURCES.json"
