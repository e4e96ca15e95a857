#!/bin/sh
# Checks a defense that was submitted to a leaderboard, as far as it can be done without a key, for any CI system.
#
#   check-submission.sh GAUNTLET FOLDER WORK
#
# GAUNTLET is the program, FOLDER the submission (docs/leaderboard.md, "Submit a defense"), WORK a new folder for
# what is built and run. In this order: the signature is there and fits, the results contradict neither each
# other nor their suite, each plugin builds and passes `vet`, and the suite runs at its scale `ci`.
# GAUNTLET_INCLUDE is the folder of gauntlet/plugin.h, by default that of the clone with this script.
#
# It runs the submitted code, so give it no secret. Exit code: 0 all passed, 1 something did not, 2 wrong words.
set -u
[ $# -eq 3 ] || { echo "usage: check-submission.sh GAUNTLET FOLDER WORK" >&2; exit 2; }
gauntlet=$1 folder=$2 work=$3
include=${GAUNTLET_INCLUDE-$(dirname "$0")/../../harness/include}
mkdir -p "$work/plugins" || exit 2

refuse() {
    [ -z "${GITHUB_ACTIONS-}" ] || echo "::error title=submission::$folder: $1"
    echo "check-submission.sh: $folder: $1" >&2
    exit 1
}

[ -e "$folder/signature.json" ] || refuse "signature.json is missing; sign the folder with \`gauntlet sign $folder --key FILE\`"
for source in "$folder"/*.c "$folder"/*.py; do
    [ -e "$source" ] || continue
    name=$(basename "$source")
    case $name in
    *.py) cp "$source" "$work/plugins/$name" ;;
    *) "${CC:-cc}" -std=c11 -O2 -shared -fPIC -I"$include" "$source" -o "$work/plugins/${name%.c}.so" -lm ||
        refuse "$name does not build" ;;
    esac
done
for plugin in "$work"/plugins/*; do
    [ -e "$plugin" ] || refuse "there is no plugin; put its source, NAME.c or NAME.py, into the folder and sign it again"
    "$gauntlet" vet "$plugin" || refuse "$(basename "$plugin") does not pass \`gauntlet vet\`"
done
"$gauntlet" leaderboard "$folder" -o "$work/board" --plugins "$work/plugins" --no-plots ||
    refuse "the results are contradictory, or the signature does not fit"
"$gauntlet" run "$folder/suite.json" --scale ci -o "$work/ci" --plugins "$work/plugins" --no-report --quiet ||
    refuse "the suite does not run at scale ci"
echo "check-submission.sh: $folder: signature, format, vet and scale ci are in order; the keeper accepts it under the key"
