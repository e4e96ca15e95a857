/* Safetensors: what is accepted is written and read again to the same bytes. */
#include "fuzz.h"
#include "nn/io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gnt_st st, again;
    gnt_err err = {0};
    if (!fuzz_ok(gnt_st_parse(&st, "input", data, size, &err), &err))
        return 0;
    uint8_t *bytes = NULL, *twice = NULL;
    size_t n = 0, m = 0;
    for (size_t i = 0; i < st.n; i++)
        MUST(gnt_st_find(&st, st.tensor[i].name) == &st.tensor[i]);
    MUST(gnt_st_write(&st, &bytes, &n, &err) == 0);
    MUST(gnt_st_parse(&again, "again", bytes, n, &err) == 0);
    MUST(gnt_st_write(&again, &twice, &m, &err) == 0);
    MUST(n == m && memcmp(bytes, twice, n) == 0);
    gnt_free(bytes);
    gnt_free(twice);
    gnt_st_free(&again);
    gnt_st_free(&st);
    return 0;
}
