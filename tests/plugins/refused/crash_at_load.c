/* crash_at_load: no plugin: it crashes as soon as it is opened, before anybody could learn what it is. */
#include <stdlib.h>

#include "gauntlet/plugin.h"

__attribute__((constructor)) static void crash(void) {
    abort();
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    return NULL;
}
