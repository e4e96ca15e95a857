# What the scripts beside it share: a working folder, suites, and a look into results.json without a JSON
# program. Sourced, not run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
gauntlet=$GAUNTLET_BUILD/gauntlet
bad=$GAUNTLET_BUILD/tests/so # plugins that only tests use
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=${GAUNTLET_TEST_CACHE:-$work/cache}
unset GAUNTLET_PLUGINS GAUNTLET_DATA
status=0
sanitized=
case $GAUNTLET_BUILD in *asan*) sanitized=1 ;; esac

ok() { echo "ok $1"; }
not_ok() {
    echo "not ok $1: $2"
    status=1
}

# is NAME WHAT EXPECTED: two texts are the same
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "\"$2\", expected \"$3\""; fi; }

# matches NAME TEXT REGEX
matches() { if [[ $2 =~ $3 ]]; then ok "$1"; else not_ok "$1" "\"${2:0:200}\" is not like /$3/"; fi; }

# same NAME FILE FILE: byte for byte
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$2 and $3 differ: $(cmp "$2" "$3" 2>&1 | head -n 1)"; fi; }

# run CODE SUITE FOLDER [OPTION …]: runs the suite; says so when the exit code is another, or the results are
# not believed. The report in the folder is without plots; in place of one that --no-report leaves out come
# scores, which are read with as many doubts but draw nothing.
run() {
    local code=$1 suite=$2 folder=$3 got believed
    local believes=(report "$folder" -o "$folder/report" --no-plots)
    shift 3
    [[ " $* " != *" --no-report "* ]] || believes=(scores "$folder" -o "$work/scores-of-run")
    [[ " $* " == *" --plugins "* ]] || set -- --plugins "$bad" "$@"
    "$gauntlet" run "$suite" -o "$folder" -q --no-report "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    is "exit-code-$code-of-$(basename "$folder")" "$got" "$code"
    if [ "$got" = 0 ] || [ "$got" = 1 ]; then # what a run writes follows from itself
        "$gauntlet" "${believes[@]}" --plugins "$bad" >"$work/believed" 2>&1 </dev/null
        believed=$?
        is "$(basename "$folder")-is-believed" "$believed $(grep -av 'note:' "$work/believed" | grep -aE 'gauntlet (report|scores):')" "0 "
        rm -rf "$work/scores-of-run" "$work/believed"
    fi
    [ "$got" = "$code" ] && return
    sed 's/^/    /' "$work/out"
    [ "$got" != 2 ] || exit 1 # nothing ran: all that follows would fail too
}

# cells FOLDER: a line for each cell: id, status, reason, facts as ";NAME=VALUE…;" - separated by tabs
cells() {
    awk 'function value(s) { sub(/^[^:]*: /, "", s); sub(/,$/, "", s); gsub(/^"|"$/, "", s); gsub(/\\"/, "\"", s); return s }
        /^ "/ { on = /^ "cells": / }
        !on { next }
        /^   "cell": / { id = value($0); facts = ";" }
        /^   "status": / { word = value($0) }
        /^   "reason": / { reason = value($0) }
        /^   "facts": \{$/ { inside = 1; next }
        inside && /^    "/ { s = $0; gsub(/[ ",]/, "", s); sub(/:/, "=", s); facts = facts s ";" }
        /^   }/ { inside = 0 }
        /^  }/ { print id "\t" word "\t" reason "\t" facts }' "$1/results.json"
}

# cell FOLDER PATTERN FIELD: field (2 status, 3 reason, 4 facts) of the one cell whose id holds PATTERN
cell() { cells "$1" | awk -F '\t' -v p="$2" -v f="$3" 'index($1, p) { print $f }'; }

# fact FOLDER PATTERN NAME: its value, as a whole number where it is one
fact() { cell "$1" "$2" 4 | sed -nE "s/.*;$3=([^;]*);.*/\1/p" | sed 's/\.0$//'; }

# glyphs ID MODEL DATA MORE: a small task. DATA and MORE are further members, each with its comma before it.
glyphs() {
    printf '{"id": "%s", "data": {"name": "glyphs", "rows": {"train": 240, "test": 80, "public": 40}, "clients": 160,
        "test": 80, "public": 20%s}, "model": "%s"%s}' "$1" "$3" "$2" "$4"
}

# seal ENTRY: gives the done.json of a store's entry, as it now is, the sum that it must have
seal() {
    local text
    text=$(sed -E '1s/(,"sum":"[0-9a-f]*")?\}$//' "$1/done.json")
    printf '%s,"sum":"%s"}' "$text" "$(printf '%s%s' "$(basename "$1")" "$text" | b2sum -l 256 | cut -d ' ' -f 1)" >"$1/done.json"
}

# number FOLDER LIST MEMBER WANTED PATH: from the first object of the top-level list (cells, groups, matches)
# whose MEMBER is WANTED, the value at PATH: a member, or members joined by '.', such as measures.psnr.mean
number() {
    awk -v list="$2" -v member="$3" -v wanted="$4" -v path="$5" '
        function value(s) { sub(/^[^:]*: /, "", s); sub(/,$/, "", s); gsub(/^"|"$/, "", s); return s }
        /^ "/ { on = $0 ~ "^ \"" list "\": " ; next }
        !on { next }
        /^  \{/ { found = ""; hit = 0 }
        match($0, /^ +"/) {
            depth = RLENGTH - 3
            name = $0; sub(/^ +"/, "", name); sub(/".*/, "", name)
            at[depth] = name
            whole = at[1]
            for (i = 2; i <= depth; i++)
                whole = whole "." at[i]
            if (whole == member && value($0) == wanted) hit = 1
            if (whole == path) found = value($0)
        }
        /^  \}/ && hit { print found; exit }' "$1/results.json"
}

# how_it_crashes HOOK: the status and the reason of a defense that aborts in a hook. A copied process may
# signal nobody, itself included, so that abort() ends in a fault there (on AArch64 in a trap), which
# AddressSanitizer takes.
how_it_crashes() {
    status_of_crash=crashed
    reason_of_crash='signal (6 \(Aborted\)|11 \(Segmentation fault\)|5 \(Trace/breakpoint trap\))'
    case $sanitized$1 in
    1contribute* | 1receive-sum | 1save | 1load) status_of_crash=failed reason_of_crash='exit code 1' ;;
    esac
}
