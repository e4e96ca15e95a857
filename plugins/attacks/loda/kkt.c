/* loda-kkt: what Eq. 6 leaves out. Most pixels of an encoding end on an edge of the box, where the gradient
 * need not be zero but only point out; so the residual counts inside, its wrong sign counts on the edges, at
 * the defense's own c, with a prior on images. Begins at what a linear filter makes of the encoding, learnt
 * from shadow observations as is how far to go from there, or else at the mean of the public images. */
#include <stdlib.h>
#include <string.h>

#include "attack.h"
#include "filter.h"
#include "loda.h"

enum { STEPS, RATE, TV, EDGE, START, HOW, BATCH }; /* rows of the table of parameters */
enum { MOST_PAIRS = 1000, TRIED_PAIRS = 16, START_LEARNT = 3 };

static const double ridge = 1e-3;
static const int64_t stops[] = {0, 50, 100, 200, 400};
enum { STOPS = sizeof stops / sizeof *stops };
static const char *const kkt_start_names[] = {"public", "mean", "noise", "learnt", NULL};

typedef struct kkt {
    const gnt_host *host;
    int64_t steps, batch;
    double rate, tv, edge;
    int start, how;
} kkt;

/* How many steps from the filter's image bring the shadow images nearest: 0 where the defense stopped far
 * from rest, and the residual misleads. */
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
        j.search.how = self->how;
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
    gnt_status s = known_open(&k, host, in->setting);
    if (s == GNT_OK)
        s = attack_pairs(host, in, k.g.pixels, self->start == START_LEARNT ? MOST_PAIRS : 0, &pair, &n);
    if (s != GNT_OK)
        return s;
    const int64_t *dim = k.g.extractor->service->info->dim, size = filter_size(dim), one = 1;
    float *filter = host->scratch(host->context, (size_t)size * sizeof *filter);
    if (!filter)
        return host->fail(host->context, "no memory for a filter");
    int learnt = n > 0 && filter_learn(dim, pair, n, ridge, filter) == 0;
    host->fact(host->context, "pairs", (double)(learnt ? n : 0));
    if (!learnt)
        return out->tensor(out->context, "nothing", 1, &one, filter);
    float steps = 0;
    s = choose_steps(self, in, pair, n, filter, &steps);
    if (s == GNT_OK)
        s = out->tensor(out->context, "steps", 1, &one, &steps);
    return s == GNT_OK ? out->tensor(out->context, "filter", 1, &size, filter) : s;
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
    int how = s->self->start == START_LEARNT ? START_MEAN : s->self->start;
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
        starting from = {self, seen, dim, attack_artefact(own, "filter", filter_size(dim)), j.known.g.pixels};
        const float *steps = attack_artefact(own, "steps", 1);
        j.search.steps = seen->budget > 0 ? seen->budget : steps ? (int64_t)steps[0] : self->steps;
        self->host->fact(self->host->context, "steps", (double)j.search.steps);
        j.search.rate = self->rate;
        j.search.how = self->how;
        s = attack_answer(&j, seen, answer, start_of, &from);
    }
    attack_close(&j);
    return s;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    kkt *self = calloc(1, sizeof *self);
    if (!self) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *self = (kkt){.host = host,
                  .steps = values[STEPS].i,
                  .rate = values[RATE].r,
                  .tv = values[TV].r,
                  .edge = values[EDGE].r,
                  .start = (int)values[START].i,
                  .how = (int)values[HOW].i,
                  .batch = values[BATCH].i};
    return self;
}

static const gnt_parameter parameters[] = {
    [STEPS] = {.id = "steps",
               .type = GNT_TYPE_INT,
               .least = 1,
               .most = 1000000,
               .preset = 400,
               .help = "of descent"},
    [RATE] = {.id = "rate",
              .type = GNT_TYPE_REAL,
              .scale = GNT_SCALE_LOG,
              .least = 1e-6,
              .most = 100,
              .preset = 0.01,
              .help = "Adam's learning rate, or the length of a step (L2 over the image)"},
    [TV] = {.id = "tv",
            .type = GNT_TYPE_REAL,
            .least = 0,
            .most = 1e6,
            .preset = 0.05,
            .help = "weight of the total variation (mean absolute difference of neighbours) beside the "
                    "residual's share"},
    [EDGE] = {.id = "edge",
              .type = GNT_TYPE_REAL,
              .least = 0,
              .most = 0.4,
              .preset = 1e-4,
              .help = "pixels of the encoding this near to 0 or 1 count as held by the box"},
    [START] = {.id = "start",
               .type = GNT_TYPE_CHOICE,
               .preset_text = "learnt",
               .choices = kkt_start_names,
               .help = "learnt: what a filter learnt from shadow observations makes of the encoding, else "
                       "the public mean"},
    [HOW] = {.id = "descent",
             .type = GNT_TYPE_CHOICE,
             .preset_text = "adam",
             .choices = search_names,
             .help = "steps of one length along the gradient, or Adam's"},
    [BATCH] = {.id = "batch",
               .type = GNT_TYPE_INT,
               .least = 1,
               .most = 4096,
               .preset = 8,
               .help = "encodings worked on at once; changes speed and memory only"}};

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};
static const char *const services[] = {GNT_EXTENSION_MODELS, NULL};

static const char *const families[] = {"loda", NULL};

const gnt_descriptor loda_kkt = {
    .size = sizeof loda_kkt,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "loda-kkt",
    .version = "1.0",
    .line = "looks for the image that loda's encoding is optimal for, edges of the box included, with an "
            "image prior",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_ENCODING,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_DEFENSE,
    .uses = GNT_KNOWS_PUBLIC | GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS,
    .data_kinds = GNT_KIND_IMAGE,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .services = services,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
