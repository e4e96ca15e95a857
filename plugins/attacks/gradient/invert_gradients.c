/* invert-gradients: the input whose update points the same way as the one observed.
 *
 * Minimises 1 − cos(u(x), o) over all tensors together, plus a total variation prior on images, by Adam
 * on the sign of the gradient, from normal noise in the model's normalised space, kept in the valid box
 * throughout. Weight deltas of several local steps are matched by unrolling them. Source: Geiping,
 * Bauermeister, Dröge and Moeller, Inverting Gradients, NeurIPS 2020; their full runs take 24,000
 * steps, their quick ones 4,800.
 *
 * z is the batch in normalised space (n × features), x = z·deviation + mean the same in image space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gradient.h"
#include "label.h"
#include "match.h"
#include "survivors.h"
#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"

enum { STEPS, RATE, MILESTONES, DECAY, SIGNED, TV, RESTARTS, MASK_ZEROS, OUTLIERS };

typedef struct invert {
    const gnt_host *host;
    const gnt_value *value; /* the parameters, in the order of the table */
    match match;
} invert;

typedef struct search { /* of one run; all memory is the hook's scratch */
    invert *self;
    const gnt_answer *answer;
    gnt_function_args args;
    outliers apart;
    gnt_adam *adam;
    int64_t n, features, size; /* size of z, n × features */
    int64_t channels, height, width;
    double tv; /* its weight, 0 for what is not an image */
    float *z, *x, *grad, *winner;
    float *mean, *deviation; /* per channel (or feature); 0 and 1 without normalisation */
    double least;            /* cost of the winner */
    int32_t chosen;
    int64_t steps, done; /* of one restart; of all so far */
} search;

/* ---- what was observed ---- */

/* Labels as granted, else read off the gradient of a single sample; rates as granted, else as announced. */
static gnt_status bind_knowledge(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    int64_t classes = host->model->info->classes;
    float *y = host->scratch(host->context, 2 * (size_t)(s->n * classes) * sizeof *y);
    float *rates = host->scratch(host->context, ((size_t)seen->steps + 1) * sizeof *rates);
    if (!y || !rates)
        return match_no_memory(host);
    for (int32_t i = 0; i < seen->steps; i++)
        rates[i] = seen->rates ? seen->rates[i] : (float)seen->rate;
    s->args.rates = rates;
    s->args.y = y;
    if (seen->labels) {
        memcpy(y, seen->labels, (size_t)(s->n * classes) * sizeof *y);
        return GNT_OK;
    }
    if (s->n != 1)
        return match_refuse(host, "for a batch of more than one sample it needs the labels (knows: labels)");
    gnt_status status = label_scores(host, seen, &s->apart, y + classes);
    if (status == GNT_OK)
        label_one_hot(y + classes, classes, y);
    return status;
}

/* ---- total variation ---- */

/* Adds weight·d/dz of mean|z(h+1) − z(h)| + mean|z(w+1) − z(w)| to grad; returns weight × its value. z:
 * planes of height × width. */
static double add_variation(const float *z, int64_t planes, int64_t height, int64_t width, double weight,
                            float *grad) {
    double total = 0;
    for (int axis = 0; axis < 2; axis++) {
        int64_t rows = height - (axis == 0), columns = width - (axis == 1), next = axis == 0 ? width : 1;
        if (rows < 1 || columns < 1)
            continue;
        double sum = 0, share = weight / (double)(planes * rows * columns);
        for (int64_t p = 0; p < planes; p++)
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < columns; j++) {
                    int64_t at = (p * height + i) * width + j;
                    float d = z[at + next] - z[at], g = d > 0 ? (float)share : d < 0 ? -(float)share : 0;
                    sum += fabs((double)d);
                    grad[at + next] += g;
                    grad[at] -= g;
                }
        total += share * sum;
    }
    return total;
}

/* ---- the search ---- */

static int64_t channel_of(const search *s, int64_t i) {
    return i % s->features / (s->height * s->width);
}

