/* soteria: zeroes the columns of one dense layer's weight update that belong to chosen entries of the
 * representation it reads, as if these entries r_i had been 0.
 *
 *   r = f(x)                    the defended layer's input, I entries
 *   g_i = ‖∂r_i/∂x‖             exact: one vjp for each entry, of up to CHUNK samples at once
 *   ∇W_oi = Σ_samples δ_o·r_i   O×I: entry i is column i; the bias's gradient is Σ δ_o and stays
 *
 * An entry lives in a sample where r_i or g_i is not 0. Living entries are ordered by the mean score over the
 * samples in which they live, highest first, equal ones in their own order:
 *
 *   paper       |r_i| / g_i              Sun et al., 2021: the entries that say most with least of the sample
 *   reference   −g_i / (|r_i| + 0.1)     the authors' program: the same order, but for the 0.1
 *   reciprocal  g_i / |r_i|              the other end first
 *
 * Of the living entries ⌊p·living⌋ are masked. Those that live in no sample take no part: their columns of a
 * gradient are 0 already. Where all living ones are masked, theirs are zeroed too.
 *
 * The samples are those behind the update: of one gradient its batch, of local steps all that the client
 * holds. Weights are those that were broadcast; batch norm runs on running statistics, so that one sample's
 * derivative has no share in another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"
#include "shared/try.h"

enum { RANK_PAPER, RANK_REFERENCE, RANK_RECIPROCAL };
enum { CHUNK = 16, SAYS = 500 };

typedef struct soteria {
    const gnt_host *host;
    double p;
    const char *layer; /* "": the last dense one */
    int64_t ranking;
} soteria;

/* The defended layer: W is out × in, its tensor in the update, and where W and b lie in the flat weights. */
typedef struct defended {
    int32_t layer, input;                /* input: the layer whose output is r */
    int64_t in, out, weight_at, bias_at; /* bias_at −1: no bias */
    gnt_tensor *update;
} defended;

typedef struct ranked {
    double score; /* a sum, then the mean */
    int64_t index, lived;
} ranked;

static gnt_status service_failed(const soteria *s) {
    return gnt_host_fail(s->host, gnt_host_last_error(s->host));
}

static gnt_status not_finite(const soteria *s) {
    return gnt_host_fail(s->host, "the representation, or what is made of it, holds NaN or infinite entries");
}

static void *room(const soteria *s, int64_t n, size_t size) {
    return gnt_host_scratch(s->host, n > 0 ? n : 1, size);
}

static gnt_status no_room(const soteria *s) {
    return gnt_host_fail(s->host, "no memory for the representation: the limit on scratch memory is "
                                  "too low");
}

static double norm(const float *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    return sqrt(sum);
}

/* ---- the layer ---- */

static int is_dense(const gnt_layer_info *l) {
    return strcmp(l->type, "dense") == 0;
}

static gnt_status find_layer(const soteria *s, defended *d) {
    const gnt_model_info *info = s->host->model->info;
    char says[SAYS];
    d->layer = -1;
    for (int32_t i = 0; i < info->n_layers; i++)
        if (*s->layer ? strcmp(info->layer[i].name, s->layer) == 0 : is_dense(&info->layer[i]))
            d->layer = i;
    if (d->layer < 0 && !*s->layer)
        return unsupported(s->host, "the model has no dense layer: soteria defends the weights of one");
    if (d->layer < 0 || !is_dense(&info->layer[d->layer])) {
        snprintf(says, sizeof says, "layer: %.200s %s; name a dense layer, or none for the last one",
                 s->layer, d->layer < 0 ? "is no layer of the model" : "is not a dense layer");
        return unsupported(s->host, says);
    }
    return GNT_OK;
}

/* Finds the defended layer's weights and bias in the flat weights, their shape, and their tensor in the
 * update. */
static gnt_status find_weights(const soteria *s, gnt_tensors *update, defended *d) {
    const gnt_model_info *info = s->host->model->info;
    char says[SAYS];
    int64_t at = 0;
    d->bias_at = -1;
    for (int64_t i = 0; i < info->params.n; at += info->params.view[i++].count) {
        const gnt_view *v = &info->params.view[i];
        if (v->layer != d->layer)
            continue;
        if (v->rank == 2) {
            d->weight_at = at;
            d->out = v->dim[0];
            d->in = v->dim[1];
        } else {
            d->bias_at = at;
        }
    }
    d->update = NULL;
    for (int64_t i = 0; i < update->n; i++)
        if (update->tensor[i].layer == d->layer && update->tensor[i].rank == 2)
            d->update = &update->tensor[i];
    if (d->update)
        return GNT_OK;
    snprintf(says, sizeof says, "clients keep %.200s for themselves: there is no update of it to defend",
             info->layer[d->layer].name);
    return unsupported(s->host, says);
}

