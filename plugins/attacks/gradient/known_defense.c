#include "known_defense.h"

#include <math.h>
#include <string.h>

/* The value of one id, where exactly one member of the defense has it; else NULL. */
static const gnt_value *value_of(const gnt_observation *seen, const char *id) {
    const gnt_value *found = NULL;
    for (int64_t i = 0; i < seen->n_defense_values; i++)
        if (strcmp(seen->defense_values[i].id, id) == 0) {
            if (found)
                return NULL;
            found = &seen->defense_values[i];
        }
    return found;
}

static int value_is(const gnt_value *v, const char *text) {
    return v && v->text && strcmp(v->text, text) == 0;
}

/* A clip before pruning scales what is compared; one behind another member bounds the norm of what that one
 * left, which is not the candidate's. So only a defense that begins with dp-* is read. */
static void read_noise(known_defense *k, const gnt_observation *seen) {
    const gnt_value *clip = value_of(seen, "clip"), *mode = value_of(seen, "clip_mode"),
                    *norm = value_of(seen, "norm"), *mean = value_of(seen, "mu");
    int laplace = strncmp(seen->defense, "dp-laplace", strlen("dp-laplace")) == 0;
    const gnt_value *scale = value_of(seen, laplace ? "b" : "sigma");
    if (clip && mode && !value_is(mode, "none")) {
        k->clip = clip->r;
        k->clip_each = value_is(mode, "per_tensor");
        k->clip_l1 = laplace && value_is(norm, "l1");
    }
    k->mean = mean ? mean->r : 0;
    if (scale)
        k->noise = laplace ? sqrt(2) * scale->r : scale->r;
}

known_defense known_defense_of(const gnt_observation *seen) {
    known_defense k = {0};
    if (!seen->defense)
        return k;
    if (strstr(seen->defense, "prune"))
        k.pruned_together = value_is(value_of(seen, "scope"), "update");
    if (strncmp(seen->defense, "dp-", 3) == 0)
        read_noise(&k, seen);
    return k;
}
