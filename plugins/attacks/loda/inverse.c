/* loda-inverse: LODA's own adaptive attack (Eq. 6). c and the number of steps are searched, as in the paper,
 * but on pairs of shadow data; without such, they are the paper's. c is given as a share of the defense's,
 * since its size depends on that of the activations: the paper's {0, 1, 5, 10, 20} were for c = 20. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loda_attack.h"
#include "loda.h"
#include "shared/by_name.h"

enum { MOST_PAIRS = 32, SHARES = 5, STOPS = 4 };

static const double shares[SHARES] = {0, 0.05, 0.25, 0.5, 1};
static const int64_t stops[STOPS] = {50, 100, 200, 400};

typedef struct inverse {
    const gnt_host *host;
    double share_of_c, rate;
    int64_t steps, learn, start, descent, batch;
} inverse;

/* ---- the choice of c and steps ---- */

static gnt_status choose(const inverse *self, const gnt_attack_prepare *in, attack_trial *t, float best[2]) {
    const gnt_host *host = self->host;
    attack_job *j = t->job;
    double least = INFINITY;
    search_start(host, self->start, in->public_data, t->encoded, t->n, j->known.g.pixels, t->start);
    j->search.rate = self->rate;
    j->search.how = self->descent;
    j->search.all = (double)(SHARES * stops[STOPS - 1]);
    for (int a = 0; a < SHARES; a++) {
        j->inversion.c = shares[a] * j->known.c;
        gnt_status s = attack_trial_run(t);
        if (s != GNT_OK)
            return s;
        for (int k = 0; k < STOPS; k++)
            if (t->error[k] < least) {
                least = t->error[k];
                best[0] = (float)shares[a];
                best[1] = (float)stops[k];
            }
    }
    gnt_host_fact(host, "shadow_mse", least / (double)(t->n * j->known.g.pixels));
    return GNT_OK;
}

static gnt_status prepare(void *self_, const gnt_attack_prepare *in, const gnt_sink *out) {
    const inverse *self = self_;
    const gnt_host *host = self->host;
    static const inversion plain = {0};
    float best[2] = {(float)self->share_of_c, (float)self->steps};
    const int64_t two = 2;
    attack_job j = {0};
    attack_trial t;
    known k;
    attack_pair *pair;
    int64_t n = 0;
    gnt_status s = known_open(&k, host, in->setting);
    if (s == GNT_OK)
        s = attack_pairs(host, in, k.g.pixels, self->learn ? MOST_PAIRS : 0, &pair, &n);
    if (s == GNT_OK && n > 0) {
        s = attack_open(&j, host, in->setting, &plain, n);
        if (s == GNT_OK)
            s = attack_trial_open(&t, &j, pair, n, stops, STOPS);
        if (s == GNT_OK)
            s = choose(self, in, &t, best);
        attack_close(&j);
    }
    return s == GNT_OK ? out->tensor(out->context, "choice", 1, &two, best) : s;
}

/* ---- the attack ---- */

typedef struct starting {
    const inverse *self;
    const gnt_observation *seen;
    int64_t pixels;
} starting;

static void start_of(void *context, const float *encoded, int64_t n, float *x) {
    const starting *s = context;
    search_start(s->self->host, s->self->start, s->seen->public_data, encoded, n, s->pixels, x);
}

static gnt_status run(void *self_, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const inverse *self = self_;
    const gnt_host *host = self->host;
    static const inversion plain = {0};
    const float *choice = artefact_of(own, "choice", 2);
    double share = choice ? (double)choice[0] : self->share_of_c;
    attack_job j;
    gnt_status s = attack_open(&j, host, seen, &plain, self->batch);
    if (s == GNT_OK) {
        starting from = {self, seen, j.known.g.pixels};
        j.inversion.c = share * j.known.c;
        j.search.steps = seen->budget > 0 ? seen->budget : choice ? (int64_t)choice[1] : self->steps;
        j.search.rate = self->rate;
        j.search.how = self->descent;
        gnt_host_fact(host, "share_of_c", share);
        gnt_host_fact(host, "steps", (double)j.search.steps);
        s = attack_answer(&j, seen, answer, start_of, &from);
    }
    attack_close(&j);
    return s;
}

static const gnt_parameter parameters[] = {
    GNT_REAL(inverse, share_of_c, 0, 100, 0.05, GNT_SCALE_LINEAR, "",
             "c of the attack as a share of the defense's, where it is not learnt (the paper's 1 of 20)"),
    GNT_INT(inverse, steps, 1, 1000000, 100, "", "of descent, where they are not learnt"),
    GNT_BOOL(inverse, learn, 1,
             "with shadow observations, search share_of_c in {0, 0.05, 0.25, 0.5, 1} and steps in {50, 100, "
             "200, 400} for the least error on their images"),
    GNT_CHOICE(inverse, start, start_names, "public",
               "a random public image, their mean, or noise (and noise where no public data is granted)"),
    GNT_CHOICE(inverse, descent, search_names, "normalised",
               "steps of one length along the gradient, or Adam's"),
    GNT_REAL(inverse, rate, 1e-6, 100, 0.1, GNT_SCALE_LOG, "",
             "Adam's learning rate, or the length of a step (L2 over the image)"),
    GNT_INT(inverse, batch, 1, 4096, 8, "", "encodings worked on at once; changes speed and memory only")};

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};
static const char *const services[] = {GNT_EXTENSION_MODELS, NULL};

static const char *const families[] = {"loda", NULL};

const gnt_descriptor loda_inverse = {
    GNT_ATTACK("loda-inverse", "1.0",
               "searches for the image whose encoding is a stationary point of loda's descent", "MIT",
               "Learning to Obscure Data (LODA), Eq. 6"),
    LODA_ATTACK(inverse), .conditions = GNT_IF_NAMED};
