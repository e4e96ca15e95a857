/* Described data sets: arrays and tables. Input: two bytes, how long the description is, the description,
 * then the file that it names, in each form that one may have. */
#include "data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    const fuzz_bytes description = fuzz_part(&all, fuzz_number(&all, 2));
    fuzz_file("own.json", description);
    fuzz_file("file.npz", all);
    fuzz_file("file.npy", all);
    fuzz_file("file.csv", all);
    fuzz_file("file.safetensors", all);
    fuzz_open_set("own.json");
    return 0;
}
