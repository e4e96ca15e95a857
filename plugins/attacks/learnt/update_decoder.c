/* update-decoder: a linear map from an update's features to the sample behind it, learnt by ridge regression
 * from shadow observations. It knows nothing else about the defense.
 *
 * The features (update_features.h) and the ridge are chosen by the mean squared error on a held-out fifth of
 * the shadow samples; then all of them are learnt from. For a batch it answers the mean of its samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dual_ridge.h"
#include "learnt.h"
#include "update_features.h"
#include "shared/try.h"

enum { LEAST_PAIRS = 10, FOLDS = 5, JUDGED = 64, RIDGES = 9, SETS = 5 };
static const int feature_sets[SETS] = {UPDATE_ROW, UPDATE_ROW_SHRUNK, UPDATE_ROW | UPDATE_SKETCH,
                                       UPDATE_ROW_SHRUNK | UPDATE_SKETCH, UPDATE_SKETCH};

typedef struct update_decoder {
    const gnt_host *host;
    int64_t pairs;
} update_decoder;

/* ---- shadow pairs ---- */

typedef struct pairs {
    const gnt_host *host;
    const gnt_attack_prepare *in;
    update_layout layout;
    int64_t n, held_out, outputs; /* held_out: the first ones, whose samples are not among the others */
    int64_t *order;               /* n: shadow observations */
    double *room, *gram, *work;
} pairs;

typedef struct owner { /* the first sample of an observation */
    int64_t id, at;
} owner;

static int by_id(const void *a, const void *b) {
    const owner *p = a, *q = b;
    return p->id != q->id ? (p->id < q->id ? -1 : 1) : (p->at > q->at) - (p->at < q->at);
}

/* Draws an order of observations sample by sample, so that those of one sample stay together. Returns 0 when
 * out of memory. */
static int draw_order(pairs *p) {
    const gnt_host *host = p->host;
    const int64_t all = p->in->n_shadow;
    owner *of = gnt_host_scratch(host, all, sizeof *of);
    int64_t *group = gnt_host_scratch(host, all, sizeof *group), groups = 0, at = 0;
    p->order = gnt_host_scratch(host, all, sizeof *p->order);
    if (!of || !group || !p->order)
        return 0;
    for (int64_t i = 0; i < all; i++)
        of[i] = (owner){p->in->shadow_truth[i]->id ? p->in->shadow_truth[i]->id[0] : i, i};
    qsort(of, (size_t)all, sizeof *of, by_id);
    for (int64_t i = 0; i < all; i++)
        if (i == 0 || of[i].id != of[i - 1].id)
            group[groups++] = i;
    for (int64_t g = groups - 1; g > 0; g--) {
        const int64_t other = (int64_t)gnt_host_below(host, "pairs", (uint64_t)g + 1), kept = group[g];
        group[g] = group[other];
        group[other] = kept;
    }
    for (int64_t g = 0; g < groups && at < p->n; g++) {
        for (int64_t i = group[g]; at < p->n && i < all && of[i].id == of[group[g]].id; i++)
            p->order[at++] = of[i].at;
        if (p->held_out == 0 && at * FOLDS >= p->n)
            p->held_out = at;
    }
    return 1;
}

static gnt_status open_pairs(pairs *p, const update_decoder *d, const gnt_attack_prepare *in) {
    const gnt_host *host = d->host;
    *p = (pairs){.host = host, .in = in, .n = in->n_shadow < d->pairs ? in->n_shadow : d->pairs};
    if (!host->model || !in->shadow || !in->shadow_truth || in->n_shadow < LEAST_PAIRS)
        return gnt_host_fail(host, "it learns from updates of shadow samples, and there are fewer than "
                                   "ten; raise shadow.observations"),
               GNT_UNSUPPORTED;
    if (!in->shadow[0]->update)
        return gnt_host_fail(host, "it reads updates, and the shadow observations have none");
    p->layout = update_layout_of(host->model->info, in->shadow[0]->update);
    p->outputs = in->shadow_truth[0]->features;
    for (int64_t i = 0; i < in->n_shadow; i++) {
        const gnt_samples *truth = in->shadow_truth[i];
        if (!update_fits(&p->layout, in->shadow[i]->update))
            return gnt_host_fail(host, "a shadow observation has no update of the model's size");
        if (!truth->x || truth->n < 1 || truth->features != p->outputs)
            return gnt_host_fail(host, "a shadow observation has no samples of the task's size behind it");
    }
    p->room = gnt_host_scratch(host, p->layout.units + p->layout.row + 1, sizeof(double));
    p->gram = gnt_host_scratch(host, p->n * p->n, sizeof(double));
    p->work = gnt_host_scratch(host, p->n * p->n, sizeof(double));
    if (!p->room || !p->gram || !p->work || !draw_order(p))
        return gnt_host_fail(host, "no memory for the shadow observations: fewer pairs need less");
    if (p->held_out == p->n)
        return gnt_host_fail(host, "all shadow observations are of one sample, and it learns from several"),
               GNT_UNSUPPORTED;
    return GNT_OK;
}

