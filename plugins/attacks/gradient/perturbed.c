#include "perturbed.h"

#include <string.h>

static const gnt_value *granted_value(const gnt_observation *seen, const char *id) {
    for (int64_t i = 0; i < seen->n_defense_values; i++)
        if (strcmp(seen->defense_values[i].id, id) == 0)
            return &seen->defense_values[i];
    return NULL;
}

static int64_t size_of(const gnt_views *update) {
    int64_t size = 0;
    for (int64_t t = 0; t < update->n; t++)
        size += update->view[t].count;
    return size;
}

int perturbed_read(perturbed *p, const gnt_observation *seen) {
    static const char *const ids[] = {"recup",    "recup-random-target", "fgsm-one",
                                      "fgsm-avg", "fgsm-iter",           "fgsm-momentum"};
    const gnt_value *epsilon = granted_value(seen, "epsilon"),
                    *iterations = granted_value(seen, "iterations");
    const gnt_value *window = granted_value(seen, "window"), *inputs = granted_value(seen, "inputs");
    for (size_t i = 0; i < sizeof ids / sizeof *ids && seen->defense; i++)
        if (strcmp(seen->defense, ids[i]) == 0 && epsilon && window && inputs && inputs->i > 0) {
            const int64_t steps = iterations ? iterations->i : 1;
            *p = (perturbed){.window = window->i > 0 ? window->i
                                                     : (size_of(seen->update) + inputs->i - 1) / inputs->i,
                             .reach = (double)(steps + 2) * epsilon->r * (seen->steps > 0 ? seen->rate : 1)};
            return p->window > 0 && p->reach > 0;
        }
    return 0;
}

/* An entry of the flat update. */
typedef struct place {
    const gnt_views *update;
    int64_t t, i;
} place;

/* The entry there, and on to the next; NULL behind the last. */
static const float *next(place *at) {
    while (at->t < at->update->n && at->i == at->update->view[at->t].count)
        *at = (place){at->update, at->t + 1, 0};
    return at->t < at->update->n ? &at->update->view[at->t].data[at->i++] : NULL;
}

/* How many may have been moved, marked unless `of` is NULL; *left: how many others are not 0. */
static int64_t look(const perturbed *p, const gnt_views *update, uint8_t *const *of, int64_t *left) {
    int64_t n = 0;
    const float *v;
    *left = 0;
    for (place at = {update, 0, 0}, first = at;; first = at) {
        float most = 0;
        int64_t seen = 0;
        for (; seen < p->window && (v = next(&at)) != NULL; seen++)
            most = seen == 0 || *v > most ? *v : most;
        if (seen == 0)
            return n;
        for (int64_t k = 0; k < seen; k++) {
            v = next(&first);
            const int within = *v != 0 && (double)*v >= (double)most - p->reach;
            n += within;
            *left += *v != 0 && !within;
            if (of && within)
                of[first.t][first.i - 1] = 1;
        }
    }
}

int64_t perturbed_mark(const perturbed *p, const gnt_views *update, uint8_t *const *of) {
    int64_t left;
    const int64_t n = look(p, update, NULL, &left);
    return n > 0 && left > 0 ? look(p, update, of, &left) : 0;
}
