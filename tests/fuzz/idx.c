/* MNIST's IDX files. Input: two bytes, how long the training images are, then they and the training labels;
 * the first byte's top bit says that these are the test part's. The other part is sound. */
#include "data.h"

enum { CELLS = 28 * 28, IMAGES_HEAD = 16, LABELS_HEAD = 8 };

/* One record. */
static void put_sound(const char *images, const char *labels) {
    static const uint8_t head[IMAGES_HEAD + CELLS] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28};
    static const uint8_t label[LABELS_HEAD + 1] = {0, 0, 8, 1, 0, 0, 0, 1, 7};
    fuzz_file(images, (fuzz_bytes){head, sizeof head});
    fuzz_file(labels, (fuzz_bytes){label, sizeof label});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const images[2] = {"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"};
    static const char *const labels[2] = {"train-labels-idx1-ubyte", "t10k-labels-idx1-ubyte"};
    fuzz_bytes all = {data, size};
    const uint32_t head = fuzz_number(&all, 2), part = head >> 15;
    put_sound(images[!part], labels[!part]);
    fuzz_file(images[part], fuzz_part(&all, head & 0x7fff));
    fuzz_file(labels[part], all);
    fuzz_open_set("mnist");
    return 0;
}
