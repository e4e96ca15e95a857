#!/bin/sh
# Runs a suite and checks it against a baseline, for any CI system.
#
#   run-and-check.sh GAUNTLET SUITE RUN BASELINE [OPTION …]
#
# GAUNTLET is the program, RUN the folder that the run is made in, and options go to `gauntlet run`; folders of
# plugins and data that both commands need are in GAUNTLET_PLUGINS and GAUNTLET_DATA. Writes check.xml (JUnit),
# check.sarif, check.md and check.json into RUN. Matched defenses are measured at the strengths of the baseline too,
# if there is one already.
#
# The check is made whenever there are results, also if cells failed: a cell that failed in the baseline too
# is no regression, and one that is newly failing is reported with all else. Exit code: that of `gauntlet check`,
# or that of `gauntlet run` if there is nothing to check. Before there is a baseline nothing can be worse: the
# code is 0, and the file to commit as the baseline is named.
set -u
[ $# -ge 4 ] || { echo "usage: run-and-check.sh GAUNTLET SUITE RUN BASELINE [OPTION ...]" >&2; exit 2; }
gauntlet=$1 suite=$2 run=$3 baseline=$4
shift 4

[ ! -e "$baseline" ] || set -- --baseline "$baseline" "$@"
ran=0
"$gauntlet" run "$suite" -o "$run" --quiet "$@" || ran=$?
if [ "$ran" -gt 1 ] || [ ! -e "$run/results.json" ]; then
    echo "run-and-check.sh: gauntlet run ended with exit code $ran; there is nothing to check" >&2
    exit "$ran"
fi

if [ ! -e "$baseline" ]; then
    said="there is no baseline yet: commit $run/results.json as $baseline"
    [ -z "${GITHUB_ACTIONS-}" ] || echo "::notice title=gauntlet check::$said"
    echo "run-and-check.sh: $said" >&2
    exit "$ran"
fi

github=
[ -z "${GITHUB_ACTIONS-}" ] || github=--github
checked=0
"$gauntlet" check "$run" --against "$baseline" $github --suite "$suite" --junit "$run/check.xml" \
    --sarif "$run/check.sarif" --markdown "$run/check.md" --json "$run/check.json" || checked=$?
if [ -n "${GITHUB_STEP_SUMMARY-}" ] && [ -e "$run/check.md" ]; then
    cat "$run/check.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$checked"
