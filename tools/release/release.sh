#!/usr/bin/env bash
# Builds and tests a release, in the folder dist: tools/release/release.sh [--untagged]
#
# The commit that is checked out has a tag like v1.2.3, and nothing has changed since; --untagged takes any tree, whose
# version says so. dist gets all artefacts, NOTES.md from the changelog, and SHA256SUMS. Files that are there already
# and that the build does not make, such as an archive of the SDK, are taken too.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(tools/release/version.sh)
if [[ $version = *+* && ${1:-} != --untagged ]]; then
    echo "release: $version is no release: commit all changes and tag the commit, like v1.2.3" >&2
    exit 1
fi
notes=$(tools/release/notes.sh "$version")
make --no-print-directory wheel
tools/release/agree.sh "$version"
echo "$notes" >dist/NOTES.md
(cd dist && rm SHA256SUMS && sha256sum -- * >SHA256SUMS)
tools/sdk/test.sh files deb bookworm
cat dist/SHA256SUMS
