/* string-hypothesis: infers the content of the sensitive region by testing candidates.
 *
 * The rest of the image is known, and public images give examples of the region's content: up to
 * `candidates` for each value of the private attribute, such as a digit. Each is pasted into the region,
 * and the difference between its update and the observed one is judged by the noise of each layer
 * (whitening.h):
 *
 *     score of a value = log mean over its candidates c of p(observed | c)
 *
 * If no grant gives the noise, it is estimated from the residual of the best candidate, and all are judged
 * once more. In a batch the samples are decided one after another, with the best candidates so far in the
 * others; twice. Labels that are not granted are inferred from the update, maps are the mean public one. */
#include <math.h>
#include <string.h>

#include "cost/data_term.h"
#include "gauntlet/plugin.h"
#include "label/label_scores.h"
#include "defense/outliers.h"
#include "region/known_region.h"
#include "region/region_values.h"
#include "defense/survivors.h"
#include "hook.h"

enum { SWEEPS = 2 };

typedef struct hypothesis {
    const gnt_host *host;
    int64_t candidates;
    data_function data;
} hypothesis;

typedef struct judging {
    hypothesis *self;
    const gnt_observation *seen;
    const gnt_samples *examples;
    known_region region;
    data_term term;
    int64_t features, channels, height, width;
    int32_t values;
    int64_t *row;   /* n_rows: examples, those of the first value first */
    int32_t *value; /* n_rows: of each */
    int64_t n_rows;
    float *x;     /* n × features: the best so far */
    double *cost; /* n × n_rows, of the last sweep */
} judging;

/* ---- candidates ---- */

/* Lists the candidates: rows of the examples, value by value, the first of each. */
static void choose_rows(judging *j) {
    const gnt_samples *s = j->examples;
    for (int32_t v = 0; v < j->values; v++) {
        int64_t found = 0;
        for (int64_t i = 0; i < s->n && found < j->self->candidates; i++) {
            if (s->a[i * s->n_attributes + j->seen->attribute] != v)
                continue;
            j->row[j->n_rows] = i;
            j->value[j->n_rows++] = v;
            found++;
        }
    }
}

static const uint8_t *mask_of(const gnt_samples *s, int64_t i, int64_t plane) {
    return s && s->mask ? s->mask + i * plane : NULL;
}

/* Pastes a candidate's region into the image. Examples without masks have the region where the target has
 * it. */
static void paste(judging *j, int64_t sample, int64_t candidate, float *image) {
    const int64_t plane = j->height * j->width, row = j->row[candidate];
    const uint8_t *to = mask_of(j->seen->outside, sample, plane),
                  *from = j->examples->mask ? mask_of(j->examples, row, plane) : to;
    region_paste(image, to, j->examples->x + row * j->features, from, j->channels, j->height, j->width);
}

/* ---- labels ---- */

static void mean_target(const gnt_samples *s, int64_t n, int64_t classes, float *y) {
    for (int64_t c = 0; c < classes; c++) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum += (double)s->y[i * classes + c];
        for (int64_t k = 0; k < n; k++)
            y[k * classes + c] = (float)(sum / (double)s->n);
    }
}

static gnt_status find_labels(const judging *j, float *y) {
    const gnt_host *host = j->self->host;
    const gnt_observation *seen = j->seen;
    const int64_t classes = host->model->info->classes;
    if (!seen->labels && host->model->info->output == GNT_OUTPUT_MAP) {
        if (!j->examples->y || j->examples->classes != classes)
            return unsupported(host, "without labels it needs public images with maps of the model's size");
        mean_target(j->examples, seen->n, classes, y);
        return GNT_OK;
    }
    return label_targets(host, seen, &j->term.apart, INT64_MAX, y);
}

/* ---- judging ---- */

static gnt_status open_judging(judging *j) {
    const gnt_host *host = j->self->host;
    const gnt_model_info *info = host->model->info;
    const gnt_observation *seen = j->seen;
    const granted_defense granted = granted_defense_of(seen);
    const match_choice choice = {SURVIVORS_AUTO, OUTLIERS_AUTO};
    TRY(granted_defense_check(host, &granted));
    TRY(known_region_open(&j->region, host, seen));
    j->channels = info->dim[0];
    j->height = info->dim[1];
    j->width = info->dim[2];
    j->features = j->channels * j->height * j->width;
    j->values = seen->attribute_values;
    TRY(region_examples_fit(host, seen, j->features));
    const size_t rows = (size_t)j->examples->n + 1, n = (size_t)seen->n, features = (size_t)j->features;
    float *y = gnt_host_scratch(host, n * (size_t)info->classes, sizeof *y);
    j->row = gnt_host_scratch(host, rows, sizeof *j->row);
    j->value = gnt_host_scratch(host, rows, sizeof *j->value);
    j->x = gnt_host_scratch(host, n * features, sizeof *j->x);
    j->cost = gnt_host_scratch(host, n * rows, sizeof *j->cost);
    TRY(hook_memory(host, y && j->row && j->value && j->x && j->cost));
    choose_rows(j);
    if (j->n_rows == 0)
        return unsupported(host, "no public image has a value of the attribute asked for");
    memcpy(j->x, j->region.image, n * features * sizeof *j->x);
    TRY(data_term_open(&j->term, &j->self->data, host, seen, choice, DATA_WHITENED, &granted));
    j->term.args.y = y;
    return find_labels(j, y);
}

