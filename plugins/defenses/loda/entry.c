#include "loda.h"

static const gnt_descriptor *const descriptors[] = {&loda_defense, &loda_inverse, &loda_kkt};
enum { N_DESCRIPTORS = sizeof descriptors / sizeof *descriptors };

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < N_DESCRIPTORS ? descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof(gnt_entry),
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = N_DESCRIPTORS,
                                    .descriptor = descriptor_at};
    return &entry;
}
