#!/usr/bin/env bash
# Runs a command that was built for an architecture, under an emulator if that is not this machine's:
#
#   tools/sdk/run.sh ARCHITECTURE COMMAND...
#
# For aarch64, tools/deps.sh cross installs what it needs. It does not run inside the Debian 11 of the SDK, since Go's
# garbage collector sometimes finds bad pointers under its QEMU 5.2.
set -euo pipefail
# shellcheck source=tools/sdk/target.sh
. "$(dirname "$0")/target.sh" "$1"
shift
exec "${emulator[@]}" "$@"
