/* Infers how many samples of each class a batch has.
 *
 * With cross entropy, n·g_c = Σ_i p_ic − n_c for the bias and n·G_c = Σ_i p_ic·r_i − Σ_{i of class c} r_i
 * for the weights, r_i the layer's input for sample i and p_i = softmax(W·r_i + b). The first guess is that
 * samples of one class are alike, with input e_c and probabilities P_c. Subtracting the contribution of the
 * other classes to row c,
 *     e_c = (Σ_{k≠c} n_k·P_k[c]·e_k − n·G_c) / (Σ_{k≠c} n_k·P_k[c] − n·g_c),
 * which for a class that dominates its row is G_c/g_c as in iLRG (Ma et al., Instance-wise Batch Label
 * Restoration via Gradients in Federated Learning, ICLR 2023). Then n_c = Σ_k n_k·P_k[c] − n·g_c, rounded.
 * Both steps are repeated, from two starts. Then the labels are judged by how well inputs of single samples
 * can explain the rows with them (label_fit.h), and samples are moved between classes as long as that
 * helps: a trained network's confident samples have small gradients, and samples of a class differ.
 *
 * Σ_c g_c and Σ_c G_c are 0 in any gradient: their deviation from 0 measures noise. If noise would hide a
 * sample, or the layer has no bias, g is the rows' projection on the mean input instead. If a defense left
 * nothing of the rows, the counts are those of the first start, with the input that images of noise give. A
 * weight delta is read as a mean gradient. */
#include <math.h>
#include <string.h>

#include "label/label_scores.h"
#include "label/label_fit.h"
#include "hook.h"

enum { ROUNDS = 12, MOVES = 64, GUESSES = 16 };
/* Largest n × classes × inputs for which moves are tried; what counts as explained; what must be gained. */
static const int64_t most_work = 100000;
static const double explained = 0.02, gain = 0.5;

typedef struct batch {
    const gnt_host *host;
    label_gradient of;
    /* of each class: e_c (classes × inputs), P_c (classes × classes) */
    float *e, *p;
    float *predicted; /* inputs */
} batch;

