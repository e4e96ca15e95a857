/* FHFA's table of home loans. Input: the table. */
#include "data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const fuzz_bytes all = {data, size};
    fuzz_file("AMA_PUDB_Export_123110.csv", all);
    fuzz_open_set("loans");
    fuzz_open_set("loans_ratios");
    return 0;
}
