/* CIFAR's binary files. Input: a byte that says which set and which of its files is meant (bit 0: CIFAR-100,
 * bit 1: the test file), then that file. The other file is sound. */
#include "data.h"

enum { CELLS = 3 * 32 * 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t record[2 + CELLS] = {1, 1};
    static const char *const names[2][2] = {{"data_batch_1.bin", "test_batch.bin"},
                                            {"train.bin", "test.bin"}};
    fuzz_bytes all = {data, size};
    const int which = fuzz_byte(&all), set = which & 1, part = which >> 1 & 1;
    fuzz_file(names[set][!part], (fuzz_bytes){record, 1 + (size_t)set + CELLS});
    fuzz_file(names[set][part], all);
    fuzz_open_set(set ? "cifar100" : "cifar10");
    return 0;
}
