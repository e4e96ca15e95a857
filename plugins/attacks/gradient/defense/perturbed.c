#include "defense/perturbed.h"
#include "update.h"

#include <math.h>
#include <string.h>

#include "shared/by_name.h"

enum { BETWEEN = 50 }; /* at most one in so many */

int perturbed_read(perturbed *p, const gnt_observation *seen) {
    /* `parts`: one step of ε is made of as many as networks are drawn */
    static const struct {
        const char *id;
        int parts;
    } known[] = {{"recup", 0},     {"recup-random-target", 0}, {"fgsm-one", 0},  {"fgsm-avg", 1},
                 {"fgsm-iter", 1}, {"fgsm-momentum", 1},       {"sign-noise", 0}};
    const gnt_value *epsilon = defense_value(seen, "epsilon"), *drawn = defense_value(seen, "drawn");
    const gnt_value *iterations = defense_value(seen, "iterations");
    const gnt_value *window = defense_value(seen, "window"), *inputs = defense_value(seen, "inputs");
    for (size_t i = 0; i < sizeof known / sizeof *known && seen->defense; i++)
        if (strcmp(seen->defense, known[i].id) == 0 && epsilon && window && inputs && inputs->i > 0) {
            const double size = epsilon->r * (seen->steps > 0 ? seen->rate : 1);
            p->window = window->i > 0 ? window->i : (entries_of(seen->update) + inputs->i - 1) / inputs->i;
            p->reach = (double)(iterations ? iterations->i + 2 : 3) * size;
            p->moves = strcmp(seen->defense, "sign-noise") == 0 && iterations ? iterations->i : 0;
            p->step = known[i].parts && drawn && drawn->i > 0 ? size / (double)drawn->i : size;
            return p->window > 0 && p->reach > 0;
        }
    return 0;
}

/* An entry of the flat update. */
typedef struct place {
    const gnt_views *update;
    int64_t t, i;
} place;

/* Returns the entry at this place and moves on; NULL after the last. */
static const float *next(place *at) {
    while (at->t < at->update->n && at->i == at->update->view[at->t].count)
        *at = (place){at->update, at->t + 1, 0};
    return at->t < at->update->n ? &at->update->view[at->t].data[at->i++] : NULL;
}

/* True if almost no entry of the tensor lies between two multiples of the step. */
static int is_on_lattice(const gnt_view *v, double step) {
    int64_t n = 0, between = 0;
    for (int64_t i = 0; i < v->count; i++) {
        const double steps = fabs((double)v->data[i]) / step;
        n += v->data[i] != 0;
        between += fabs(steps - floor(steps + 0.5)) > 0.25;
    }
    return between * BETWEEN <= n;
}

/* Returns the n-th largest of the window's first `count` entries, by which the place moves on; −INFINITY if
 * it has fewer. n is small, or the window is. */
static double nth_largest(place at, int64_t count, int64_t n) {
    double bar = INFINITY;
    for (int64_t above = 0; above < n;) {
        double most = -INFINITY;
        int64_t equal = 0;
        place from = at;
        for (int64_t k = 0; k < count; k++) {
            const double v = (double)*next(&from);
            if (v < bar && v > most)
                most = v, equal = 0;
            equal += v == most;
        }
        if (most == -INFINITY)
            return most;
        bar = most;
        above += equal;
    }
    return bar;
}

/* Counts the entries that may have been perturbed, and marks them unless `of` is NULL. *left: how many
 * others are not 0. */
static int64_t look(const perturbed *p, const gnt_views *update, uint8_t *const *of, int64_t *left) {
    int64_t n = 0, tensor = -1;
    int on_lattice = 0;
    const float *v;
    *left = 0;
    for (place at = {update, 0, 0}, first = at;; first = at) {
        int64_t seen = 0;
        while (seen < p->window && next(&at))
            seen++;
        if (seen == 0)
            return n;
        double bar = nth_largest(first, seen, 1) - p->reach;
        if (p->moves > 0) /* a hair more than a step: moves are rounded */
            bar = fmax(bar, nth_largest(first, seen, p->moves + 1) - (1 + 1e-4) * p->step);
        for (int64_t k = 0; k < seen; k++) {
            v = next(&first);
            if (tensor != first.t)
                on_lattice = is_on_lattice(&update->view[tensor = first.t], p->step);
            const int within =
                *v != 0 && (double)*v >= bar && !(on_lattice && fabs((double)*v) < p->step / 4);
            n += within;
            *left += *v != 0 && !within;
            if (of && within)
                of[first.t][first.i - 1] = 1;
        }
    }
}

int64_t perturbed_mark(const perturbed *p, const gnt_views *update, int64_t least, uint8_t *const *of) {
    int64_t left;
    const int64_t n = look(p, update, NULL, &left);
    return n > 0 && left >= least ? look(p, update, of, &left) : 0;
}