static float product(const float *a, const float *b, int64_t n) {
    float sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void softmax_of(const batch *s, const float *r, float *p) {
    float most = -INFINITY, sum = 0;
    for (int64_t c = 0; c < s->of.classes; c++) {
        p[c] = product(s->of.w + c * s->of.inputs, r, s->of.inputs) + (s->of.b ? s->of.b[c] : 0);
        most = fmaxf(most, p[c]);
    }
    for (int64_t c = 0; c < s->of.classes; c++)
        sum += p[c] = expf(p[c] - most);
    for (int64_t c = 0; c < s->of.classes; c++)
        p[c] /= sum;
}

/* ---- what a count of each class predicts ---- */

/* Predicts row c without the contribution of its own class: fills `row` with the inputs' part, returns the
 * bias's. */
static float others(const batch *s, const int64_t *count, int64_t c, float *row) {
    float sum = 0;
    memset(row, 0, (size_t)s->of.inputs * sizeof *row);
    for (int64_t k = 0; k < s->of.classes; k++) {
        float share = (float)count[k] * s->p[k * s->of.classes + c];
        if (k == c || count[k] == 0)
            continue;
        sum += share;
        for (int64_t i = 0; i < s->of.inputs; i++)
            row[i] += share * s->e[k * s->of.inputs + i];
    }
    return sum;
}

/* Estimates e_c and P_c of the classes with samples. A class whose own share of its row is too small to
 * read keeps what it had. */
static void read_classes(batch *s, const int64_t *count) {
    float n = (float)s->of.n;
    for (int64_t c = 0; c < s->of.classes; c++) {
        if (count[c] == 0)
            continue;
        float share = others(s, count, c, s->predicted) - n * s->of.g[c];
        float *e = s->e + c * s->of.inputs;
        if (share < 1e-6f * (float)count[c])
            continue;
        for (int64_t i = 0; i < s->of.inputs; i++)
            e[i] = (s->predicted[i] - n * s->of.rows[c * s->of.inputs + i]) / share;
        softmax_of(s, e, s->p + c * s->of.classes);
    }
}

static void forget_classes(batch *s) {
    softmax_of(s, s->of.mean, s->p);
    for (int64_t c = 0; c < s->of.classes; c++) {
        memcpy(s->e + c * s->of.inputs, s->of.mean, (size_t)s->of.inputs * sizeof *s->e);
        if (c)
            memcpy(s->p + c * s->of.classes, s->p, (size_t)s->of.classes * sizeof *s->p);
    }
}

/* ---- counts ---- */

/* Rounds `real` to whole numbers that sum to n: the largest remainders are rounded up. */
static void round_counts(const batch *s, float *real, int64_t *count) {
    int64_t left = s->of.n;
    double sum = 0;
    for (int64_t c = 0; c < s->of.classes; c++)
        sum += (double)(real[c] = fmaxf(real[c], 0));
    for (int64_t c = 0; c < s->of.classes; c++) {
        real[c] = sum > 0 ? (float)((double)real[c] * fmin(1, (double)s->of.n / sum)) : 0;
        left -= count[c] = (int64_t)real[c];
        real[c] -= (float)count[c];
    }
    for (; left > 0; left--) {
        int64_t top = 0;
        for (int64_t c = 1; c < s->of.classes; c++)
            top = real[c] > real[top] ? c : top;
        count[top]++;
        real[top] -= 1;
    }
}

/* Computes n_c = Σ_k n_k·P_k[c] − n·g_c, with every sample's probabilities those of the mean input where
 * no count is known yet (NULL). */
static void next_counts(batch *s, const int64_t *from, float *real, int64_t *count) {
    for (int64_t c = 0; c < s->of.classes; c++) {
        real[c] = -(float)s->of.n * s->of.g[c];
        for (int64_t k = 0; k < s->of.classes; k++)
            real[c] += (from ? (float)from[k] : k ? 0 : (float)s->of.n) * s->p[k * s->of.classes + c];
    }
    round_counts(s, real, count);
}

/* Sets the first counts: from probabilities of the mean input, or from classes with negative rows alone,
 * as G_c/g_c shows them. */
static void start_counts(batch *s, int which, float *real, int64_t *count) {
    forget_classes(s);
    if (which == 0) {
        next_counts(s, NULL, real, count);
        return;
    }
    for (int64_t c = 0; c < s->of.classes; c++)
        real[c] = fmaxf(0, -s->of.g[c]);
    double sum = 1e-12;
    for (int64_t c = 0; c < s->of.classes; c++)
        sum += (double)real[c];
    for (int64_t c = 0; c < s->of.classes; c++)
        real[c] *= (float)((double)s->of.n / sum);
    round_counts(s, real, count);
}

/* Moves single samples, the best move first, until the labels explain the rows, no move helps, or they were
 * judged `most` times. A round of moves that is cut short takes its best one. */
static gnt_status improve(batch *s, label_fit *fit, int64_t most, double *least, int64_t *count) {
    int64_t classes = s->of.classes;
    for (int move = 0; move<MOVES && * least> explained; move++) {
        int64_t best_from = -1, best_to = -1;
        double best = *least * gain;
        for (int64_t pair = 0; pair < classes * classes && best > explained; pair++) {
            int64_t from = pair / classes, to = pair % classes;
            if (from == to || count[from] == 0 || most == 0)
                continue;
            most--;
            TRY(may_go_on(s->host));
            count[from]--;
            count[to]++;
            double now = label_fit_judge(fit, count);
            count[from]++;
            count[to]--;
            if (now < best) {
                best = now;
                best_from = from;
                best_to = to;
            }
        }
        if (best_to < 0)
            break;
        count[best_from]--;
        count[best_to]++;
        *least = best;
    }
    return GNT_OK;
}

static gnt_status solve_with(batch *s, label_fit *fit, int64_t most, int64_t *count) {
    const gnt_host *host = s->host;
    float *real = gnt_host_scratch(host, s->of.classes, sizeof *real);
    int64_t *now = gnt_host_scratch(host, s->of.classes, sizeof *now);
    double least = INFINITY;
    TRY(hook_memory(host, real && now));
    for (int which = 0; which < 2; which++) {
        start_counts(s, which, real, now);
        for (int k = 0; k < ROUNDS; k++) {
            read_classes(s, now);
            next_counts(s, now, real, now);
        }
        double cost = label_fit_judge(fit, now);
        if (cost < least || which == 0) {
            least = cost;
            memcpy(count, now, (size_t)s->of.classes * sizeof *now);
        }
    }
    return s->of.n * s->of.classes * s->of.inputs <= most_work ? improve(s, fit, most, &least, count)
                                                               : GNT_OK;
}

static gnt_status solve(batch *s, int64_t most, int64_t *count) {
    label_fit fit;
    gnt_status status = label_fit_open(&fit, s->host, &s->of);
    if (status == GNT_OK)
        status = solve_with(s, &fit, most, count);
    label_fit_close(&fit);
    return status;
}

/* ---- what was observed ---- */

/* Returns the factor that makes a mean gradient of a weight delta: −1 over the rates' sum, each counted as
 * often as momentum repeats it. */
static double scale_of(const gnt_observation *seen) {
    double sum = 0;
    if (seen->update_kind != GNT_UPDATE_DELTA)
        return 1;
    for (int32_t k = 0; k < seen->steps; k++) {
        double rate = seen->rates ? (double)seen->rates[k] : seen->rate, repeated = 0;
        for (int32_t j = 0; j <= k; j++)
            repeated = 1 + seen->momentum * repeated;
        sum += rate * repeated;
    }
    return sum > 0 ? -1 / sum : -1;
}

static const float *weights_of(const gnt_model_info *info, const gnt_view *of, const float *weights) {
    int64_t at = 0;
    for (int64_t t = 0; t < info->params.n; at += info->params.view[t++].count)
        if (info->params.view[t].layer == of->layer && info->params.view[t].rank == of->rank &&
            info->params.view[t].count == of->count)
            return weights + at;
    return NULL;
}

/* Computes the layer's mean input over images of noise, which an untrained network gives for any image. ½
 * where the layer's input is not the output of the layer before it. */
static gnt_status mean_of_noise(batch *s, const gnt_observation *seen, int32_t dense) {
    const gnt_host *host = s->host;
    const gnt_model_service *m = host->model;
    const gnt_views *out;
    const int64_t features = hook_features(m->info);
    int32_t before = dense - 1;
    double *u = gnt_host_scratch(host, features, sizeof *u);
    float *x = gnt_host_scratch(host, GUESSES * features, sizeof *x);
    TRY(hook_memory(host, u && x));
    for (int64_t i = 0; i < s->of.inputs; i++)
        s->of.mean[i] = 0.5f;
    if (before < 0)
        return GNT_OK;
    for (int k = 0; k < GUESSES; k++) {
        gnt_host_uniform(host, "label guesses", features, u);
        for (int64_t i = 0; i < features; i++)
            x[k * features + i] = (float)u[i];
    }
    gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_FEATURES, .n = GUESSES, .layer = &before, .n_layers = 1};
    const gnt_function_args args = hook_args(seen, x, NULL, NULL);
    gnt_function *f = m->prepare(m->context, &spec);
    TRY(hook_eval(host, f, &args, &out));
    if (out->view[0].count == GUESSES * s->of.inputs)
        for (int64_t i = 0; i < s->of.inputs; i++) {
            float sum = 0;
            for (int k = 0; k < GUESSES; k++)
                sum += out->view[0].data[k * s->of.inputs + i];
            s->of.mean[i] = sum / GUESSES;
        }
    m->release(m->context, f);
    return GNT_OK;
}

