/* MATLAB files, as they are checked before libmatio sees them. What libmatio itself makes of a sound file is
 * not tested here. */
#include "data/mat.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    gnt_err err = {0};
    fuzz_file("set.mat", (fuzz_bytes){data, size});
    fuzz_ok(data_mat_check(fuzz_path(path, "set.mat"), 1 << 16, &err), &err);
    return 0;
}