static void to_image_space(search *s) {
    for (int64_t i = 0; i < s->size; i++) {
        int64_t c = channel_of(s, i);
        float x = s->z[i] * s->deviation[c] + s->mean[c];
        s->x[i] = x < 0 ? 0 : x > 1 ? 1 : x;
    }
}

/* Clamps z to what [0, 1] is in normalised space. */
static void into_box(search *s) {
    int64_t area = s->height * s->width;
    for (int64_t p = 0; p < s->size / area; p++) {
        int64_t c = p % s->channels;
        float low = (0 - s->mean[c]) / s->deviation[c], high = (1 - s->mean[c]) / s->deviation[c];
        gnt_project_box(s->z + p * area, area, low, high);
    }
}

/* The cost at z, and its gradient. */
static gnt_status evaluate(search *s, double *cost) {
    const gnt_host *host = s->self->host;
    const gnt_model_service *m = host->model;
    const gnt_views *out;
    const gnt_gradient *g;
    to_image_space(s);
    if (m->eval(m->context, s->self->match.function, &s->args, &out) != GNT_OK ||
        m->vjp(m->context, s->self->match.function, NULL, &g) != GNT_OK)
        return host->fail(host->context, host->last_error(host->context));
    *cost = (double)out->view[0].data[0];
    for (int64_t i = 0; i < s->size; i++)
        s->grad[i] = g->x[i] * s->deviation[channel_of(s, i)];
    if (s->tv > 0)
        *cost += add_variation(s->z, s->n * s->channels, s->height, s->width, s->tv, s->grad);
    return GNT_OK;
}

static gnt_status one_restart(search *s, int32_t restart, int64_t total) {
    const gnt_host *host = s->self->host;
    const gnt_value *v = s->self->value;
    host->normal(host->context, "start", s->size, s->z);
    into_box(s);
    gnt_adam_reset(s->adam);
    for (int64_t k = 0; k < s->steps; k++) {
        double cost, rate = gnt_rate_milestones(v[RATE].r, k, s->steps, v[MILESTONES].list,
                                                (int32_t)v[MILESTONES].n, v[DECAY].r);
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        gnt_status status = evaluate(s, &cost);
        if (status != GNT_OK)
            return status;
        s->answer->cost(s->answer->context, restart, k, cost);
        host->progress(host->context, (double)++s->done, (double)total);
        if (!isfinite(cost))
            break;
        if (cost < s->least) {
            s->least = cost;
            s->chosen = restart;
            memcpy(s->winner, s->x, (size_t)s->size * sizeof *s->x);
        }
        (v[SIGNED].i ? gnt_adam_step_signed : gnt_adam_step)(s->adam, s->z, s->grad, rate);
        into_box(s);
    }
    return GNT_OK;
}

static gnt_status search_all(search *s) {
    const gnt_host *host = s->self->host;
    int64_t restarts = s->self->value[RESTARTS].i;
    for (int32_t r = 0; r < restarts; r++) {
        gnt_status status = one_restart(s, r, restarts * s->steps);
        if (status != GNT_OK)
            return status;
    }
    if (!isfinite(s->least))
        return host->fail(host->context, "its cost was never finite, from any start");
    s->answer->chosen(s->answer->context, s->chosen, s->least);
    return s->answer->reconstruction(s->answer->context, s->n, s->winner);
}

