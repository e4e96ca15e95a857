/* law_known: the mixing law, from what the attacker knows of the defense. */
#include <string.h>

#include "decompose.h"
#include "shared/by_name.h"
#include "shared/try.h"

gnt_status dec_law_known(dec_law *law, const gnt_host *host, const gnt_observation *seen) {
    if (!seen->defense || (!is_member(seen->defense, "mixup") && !is_member(seen->defense, "instahide")))
        return unsupported(host, "it takes encodings of mixup and instahide apart, and knows no other law");
    const gnt_value *k = defense_value(seen, "k"), *scheme = defense_value(seen, "scheme");
    const gnt_value *most = defense_value(seen, "max_weight"), *least = defense_value(seen, "private_weight");
    if (!k || !scheme || !scheme->text || !most)
        return gnt_host_fail(host, "the defense has no parameters k, scheme and max_weight, which its law "
                                   "is made of");
    int cross = strcmp(scheme->text, "cross") == 0;
    if (k->i < 2 || k->i > DEC_MOST_K)
        return unsupported(host, "it has room for mixes of 2 to 16 images");
    *law = (dec_law){.instahide = is_member(seen->defense, "instahide"),
                     .k = (int32_t)k->i,
                     .own = cross ? 2 : (int32_t)k->i,
                     .most = most->r,
                     .least_own = cross && least ? least->r : 0};
    return GNT_OK;
}
