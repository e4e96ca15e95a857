/* wrong_version: a file built against an ABI that this host does not have. It must be refused by
 * name, and cost nothing else. */
#include "gauntlet/plugin.h"

static const gnt_descriptor *nothing(int32_t index) {
    (void)index;
    return (const gnt_descriptor *)0;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {
        GNT_ABI_MAGIC, sizeof entry, GNT_ABI_MAJOR + 41, GNT_ABI_MINOR, sizeof(void *), "", 1, 0, nothing};
    return &entry;
}
