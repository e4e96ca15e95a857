#include "linear/dense_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "first_dense.h"
#include "hook.h"
#include "linear/dense_head.h"
#include "linear/exact_batch.h"

/* Share of the squares of a sample's δ that may not follow from its features: of one step, and of
 * several. */
static const double most_apart = 1e-2, most_apart_of_steps = 0.5;
/* Share of the squares of the later layers' update that is left, where a few samples were not found. */
static const double least_left_of_part = 0.1;
static const double rounding = 1e-7; /* of such a share */

/* What the update has of a dense layer. */
typedef struct known_layer {
    const gnt_view *w, *b;
    int64_t w_at, b_at; /* tensors of the update */
} known_layer;

/* Finds a dense layer's weight and bias. Returns 0 if clients do not share both. */
static int find_layer(const gnt_observation *seen, int32_t layer, known_layer *out) {
    *out = (known_layer){0};
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *u = &seen->update->view[t];
        if (u->layer != layer)
            continue;
        *(u->rank == 2 ? &out->w : &out->b) = u;
        *(u->rank == 2 ? &out->w_at : &out->b_at) = t;
    }
    return out->w && out->b && out->b->count == out->w->dim[0];
}

/* Returns the first dense layer if others that change the sample come before it, else −1. */
static int32_t find_dense(const gnt_model_info *info) {
    for (int32_t i = 1; i < info->n_layers; i++)
        if (strcmp(info->layer[i].type, "dense") == 0)
            return is_first_dense(info, i) ? -1 : i;
    return -1;
}

/* Returns the range of a layer's output: from 0 after ReLU, whatever pools it. */
static input_range range_of(const gnt_model_info *info, int32_t layer) {
    static const char *const keep[] = {"flatten", "max_pool", "avg_pool", "global_avg_pool", "dropout", NULL};
    while (layer > 0 && is_any(info->layer[layer].type, keep))
        layer--;
    const double lower = strcmp(info->layer[layer].type, "relu") == 0 ? 0 : -INFINITY;
    return (input_range){.area = 1, .lower = lower, .upper = INFINITY};
}

/* ---- labels and steps ---- */

typedef struct fitted {
    head_fit fit;
    int64_t sample;
} fitted;

static int by_distance(const void *a, const void *b) {
    const fitted *x = a, *y = b;
    const int order = (x->fit.apart > y->fit.apart) - (x->fit.apart < y->fit.apart);
    return order ? order : x->sample < y->sample ? -1 : 1;
}

typedef struct replay {
    dense_features *d;
    dense_head *head;
    const double *delta; /* found × units */
    fitted *left;        /* samples whose step is not known yet */
    int64_t n, missing;  /* of these; samples that were not found, and whose step is not known */
} replay;

/* Returns by how much the update grows with a gradient of step k: the sum of the rates from there on,
 * each as momentum repeats it. */
static double growth_of(const gnt_observation *seen, int32_t k) {
    double sum = 0, repeated = 1;
    for (int32_t j = k; j < seen->steps; j++, repeated *= seen->momentum)
        sum += repeated * (seen->rates ? (double)seen->rates[j] : seen->rate);
    return sum > 0 ? sum : 1;
}

/* Returns how many of the samples left, which fit the weights the better the earlier they come, are of this
 * step: where the next one fits worst in comparison, between the fewest and the most that can be. */
static int64_t count_step(const replay *r, int64_t batch, int is_last) {
    const int64_t most = batch < r->n ? batch : r->n;
    const int64_t fewest = batch - r->missing > 0 ? batch - r->missing : 0;
    int64_t best = most;
    double widest = 0;
    if (is_last || fewest >= most)
        return most;
    for (int64_t i = fewest; i <= most && i < r->n; i++) {
        const double before = i > 0 ? fmax(r->left[i - 1].fit.apart, rounding) : rounding;
        const double gap = fmax(r->left[i].fit.apart, rounding) / before;
        if (gap > widest) {
            widest = gap;
            best = i;
        }
    }
    return best;
}

