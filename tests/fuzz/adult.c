/* Adult's tables. Input: adult.data, a line "%%", adult.test. */
#include "data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    fuzz_file("adult.data", fuzz_text(&all));
    fuzz_file("adult.test", all);
    fuzz_open_set("adult");
    return 0;
}