/* Estimates the deviation of the noise in an entry of the rows, which sum to 0 over classes in any
 * gradient. */
static double noise_in(const batch *s) {
    double squares = 0;
    for (int64_t i = 0; i < s->of.inputs; i++) {
        double sum = 0;
        for (int64_t c = 0; c < s->of.classes; c++)
            sum += (double)s->of.rows[c * s->of.inputs + i];
        squares += sum * sum;
    }
    return sqrt(squares / (double)(s->of.inputs * s->of.classes));
}

/* Estimates g if the bias reveals too little: g_c = (bias + ⟨G_c, mean⟩)/(1 + ‖mean‖²), shifted to sum to
 * 0. */
static void project(batch *s, int biased) {
    float length = product(s->of.mean, s->of.mean, s->of.inputs), sum = 0;
    for (int64_t c = 0; c < s->of.classes; c++) {
        float along = product(s->of.rows + c * s->of.inputs, s->of.mean, s->of.inputs);
        s->of.g[c] = ((biased ? s->of.g[c] : 0) + along) / ((biased ? 1 : 0) + length + 1e-12f);
        sum += s->of.g[c];
    }
    for (int64_t c = 0; c < s->of.classes; c++)
        s->of.g[c] -= sum / (float)s->of.classes;
}

/* Estimates the mean input from the rows of absent classes, whose gradient is Σ_i p_ic·r_i/n. */
static void mean_of_rows(batch *s) {
    float sum = 0;
    for (int64_t c = 0; c < s->of.classes; c++)
        sum += fmaxf(0, s->of.g[c]);
    if (sum < 1e-7f)
        return;
    memset(s->of.mean, 0, (size_t)s->of.inputs * sizeof *s->of.mean);
    for (int64_t c = 0; c < s->of.classes; c++)
        for (int64_t i = 0; s->of.g[c] > 0 && i < s->of.inputs; i++)
            s->of.mean[i] += s->of.rows[c * s->of.inputs + i] / sum;
}

/* Finds the norm of the mean input, which nothing reveals without a bias. For absent classes g_c is the
 * mean of p_c: the norm is the one at which the softmax agrees with that. */