/* Returns entry k of the mean of the samples behind pair i. */
static double truth_of(const pairs *p, int64_t i, int64_t k) {
    const gnt_samples *s = p->in->shadow_truth[p->order[i]];
    double sum = 0;
    for (int64_t j = 0; j < s->n; j++)
        sum += (double)s->x[j * s->features + k];
    return sum / (double)s->n;
}

/* ---- learning ---- */

typedef struct table {
    int64_t rows, columns;
    float *x;      /* n × columns: features, centred by the training rows */
    double *mean;  /* columns */
    double energy; /* mean square norm of the training rows */
} table;

/* Computes the features of all pairs, centred by those from `from` on. */
static gnt_status open_table(table *t, const pairs *p, int parts, int64_t from) {
    const gnt_host *host = p->host;
    *t = (table){.rows = p->n, .columns = update_features_count(&p->layout, parts)};
    t->x = gnt_host_scratch(host, t->rows * t->columns, sizeof *t->x);
    t->mean = gnt_host_scratch(host, t->columns, sizeof *t->mean);
    TRY(have_memory(host, t->x && t->mean, "no memory for the features of shadow observations"));
    for (int64_t i = 0; i < t->rows; i++) {
        TRY(may_go_on(host));
        update_features(&p->layout, p->in->shadow[p->order[i]]->update, parts, p->room,
                        t->x + i * t->columns);
    }
    for (int64_t i = from; i < t->rows; i++)
        for (int64_t k = 0; k < t->columns; k++)
            t->mean[k] += (double)t->x[i * t->columns + k] / (double)(t->rows - from);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t k = 0; k < t->columns; k++) {
            const double off = (double)t->x[i * t->columns + k] - t->mean[k];
            t->x[i * t->columns + k] = (float)off;
            t->energy += i >= from ? off * off / (double)(t->rows - from) : 0;
        }
    return GNT_OK;
}

/* Returns λ: the rows' mean square norm times 10⁻³ to 10⁵. */
static double ridge_of(const table *t, int at) {
    return fmax(t->energy, 1e-30) * pow(10, at - 3);
}

/* Computes the mean squared error on the pairs held out, over some entries of the sample, for each ridge. */
static gnt_status judge(const pairs *p, int parts, double *error) {
    const gnt_host *host = p->host;
    const int64_t rows = p->n - p->held_out, judged = p->outputs < JUDGED ? p->outputs : JUDGED;
    table t;
    TRY(open_table(&t, p, parts, p->held_out));
    double *alpha = gnt_host_scratch(host, rows * judged, sizeof *alpha);
    double *mean = gnt_host_scratch(host, judged, sizeof *mean);
    float *w = gnt_host_scratch(host, t.columns * judged, sizeof *w);
    TRY(have_memory(host, alpha && mean && w, "no memory for the choice of a ridge"));
    const float *learnt = t.x + p->held_out * t.columns;
    dual_ridge_gram(learnt, rows, t.columns, p->gram);
    for (int64_t o = 0; o < judged; o++)
        for (int64_t i = p->held_out; i < p->n; i++)
            mean[o] += truth_of(p, i, o * p->outputs / judged) / (double)rows;
    for (int r = 0; r < RIDGES; r++) {
        TRY(may_go_on(host));
        for (int64_t i = 0; i < rows; i++)
            for (int64_t o = 0; o < judged; o++)
                alpha[i * judged + o] = truth_of(p, p->held_out + i, o * p->outputs / judged) - mean[o];
        error[r] = INFINITY;
        if (dual_ridge_solve(p->gram, rows, ridge_of(&t, r), p->work, alpha, judged) != 0)
            continue;
        dual_ridge_weights(learnt, alpha, rows, t.columns, judged, w);
        error[r] = 0;
        for (int64_t i = 0; i < p->held_out; i++)
            for (int64_t o = 0; o < judged; o++) {
                double off = mean[o] - truth_of(p, i, o * p->outputs / judged);
                for (int64_t k = 0; k < t.columns; k++)
                    off += (double)t.x[i * t.columns + k] * (double)w[k * judged + o];
                error[r] += off * off / (double)(p->held_out * judged);
            }
    }
    return GNT_OK;
}

static gnt_status choose(const pairs *p, int *parts, int *ridge) {
    const gnt_host *host = p->host;
    double error[RIDGES], least = INFINITY;
    for (int s = 0; s < SETS; s++) {
        if (p->layout.row == 0 && feature_sets[s] != UPDATE_SKETCH)
            continue;
        gnt_status status = judge(p, feature_sets[s], error);
        if (status != GNT_OK)
            return status;
        for (int r = 0; r < RIDGES; r++)
            if (error[r] < least) {
                least = error[r];
                *parts = feature_sets[s];
                *ridge = r;
            }
        gnt_host_progress(host, s + 1, SETS + 1);
    }
    if (!isfinite(least))
        return gnt_host_fail(host, "the shadow updates leave its equations without one solution");
    gnt_host_fact(host, "held_out_mse", least);
    gnt_host_fact(host, "features", (double)*parts);
    gnt_host_fact(host, "ridge_exponent", *ridge - 3);
    return GNT_OK;
}

