#include "update_noise.h"

#include <math.h>
#include <string.h>

enum { MEMBER_NONE, MEMBER_GAUSSIAN, MEMBER_LAPLACE, MEMBER_PRUNE, MEMBERS };

static const struct {
    const char *id, *first; /* the first of its parameters: values of a chain come member by member */
} members[MEMBERS] = {
    [MEMBER_NONE] = {"none", ""},
    [MEMBER_GAUSSIAN] = {"dp-gaussian", "sigma"},
    [MEMBER_LAPLACE] = {"dp-laplace", "b"},
    [MEMBER_PRUNE] = {"prune", "p"},
};

/* Is every member of the chain one that is known here? At most one adds noise. */
static int is_known_chain(const char *chain) {
    int noisy = 0;
    while (*chain) {
        const size_t length = strcspn(chain, "+");
        int at = 0;
        while (at < MEMBERS &&
               (strlen(members[at].id) != length || strncmp(chain, members[at].id, length) != 0))
            at++;
        if (at == MEMBERS)
            return 0;
        noisy += at == MEMBER_GAUSSIAN || at == MEMBER_LAPLACE;
        chain += length + (chain[length] == '+');
    }
    return noisy <= 1;
}

static void read_clip_mode(update_noise *out, const char *mode) {
    out->clipped = !mode || strcmp(mode, "none") == 0 ? CLIPPED_NOT
                   : strcmp(mode, "global") == 0      ? CLIPPED_WHOLE
                                                      : CLIPPED_TENSORS;
}

static void read_value(update_noise *out, const gnt_value *v) {
    if (strcmp(v->id, members[MEMBER_GAUSSIAN].first) == 0) {
        out->law = NOISE_GAUSSIAN;
        out->scale = v->r;
    } else if (strcmp(v->id, members[MEMBER_LAPLACE].first) == 0) {
        out->law = NOISE_LAPLACE;
        out->scale = v->r;
    } else if (strcmp(v->id, members[MEMBER_PRUNE].first) == 0)
        out->pruned = v->r > 0;
    else if (strcmp(v->id, "mu") == 0)
        out->mean = v->r;
    else if (strcmp(v->id, "clip") == 0)
        out->clip = v->r;
    else if (strcmp(v->id, "clip_mode") == 0)
        read_clip_mode(out, v->text);
    else if (strcmp(v->id, "norm") == 0)
        out->clip_l1 = v->text && strcmp(v->text, "l1") == 0;
}

update_noise update_noise_told(const gnt_observation *seen) {
    update_noise out = {.law = NOISE_NONE};
    if (!(seen->granted & GNT_KNOWS_DEFENSE) || !seen->defense || !is_known_chain(seen->defense))
        return out;
    out.told = 1;
    for (int64_t i = 0; i < seen->n_defense_values; i++)
        read_value(&out, &seen->defense_values[i]);
    return out;
}

static const double rounded = 0.1; /* of b */

double update_noise_cost(const update_noise *noise, double r, double *slope) {
    if (noise->law == NOISE_GAUSSIAN) {
        const double by = 1 / (noise->scale * noise->scale);
        *slope = r * by;
        return r * r * by / 2;
    }
    const double edge = rounded * noise->scale, root = sqrt(r * r + edge * edge);
    *slope = r / (root * noise->scale);
    return (root - edge) / noise->scale;
}
