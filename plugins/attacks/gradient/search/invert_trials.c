/* The choice of a prior by trial: updates of public images are computed with the broadcast weights, noise of
 * the granted law is added, and each setting searches for the images behind them. */
#include <math.h>
#include <string.h>

#include "defense/granted_defense.h"
#include "search/invert.h"
#include "label/label_scores.h"
#include "update.h"
#include "hook.h"

enum { LEAST_STEPS = 20, MOST_STEPS = 150 };

/* Each is tried on the same observations. Of two that come out alike the earlier one is taken. */
static const prior_setting settings[] = {{PRIOR_TV, 0.1},
                                         {PRIOR_TV, 1},
                                         {PRIOR_TV, 0.01},
                                         {PRIOR_GAUSSIAN, 1},
                                         {PRIOR_GAUSSIAN, 0.3},
                                         {PRIOR_GAUSSIAN, 0.03},
                                         {PRIOR_CLASS_GAUSSIAN, 1},
                                         {PRIOR_CLASS_GAUSSIAN, 0.3},
                                         {PRIOR_CLASS_GAUSSIAN, 0.01}};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Makes the update of the batch x, y that would be released: clipped, with noise. Scratch of the hook. */
static gnt_status simulate(const gnt_host *host, const gnt_observation *setting, const noise_law *law,
                           const float *x, const float *y, gnt_views *out) {
    const gnt_model_service *m = host->model;
    const gnt_views *u;
    float *rates = gnt_host_scratch(host, (size_t)setting->steps + 1, sizeof *rates);
    gnt_function_spec spec = {.kind = GNT_FN_UPDATE};
    const gnt_function_args args = hook_args(setting, x, y, rates);
    TRY(hook_memory(host, rates != NULL));
    spec_unroll(&spec, setting);
    for (int32_t i = 0; i < setting->steps; i++)
        rates[i] = (float)setting->rate;
    gnt_function *f = m->prepare(m->context, &spec);
    TRY(hook_eval(host, f, &args, &u));
    const int64_t total = entries_of(u);
    gnt_view *view = gnt_host_scratch(host, u->n, sizeof *view);
    float **entry = gnt_host_scratch(host, u->n, sizeof *entry);
    float *room = gnt_host_scratch(host, 2 * total, sizeof *room);
    TRY(hook_memory(host, view && entry && room));
    for (int64_t t = 0, at = 0; t < u->n; at += u->view[t++].count) {
        view[t] = u->view[t];
        view[t].data = entry[t] = room + at;
    }
    (law->kind == NOISE_LAPLACE ? host->laplace : host->normal)(host->context, "trial noise", total,
                                                                room + total);
    noise_apply(law, u, room + total, entry);
    *out = (gnt_views){u->n, view};
    m->release(m->context, f);
    return GNT_OK;
}

static double distance(const float *a, const float *b, int64_t n) {
    double squares = 0;
    for (int64_t k = 0; k < n; k++)
        squares += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return squares;
}

/* Returns the answer nearest to a truth; the best order of the whole batch would cost n!. */
static const float *nearest(const search *s, const float *truth, double *least) {
    const float *best = s->winner;
    *least = INFINITY;
    for (int64_t j = 0; j < s->n; j++) {
        double d = distance(s->winner + j * s->features, truth, s->features);
        best = d < *least ? s->winner + j * s->features : best;
        *least = fmin(*least, d);
    }
    return best;
}

/* Returns the error of a reconstructed batch, less is better: log10 of the mean squared error, or of the
 * rank of the ground truth among the public images by distance to the answer, with a little of the former
 * to break ties. */
static double badness(const search *s, const public_images *images, const float *truth, int64_t aim) {
    double error = 0, rank = 0, one;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t nearer = 0;
        const float *answer = nearest(s, truth + i * s->features, &one);
        error += one / (double)(s->n * s->features);
        for (int64_t k = 0; aim == AIM_IDENTITY && k < images->n; k++)
            nearer += distance(answer, images->x + k * s->features, s->features) < one;
        rank += log10((double)nearer + 1) / (double)s->n;
    }
    error = log10(error + 1e-10);
    return aim == AIM_IDENTITY ? rank + 0.1 * error : error;
}

