#!/usr/bin/env bash
# Prints the version of this tree: 1.2.3 at the tag v1.2.3, and 1.2.3+N.gCOMMIT at the Nth commit after it. ".dirty"
# follows if files have changed. All of these are versions for Python (PEP 440), for Debian and for semver.
set -euo pipefail
cd "$(dirname "$0")/../.."

described=$(git describe --tags --long --abbrev=10 --dirty=.dirty --match 'v[0-9]*' 2>/dev/null) ||
    described=v0.0.0-$(git rev-list --count HEAD)-g$(git describe --always --abbrev=10 --dirty=.dirty --exclude '*')
if ! [[ $described =~ ^v([0-9]+\.[0-9]+\.[0-9]+)-([0-9]+)-(g[0-9a-f]+(\.dirty)?)$ ]]; then
    echo "version: no tag like v1.2.3: $described" >&2
    exit 1
fi
version=${BASH_REMATCH[1]}
if [ "${BASH_REMATCH[2]}${BASH_REMATCH[4]}" != 0 ]; then version+=+${BASH_REMATCH[2]}.${BASH_REMATCH[3]}; fi
echo "$version"
