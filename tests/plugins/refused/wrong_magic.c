/* wrong_magic: a file whose entry is no entry of a plugin. It must be refused by
 * name, and cost nothing else. */
#include "gauntlet/plugin.h"

static const gnt_descriptor *nothing(int32_t index) {
    (void)index;
    return (const gnt_descriptor *)0;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {
        0x5858u, sizeof entry, GNT_ABI_MAJOR, GNT_ABI_MINOR, sizeof(void *), "", 1, 0, nothing};
    return &entry;
}