/* True if `to` is the layer's output for r, up to the rounding of float sums of `in` products. */
static int computes(const defended *d, const float *weights, const float *r, const float *to) {
    for (int64_t o = 0; o < d->out; o++) {
        double sum = d->bias_at < 0 ? 0 : weights[d->bias_at + o], size = fabs(sum);
        for (int64_t i = 0; i < d->in; i++) {
            const double term = (double)weights[d->weight_at + o * d->in + i] * r[i];
            sum += term;
            size += fabs(term);
        }
        if (!(fabs(sum - to[o]) <= 1e-4 * size))
            return 0;
    }
    return 1;
}

/* Finds the layer whose output r the defended layer reads, as the layer info does not list inputs: r is
 * the output of the nearest layer before, of the right width, from which W·r + b of the first sample is
 * the layer's own output. */
static gnt_status find_input(const soteria *s, const gnt_client *client, defended *d) {
    const gnt_model_service *m = s->host->model;
    const gnt_model_info *info = m->info;
    int32_t *layer = room(s, info->n_layers, sizeof *layer), n = 0, first = info->n_layers;
    char says[SAYS];
    if (!layer)
        return no_room(s);
    for (int64_t i = 0; i < info->params.n; i++)
        if (info->params.view[i].layer >= 0 && info->params.view[i].layer < first)
            first = info->params.view[i].layer;
    layer[n++] = d->layer;
    for (int32_t i = d->layer - 1; i >= first; i--) /* what nothing was learnt for is no representation */
        if (info->layer[i].rank == 1 && info->layer[i].dim[0] == d->in)
            layer[n++] = i;
    snprintf(says, sizeof says,
             "%.200s reads the sample, not a representation of it: soteria defends a dense layer behind "
             "layers with weights of their own",
             info->layer[d->layer].name);
    if (n == 1)
        return unsupported(s->host, says);
    gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_FEATURES, .n = 1, .layer = layer, .n_layers = n};
    gnt_function_args args = {
        .size = sizeof args, .x = client->samples->x, .weights = client->weights, .buffers = client->buffers};
    const gnt_views *seen;
    gnt_function *f = m->prepare(m->context, &spec);
    if (!f || m->eval(m->context, f, &args, &seen) != GNT_OK)
        return service_failed(s);
    const float *own = seen->view[0].data;
    const int sound = isfinite(norm(own, d->out));
    d->input = -1;
    for (int32_t k = 1; k < n && d->input < 0; k++)
        if (computes(d, client->weights, seen->view[k].data, own))
            d->input = layer[k];
    m->release(m->context, f);
    if (!sound)
        return not_finite(s);
    return d->input >= 0 ? GNT_OK : unsupported(s->host, says);
}

/* ---- the ranking ---- */

static double score_of(int64_t ranking, double r, double g) {
    if (ranking == RANK_PAPER)
        return r / g;
    return ranking == RANK_REFERENCE ? -g / (r + 0.1) : g / r;
}

/* Adds this sample to the score of an entry: r its value, g the norm of its derivative. 0: not finite. */
static int count_sample(const soteria *s, ranked *e, double r, double g) {
    if (!isfinite(r) || !isfinite(g))
        return 0;
    if (r != 0 || g > 0) {
        e->score += score_of(s->ranking, fabs(r), g);
        e->lived++;
    }
    return 1;
}

/* Memory for the scores of one chunk: n × features samples, n × in values and cotangents. */
typedef struct chunk {
    gnt_function *f;
    int64_t n; /* samples that f takes */
    float *x, *r, *u;
} chunk;

/* Adds the scores of `used` samples, beginning with number `from`. The rest of the batch x repeats the
 * last of them and is not counted. */
static gnt_status score_chunk(const soteria *s, const gnt_client *client, const defended *d, const chunk *c,
                              int64_t from, int64_t used, ranked *e) {
    const gnt_host *host = s->host;
    const gnt_model_service *m = host->model;
    const int64_t features = client->samples->features;
    const gnt_views *seen;
    const gnt_gradient *gradient;
    const float *u = c->u;
    gnt_function_args args = {
        .size = sizeof args, .x = c->x, .weights = client->weights, .buffers = client->buffers};
    for (int64_t k = 0; k < c->n; k++)
        memcpy(c->x + k * features, client->samples->x + (from + (k < used ? k : used - 1)) * features,
               (size_t)features * sizeof *c->x);
    if (m->eval(m->context, c->f, &args, &seen) != GNT_OK)
        return service_failed(s);
    memcpy(c->r, seen->view[0].data, (size_t)(c->n * d->in) * sizeof *c->r);
    for (int64_t i = 0; i < d->in; i++) {
        TRY(may_go_on(host));
        for (int64_t k = 0; k < used; k++)
            c->u[k * d->in + i] = 1;
        if (m->vjp(m->context, c->f, &u, &gradient) != GNT_OK)
            return service_failed(s);
        for (int64_t k = 0; k < used; k++) {
            c->u[k * d->in + i] = 0;
            if (!count_sample(s, &e[i], c->r[k * d->in + i], norm(gradient->x + k * features, features)))
                return not_finite(s);
        }
    }
    return GNT_OK;
}

