#include "defense/seen_clip.h"

#include <math.h>

#include "cost/update_match.h"
#include "hook.h"

enum { CLIP_UNKNOWN, CLIP_OPEN, CLIP_SHORTENED };

/* Relative tolerance of the bound; rounding, and the margin by which the defense lowers the bound, are far
 * smaller. */
static const double slack = 1e-5;

/* Sets the state of the tensors that are clipped together, up to tensor t, from the sum of their squares. */
static void put_state(seen_clip *c, int64_t t, double squares, int is_last) {
    const int64_t group = noise_clip_group(&c->law, c->seen->n);
    const int is_open = sqrt(squares) < (1 - slack) * c->law.clip;
    for (int64_t k = t - t % group; k <= t; k++)
        c->state[k] = !is_last ? CLIP_UNKNOWN : is_open ? CLIP_OPEN : CLIP_SHORTENED;
}

gnt_status seen_clip_open(seen_clip *c, const gnt_host *host, const granted_defense *granted,
                          const gnt_views *seen) {
    const int is_alone = granted->noise.kind == NOISE_NONE && granted->noise.clip_mode != NOISE_CLIP_NONE;
    double squares = 0;
    *c = (seen_clip){.seen = seen, .survivors = is_alone && !granted->noise_is_first};
    if (is_alone || granted->noise_is_first)
        c->law = granted->noise;
    if (!is_alone)
        return GNT_OK;
    c->state = gnt_host_scratch(host, (size_t)seen->n + 1, 1);
    TRY(hook_memory(host, c->state != NULL));
    for (int64_t t = 0; t < seen->n; t++) {
        squares = (t % noise_clip_group(&c->law, seen->n) ? squares : 0) + squares_of(&seen->view[t]);
        put_state(c, t, squares, granted->clip_is_last);
    }
    return GNT_OK;
}

int seen_clip_shortened(const seen_clip *c, int64_t t) {
    return c->law.clip_mode == NOISE_CLIP_PER_TENSOR && (!c->state || c->state[t] != CLIP_OPEN);
}

int seen_clip_turns(const seen_clip *c) {
    int turns = 0;
    for (int64_t t = 0; t < c->seen->n; t++)
        turns |= seen_clip_shortened(c, t);
    return turns;
}

/* True if entry i of tensor t counts in the norm. */
static int counts(const seen_clip *c, int64_t t, int64_t i) {
    return !c->survivors || c->seen->view[t].data[i] != 0;
}

noise_clip seen_clip_of(const seen_clip *c, const gnt_views *u, int64_t t) {
    const int64_t group = noise_clip_group(&c->law, u->n);
    double sum = 0;
    if (!c->state)
        return noise_clip_of(&c->law, u->view + t, group);
    if (c->state[t] == CLIP_OPEN)
        return (noise_clip){.factor = 1};
    for (int64_t k = t; k < t + group; k++)
        for (int64_t i = 0; i < u->view[k].count; i++)
            if (counts(c, k, i))
                sum += (double)u->view[k].data[i] * (double)u->view[k].data[i];
    const double norm = sqrt(sum);
    const int is_shortened = c->state[t] == CLIP_SHORTENED ? norm > 0 : norm > c->law.clip;
    return is_shortened ? (noise_clip){c->law.clip / norm, norm} : (noise_clip){.factor = 1};
}

void seen_clip_vjp(const seen_clip *c, noise_clip clip, const gnt_views *u, int64_t t, float *const *d) {
    const int64_t group = noise_clip_group(&c->law, u->n);
    double along = 0;
    if (!c->state) {
        noise_clip_vjp(&c->law, clip, u->view + t, group, d + t);
        return;
    }
    if (clip.norm == 0)
        return;
    for (int64_t k = t; k < t + group; k++)
        for (int64_t i = 0; i < u->view[k].count; i++)
            along += (double)d[k][i] * (double)u->view[k].data[i];
    along /= clip.norm * clip.norm;
    for (int64_t k = t; k < t + group; k++)
        for (int64_t i = 0; i < u->view[k].count; i++) {
            const double drawn = counts(c, k, i) ? along * (double)u->view[k].data[i] : 0;
            d[k][i] = (float)(clip.factor * ((double)d[k][i] - drawn));
        }
}
