# What a harness starts from, one file or folder a line.
inputs_of() {
    [ -d "tests/fuzz/corpus/$1" ] && echo "tests/fuzz/corpus/$1"
    case $1 in
    suite) printf '%s\n' suites suites/papers tests/cases ;;
    esac
}
