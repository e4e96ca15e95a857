/* fedre: noise on each layer of an update, more on layers whose gradients depend more on the sensitive region
 * of the samples. fedre-sample: in each local step, where each sample's gradient is clipped (per_sample.h).
 * uniform: fedre with the same noise on all layers.
 *
 *   S_l = psi.h;  ε_l = ε·(1/S_l)/Σ(1/S_t);  clip and noise: mechanism.h
 *
 * ε is the client's: `preferences` are factors of `epsilon`, dealt to the clients in turn.
 *
 * A larger score gives a smaller ε_l, thus more noise, as Eq. 6 prints it; the paper's text calls that "more
 * budget", which means protection.
 *
 * Scores are the client's own, of its private samples at the weights of the first round in which it takes
 * part, and are kept for all others; or, with `measured` each_round, at the weights of each round in which it
 * takes part, as Algorithm 1 has it; or, with `scores` public, those of public samples at the first weights,
 * the same for all. No ε accounts for what own scores reveal through the size of the noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/region/seeded_draws.h"
#include "mechanism.h"
#include "per_sample.h"
#include "shared/region/psi.h"
#include "region.h"
#include "shared/try.h"

enum { SCORES_OWN, SCORES_PUBLIC };
enum { MEASURED_ONCE, MEASURED_EACH_ROUND };

typedef struct fedre {
    const gnt_host *host;
    mechanism mechanism;
    int evenly; /* uniform */
    int64_t scores, measured, samples, probes;
    gnt_list preferences; /* factors of ε, of client k the entry k modulo their number; none: 1 */
    int32_t client;       /* whose scores are kept */
    float *kept;          /* n_kept; NULL: nobody's */
    int64_t n_kept;
} fedre;

static void forget(fedre *self) {
    free(self->kept);
    self->kept = NULL;
    self->n_kept = 0;
}

/* Keeps n scores, as floats, which is what a saved state and artefacts hold: those of the first round are the
 * same as those of later ones. */
static gnt_status keep(fedre *self, int32_t client, const float *score, int64_t n) {
    const gnt_host *host = self->host;
    forget(self);
    self->kept = malloc((size_t)(n > 0 ? n : 1) * sizeof *self->kept);
    TRY(have_memory(host, self->kept != NULL, "out of memory for the scores of layers"));
    memcpy(self->kept, score, (size_t)n * sizeof *score);
    self->n_kept = n;
    self->client = client;
    return GNT_OK;
}

/* Computes the scores of up to `samples` of these samples; *score is scratch. */
static gnt_status measure(const fedre *self, const layers *l, const gnt_samples *s, const float *weights,
                          const float *buffers, float **score) {
    const gnt_host *host = self->host;
    psi_request in = {.samples = s, .weights = weights, .buffers = buffers, .probes = self->probes};
    int64_t *row;
    TRY(psi_choose(host, s, self->samples, "samples", &row, &in.n));
    in.row = row;
    in.seed = draw_seed(host, "probes");
    double *exact = gnt_host_scratch(host, l->n, sizeof *exact);
    *score = gnt_host_scratch(host, l->n, sizeof **score);
    TRY(have_memory(host, exact && *score, "no memory for the scores of layers"));
    if (in.n == 0)
        gnt_host_log(host, GNT_LOG_WARN, "no sample has a sensitive region: the budget is split evenly");
    gnt_status status = psi_scores(host, l, &in, exact);
    for (int32_t i = 0; status == GNT_OK && i < l->n; i++) {
        (*score)[i] = (float)exact[i];
        if (!isfinite((*score)[i]))
            status = gnt_host_fail(
                host, "the gradient's derivative by the samples holds NaN or infinite entries, so "
                      "that layers cannot be scored; a training that diverges does that");
    }
    return status;
}

static gnt_status prepare(void *context, const gnt_defense_prepare *in, const gnt_sink *out) {
    const fedre *self = context;
    const gnt_host *host = self->host;
    layers l;
    float *score;
    if (self->scores != SCORES_PUBLIC)
        return GNT_OK;
    gnt_status status = psi_fits(host, in->public_data, "scores \"public\": public");
    if (status == GNT_OK)
        status = layers_of_model(host, &l);
    if (status == GNT_OK)
        status = measure(self, &l, in->public_data, in->weights, in->buffers, &score);
    const int64_t n = status == GNT_OK ? l.n : 0;
    return status == GNT_OK ? out->tensor(out->context, "psi", 1, &n, score) : status;
}

