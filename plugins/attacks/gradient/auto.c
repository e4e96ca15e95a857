/* auto: runs the attacks on updates that apply, and answers with the result that explains the observed
 * update best.
 *
 * 1. linear-layer, where the first layer is dense: exact where the update determines the samples. 2.
 * idlg, of one sample, and 3. invert-gradients, each from the best result so far.
 *
 * All results are compared by one cost, −log p(observed | candidate) under the granted defense
 * (explained.h), which never sees the private samples; a later one has to be clearly better. If a
 * result explains the update to rounding, the later members do not run. Members run with the defaults
 * of their own parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/explained.h"
#include "cost/update_match.h"
#include "first_dense.h"
#include "hook.h"

extern const gnt_descriptor gradient_idlg, gradient_invert_gradients, gradient_linear_layer;

enum { LINEAR, IDLG, INVERT, MEMBERS };
static const gnt_descriptor *const of_member[] = {&gradient_linear_layer, &gradient_idlg,
                                                  &gradient_invert_gradients};
enum { SHARE = 10 };                    /* of the steps that an outer step of L-BFGS counts as */
enum { LABELS_TRIED = 400 };            /* for one candidate */
static const double to_rounding = 1e-9; /* of the observed update's squares */
/* By how much a later result has to be better: of these squares, and of a negative log-likelihood. */
static const double clearly = 1e-3, clearly_likelier = 3;

typedef struct automatic {
    const gnt_host *host;
    int64_t steps; /* parameter */
    void *instance[MEMBERS];
    double list[16]; /* what list parameters of the members point to */
    int64_t n_list;
} automatic;

/* What a member answers; and, of all that have run, the best. */
typedef struct captured {
    gnt_answer answer; /* its context is this struct */
    const gnt_answer *of_host;
    int64_t n, features, given; /* samples of a candidate; of the last answer */
    float *x, *best;
    double least;
    int winner;
    int32_t ended;
    int64_t steps;
} captured;

/* ---- the members' parameters ---- */

/* Reads the default of a list, JSON numbers in brackets, into the instance's memory. */
static gnt_list list_of(automatic *s, const char *json) {
    const int64_t room = (int64_t)(sizeof s->list / sizeof *s->list);
    gnt_list list = {0, s->list + s->n_list};
    for (const char *at = json; at && *at && s->n_list < room;) {
        char *end;
        const double v = strtod(at, &end);
        if (end == at) {
            at++;
            continue;
        }
        s->list[s->n_list++] = v;
        list.n++;
        at = end;
    }
    return list;
}

static int64_t choice_of(const gnt_parameter *p) {
    int64_t i = 0;
    while (p->choices[i] && strcmp(p->choices[i], p->preset_text) != 0)
        i++;
    return i;
}

/* Sets an instance of a member to the defaults of its table, as the host does. */
static gnt_status set_defaults(automatic *s, const gnt_descriptor *d, void *instance) {
    memcpy(instance, &s->host, sizeof s->host); /* its first member */
    for (int32_t i = 0; i < d->n_parameters; i++) {
        const gnt_parameter *p = &d->parameters[i];
        char *member = (char *)instance + p->member - 1;
        const int64_t whole = p->type == GNT_TYPE_CHOICE ? choice_of(p) : (int64_t)p->preset;
        const gnt_list list = p->type == GNT_TYPE_REAL_LIST ? list_of(s, p->preset_text) : (gnt_list){0};
        if (p->type == GNT_TYPE_REAL)
            memcpy(member, &p->preset, sizeof p->preset);
        else if (p->type == GNT_TYPE_REAL_LIST)
            memcpy(member, &list, sizeof list);
        else
            memcpy(member, &whole, sizeof whole);
    }
    return d->start ? d->start(instance) : GNT_OK;
}

static gnt_status start(void *self) {
    automatic *s = self;
    for (int m = 0; m < MEMBERS; m++) {
        const size_t line = 64, size = ((size_t)of_member[m]->instance_size + line - 1) / line * line;
        s->instance[m] = aligned_alloc(line, size);
        TRY(hook_memory(s->host, s->instance[m] != NULL));
        memset(s->instance[m], 0, size);
        TRY(set_defaults(s, of_member[m], s->instance[m]));
    }
    return GNT_OK;
}

static void stop(void *self) {
    automatic *s = self;
    for (int m = 0; m < MEMBERS; m++) {
        if (s->instance[m] && of_member[m]->stop)
            of_member[m]->stop(s->instance[m]);
        free(s->instance[m]);
    }
}

/* ---- what they answer ---- */

static gnt_status take_samples(void *context, int64_t count, const float *x) {
    captured *c = context;
    c->given = count < c->n ? count : c->n;
    for (int64_t k = 0; k < c->n * c->features; k++) /* grey where a member found fewer */
        c->x[k] = k < c->given * c->features ? x[k] : 0.5f;
    return GNT_OK;
}

static gnt_status take_labels(void *context, int64_t n, int32_t classes, const float *scores) {
    (void)context;
    (void)n;
    (void)classes;
    (void)scores;
    return GNT_OK;
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    (void)context;
    (void)restart;
    (void)step;
    (void)cost;
}

static void take_chosen(void *context, int32_t restart, double cost) {
    (void)context;
    (void)restart;
    (void)cost;
}

