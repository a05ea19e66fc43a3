#!/usr/bin/env bash
# Looks for tests that depend on speed or luck: tools/flaky.sh [-n RUNS] [-m "MODE..."] [PACKAGE...]
#
# Builds each package's tests once, without the race detector, and runs them RUNS times (10) in shuffled order in each mode:
#
#   procs1, procs2, procs8   GOMAXPROCS is 1, 2, 8
#   load                     beside four busy processes for each CPU
#   core                     on one CPU
#
# Packages are by default those that wait or measure time. A failure is printed with the order's seed and the tests that failed; the whole
# output stays in bin/flaky. SPOOL_SEED=random draws other random cases in each run (see internal/seed). Exits with 1 if a run has failed.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=10
modes="procs1 procs2 procs8 load core"
while getopts n:m: option; do
    case $option in
    n) runs=$OPTARG ;;
    m) modes=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- ./source/... ./loader ./pipe ./internal/ranges ./transfer ./cmd/spool/...

logs=$PWD/bin/flaky
mkdir -p "$logs"
failed=0
busy=()

load() {
    for _ in $(seq $((4 * $(nproc)))); do
        while :; do :; done &
        busy+=($!)
    done
}

unload() {
    for process in "${busy[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    busy=()
}
trap unload EXIT
trap 'exit 130' INT TERM

# The program and its arguments are what a mode runs the tests with.
prefix() { # MODE
    case $1 in
    procs*) echo env "GOMAXPROCS=${1#procs}" ;;
    load) echo env ;;
    core) echo taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" ;;
    *)
        echo "flaky: no mode $1" >&2
        return 2
        ;;
    esac
}

for mode in $modes; do prefix "$mode" >/dev/null; done
packages=$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' "$@")
while read -r package folder; do
    name=${package#*/*/}
    name=${name//\//-}
    go test -c -o "$logs/$name.test" "$package"
    for mode in $modes; do
        read -ra with <<<"$(prefix "$mode")"
        [ "$mode" != load ] || load
        passed=0
        for run in $(seq "$runs"); do
            log=$logs/$name.$mode.$run.log
            if (cd "$folder" && "${with[@]}" "$logs/$name.test" -test.shuffle=on -test.timeout=15m) >"$log" 2>&1 </dev/null; then
                passed=$((passed + 1))
                rm "$log"
            else
                failed=1
                echo "FAILED $package, $mode, run $run: $(grep -m1 -a '^-test.shuffle' "$log" || true), $log"
                grep -aE '^ *--- FAIL|SPOOL_SEED|^panic:|^leaktest:' "$log" | head -20 || true
            fi
        done
        unload
        echo "$package, $mode: $passed of $runs passed"
    done
done <<<"$packages"
exit "$failed"