/* ---- the client ---- */

static gnt_status read_public(fedre *self, const gnt_client *client) {
    const gnt_host *host = self->host;
    const gnt_artefacts *from = client->artefacts;
    for (int64_t i = 0; from && i < from->tensors.n; i++)
        if (strcmp(from->tensors.view[i].name, "psi") == 0)
            return keep(self, client->index, from->tensors.view[i].data, from->tensors.view[i].count);
    return gnt_host_fail(host, "the scores that `prepare` measured on public samples are not there");
}

static gnt_status measure_own(fedre *self, const gnt_client *client, const layers *l) {
    float *score;
    TRY(psi_fits(self->host, client->samples, "scores \"own\": the client's"));
    TRY(measure(self, l, client->samples, client->weights, client->buffers, &score));
    return keep(self, client->index, score, l->n);
}

/* Checks that the layers of the update are those that were scored. */
static gnt_status same_layers(const gnt_host *host, const layers *update) {
    layers model;
    TRY(layers_of_model(host, &model));
    int same = model.tensors == update->tensors;
    for (int64_t k = 0; same && k < model.tensors; k++)
        same = model.of[k] == update->of[k];
    return same ? GNT_OK : gnt_host_fail(host, "the update has other layers than the model");
}

/* Returns the client's own ε. */
static double epsilon_of(const fedre *self, const gnt_client *client) {
    const gnt_list *p = &self->preferences;
    return self->mechanism.epsilon * (p->n > 0 && client->index >= 0 ? p->at[client->index % p->n] : 1);
}

static gnt_status split(fedre *self, const gnt_client *client, const layers *l, double *epsilon) {
    const gnt_host *host = self->host;
    TRY(same_layers(host, l));
    const int again = self->measured == MEASURED_EACH_ROUND && self->scores == SCORES_OWN;
    if (self->kept && (self->client != client->index || again))
        forget(self);
    if (!self->kept)
        TRY(self->scores == SCORES_PUBLIC ? read_public(self, client) : measure_own(self, client, l));
    if (self->n_kept != l->n)
        return gnt_host_fail(host, "the scores that were kept are of another model");
    double *score = gnt_host_scratch(host, l->n, sizeof *score);
    TRY(have_memory(host, score != NULL, "no memory for the scores of layers"));
    for (int32_t i = 0; i < l->n; i++)
        score[i] = (double)self->kept[i];
    mechanism_split(epsilon_of(self, client), score, l->n, epsilon);
    return GNT_OK;
}

/* Sets the budget of each layer of the update; *epsilon is scratch. */
static gnt_status budgets(fedre *self, const gnt_client *client, const gnt_tensors *update, layers *l,
                          double **epsilon) {
    const gnt_host *host = self->host;
    TRY(layers_of_update(host, update, l));
    *epsilon = gnt_host_scratch(host, l->n > 0 ? l->n : 1, sizeof **epsilon);
    TRY(have_memory(host, *epsilon != NULL, "no memory for the budgets of layers"));
    if (!self->evenly)
        return split(self, client, l, *epsilon);
    mechanism_split_evenly(epsilon_of(self, client), l->n, *epsilon);
    return GNT_OK;
}

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    fedre *self = context;
    layers l;
    double *epsilon;
    TRY(budgets(self, client, update, &l, &epsilon));
    return mechanism_apply(self->host, &self->mechanism, client, &l, epsilon, update);
}

static gnt_status client_update(void *context, const gnt_client *client, gnt_tensors *update) {
    fedre *self = context;
    layers l;
    double *epsilon;
    TRY(budgets(self, client, update, &l, &epsilon));
    return per_sample_update(self->host, &self->mechanism, client, &l, epsilon, update);
}

static gnt_status save(void *context, int32_t client, const gnt_sink *out) {
    const fedre *self = context;
    if (!self->kept || client != self->client || self->scores != SCORES_OWN ||
        self->measured == MEASURED_EACH_ROUND)
        return GNT_OK;
    return out->tensor(out->context, "psi", 1, &self->n_kept, self->kept);
}

static gnt_status load(void *context, int32_t client, const gnt_artefacts *state) {
    fedre *self = context;
    forget(self);
    if (client < 0 || state->tensors.n == 0)
        return GNT_OK;
    return keep(self, client, state->tensors.view[0].data, state->tensors.view[0].count);
}

/* ---- instances ---- */

