/* loda-kkt: extends Eq. 6. Most pixels of an encoding end on an edge of the box, where the gradient need not
 * be zero but only point out; so the cost has the residual inside, and on the edges only its wrong sign, at
 * the defense's own c, with a prior on images. It starts at the output of a linear filter, learnt from shadow
 * observations as is the number of steps, or else at the mean of the public images. */
#include <stdlib.h>
#include <string.h>

#include "loda_attack.h"
#include "filter.h"
#include "loda.h"
#include "shared/by_name.h"
#include "shared/try.h"

enum { MOST_PAIRS = 1000, TRIED_PAIRS = 16, START_LEARNT = 3 };

static const double ridge = 1e-3;
static const int64_t stops[] = {0, 50, 100, 200, 400};
enum { STOPS = sizeof stops / sizeof *stops };
static const char *const kkt_start_names[] = {"public", "mean", "noise", "learnt", NULL};

typedef struct kkt {
    const gnt_host *host;
    double rate, tv, edge;
    int64_t steps, start, descent, batch;
} kkt;

/* Chooses the number of steps from the filter's image with the least error on shadow images: 0 if the defense
 * stopped far from a stationary point, and the residual misleads. */
static gnt_status choose_steps(const kkt *self, const gnt_attack_prepare *in, const attack_pair *pair,
                               int64_t n, const float *filter, float *best) {
    const inversion like = {.kkt = 1, .tv = self->tv, .edge = self->edge};
    attack_job j;
    attack_trial t;
    n = n < TRIED_PAIRS ? n : TRIED_PAIRS;
    gnt_status s = attack_open(&j, self->host, in->setting, &like, n);
    if (s == GNT_OK)
        s = attack_trial_open(&t, &j, pair, n, stops, STOPS);
    if (s == GNT_OK) {
        const int64_t pixels = j.known.g.pixels;
        for (int64_t i = 0; i < n; i++)
            filter_apply(j.inversion.dim, filter, pair[i].encoded, t.start + i * pixels);
        j.search.rate = self->rate;
        j.search.how = self->descent;
        j.search.all = (double)stops[STOPS - 1];
        s = attack_trial_run(&t);
    }
    int least = 0;
    for (int k = 1; s == GNT_OK && k < STOPS; k++)
        least = t.error[k] < t.error[least] ? k : least;
    *best = (float)stops[least];
    attack_close(&j);
    return s;
}

static gnt_status prepare(void *self_, const gnt_attack_prepare *in, const gnt_sink *out) {
    const kkt *self = self_;
    const gnt_host *host = self->host;
    known k;
    attack_pair *pair;
    int64_t n = 0;
    TRY(known_open(&k, host, in->setting));
    TRY(attack_pairs(host, in, k.g.pixels, self->start == START_LEARNT ? MOST_PAIRS : 0, &pair, &n));
    const int64_t *dim = k.g.extractor->service->info->dim, size = filter_size(dim), one = 1;
    float *filter = gnt_host_scratch(host, size, sizeof *filter);
    TRY(have_memory(host, filter != NULL, "no memory for a filter"));
    int learnt = n > 0 && filter_learn(dim, pair, n, ridge, filter) == 0;
    gnt_host_fact(host, "pairs", (double)(learnt ? n : 0));
    if (!learnt)
        return out->tensor(out->context, "nothing", 1, &one, filter);
    float steps = 0;
    TRY(choose_steps(self, in, pair, n, filter, &steps));
    TRY(out->tensor(out->context, "steps", 1, &one, &steps));
    return out->tensor(out->context, "filter", 1, &size, filter);
}

typedef struct starting {
    const kkt *self;
    const gnt_observation *seen;
    const int64_t *dim;
    const float *filter;
    int64_t pixels;
} starting;

static void start_of(void *context, const float *encoded, int64_t n, float *x) {
    const starting *s = context;
    const int64_t how = s->self->start == START_LEARNT ? START_MEAN : s->self->start;
    if (!s->filter) {
        search_start(s->self->host, how, s->seen->public_data, encoded, n, s->pixels, x);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        filter_apply(s->dim, s->filter, encoded + i * s->pixels, x + i * s->pixels);
    search_keep_off(s->self->host, encoded, n, s->pixels, x);
}

static gnt_status run(void *self_, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const kkt *self = self_;
    const inversion like = {.kkt = 1, .tv = self->tv, .edge = self->edge};
    attack_job j;
    gnt_status s = attack_open(&j, self->host, seen, &like, self->batch);
    if (s == GNT_OK) {
        const int64_t *dim = j.inversion.dim;
        starting from = {self, seen, dim, artefact_of(own, "filter", filter_size(dim)), j.known.g.pixels};
        const float *steps = artefact_of(own, "steps", 1);
        j.search.steps = seen->budget > 0 ? seen->budget : steps ? (int64_t)steps[0] : self->steps;
        gnt_host_fact(self->host, "steps", (double)j.search.steps);
        j.search.rate = self->rate;
        j.search.how = self->descent;
        s = attack_answer(&j, seen, answer, start_of, &from);
    }
    attack_close(&j);
    return s;
}

static const gnt_parameter parameters[] = {
    GNT_INT(kkt, steps, 1, 1000000, 400, "", "of descent"),
    GNT_REAL(kkt, rate, 1e-6, 100, 0.01, GNT_SCALE_LOG, "",
             "Adam's learning rate, or the length of a step (L2 over the image)"),
    GNT_REAL(kkt, tv, 0, 1e6, 0.05, GNT_SCALE_LINEAR, "",
             "weight of the total variation (mean absolute difference of neighbours), against the normalised "
             "residual"),
    GNT_REAL(kkt, edge, 0, 0.4, 1e-4, GNT_SCALE_LINEAR, "",
             "pixels of the encoding this near to 0 or 1 count as on the edge of the box"),
    GNT_CHOICE(kkt, start, kkt_start_names, "learnt",
               "learnt: the output of a filter learnt from shadow observations, else the public mean"),
    GNT_CHOICE(kkt, descent, search_names, "adam", "steps of one length along the gradient, or Adam's"),
    GNT_INT(kkt, batch, 1, 4096, 8, "", "encodings worked on at once; changes speed and memory only")};

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};
static const char *const services[] = {GNT_EXTENSION_MODELS, NULL};

static const char *const families[] = {"loda", NULL};

const gnt_descriptor loda_kkt = {
    GNT_ATTACK("loda-kkt", "1.0",
               "searches for the image for which loda's encoding is optimal, including the edges of the box, "
               "with an image prior",
               "MIT", ""),
    LODA_ATTACK(kkt), .conditions = GNT_IF_NAMED};