static void take_ended(void *context, int32_t reason, int64_t steps) {
    captured *c = context;
    c->ended = reason;
    c->steps = steps;
}

/* Judges what the member answered, and keeps it if it is the best. */
static gnt_status judge(captured *c, explained *e, int member) {
    double cost;
    if (c->given == 0)
        return GNT_OK;
    TRY(explained_cost(e, c->x, &cost));
    const double by = e->granted.noise.kind == NOISE_NONE ? fmin(clearly, c->least / 2) : clearly_likelier;
    if (c->winner >= 0 && !(cost + by < c->least))
        return GNT_OK;
    c->least = cost;
    c->winner = member;
    memcpy(c->best, c->x, (size_t)(c->n * c->features) * sizeof *c->best);
    return GNT_OK;
}

/* ---- the run ---- */

static int applies(const automatic *s, const gnt_observation *seen, int member) {
    const gnt_model_info *info = s->host->model->info;
    int32_t first = 0;
    if (member == IDLG)
        return seen->n == 1 && info->output == GNT_OUTPUT_CLASSES && info->loss == GNT_LOSS_CROSS_ENTROPY;
    while (first < info->n_layers && strcmp(info->layer[first].type, "flatten") == 0)
        first++;
    return member == INVERT || is_first_dense(info, first);
}

/* Runs one member. A member that cannot answer is left out, unless the run was stopped. */
static gnt_status run_member(automatic *s, const gnt_observation *seen, const gnt_artefacts *own, captured *c,
                             explained *e, int member) {
    const int64_t steps = seen->budget > 0 ? seen->budget : s->steps;
    gnt_observation from = *seen;
    from.budget = member == IDLG ? (steps + SHARE - 1) / SHARE : steps;
    from.start_x = c->winner >= 0 ? c->best : NULL;
    from.start_y = NULL;
    c->given = 0;
    const gnt_status status = of_member[member]->attack->run(s->instance[member], &from, own, &c->answer);
    if (status == GNT_STOPPED)
        return status;
    return status == GNT_OK ? judge(c, e, member) : GNT_OK;
}

static gnt_status give(const automatic *s, const captured *c, const explained *e,
                       const gnt_observation *seen) {
    static const char *const facts[] = {"by_linear_layer", "by_idlg", "by_invert_gradients"};
    const gnt_answer *answer = c->of_host;
    for (int i = 0; i < MEMBERS; i++)
        gnt_host_fact(s->host, facts[i], i == c->winner);
    gnt_host_fact(s->host, "unexplained", c->least);
    answer->chosen(answer->context, 0, c->least);
    gnt_answer_ended(answer, c->least <= to_rounding ? GNT_ENDED_TOLERANCE : c->ended, c->steps);
    TRY(answer->reconstruction(answer->context, seen->n, c->best));
    return seen->goals & GNT_GOAL_LABEL
               ? answer->labels(answer->context, seen->n, s->host->model->info->classes, e->y)
               : GNT_OK;
}

static gnt_status run_all(automatic *s, const gnt_observation *seen, const gnt_artefacts *own, captured *c,
                          explained *e) {
    const int exact = e->granted.noise.kind == NOISE_NONE;
    double again;
    for (int member = 0; member < MEMBERS; member++)
        if (applies(s, seen, member) && !(exact && c->winner >= 0 && c->least <= to_rounding))
            TRY(run_member(s, seen, own, c, e, member));
    if (c->winner < 0)
        return unsupported(s->host, "none of its members could answer: each alone says why");
    TRY(explained_cost(e, c->best, &again)); /* its labels */
    return give(s, c, e, seen);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    automatic *s = self;
    const gnt_host *host = s->host;
    explained e;
    TRY(hook_needs_batch(host, seen));
    captured c = {
        .of_host = answer, .n = seen->n, .features = hook_features(host->model->info), .winner = -1};
    c.answer = (gnt_answer){.size = sizeof c.answer,
                            .context = &c,
                            .reconstruction = take_samples,
                            .labels = take_labels,
                            .cost = take_cost,
                            .chosen = take_chosen,
                            .ended = take_ended};
    c.x = gnt_host_scratch(host, c.n * c.features, sizeof *c.x);
    c.best = gnt_host_scratch(host, c.n * c.features, sizeof *c.best);
    TRY(hook_memory(host, c.x && c.best));
    gnt_status status = explained_open(&e, host, seen, LABELS_TRIED);
    if (status == GNT_OK)
        status = run_all(s, seen, own, &c, &e);
    explained_close(&e);
    return status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    return of_member[INVERT]->attack->prepare(((automatic *)self)->instance[INVERT], in, out);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(automatic, steps, 1, 10000000, 1000, "steps",
            "steps of each search where the suite gives no budget; an outer step of L-BFGS counts as ten"),
};

/* Plugins: those that all of its members read the parameters of. */
const gnt_descriptor gradient_auto = {
    GNT_ATTACK("auto", "1.3", "runs what applies, and answers with what explains the update best", "MIT", ""),
    GRADIENT_COMMON(automatic, match_families),
    .scope = GNT_SCOPE_STAGE,
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA |
            GNT_KNOWS_BN_STATS | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE,
    .conditions = GNT_IF_CLASSES,
    .start = start,
    .stop = stop};
