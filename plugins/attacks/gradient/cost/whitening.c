#include "cost/whitening.h"

#include <math.h>
#include <string.h>

#include "cost/update_match.h"
#include "defense/kth_entry.h"
#include "hook.h"

/* ---- the scores that fedre made public ---- */

static int is_named(const char *name, const char *end) {
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0 &&
           (length == tail || name[length - tail - 1] == '/');
}

const float *whitening_scores(const gnt_observation *seen, int64_t layers) {
    const gnt_artefacts *a = seen->defense_artefacts;
    for (int64_t i = 0; a && i < a->tensors.n; i++)
        if (is_named(a->tensors.view[i].name, "psi") && a->tensors.view[i].count == layers)
            return a->tensors.view[i].data;
    return NULL;
}

/* ---- the noise of each layer, as far as it is known ---- */

/* √T is estimated from the layers whose own estimate is at most this multiple of the least. */
static const double about_least = 1.2;

typedef struct layered {
    const granted_defense *granted;
    layer_noise noise;
    double *share; /* of each layer: s_l/√T; NULL where it is not known */
} layered;

/* Returns a layer's score, above 0: a score of 0 would mean no noise at all. */
static double score_at(const float *scores, int64_t layer, double most) {
    return fmax((double)scores[layer], 1e-12 * most);
}

static double bound_of_layer(const layered_noise *of, int64_t layer) {
    return layer < of->n_clips ? of->clips[layer] : of->clip;
}

/* True if what was clipped is what is observed: one gradient of one sample, or an update clipped as a
 * whole. */
static int clips_what_is_seen(const layered_noise *of, const gnt_observation *seen) {
    return !of->of_samples || (seen->n == 1 && seen->steps == 0);
}

static void set_shares(layered *r, const float *scores) {
    const layered_noise *of = &r->granted->layered;
    const double layers = of->is_whole ? 1 : (double)r->noise.n;
    double most = 0, sum = 0;
    for (int64_t k = 0; scores && k < r->noise.n; k++)
        most = fmax(most, (double)scores[k]);
    for (int64_t k = 0; most > 0 && k < r->noise.n; k++)
        sum += 1 / score_at(scores, k, most);
    for (int64_t k = 0; k < r->noise.n; k++) {
        const double part = most > 0 ? 1 / score_at(scores, k, most) / sum : 1 / layers;
        r->share[k] = bound_of_layer(of, k) * sqrt(2 * log(layers / of->delta)) / (of->epsilon * part);
    }
}

/* True if the layer counts: the medians of small layers are too uncertain if there are larger ones. */
static int counts(const layered *r, int64_t layer) {
    int64_t most = 0;
    for (int64_t k = 0; k < r->noise.n; k++)
        most = r->noise.layer[k].entries > most ? r->noise.layer[k].entries : most;
    return r->noise.layer[layer].entries >= (most < LAYER_NOISE_ENTRIES ? most : LAYER_NOISE_ENTRIES);
}

/* Estimates √T, or √T times a factor that is the client's own, such as 2/|D|. A layer's spread overestimates
 * it
 * if the gradient adds to the noise. So it is the mean, by entries, over the layers whose estimate is about
 * the least. */
static double rounds_root(const layered *r) {
    double least = INFINITY, sum = 0, entries = 0;
    for (int64_t k = 0; k < r->noise.n; k++)
        if (counts(r, k))
            least = fmin(least, r->noise.layer[k].spread / r->share[k]);
    for (int64_t k = 0; k < r->noise.n; k++) {
        const double root = r->noise.layer[k].spread / r->share[k], n = (double)r->noise.layer[k].entries;
        if (!counts(r, k) || root > about_least * least)
            continue;
        sum += n * root * root;
        entries += n;
    }
    if (r->granted->layered.by_client && sum > 0)
        return sqrt(sum / entries);
    const double rounds = entries > 0 ? round(sum / entries) : 1;
    return rounds >= 1 ? sqrt(rounds) : 1;
}

/* Estimates the spread of the noise from the entries that were dropped, the least of all, which are noise
 * alone: where the others lie outside it, half of the dropped ones are below 0.6745 of its deviation. */
