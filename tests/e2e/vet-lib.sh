# What the tests of `gauntlet vet` share. Sourced, not run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# vet NAME CODE ARGUMENT …: into the file $work/NAME
vet() {
    local name=$1 code=$2 got
    shift 2
    "$gauntlet" vet "$@" >"$work/$name" 2>&1 </dev/null
    got=$?
    [ "$got" = "$code" ] || not_ok "$name-exit-code" "$got, expected $code: $(grep -m 1 failed "$work/$name")"
}

# these learn for a minute and more by default, in all walks together
brief='{"epochs": 8, "hidden": 64}'
zoo='{"zoo": 2, "widest": 128, "epochs": 2}'
# these answer the encodings of one defense alone, which the made-up observations are not
answers_one='attack (decompose|loda-inverse|loda-kkt): '

# vet_ours KIND: all of ours of that kind pass every check
vet_ours() {
    local kind=$1
    vet "$kind" 0 "$GAUNTLET_BUILD/plugins/$kind"s/*.so --params 'decoder={"steps": 10, "features": 2}' \
        --params 'attr-nn={"epochs": 8}' --params "fresh=$brief" --params "invert=$brief" --params "decensor=$brief" \
        --params 'ggl={"training_steps": 20, "steps": 10}' --params "recup=$zoo" --params "recup-random-target=$zoo" \
        --params "fgsm-one=$zoo" --params "fgsm-avg=$zoo" --params "fgsm-iter=$zoo" --params "fgsm-momentum=$zoo" \
        --params 'attr-nn-adaptive={"zoos": 2, "nets": 2, "widest": 128, "epochs": 4, "renew": 2}' --seconds 600
    is "every-$kind-of-ours-passes" "$(grep -c ': failed' "$work/$kind")" 0
    is "every-$kind-of-ours-is-looked-at" "$(grep -cE ": hooks: ok$|${answers_one}hooks: n/a" "$work/$kind")" \
        "$("$gauntlet" list --json | grep -o '"kind":"[a-z]*"' | grep -c "$kind")"
    [ -n "$sanitized" ] || is "nothing-of-our-${kind}s-is-passed-over" \
        "$(grep ': n/a' "$work/$kind" | grep -v 'it has no parameters' | grep -vE "$answers_one")" ''
}
