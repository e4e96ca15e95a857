/* Described data sets: arrays, tables, and pictures in folders and lists. Input: two bytes, how long the
 * description is, the description, then the file that it names, in each form that one may have. The pictures
 * are always the same. */
#include "data.h"
#include "dot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const folders[] = {"p", "p/a", "p/b", "q", "q/a", "q/b"},
                             *const pictures[] = {"p/a/1.png", "p/b/2.png",   "q/a/3.png",
                                                  "q/b/4.png", "An_0001.jpg", "Bo_0001.jpg"};
    fuzz_bytes all = {data, size};
    const fuzz_bytes description = fuzz_part(&all, fuzz_number(&all, 2)),
                     picture = {fuzz_dot, sizeof fuzz_dot};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        fuzz_subfolder(folders[i]);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        fuzz_file(pictures[i], picture);
    fuzz_file("own.json", description);
    fuzz_file("file.npz", all);
    fuzz_file("file.npy", all);
    fuzz_file("file.csv", all);
    fuzz_file("file.safetensors", all);
    fuzz_open_set("own.json");
    return 0;
}
