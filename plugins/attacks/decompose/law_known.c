/* law_known: the mixing law, from what the attacker knows of the defense. */
#include <string.h>

#include "decompose.h"

static const gnt_value *find(const gnt_observation *seen, const char *id) {
    for (int64_t i = 0; i < seen->n_defense_values; i++)
        if (strcmp(seen->defense_values[i].id, id) == 0)
            return &seen->defense_values[i];
    return NULL;
}

/* Is `id` one of the ids that '+' joins? */
static int has(const char *joined, const char *id) {
    size_t n = strlen(id);
    for (const char *at = joined; at; at = strchr(at, '+')) {
        at += *at == '+';
        if (strncmp(at, id, n) == 0 && (at[n] == '\0' || at[n] == '+'))
            return 1;
    }
    return 0;
}

gnt_status dec_law_known(dec_law *law, const gnt_host *host, const gnt_observation *seen) {
    if (!seen->defense || (!has(seen->defense, "mixup") && !has(seen->defense, "instahide")))
        return gnt_host_fail(host, "it takes encodings of mixup and instahide apart, and knows no other law"),
               GNT_UNSUPPORTED;
    const gnt_value *k = find(seen, "k"), *scheme = find(seen, "scheme");
    const gnt_value *most = find(seen, "max_weight"), *least = find(seen, "private_weight");
    if (!k || !scheme || !scheme->text || !most)
        return gnt_host_fail(host, "the defense has no parameters k, scheme and max_weight, which its law "
                                   "is made of");
    int cross = strcmp(scheme->text, "cross") == 0;
    if (k->i < 2 || k->i > DEC_MOST_K)
        return gnt_host_fail(host, "it has room for mixes of 2 to 16 images"), GNT_UNSUPPORTED;
    *law = (dec_law){.instahide = has(seen->defense, "instahide"),
                     .k = (int32_t)k->i,
                     .own = cross ? 2 : (int32_t)k->i,
                     .most = most->r,
                     .least_own = cross && least ? least->r : 0};
    return GNT_OK;
}