static gnt_status start_uniform(void *context) {
    ((fedre *)context)->evenly = 1;
    return GNT_OK;
}

static void stop(void *context) {
    forget(context);
}

static const gnt_defense fedre_hooks = {.size = sizeof fedre_hooks,
                                        .prepare = prepare,
                                        .transform_update = transform_update,
                                        .save = save,
                                        .load = load};
static const gnt_defense sample_hooks = {.size = sizeof sample_hooks,
                                         .prepare = prepare,
                                         .client_update = client_update,
                                         .save = save,
                                         .load = load};
static const gnt_defense uniform_hooks = {.size = sizeof uniform_hooks, .transform_update = transform_update};

static const char *const sources[] = {"own", "public", NULL};
static const char *const times[] = {"once", "each_round", NULL};

#define PREFERENCES_ROW                                                                                      \
    GNT_REAL_LIST(fedre, preferences, 1e-6, 1e6, "[]", "",                                                   \
                  "factors of epsilon, which each client sets for itself: they are dealt to the clients in " \
                  "turn, again from the first after the last; none: epsilon for all")
#define COMMON_ROWS                                                                                          \
    EPSILON_ROW(fedre), CLIP_ROW(fedre, 0.2, "C: greatest L2 norm of each layer of the update"),             \
        DELTA_ROW(fedre), SENSITIVITY_ROW(fedre), CLIPS_ROW(fedre)
#define SCORE_ROWS                                                                                           \
    GNT_CHOICE(                                                                                              \
        fedre, scores, sources, "own",                                                                       \
        "own: each client scores the layers on samples of its own, private data that no epsilon accounts "   \
        "for; public: on public samples, once for all"),                                                     \
        GNT_CHOICE(fedre, measured, times, "once",                                                           \
                   "when a client scores the layers on its own samples; once: in the first round in which "  \
                   "it takes part; each_round: in every one, at the weights of that round"),                 \
        SAMPLES_ROW(fedre, "of these"), PROBES_ROW(fedre)

static const gnt_parameter fedre_parameters[] = {COMMON_ROWS, SCORE_ROWS, PREFERENCES_ROW};
static const gnt_parameter sample_parameters[] = {
    EPSILON_ROW(fedre),
    CLIP_ROW(fedre, 0.2, "C: greatest L2 norm of each layer of a sample's gradient"),
    DELTA_ROW(fedre),
    GNT_CHOICE_ID("sensitivity", fedre, mechanism.sensitivity, mechanism_sensitivities, "sample",
                  "what the noise on the mean of a batch is in proportion to; clip: C, for a whole client; "
                  "sample: 2C over the batch, for one sample"),
    CLIPS_ROW(fedre),
    SCORE_ROWS,
    PREFERENCES_ROW,
};
static const gnt_parameter uniform_parameters[] = {COMMON_ROWS, PREFERENCES_ROW};

static const char *const families[] = {GNT_FAMILY_NOISE, GNT_FAMILY_CLIPPING, NULL};

#define COMMON                                                                                               \
    .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY, .families = families,                        \
    .instance_size = GNT_INSTANCE(fedre), .stop = stop

const gnt_descriptor fedre_descriptor = {
    GNT_DEFENSE("fedre", "1.3",
                "adds noise to each layer of an update, the more it tells of the sensitive region", "MIT",
                FEDRE_PAPER),
    GNT_PARAMETERS(fedre_parameters),
    COMMON,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_PREPARES_ONCE,
    .scope = GNT_SCOPE_TASK,
    .defense = &fedre_hooks,
};

const gnt_descriptor fedre_sample_descriptor = {
    GNT_DEFENSE("fedre-sample", "1.1",
                "clips each layer of a sample's gradient, and adds the noise of fedre in each local step",
                "MIT", FEDRE_PAPER),
    GNT_PARAMETERS(sample_parameters),
    COMMON,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_PREPARES_ONCE,
    .scope = GNT_SCOPE_TASK,
    .defense = &sample_hooks,
};

const gnt_descriptor uniform_descriptor = {
    GNT_DEFENSE("uniform", "1.3",
                "adds noise to each layer of an update, with an even share of the budget for each", "MIT",
                "as a baseline: " FEDRE_PAPER),
    GNT_PARAMETERS(uniform_parameters),
    COMMON,
    .flags = GNT_FLAG_RANDOMISED,
    .defense = &uniform_hooks,
    .start = start_uniform,
};