static gnt_status spread_of_dropped(const layered *r, const gnt_host *host, const gnt_views *update,
                                    double *spread) {
    static const double below = 0.6745;
    const double dropped = 1 - r->granted->layered.keep;
    int64_t n = 0;
    for (int64_t t = 0; t < update->n; t++)
        n += update->view[t].count;
    float *room = gnt_host_scratch(host, n + 1, sizeof *room);
    TRY(hook_memory(host, room != NULL));
    n = 0;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++)
            room[n++] = fabsf(update->view[t].data[i]);
    *spread = n > 0 ? (double)kth_entry(room, n, (int64_t)(dropped / 2 * (double)n)) / below : 0;
    return GNT_OK;
}

static gnt_status read_shares(layered *r, const gnt_host *host, const gnt_observation *seen) {
    const layered_noise *of = &r->granted->layered;
    const float *scores = of->by_scores ? whitening_scores(seen, r->noise.n) : NULL;
    if (!(of->epsilon > 0) || !(of->delta > 0) || (of->by_scores && !scores))
        return GNT_OK;
    r->share = gnt_host_scratch(host, r->noise.n, sizeof *r->share);
    TRY(hook_memory(host, r->share != NULL));
    set_shares(r, scores);
    double root = rounds_root(r), spread;
    if (of->is_whole && of->keep < 1) {
        TRY(spread_of_dropped(r, host, seen->update, &spread));
        root = sqrt(fmax(1, round(spread * spread / (r->share[0] * r->share[0]))));
    }
    for (int64_t k = 0; k < r->noise.n; k++)
        r->share[k] *= root;
    return GNT_OK;
}

/* ---- parts ---- */

/* Takes one law for the whole update, as dp-* and clip have it. */
static void take_whole(whitening *w, const layered *r, int64_t tensors) {
    w->n = 1;
    w->part[0] = (whitening_part){.n = tensors, .law = r->granted->noise};
    if (w->part[0].law.kind != NOISE_NONE)
        return;
    w->part[0].law.kind = NOISE_GAUSSIAN;
    w->part[0].law.scale = r->noise.floor;
}

/* Takes one noise and one clip for the whole update. */
static gnt_status take_sparse(whitening *w, const layered *r, const gnt_host *host, const gnt_views *update) {
    const layered_noise *of = &r->granted->layered;
    w->n = 1;
    w->part[0] = (whitening_part){.n = update->n,
                                  .law = {.kind = NOISE_GAUSSIAN,
                                          .scale = fmax(r->share ? r->share[0] : 0, r->noise.floor),
                                          .clip = of->clip,
                                          .clip_mode = NOISE_CLIP_GLOBAL}};
    return kept_entries_open(&w->kept, host, update, of->keep);
}

/* Takes the tensors without noise one by one. */
static void take_clear(whitening *w, int64_t tensors) {
    w->n = 0;
    for (int64_t t = 0; t < tensors; t++)
        if (!w->some.flag[t])
            w->part[w->n++] =
                (whitening_part){.first = t, .n = 1, .law = {.kind = NOISE_GAUSSIAN, .scale = w->some.floor}};
}

static void take_layers(whitening *w, const layered *r, const gnt_observation *seen) {
    const layered_noise *of = &r->granted->layered;
    w->n = r->noise.n;
    for (int64_t k = 0; k < w->n; k++) {
        const layer_noise_part *l = &r->noise.layer[k];
        const double clip = of->clip > 0 && clips_what_is_seen(of, seen) ? bound_of_layer(of, k) : 0;
        const double s = r->share ? r->share[k] : layer_noise_deviation(&r->noise, k);
        w->part[k] = (whitening_part){.first = l->first,
                                      .n = l->n,
                                      .law = {.kind = NOISE_GAUSSIAN,
                                              .scale = fmax(s, r->noise.floor),
                                              .clip = clip,
                                              .clip_mode = clip > 0 ? NOISE_CLIP_GLOBAL : NOISE_CLIP_NONE}};
    }
}

