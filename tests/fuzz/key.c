/* Key files of signatures, secret and public. */
#include "fuzz.h"
#include "seal/key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    gnt_seal_key key;
    gnt_err err = {0};
    fuzz_file("key", (fuzz_bytes){data, size});
    fuzz_path(path, "key");
    if (fuzz_ok(gnt_seal_key_read_secret(path, &key, &err), &err))
        gnt_seal_key_wipe(&key);
    err.text[0] = 0;
    if (fuzz_ok(gnt_seal_key_read_public(path, &key, &err), &err))
        gnt_seal_key_wipe(&key);
    return 0;
}
