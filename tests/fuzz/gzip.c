/* Packed data files: unpacked to no more than was allowed. Input: two bytes, how much is allowed, then the
 * file. */
#include "data/bytes.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    const size_t most = fuzz_number(&all, 2);
    data_bytes b;
    gnt_err err = {0};
    fuzz_file("set.gz", all);
    if (fuzz_ok(data_bytes_open(&b, fuzz_folder(), "set", most, &err), &err)) {
        volatile uint8_t sum = 0; /* so that a sanitizer sees bytes that are not there */
        MUST(b.size <= most);
        for (size_t i = 0; i < b.size; i++)
            sum = (uint8_t)(sum + b.at[i]);
        data_bytes_free(&b);
    }
    return 0;
}