/* Computes the costs of one sample's candidates, and puts the best one into x. */
static gnt_status judge_sample(judging *j, int64_t sample) {
    const gnt_host *host = j->self->host;
    float *image = j->x + sample * j->features;
    double *cost = j->cost + sample * j->n_rows;
    int64_t best = 0;
    for (int64_t k = 0; k < j->n_rows; k++) {
        TRY(may_go_on(host));
        paste(j, sample, k, image);
        TRY(data_term_cost(&j->term, j->x, &cost[k]));
        if (!isfinite(cost[k]))
            return gnt_host_fail(host, "the update of a candidate holds NaN or infinite entries");
        best = cost[k] < cost[best] ? k : best;
    }
    paste(j, sample, best, image);
    return GNT_OK;
}

static gnt_status judge_all(judging *j, const gnt_answer *answer) {
    double cost;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int64_t i = 0; i < j->seen->n; i++) {
            TRY(judge_sample(j, i));
            gnt_host_progress(j->self->host, (double)(sweep * j->seen->n + i + 1),
                              (double)(SWEEPS * j->seen->n));
        }
        TRY(data_term_cost(&j->term, j->x, &cost));
        answer->cost(answer->context, 0, sweep, cost);
        if (sweep + 1 < SWEEPS)
            TRY(data_term_refit(&j->term, j->x));
    }
    return GNT_OK;
}

/* Scores each value by the log mean of exp(−cost) over its candidates, less the largest. A value without
 * candidates is below all others. */
static void score_sample(const judging *j, int64_t sample, float *score) {
    const double *cost = j->cost + sample * j->n_rows;
    double least = INFINITY;
    for (int64_t k = 0; k < j->n_rows; k++)
        least = fmin(least, cost[k]);
    for (int32_t v = 0; v < j->values; v++) {
        double own = INFINITY, sum = 0, n = 0;
        for (int64_t k = 0; k < j->n_rows; k++)
            own = j->value[k] == v ? fmin(own, cost[k]) : own;
        for (int64_t k = 0; k < j->n_rows; k++)
            if (j->value[k] == v) {
                sum += exp(own - cost[k]);
                n++;
            }
        score[v] = n > 0 ? (float)fmax(least - own + log(sum / n), -1e30) : NAN;
    }
    region_rank_unseen(score, j->values);
}

static gnt_status answer_attribute(const judging *j, const gnt_answer *answer) {
    const gnt_host *host = j->self->host;
    float *score = gnt_host_scratch(host, j->seen->n * j->values, sizeof *score);
    TRY(hook_memory(host, score != NULL));
    for (int64_t i = 0; i < j->seen->n; i++)
        score_sample(j, i, score + i * j->values);
    return region_answer_values(host, j->seen, score, answer);
}

/* ---- the hook ---- */

static gnt_status run(void *context, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    hypothesis *self = context;
    const gnt_host *host = self->host;
    judging j = {.self = self, .seen = seen, .examples = seen->public_data};
    (void)own;
    TRY(hook_needs_batch(host, seen));
    TRY(open_judging(&j));
    TRY(judge_all(&j, answer));
    gnt_host_fact(host, "candidates", (double)j.n_rows);
    if (seen->goals & GNT_GOAL_ATTRIBUTE)
        TRY(answer_attribute(&j, answer));
    return seen->goals & GNT_GOAL_RECONSTRUCTION ? answer->reconstruction(answer->context, seen->n, j.x)
                                                 : GNT_OK;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(hypothesis, candidates, 1, 100000, 8, "images",
            "public images of each value of the attribute whose regions are tried"),
};

/* Plugins, not families: what it makes of the grant are their parameters. */
static const char *const families[] = {"fedre", "uniform", "dp-gaussian", "dp-laplace", "clip", NULL};

const gnt_descriptor gradient_string_hypothesis = {
    GNT_ATTACK("string-hypothesis", "1.0",
               "ranks candidates for the sensitive region by how well their updates fit the one seen", "MIT",
               ""),
    GRADIENT_COMMON(hypothesis, families),
    .goals = GNT_GOAL_ATTRIBUTE | GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_REGION | GNT_KNOWS_PUBLIC | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_IMAGE};
