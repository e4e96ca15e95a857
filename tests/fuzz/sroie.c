/* Receipts of SROIE, with libjpeg. Input: a receipt's key fields, "%%" on a line of its own, its boxes, "%%",
 * its scan. The other receipts are the same. */
#include "data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const folders[] = {"data", "data/key", "data/box", "data/img"};
    fuzz_bytes all = {data, size};
    const fuzz_bytes key = fuzz_text(&all), box = fuzz_text(&all);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        fuzz_subfolder(folders[i]);
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "data/key/%03d.json", i);
        fuzz_file(name, key);
        snprintf(name, sizeof name, "data/box/%03d.csv", i);
        fuzz_file(name, box);
        snprintf(name, sizeof name, "data/img/%03d.jpg", i);
        fuzz_file(name, all);
    }
    fuzz_open_set("sroie64");
    return 0;
}
