/* Described data sets: arrays, tables, and pictures in folders and lists. Input: two bytes, how long the
 * description is, the description, then the file that it names, in each form that one may have. The pictures
 * are always the same. */
#include "data.h"

/* A PNG file of one grey pixel. */
static const uint8_t dot[] = {
    0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,    0,    13,   'I',  'H',  'D',  'R',  0,
    0,    0,    1,    0,    0,    0,    1,    8,    0,    0,    0,    0,    0x3a, 0x7e, 0x9b, 0x55, 0x00,
    0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xa8, 0x07, 0x00, 0x00, 0x81, 0x00, 0x80,
    0xd3, 0x94, 0x53, 0x4a, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const folders[] = {"p", "p/a", "p/b", "q", "q/a", "q/b"},
                             *const pictures[] = {"p/a/1.png", "p/b/2.png",   "q/a/3.png",
                                                  "q/b/4.png", "An_0001.jpg", "Bo_0001.jpg"};
    fuzz_bytes all = {data, size};
    const fuzz_bytes description = fuzz_part(&all, fuzz_number(&all, 2)), picture = {dot, sizeof dot};
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
