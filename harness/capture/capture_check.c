#include "capture/capture_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"

/* Samples of all steps, and values of one step's samples, up to which an update is computed again. */
enum { MOST_SAMPLES = 1000000, MOST_VALUES = 1 << 28 };
/* Share of its norm by which an update may differ from the one computed again: rounding, of weights after
 * less weights before too. */
static const double most_difference = 0.01;

typedef struct checking {
    const gnt_capture *c;
    void (*sink)(void *user, const char *line);
    void *user;
    int contradictions;
} checking;

__attribute__((format(printf, 2, 3))) static void say(const checking *k, const char *format, ...) {
    gnt_err line; /* cut to fit and without control characters, as sentences are */
    va_list args;
    va_start(args, format);
    gnt_vfail(&line, format, args);
    va_end(args);
    k->sink(k->user, line.text);
}

__attribute__((format(printf, 2, 3))) static void contradict(checking *k, const char *format, ...) {
    gnt_err line;
    va_list args;
    va_start(args, format);
    gnt_vfail(&line, format, args);
    va_end(args);
    gnt_fail_in(&line, "contradiction");
    k->sink(k->user, line.text);
    k->contradictions++;
}

static double norm_of(const float *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

/* ---- what it holds ---- */

static void describe_training(const checking *k) {
    const gnt_capture_training *t = &k->c->settings.training;
    const char *s = t->samples == 1 ? "" : "s";
    if (t->local_steps == 0)
        say(k, "one gradient of %" PRId64 " sample%s", t->samples, s);
    else
        say(k, "%" PRId64 " local step%s of %" PRId64 " on %" PRId64 " sample%s at rate %g", t->local_steps,
            t->local_steps == 1 ? "" : "s", t->batch, t->samples, s, t->rate);
}

static void describe_defense(const checking *k) {
    const gnt_capture_settings *s = &k->c->settings;
    gnt_text ids;
    gnt_text_init(&ids, 1 << 16);
    for (size_t i = 0; i < s->defense.n; i++)
        gnt_text_add(&ids, "%s%s", i ? "+" : "", s->defense.at[i].id);
    say(k, "defense: %s", !s->defense.at ? "not known" : s->defense.n ? gnt_text_get(&ids) : "none");
    gnt_text_free(&ids);
}

static void describe_model(const checking *k) {
    const gnt_capture *c = k->c;
    const int64_t all = gnt_model_size(c->model), shared = gnt_model_shared_size(c->model),
                  statistics = gnt_model_buffer_size(c->model);
    gnt_text rest;
    gnt_text_init(&rest, 1 << 10);
    if (shared < all)
        gnt_text_add(&rest, ", of which clients share %" PRId64, shared);
    if (statistics)
        gnt_text_add(&rest, "; %" PRId64 " running statistics, %s", statistics,
                     c->sent_buffers ? "sent" : "not sent");
    say(k, "%s: %" PRId64 " parameters%s", c->settings.model.name, all, gnt_text_get(&rest));
    gnt_text_free(&rest);
}

static void describe(const checking *k) {
    const gnt_capture *c = k->c;
    describe_model(k);
    describe_training(k);
    describe_defense(k);
    say(k, "norm of the update: %g", norm_of(c->update, gnt_model_shared_size(c->model)));
    if (c->batch.rows)
        say(k, "private batch: %" PRId64 " sample%s", c->batch.rows, c->batch.rows == 1 ? "" : "s");
    else
        say(k, "private batch: withheld");
}

/* ---- what no batch gives ---- */

/* Returns the bias of the model's last layer, if that is dense; NULL if not, or if clients keep it. *at: its
 * place within the update. */
static const gnt_param *last_bias(const gnt_model *m, int64_t *at) {
    const gnt_param *list;
    const uint8_t *shared = gnt_model_shared(m);
    const int32_t n = gnt_model_params(m, &list), last = gnt_model_layers(m) - 1;
    *at = 0;
    if (strcmp(gnt_model_layer_type(m, last), "dense") != 0)
        return NULL;
    for (int32_t i = 0; i < n && !list[i].buffer; i++) {
        const int is_shared = !shared || shared[i];
        if (list[i].layer == last && list[i].shape.rank == 1)
            return is_shared ? &list[i] : NULL;
        *at += is_shared ? gnt_nn_count(&list[i].shape) : 0;
    }
    return NULL;
}

/* Compares the last bias with what the mean cross entropy can give: its gradient is the mean of softmax −
 * label, whose entries add up to 0, and their sizes to 2 at most. A step of plain SGD adds it times the
 * rate. */
static void check_last_bias(checking *k) {
    const gnt_capture *c = k->c;
    const gnt_capture_training *t = &c->settings.training;
    int64_t at;
    const gnt_param *bias = last_bias(c->model, &at);
    if (!bias || !gnt_capture_is_undefended(&c->settings) || gnt_model_is_map(c->model) ||
        gnt_model_loss_of(c->model) != GNT_MODEL_CROSS_ENTROPY ||
        (t->local_steps && (t->optimizer != GNT_CAPTURE_SGD || t->momentum > 0 || t->decay > 0)))
        return;
    const double unit = t->local_steps ? t->rate * (double)t->local_steps : 1;
    const char *of =
        t->local_steps ? "local steps at that rate have" : "a gradient of the mean cross entropy has";
    double sum = 0, size = 0, rounding = 0;
    for (int64_t i = 0; i < gnt_nn_count(&bias->shape); i++) {
        sum += (double)c->update[at + i];
        size += fabs((double)c->update[at + i]);
        rounding += 1e-6 * (fabs((double)c->weights[bias->offset + i]) + unit);
    }
    if (size > 2 * unit * (1 + 1e-3) + rounding)
        contradict(k,
                   "%s: the sizes of its entries add up to %g, and %s %g at most; was the loss summed over "
                   "the batch "
                   "instead of averaged, or the update scaled?",
                   bias->name, size, of, 2 * unit);
    else if (fabs(sum) > 0.01 * size + rounding)
        contradict(
            k,
            "%s: its entries add up to %g, and those of the mean cross entropy to 0; is this the update of "
            "another loss, or of other weights?",
            bias->name, sum);
}

/* ---- what the private batch gives ---- */

/* Returns why the update cannot be computed again; NULL: it can. */
static const char *why_not(const gnt_capture *c) {
    const gnt_capture_training *t = &c->settings.training;
    if (!c->batch.rows)
        return "the private batch is withheld";
    if (!gnt_capture_is_undefended(&c->settings))
        return c->settings.defense.at ? "there is a defense" : "the defense is not known";
    if (t->augmented)
        return "its batches were augmented at random";
    if (t->local_steps && t->optimizer == GNT_CAPTURE_OTHER)
        return "its optimizer is not known";
    if (gnt_model_own_size(c->model))
        return "the client's own parameters are not in it";
    if ((t->local_steps ? t->local_steps * t->batch : t->samples) > MOST_SAMPLES)
        return "its steps use more than a million samples";
    const gnt_nn_shape sample = gnt_model_sample(c->model);
    if ((t->local_steps ? t->batch : t->samples) >
        MOST_VALUES / (gnt_nn_count(&sample) + c->settings.model.classes))
        return "the samples of one step take more than a gibibyte";
    return NULL;
}

/* Two vectors compared; `difference` is a share of the norm of the second. */
typedef struct likeness {
    double difference, cosine, ratio;
} likeness;

static likeness compare(const float *is, const float *should, int64_t n) {
    double apart = 0, dot = 0;
    for (int64_t i = 0; i < n; i++) {
        const double d = (double)is[i] - (double)should[i];
        apart += d * d;
        dot += (double)is[i] * (double)should[i];
    }
    const double a = norm_of(is, n), b = norm_of(should, n);
    return (likeness){.difference = apart > 0 ? sqrt(apart) / b : 0,
                      .cosine = a > 0 && b > 0 ? dot / (a * b) : 0,
                      .ratio = b > 0 ? a / b : INFINITY};
}

static void judge_update(checking *k, const likeness *of) {
    if (of->difference <= most_difference)
        say(k, "computed again from the private batch, the update differs by %.2g of its norm",
            of->difference);
    else if (of->cosine > 0.999)
        contradict(k,
                   "the update has the direction of what the private batch gives, but %.4g times its norm; "
                   "was the loss "
                   "summed over the batch instead of averaged, or is the rate another one?",
                   of->ratio);
    else if (of->cosine < -0.999)
        contradict(
            k, "the update points away from what the private batch gives (%.4g times its norm); expected %s",
            of->ratio,
            k->c->settings.training.local_steps ? "weights after less weights before"
                                                : "the gradient itself");
    else
        contradict(k,
                   "the update differs from what the private batch gives by %.2g of that one's norm (cosine "
                   "%.3f); is "
                   "it of other samples, labels, weights, settings, or another order of samples?",
                   of->difference, of->cosine);
}

static void judge_buffers(checking *k, const float *sent) {
    const likeness of = compare(k->c->sent_buffers, sent, gnt_model_buffer_size(k->c->model));
    if (of.difference <= most_difference)
        say(k, "what was sent of running statistics differs by %.2g of its norm", of.difference);
    else
        contradict(k,
                   "what was sent of running statistics differs from what the private batch gives by %.2g of "
                   "that one's "
                   "norm; expected those after less those before, each step moving them by a tenth",
                   of.difference);
}

static int compute_again(checking *k, gnt_err *err) {
    const gnt_capture *c = k->c;
    const int64_t n = gnt_model_shared_size(c->model), b = gnt_model_buffer_size(c->model);
    float *update = gnt_array((size_t)n, sizeof *update), *sent = gnt_array((size_t)b + 1, sizeof *sent);
    int rc = update && sent ? gnt_capture_recompute(c, update, sent, err)
                            : gnt_fail(err, "out of memory for an update of %" PRId64 " entries", n);
    if (rc == 0) {
        const likeness of = compare(c->update, update, n);
        judge_update(k, &of);
        if (c->sent_buffers)
            judge_buffers(k, sent);
    }
    gnt_free(update);
    gnt_free(sent);
    return rc;
}

int gnt_capture_check(const gnt_capture *c, void (*sink)(void *user, const char *line), void *user,
                      gnt_err *err) {
    checking k = {.c = c, .sink = sink, .user = user};
    const char *why = why_not(c);
    describe(&k);
    if (norm_of(c->update, gnt_model_shared_size(c->model)) == 0)
        say(&k, "the update is zero throughout");
    check_last_bias(&k);
    if (why)
        say(&k, "not computed again: %s", why);
    else if (compute_again(&k, err) != 0)
        return -1;
    return k.contradictions;
}
