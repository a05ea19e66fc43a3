#!/usr/bin/env bash
# Prints the section of CHANGELOG.md for a version, without its heading: tools/release/notes.sh VERSION
#
# The section of a commit after a tag, 1.2.3+N.gCOMMIT, is Unreleased. It fails if there is no section, or an empty one.
set -euo pipefail
cd "$(dirname "$0")/../.."

section=$1
if [[ $section = *+* ]]; then section=Unreleased; fi
awk -v heading="## [$section]" '
    /^## / { inside = index($0, heading) == 1; next }
    inside && (found || NF) { found = 1; print }
    END { exit !found }
' CHANGELOG.md || { echo "notes: CHANGELOG.md has nothing on $section" >&2 && exit 1; }