/* Writes weights, the mean sample, the mean features and the parts that these are. */
static gnt_status keep(const pairs *p, const table *t, int parts, const float *w, const double *mean,
                       const gnt_sink *out) {
    const gnt_host *host = p->host;
    const int64_t dim[2] = {t->columns, p->outputs}, one = 1;
    float *middle = gnt_host_scratch(host, t->columns + p->outputs, sizeof *middle);
    const float which = (float)parts;
    TRY(have_memory(host, middle != NULL, "no memory for its artefacts"));
    for (int64_t k = 0; k < t->columns; k++)
        middle[k] = (float)t->mean[k];
    for (int64_t o = 0; o < p->outputs; o++)
        middle[t->columns + o] = (float)mean[o];
    if (out->tensor(out->context, "weights", 2, dim, w) == GNT_OK &&
        out->tensor(out->context, "features", 1, &t->columns, middle) == GNT_OK &&
        out->tensor(out->context, "sample", 1, &p->outputs, middle + t->columns) == GNT_OK &&
        out->tensor(out->context, "parts", 1, &one, &which) == GNT_OK)
        return GNT_OK;
    return gnt_host_fail(host, "its artefacts could not be stored");
}

static gnt_status learn(const pairs *p, int parts, int ridge, const gnt_sink *out) {
    const gnt_host *host = p->host;
    table t;
    TRY(open_table(&t, p, parts, 0));
    double *alpha = gnt_host_scratch(host, p->n * p->outputs, sizeof *alpha);
    double *mean = gnt_host_scratch(host, p->outputs, sizeof *mean);
    float *w = gnt_host_scratch(host, t.columns * p->outputs, sizeof *w);
    TRY(have_memory(host, alpha && mean && w, "no memory for its weights: fewer pairs need less"));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t o = 0; o < p->outputs; o++) {
            alpha[i * p->outputs + o] = truth_of(p, i, o);
            mean[o] += alpha[i * p->outputs + o] / (double)p->n;
        }
    for (int64_t i = 0; i < p->n * p->outputs; i++)
        alpha[i] -= mean[i % p->outputs];
    dual_ridge_gram(t.x, p->n, t.columns, p->gram);
    if (dual_ridge_solve(p->gram, p->n, ridge_of(&t, ridge), p->work, alpha, p->outputs) != 0)
        return gnt_host_fail(host, "the shadow updates leave its equations without one solution");
    dual_ridge_weights(t.x, alpha, p->n, t.columns, p->outputs, w);
    return keep(p, &t, parts, w, mean, out);
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    pairs p;
    int parts = UPDATE_SKETCH, ridge = 0;
    TRY(open_pairs(&p, self, in));
    TRY(choose(&p, &parts, &ridge));
    return learn(&p, parts, ridge, out);
}

/* ---- answering ---- */

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const update_decoder *d = self;
    const gnt_host *host = d->host;
    int64_t outputs = 1;
    if (!host->model || !seen->update || seen->update->n < 1)
        return unsupported(host, "it reads updates, and none was observed");
    for (int32_t i = 0; i < host->model->info->rank; i++)
        outputs *= host->model->info->dim[i];
    const update_layout l = update_layout_of(host->model->info, seen->update);
    const float *which = learnt_artefact(host, own, "parts", 1);
    const int parts = which ? (int)*which : 0;
    const int64_t columns = update_features_count(&l, parts);
    const float *w = which ? learnt_artefact(host, own, "weights", columns * outputs) : NULL;
    const float *middle = w ? learnt_artefact(host, own, "features", columns) : NULL;
    const float *mean = middle ? learnt_artefact(host, own, "sample", outputs) : NULL;
    if (!mean)
        return GNT_FAILED;
    float *features = gnt_host_scratch(host, columns, sizeof *features);
    float *x = gnt_host_scratch(host, outputs, sizeof *x);
    double *room = gnt_host_scratch(host, l.units + l.row + 1, sizeof *room);
    TRY(have_memory(host, features && x && room, "no memory for the answer"));
    update_features(&l, seen->update, parts, room, features);
    memcpy(x, mean, (size_t)outputs * sizeof *x);
    for (int64_t k = 0; k < columns; k++) {
        if (k % 64 == 0 && gnt_host_should_stop(host))
            return GNT_STOPPED;
        for (int64_t o = 0; o < outputs; o++)
            x[o] += (features[k] - middle[k]) * w[k * outputs + o];
    }
    for (int64_t o = 0; o < outputs; o++)
        x[o] = x[o] > 0 ? (x[o] < 1 ? x[o] : 1) : 0;
    return answer->reconstruction(answer->context, 1, x);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(update_decoder, pairs, LEAST_PAIRS, 4000, 1000, "pairs",
            "the most shadow observations it learns from"),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor learnt_update_decoder = {
    GNT_ATTACK("update-decoder", "1.0",
               "maps an update to the sample behind it, learnt from shadow observations by ridge regression",
               "MIT", "Hoerl and Kennard, Ridge Regression, Technometrics 1970"),
    LEARNT_ATTACK(update_decoder),
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED,
    .least_shadow = LEAST_PAIRS};
