#!/usr/bin/env bash
# Runs a command that was built for an architecture, inside the Debian 11 of the SDK: run.sh ARCHITECTURE COMMAND...
#
# The emulator runs it if the architecture is not this machine's.
set -euo pipefail
# shellcheck source=tools/sdk/target.sh
. "$(dirname "$0")/target.sh" "$1"
shift
exec "${emulator[@]}" "$@"
