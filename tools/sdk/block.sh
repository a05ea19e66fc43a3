#!/bin/sh
# Prints the first block of a language below a heading of a page: block.sh PAGE LANGUAGE HEADING
#
# Of commands, the $ before them is left out.
set -eu
awk -v fence="\`\`\`$2" -v heading="$3" '
    $0 == heading { below = 1 }
    below && $0 == fence { inside = 1; next }
    inside && /^```$/ { found = 1; exit }
    inside { sub(/^\$ /, ""); print }
    END { exit !found }
' "$1"