/* Shapes, memory and the normalisation. */
static gnt_status open_search(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    const gnt_model_info *info = host->model->info;
    int image = info->rank == 3;
    s->n = seen->n;
    s->channels = info->dim[0];
    s->height = image ? info->dim[1] : 1;
    s->width = image ? info->dim[2] : 1;
    s->features = s->channels * s->height * s->width;
    s->size = s->n * s->features;
    s->tv = image ? s->self->value[TV].r : 0;
    s->least = INFINITY;
    s->z = host->scratch(host->context, 4 * (size_t)s->size * sizeof *s->z);
    s->mean = host->scratch(host->context, 2 * (size_t)s->channels * sizeof *s->mean);
    if (!s->z || !s->mean)
        return match_no_memory(host);
    s->x = s->z + s->size;
    s->grad = s->x + s->size;
    s->winner = s->grad + s->size;
    s->deviation = s->mean + s->channels;
    for (int64_t c = 0; c < s->channels; c++) {
        s->mean[c] = info->mean ? info->mean[c] : 0;
        s->deviation[c] = info->deviation ? info->deviation[c] : 1;
    }
    s->args = (gnt_function_args){
        .size = sizeof s->args, .x = s->x, .weights = seen->weights, .buffers = seen->buffers};
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    search s = {.self = self, .answer = answer};
    const gnt_host *host = s.self->host;
    int64_t restarts = s.self->value[RESTARTS].i;
    int32_t masked = 0;
    double squares;
    (void)own;
    if (!host->model || seen->n < 1 || seen->steps < 0)
        return match_refuse(host, "it needs the model and the number of samples in the batch");
    s.steps = seen->budget > 0 ? (seen->budget + restarts - 1) / restarts : s.self->value[STEPS].i;
    gnt_status status = open_search(&s, seen);
    if (status == GNT_OK)
        status = match_bind(&s.args, host, seen->update,
                            (match_choice){s.self->value[MASK_ZEROS].i, s.self->value[OUTLIERS].i}, &s.apart,
                            &masked, &squares);
    if (status == GNT_OK)
        status = bind_knowledge(&s, seen);
    if (status == GNT_OK)
        status = match_prepare(&s.self->match, host, seen, GNT_COST_COSINE, GNT_WRT_X, masked);
    if (status != GNT_OK)
        return status;
    s.adam = gnt_adam_new(s.size, 0.9, 0.999, 1e-8);
    status = s.adam ? search_all(&s) : match_no_memory(host);
    gnt_adam_free(s.adam);
    return status;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    invert *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->host = host;
    s->value = values;
    return s;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_parameter parameters[] = {
    {.id = "steps",
     .type = GNT_TYPE_INT,
     .unit = "steps",
     .least = 1,
     .most = 10000000,
     .preset = 4800,
     .help = "steps of each restart; a suite's budget is shared among the restarts instead"},
    {.id = "rate",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 10,
     .preset = 0.1,
     .help = "Adam's first learning rate, in the model's normalised space"},
    {.id = "milestones",
     .type = GNT_TYPE_REAL_LIST,
     .unit = "fraction of steps",
     .least = 0,
     .most = 1,
     .preset_text = "[0.375, 0.625, 0.875]",
     .help = "where the rate is multiplied by decay"},
    {.id = "decay",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 1,
     .preset = 0.1,
     .help = "factor of the rate at each milestone"},
    {.id = "signed",
     .type = GNT_TYPE_BOOL,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset = 1,
     .help = "Adam sees the sign of the gradient only"},
    {.id = "tv",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "",
     .least = 0,
     .most = 1000,
     .preset = 1e-4,
     .help = "weight of the total variation prior; images only"},
    {.id = "restarts",
     .type = GNT_TYPE_INT,
     .unit = "restarts",
     .least = 1,
     .most = 1000,
     .preset = 1,
     .help = "starts from fresh noise, of which the least cost wins"},
    {.id = "mask_zeros",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "auto",
     .choices = survivors_choices,
     .help = "match only entries that are not zero: auto does where the update looks pruned by magnitude"},
    {.id = "outliers",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "auto",
     .choices = outliers_choices,
     .help = OUTLIERS_HELP},
};

const gnt_descriptor gradient_invert_gradients = {
    .size = sizeof(gnt_descriptor),
    .kind = GNT_PLUGIN_ATTACK,
    .id = "invert-gradients",
    .version = "1.0",
    .line = "searches the input whose update points the same way, with a total variation prior",
    .licence = "MIT",
    .citation = "Geiping, Bauermeister, Dröge and Moeller, Inverting Gradients, NeurIPS 2020",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