/* Takes the samples of step k, and the step that the client made with them. */
static gnt_status take_step(replay *r, int32_t k) {
    dense_features *d = r->d;
    const gnt_observation *seen = d->seen;
    const int64_t units = r->head->layer[0].units;
    const int32_t steps = seen->steps > 1 ? seen->steps : 1;
    const double rate = !seen->steps ? 1 : seen->rates ? (double)seen->rates[k] : seen->rate;
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t s = r->left[i].sample;
        TRY(may_go_on(d->host));
        r->left[i].fit = dense_head_fit(r->head, d->f + s * d->features, r->delta + s * units);
    }
    qsort(r->left, (size_t)r->n, sizeof *r->left, by_distance);
    const int64_t n = count_step(r, seen->steps ? seen->batch : seen->n, k + 1 == steps);
    for (int64_t i = 0; i < n; i++) {
        const fitted *own = &r->left[i];
        d->label[own->sample] = own->fit.label;
        d->step[own->sample] = k;
        d->apart[own->sample] = own->fit.apart;
        if (own->fit.label >= 0 && own->fit.scale > 0)
            dense_head_add(r->head, d->f + own->sample * d->features, own->fit.label,
                           own->fit.scale / growth_of(seen, k));
    }
    dense_head_step(r->head, rate);
    r->missing -= seen->steps && seen->batch > n ? seen->batch - n : 0;
    r->n -= n;
    memmove(r->left, r->left + n, (size_t)r->n * sizeof *r->left);
    return GNT_OK;
}

/* Leaves out the samples whose δ is none of this loss; all of them if they do not explain the update of the
 * later layers, as where a clip left another scale in the weights than in the bias. Of local steps some are
 * met at weights that are only about right. */
static void leave_out_strange(dense_features *d, double left) {
    const double missing = 1 - (double)d->found / (double)d->seen->n;
    const double most_left = missing > 0 ? least_left_of_part + 1.5 * missing : most_apart;
    const double most = d->seen->steps > 1 ? most_apart_of_steps : most_apart;
    int64_t n = 0;
    for (int64_t i = 0; i < d->found; i++) {
        if (d->label[i] < 0 || !(d->apart[i] <= most) || !(left <= most_left))
            continue;
        memmove(d->f + n * d->features, d->f + i * d->features, (size_t)d->features * sizeof *d->f);
        d->label[n] = d->label[i];
        d->step[n] = d->step[i];
        d->apart[n++] = d->apart[i];
    }
    d->found = n;
}

/* Finds label and step of each sample: those whose δ follows from the broadcast weights are of the first
 * step; with them the weights of the next step are known, and so on. */
static gnt_status find_steps(dense_features *d, dense_head *head, double *delta) {
    const int64_t units = head->layer[0].units;
    replay r = {.d = d, .head = head, .delta = delta, .n = d->found, .missing = d->seen->n - d->found};
    r.left = gnt_host_scratch(d->host, d->seen->n, sizeof *r.left);
    TRY(hook_memory(d->host, r.left != NULL));
    for (int64_t i = 0; i < d->found * units && d->seen->update_kind != GNT_UPDATE_DELTA; i++)
        delta[i] = -delta[i];
    for (int64_t i = 0; i < r.n; i++)
        r.left[i].sample = i;
    for (int32_t k = 0; k == 0 || k < d->seen->steps; k++)
        TRY(take_step(&r, k));
    leave_out_strange(d, dense_head_left(head, d->seen));
    return GNT_OK;
}

/* True if each sample was used once, so that its features are those of one step. */
static int is_used_once(const gnt_observation *seen) {
    return seen->steps <= 1 || seen->n == seen->steps * seen->batch;
}

gnt_status dense_features_find(dense_features *d, const gnt_host *host, const gnt_observation *seen,
                               const outliers *apart, double effort) {
    const gnt_model_info *info = host->model->info;
    const int32_t dense = find_dense(info);
    known_layer l;
    dense_head head;
    *d = (dense_features){.host = host, .seen = seen, .layer = dense - 1};
    if (dense < 0 || !is_used_once(seen) || seen->n < 2 || !seen->weights || !find_layer(seen, dense, &l))
        return GNT_OK;
    const dense_layer layer = {l.w, l.b, l.w_at, l.b_at, *apart};
    d->features = l.w->dim[1];
    d->f = gnt_host_scratch(host, seen->n * d->features, sizeof *d->f);
    d->label = gnt_host_scratch(host, 2 * seen->n, sizeof *d->label);
    d->apart = gnt_host_scratch(host, seen->n, sizeof *d->apart);
    double *delta = gnt_host_scratch(host, seen->n * l.b->count, sizeof *delta);
    TRY(hook_memory(host, d->f && d->label && d->apart && delta));
    d->step = d->label + seen->n;
    exact_batch batch = {.host = host,
                         .seen = seen,
                         .layer = &layer,
                         .range = range_of(info, d->layer),
                         .features = d->features,
                         .delta = delta,
                         .effort = effort};
    TRY(exact_batch_find(&batch, d->f));
    gnt_host_fact(host, "features_exact", (double)batch.exact);
    d->found = batch.found;
    TRY(dense_head_open(&head, host, seen, dense));
    if (head.n == 0)
        d->found = 0;
    return d->found ? find_steps(d, &head, delta) : GNT_OK;
}
