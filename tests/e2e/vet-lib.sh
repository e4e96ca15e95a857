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

# What learns or searches for long by default does little of it here: a walk calls every hook many times.
brief='{"epochs": 4, "hidden": 16}'
nets='{"nets": 2, "widest": 128, "epochs": 2}'
zoo='{"zoo": 2, "widest": 128, "epochs": 1, "inputs": 64}'
zoos='{"zoos": 2, "nets": 2, "widest": 128, "epochs": 2, "renew": 2}'
probes='{"samples": 2, "probes": 2}'
little=(--seconds 3600
    --params 'attr-nn={"epochs": 2}' --params 'via-task={"epochs": 2}' --params "attr-nn-adaptive=$zoos"
    --params "rank1=$nets" --params "recup-residue=$nets" --params "fresh=$brief" --params "invert=$brief"
    --params "decensor=$brief" --params 'decoder={"steps": 10, "features": 2}' --params 'update-decoder={"pairs": 100}'
    --params 'ggl={"training_steps": 4, "steps": 4, "population": 4, "features": 2, "latents": 8}'
    --params 'decompose={"steps": 2, "originals": 8, "starts": 1, "refits": 1, "polish": 2}'
    --params "recup=$zoo" --params "recup-random-target=$zoo" --params "fgsm-one=$zoo" --params "fgsm-avg=$zoo"
    --params "fgsm-iter=$zoo" --params "fgsm-momentum=$zoo" --params 'loda={"steps": 20}' --params "fedre=$probes"
    --params "pda-pam=$probes" --params 'tappfl={"width": 0.1}')
# these answer the encodings of one defense alone, which the made-up observations are not
answers_one='attack (decompose|loda-inverse|loda-kkt): '

# vet_ours KIND: all of ours of that kind pass every check
vet_ours() {
    local kind=$1
    vet "$kind" 0 "$GAUNTLET_BUILD/plugins/$kind"s/*.so "${little[@]}"
    is "every-$kind-of-ours-passes" "$(grep -c ': failed' "$work/$kind")" 0
    is "every-$kind-of-ours-is-looked-at" "$(grep -cE ": hooks: ok$|${answers_one}hooks: n/a" "$work/$kind")" \
        "$("$gauntlet" list --json | grep -o '"kind":"[a-z]*"' | grep -c "$kind")"
    [ -n "$sanitized" ] || is "nothing-of-our-${kind}s-is-passed-over" \
        "$(grep ': n/a' "$work/$kind" | grep -vE 'it has no (parameters|strength|hooks of clients)|a defense answers nothing|an attack (fills|has) no|each client gets' | grep -vE "$answers_one")" ''
}