/* Assumes the layers' mean noise in all of them, and no clip. */
static void take_plain(whitening *w, const layered *r, int64_t tensors) {
    double sum = 0, entries = 0;
    for (int64_t k = 0; k < r->noise.n; k++) {
        const double s = layer_noise_deviation(&r->noise, k), n = (double)r->noise.layer[k].entries;
        sum += n * s * s;
        entries += n;
    }
    w->n = 1;
    w->part[0] = (whitening_part){.n = tensors,
                                  .law = {.kind = NOISE_GAUSSIAN, .scale = sqrt(sum / fmax(entries, 1))}};
}

static void report_noise(const whitening *w, const gnt_host *host) {
    double least = INFINITY, most = 0;
    for (int64_t k = 0; k < w->n; k++) {
        least = fmin(least, noise_deviation(&w->part[k].law));
        most = fmax(most, noise_deviation(&w->part[k].law));
    }
    if (w->some.n > 0)
        most = fmax(most, noise_deviation(&w->some.law));
    gnt_host_fact(host, "noise_known", w->is_known);
    gnt_host_fact(host, "noise_least", least);
    gnt_host_fact(host, "noise_most", most);
}

gnt_status whitening_open(whitening *w, const gnt_host *host, const gnt_observation *seen,
                          const granted_defense *granted, int plain) {
    const int64_t tensors = seen->update->n;
    const int has_law = granted->noise.kind != NOISE_NONE || granted->noise.clip_mode != NOISE_CLIP_NONE;
    layered r = {.granted = granted};
    *w = (whitening){.part = gnt_host_scratch(host, (size_t)tensors + 1, sizeof *w->part)};
    TRY(hook_memory(host, w->part != NULL));
    TRY(layer_noise_read(&r.noise, host, seen->update));
    if (!plain && granted->layered.clip > 0)
        TRY(read_shares(&r, host, seen));
    if (!plain)
        TRY(covered_open(&w->some, host, granted, seen->update));
    if (plain)
        take_plain(w, &r, tensors);
    else if (granted->layered.is_whole)
        TRY(take_sparse(w, &r, host, seen->update));
    else if (w->some.n > 0)
        take_clear(w, tensors);
    else if (has_law && !(granted->layered.clip > 0))
        take_whole(w, &r, tensors);
    else
        take_layers(w, &r, seen);
    w->floor = r.noise.floor;
    w->is_known = !plain && (r.share != NULL || granted->noise.kind != NOISE_NONE || w->some.n > 0);
    w->has_noise = w->is_known || (!plain && r.noise.n_noisy > 0);
    report_noise(w, host);
    return GNT_OK;
}

static double part_cost(const whitening_part *p, const gnt_views *u, const float *const *observed,
                        const float *const *mask, float *const *d_u) {
    const gnt_views own = {p->n, u->view + p->first};
    return noise_cost(&p->law, &own, observed + p->first, mask ? mask + p->first : NULL, d_u + p->first);
}

void whitening_refit(whitening *w, const gnt_views *u, const float *const *observed, const float *const *mask,
                     float *const *d_u) {
    for (int64_t k = 0; !w->is_known && k < w->n; k++) {
        whitening_part *p = &w->part[k];
        int64_t entries = 0;
        for (int64_t t = p->first; t < p->first + p->n; t++)
            entries += u->view[t].count;
        /* the cost is Σ r²/(2·s²) */
        const double squares = 2 * part_cost(p, u, observed, mask, d_u) / (double)(entries > 0 ? entries : 1);
        p->law.scale = fmax(p->law.scale * sqrt(squares), w->floor);
    }
}

double whitening_cost(whitening *w, const gnt_views *u, const float *const *observed,
                      const float *const *mask, float *const *d_u) {
    const gnt_views sent = kept_entries_of(&w->kept, u);
    double cost = 0;
    for (int64_t k = 0; k < w->n; k++)
        cost += part_cost(&w->part[k], &sent, observed, mask, d_u);
    kept_entries_drop(&w->kept, d_u);
    if (w->some.n > 0)
        cost += covered_cost(&w->some, u, observed, mask, d_u);
    return cost;
}
