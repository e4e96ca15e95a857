/* try: the way in which functions of plugins pass on failures. */
#ifndef SHARED_TRY_H
#define SHARED_TRY_H

#include "gauntlet/plugin.h"

/* Returns from the calling function with the status of `call`, unless that is GNT_OK. For places where
 * nothing has to be freed. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const gnt_status tried_ = (call);                                                                    \
        if (tried_ != GNT_OK)                                                                                \
            return tried_;                                                                                   \
    } while (0)

/* Says why the plugin has nothing to do here. Returns GNT_UNSUPPORTED. */
static inline gnt_status unsupported(const gnt_host *host, const char *why) {
    gnt_host_fail(host, why);
    return GNT_UNSUPPORTED;
}

/* Returns GNT_STOPPED if the host wants the hook to end, else GNT_OK. */
static inline gnt_status may_go_on(const gnt_host *host) {
    return gnt_host_should_stop(host) ? GNT_STOPPED : GNT_OK;
}

/* Returns GNT_OK if all memory that was requested is there; else fails with the reason `why`. */
static inline gnt_status have_memory(const gnt_host *host, int is_there, const char *why) {
    return is_there ? GNT_OK : gnt_host_fail(host, why);
}

#endif
