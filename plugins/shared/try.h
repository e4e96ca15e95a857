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

#endif
