#!/usr/bin/env bash
# Looks for some time for what fixed cases do not find: tools/explore.sh TIME (as 1h, 20m or 90s)
#
# First loaders end at random moments, some minutes. A quarter of the time goes to the tests that draw random cases, others each time; a half to the fuzz targets, with the
# address sanitizer and without, which the ledger counts; the rest to memory over many files. A failure does not keep the
# rest from running. The end tells how to have each again, and exits with 1.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
limit=${1:?how long}
limit=${limit/%h/*3600} limit=${limit/%m/*60} limit=$((${limit%s}))
log=$(mktemp)
again=$(mktemp)
trap 'rm -f "$log" "$again"' EXIT

# The lines that run again what failed in a go test of PACKAGE, with the numbers that it drew.
drawn() {
    awk -v package="$1" '
        function once(line) { if (!seen[line]++) print line }
        $1 == "---" { name = $2 == "FAIL:" ? $3 : "" }
        name != "" && match($0, /SPOOL_SEED=[0-9]+/) {
            run = name
            gsub("/", "$/^", run)
            once(substr($0, RSTART, RLENGTH) " go test -race -count=1 -run \047^" run "$\047 " package)
        }
        END { if (length(seen) == 0) print "SPOOL_SEED=random go test -race -count=1 " package }' "$log"
}

echo "explore: loaders that end at random moments"
make -s kills || echo "make kills" >>"$again"

readarray -t packages < <(git grep -l '"github.com/spoolmedia/spool/internal/seed"' -- '*_test.go' | xargs -n1 dirname | sort -u | shuf)
echo "explore: random cases in tests of ${#packages[@]} packages"
for ((i = 0; SECONDS < limit / 4; i++)); do
    package=./${packages[i % ${#packages[@]}]}
    if SPOOL_SEED=random go test -race -count=1 -timeout 20m "$package" >"$log" 2>&1; then
        tail -n 1 "$log"
    else
        cat "$log"
        drawn "$package" >>"$again"
    fi
done

for asan in true false; do
    echo "explore: fuzz targets, address sanitizer: $asan"
    bin/tools/fuzz -asan=$asan -mutate -time 1h -budget $((limit / 4))s 2>&1 | tee "$log" ||
        { sed -n 's/^fuzz: again: //p' "$log" | grep . || echo "bin/tools/fuzz -asan=$asan -mutate -budget $((limit / 4))s"; } >>"$again"
done

# A tenth of the samples takes a quarter of an hour. So few are held to the limits only.
scale=$(awk -v limit="$limit" 'BEGIN { print limit < 3600 ? limit / 36000 : 0.1 }')
echo "explore: memory over $scale of the samples"
soak=(go run ./bench/soak -share "$scale" -results '' photos clips)
"${soak[@]}" || echo "${soak[@]@Q}" >>"$again"

if [ -s "$again" ]; then
    echo "explore: failures in $SECONDS s; to have each again:"
    sed 's/^/    /' "$again"
    exit 1
fi
echo "explore: nothing found in $SECONDS s"