static gnt_status score_all(const soteria *s, const gnt_client *client, const defended *d, ranked *e) {
    const gnt_model_service *m = s->host->model;
    const int64_t n = client->samples->n, features = client->samples->features;
    chunk c = {.n = n < CHUNK ? n : CHUNK};
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = c.n,
                              .layer = &d->input,
                              .n_layers = 1,
                              .vjp = GNT_WRT_X,
                              .held = GNT_HELD_WEIGHTS};
    c.x = room(s, c.n * features, sizeof *c.x);
    c.r = room(s, c.n * d->in, sizeof *c.r);
    c.u = room(s, c.n * d->in, sizeof *c.u);
    if (!c.x || !c.r || !c.u)
        return no_room(s);
    c.f = m->prepare(m->context, &spec);
    if (!c.f)
        return service_failed(s);
    gnt_status status = GNT_OK;
    for (int64_t at = 0; at < n && status == GNT_OK; at += c.n)
        status = score_chunk(s, client, d, &c, at, n - at < c.n ? n - at : c.n, e);
    m->release(m->context, c.f);
    return status;
}

/* Compares entries for qsort: those that are not always 0 first, by score from the highest, then by index. */
static int by_score(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if ((x->lived > 0) != (y->lived > 0))
        return x->lived > 0 ? -1 : 1;
    if (x->lived > 0 && x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Brings those to be masked to the front; how many they are. */
static int64_t choose(const soteria *s, ranked *e, int64_t n) {
    const gnt_host *host = s->host;
    int64_t living = 0;
    for (int64_t i = 0; i < n; i++)
        if (e[i].lived) {
            e[i].score /= (double)e[i].lived;
            living++;
        }
    qsort(e, (size_t)n, sizeof *e, by_score);
    /* as people mean it: 0.29 of 100 is 29, though the double nearest to 0.29 lies below it */
    const int64_t k = (int64_t)floor(s->p * (double)living + 1e-9 * (s->p > 0));
    gnt_host_fact(host, "dead_share", (double)(n - living) / (double)n);
    gnt_host_fact(host, "masked_share", living ? (double)k / (double)living : 0);
    return k == living && s->p > 0 ? n : k;
}

/* ---- the hook ---- */

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const soteria *s = self;
    defended d = {0};
    TRY(find_layer(s, &d));
    TRY(find_weights(s, update, &d));
    TRY(find_input(s, client, &d));
    ranked *e = room(s, d.in, sizeof *e);
    if (!e)
        return no_room(s);
    for (int64_t i = 0; i < d.in; i++)
        e[i].index = i;
    TRY(score_all(s, client, &d, e));
    const int64_t masked = choose(s, e, d.in);
    for (int64_t o = 0; o < d.out; o++)
        for (int64_t k = 0; k < masked; k++)
            d.update->data[o * d.in + e[k].index] = 0;
    return GNT_OK;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const char *const rankings[] = {"paper", "reference", "reciprocal", NULL};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(soteria, p, 0, 1, 0.8, GNT_SCALE_LINEAR, 1, "",
                      "share of the representation's living entries whose columns become zero"),
    GNT_TEXT(soteria, layer, "", "name of the dense layer to defend; empty: the last one"),
    GNT_CHOICE(
        soteria, ranking, rankings, "paper",
        "which go first: the highest |r|/g, the least g/(|r| + 0.1), or the highest g/|r|, g = |dr/dx|"),
};

static const char *const families[] = {GNT_FAMILY_PRUNING, NULL};

static const gnt_descriptor descriptor = {
    GNT_DEFENSE("soteria", "1.0",
                "zeroes the columns of a dense layer's update that belong to revealing entries of its input",
                "MIT",
                "Sun et al., Soteria: Provable Defense against Privacy Leakage in Federated Learning from "
                "Representation Perspective, CVPR 2021"),
    GNT_PARAMETERS(parameters),
    .families = families,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RESUMES,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(soteria),
};

GNT_DEFINE_ENTRY(descriptor)