typedef struct trials {
    invert *self;
    const gnt_observation *setting;
    granted_defense granted;
    public_images images;
    int64_t steps, done;
    /* of each setting: mean badness over the trials */
    double score[SETTINGS];
} trials;

static gnt_status try_all(trials *t, int64_t trial) {
    const gnt_host *host = t->self->host;
    const gnt_observation *setting = t->setting;
    int64_t row = t->images.n + trial * setting->n, classes = t->images.classes;
    const float *x = t->images.x + row * t->images.features, *truth = t->images.y + row * classes;
    float *y = gnt_host_scratch(host, setting->n * classes, sizeof *y);
    search s = {.answer = NULL};
    gnt_views update;
    TRY(hook_memory(host, y != NULL));
    TRY(simulate(host, setting, &t->granted.noise, x, truth, &update));
    gnt_observation seen = *setting;
    seen.update = &update;
    seen.labels = seen.granted & GNT_KNOWS_LABELS ? truth : NULL; /* as the attack would have them */
    TRY(search_open(&s, t->self, &seen, y, DATA_LIKELIHOOD, &t->granted));
    TRY(label_targets(host, &seen, &s.term[0].apart, search_steps(t->self, &seen), y));
    for (int k = 0; k < SETTINGS; k++) {
        TRY(search_use(&s, &settings[k], &t->images));
        s.done = t->done;
        s.total = (int64_t)INVERT_TRIALS * SETTINGS * t->steps;
        TRY(search_run(&s, 1, t->steps, 0));
        t->done = s.done;
        t->score[k] += badness(&s, &t->images, x, t->self->aim) / INVERT_TRIALS;
    }
    return GNT_OK;
}

/* True if observations can be simulated and the setting is left to the attack. */
static int worth_trying(const invert *self, const gnt_observation *setting, const public_images *images,
                        const noise_law *law) {
    int64_t cost = self->cost, kind = self->prior;
    return law->kind != NOISE_NONE && (cost == DATA_AUTO || cost == DATA_LIKELIHOOD) && kind == PRIOR_AUTO &&
           images->n > 0 && images->y && setting->surface == GNT_SURFACE_UPDATE && setting->n >= 1 &&
           setting->weights;
}

gnt_status invert_prepare(void *context, const gnt_attack_prepare *in, const gnt_sink *out) {
    invert *self = context;
    const gnt_host *host = self->host;
    const gnt_observation *setting = in->setting;
    trials t = {.self = self, .setting = setting};
    static const int64_t two = 2;
    int best = 0;
    if (!host->model || !setting || setting->n < 1)
        return GNT_OK;
    t.granted = granted_defense_of(setting);
    TRY(public_images_open(&t.images, host, in->public_data, INVERT_TRIALS * setting->n));
    if (!worth_trying(self, setting, &t.images, &t.granted.noise))
        return GNT_OK;
    const int64_t steps = search_steps(self, setting);
    t.steps = steps / 3 < LEAST_STEPS ? LEAST_STEPS : steps / 3 > MOST_STEPS ? MOST_STEPS : steps / 3;
    for (int64_t trial = 0; trial < INVERT_TRIALS; trial++)
        TRY(try_all(&t, trial));
    for (int k = 1; k < SETTINGS; k++)
        best = t.score[k] < t.score[best] ? k : best;
    float found[2] = {(float)settings[best].kind, (float)settings[best].weight};
    return out->tensor(out->context, "prior", 1, &two, found);
}

int invert_setting_read(const gnt_artefacts *own, prior_setting *setting) {
    for (int64_t t = 0; own && t < own->tensors.n; t++) {
        const gnt_view *v = &own->tensors.view[t];
        if (strcmp(v->name, "prior") != 0 || v->count != 2 || !(v->data[1] >= 0))
            continue;
        *setting = (prior_setting){(int)v->data[0], (double)v->data[1]};
        return setting->kind >= PRIOR_TV && setting->kind <= PRIOR_CLASS_GAUSSIAN;
    }
    return 0;
}
