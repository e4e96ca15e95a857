/* Packed data files: unpacked to no more than was allowed. Input: two bytes, how much is allowed, then the
 * file. */
#include "data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    const size_t most = fuzz_number(&all, 2);
    data_bytes b;
    gnt_err err = {0};
    fuzz_file("set.gz", all);
    if (fuzz_ok(data_bytes_open(&b, fuzz_folder(), "set", most, &err), &err))
        fuzz_unpacked(&b, most);
    return 0;
}