static void find_length(batch *s) {
    float *longer = s->predicted, best = 1;
    double least = INFINITY;
    mean_of_rows(s);
    for (int k = 0; k <= 80; k++) {
        float scale = powf(10, (float)(k - 40) / 20);
        double apart = 0;
        for (int64_t i = 0; i < s->of.inputs; i++)
            longer[i] = scale * s->of.mean[i];
        softmax_of(s, longer, s->p);
        for (int64_t c = 0; c < s->of.classes; c++) {
            double d = (double)s->p[c] - (double)(s->of.g[c] / scale);
            apart += s->of.g[c] > 0 ? d * d : 0;
        }
        if (apart < least) {
            least = apart;
            best = scale;
        }
    }
    for (int64_t i = 0; i < s->of.inputs; i++)
        s->of.mean[i] *= best;
    project(s, 0);
}

static gnt_status read_rows(batch *s, const gnt_observation *seen, const label_layer *last,
                            const outliers *apart) {
    float scale = (float)scale_of(seen);
    for (int64_t i = 0; i < s->of.classes * s->of.inputs; i++)
        s->of.rows[i] = outliers_has(apart, last->at_weight, i) ? 0 : scale * last->weight->data[i];
    for (int64_t c = 0; last->bias && c < s->of.classes; c++)
        s->of.g[c] = outliers_has(apart, last->at_bias, c) ? 0 : scale * last->bias->data[c];
    TRY(mean_of_noise(s, seen, last->weight->layer));
    s->of.exact = last->bias && apart->n == 0 && noise_in(s) < 0.05 / (double)s->of.n;
    if (s->of.exact)
        mean_of_rows(s);
    else
        project(s, last->bias != NULL && apart->n == 0);
    if (!last->bias)
        find_length(s);
    return GNT_OK;
}

/* Counts where all rows are 0. */
static gnt_status counts_of_bias(batch *s, const gnt_observation *seen, const label_layer *last,
                                 const outliers *apart, int64_t *count) {
    const float scale = (float)scale_of(seen);
    float *real = s->e; /* room: no class is read off rows */
    TRY(mean_of_noise(s, seen, last->weight->layer));
    for (int64_t c = 0; c < s->of.classes; c++)
        s->of.g[c] = outliers_has(apart, last->at_bias, c) ? 0 : scale * last->bias->data[c];
    forget_classes(s);
    next_counts(s, NULL, real, count);
    return GNT_OK;
}

gnt_status label_counts(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                        int64_t most, int64_t *count) {
    label_layer last;
    TRY(label_layer_find(&last, host, seen));
    size_t classes = (size_t)last.weight->dim[0], inputs = (size_t)last.weight->dim[1];
    batch s = {.host = host,
               .of = {.n = seen->n, .classes = last.weight->dim[0], .inputs = last.weight->dim[1]}};
    s.of.w = weights_of(host->model->info, last.weight, seen->weights);
    s.of.b = last.bias ? weights_of(host->model->info, last.bias, seen->weights) : NULL;
    s.of.g = gnt_host_scratch(host, classes, sizeof *s.of.g);
    s.of.rows = gnt_host_scratch(host, classes * inputs, sizeof *s.of.rows);
    s.of.mean = gnt_host_scratch(host, 2 * inputs, sizeof *s.of.mean);
    s.e = gnt_host_scratch(host, classes * inputs, sizeof *s.e);
    s.p = gnt_host_scratch(host, classes * classes, sizeof *s.p);
    TRY(hook_memory(host, s.of.g && s.of.rows && s.of.mean && s.e && s.p && s.of.w));
    s.predicted = s.of.mean + inputs;
    if (seen->n == 1) {
        TRY(label_scores(host, seen, apart, s.of.g));
        memset(count, 0, classes * sizeof *count);
        count[hook_argmax(s.of.g, s.of.classes)] = 1;
        return GNT_OK;
    }
    if (last.bias_alone)
        return counts_of_bias(&s, seen, &last, apart, count);
    TRY(read_rows(&s, seen, &last, apart));
    return solve(&s, most, count);
}

gnt_status label_targets(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                         int64_t most, float *y) {
    const int64_t classes = host->model->info->classes;
    if (seen->labels) {
        memcpy(y, seen->labels, (size_t)(seen->n * classes) * sizeof *y);
        return GNT_OK;
    }
    int64_t *count = gnt_host_scratch(host, classes, sizeof *count);
    TRY(hook_memory(host, count != NULL));
    TRY(label_counts(host, seen, apart, most, count));
    label_rows(count, classes, y);
    return GNT_OK;
}
