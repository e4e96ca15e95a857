#include "run/needs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "match/match.h"
#include "nn/model/train.h"
#include "nn/plan/program.h"
#include "request/side.h"
#include "run/hook_work.h"
#include "run/run_impl.h"

/* Measured on one core with AVX2 or AVX-512, by fitting host.json of the suites of docs/suites.md. Rates are
 * those that training reaches, not the processor's. */
static const double flop_rate = 80e9, byte_rate = 30e9, second_per_step = 1.5e-5;
/* What one evaluation of a search takes: gradients of each of its samples, and steps. */
static const double gradients_per_evaluation = 5, steps_per_evaluation = 5;
/* What a prior of public samples takes to learn. */
static const double second_per_public_entry = 2e-6;
/* What an answer about one target takes that no search finds. */
static const double second_per_answer = 3e-4;
/* What a process takes to start and end, and what it has in memory before its work. */
static const double second_per_process = 0.02, bytes_per_process = 16e6;
/* What the machine code for one layer of a network takes in a process that computes with it. */
static const double bytes_per_layer = 4e5;
/* Seconds of a client whose hooks run in a process of their own: for each round, and for each entry of its
 * update. */
static const double second_per_client = 2e-4, second_per_entry = 1.6e-8;
/* What an entry of the store takes in addition to its outputs: two small files, a folder. */
static const double bytes_per_entry = 16e3;

/* Facts of a task's model. */
typedef struct facts {
    double gradient; /* seconds of one sample's */
    double size;     /* bytes of the weights and buffers */
    double sample;   /* bytes of a stored sample */
    double work;     /* bytes of memory for the gradient of one sample */
    double layers;
} facts;

typedef struct cost {
    double seconds, kept, released, memory;
} cost;

typedef struct estimating {
    run all;
    facts *of; /* n_tasks, then those of the suite's models */
    gnt_needs *out;
    double released_most;
} estimating;

static int find_facts(facts *f, const gnt_suite_task *t, gnt_err *err) {
    enum { SAMPLES = 4 }; /* a batch whose costs are like those of a batch in training */
    gnt_model *m = NULL;
    gnt_trainer *trainer = NULL;
    int rc = gnt_suite_open_model(t, &m, err);
    if (rc == 0)
        rc = gnt_trainer_new(&trainer, m, SAMPLES, 1, err);
    if (rc == 0) {
        f->size = 4.0 * (double)(gnt_model_size(m) + gnt_model_buffer_size(m));
        f->gradient = gnt_program_floor(gnt_trainer_program(trainer), flop_rate, byte_rate) / SAMPLES;
        f->work = (double)gnt_program_measure(gnt_trainer_program(trainer)).arena / SAMPLES;
        f->layers = gnt_model_layers(m);
        f->sample = (double)t->facts.features * (t->facts.kind == GNT_DATA_IMAGE ? 1 : 4) + 16;
    }
    gnt_trainer_free(trainer);
    gnt_model_free(m);
    return rc;
}

/* ---- one job ---- */

static size_t task_of(const gnt_suite *s, const run_job *j) {
    const char *at = strchr(j->name, ' ');
    const char *last = strrchr(j->name, ' ');
    at = at && strncmp(j->name, "shadow of", 9) == 0 ? last : at;
    for (size_t t = 0; at && t < s->n_tasks; t++) {
        const size_t n = strlen(s->task[t].id);
        if (strstr(at, s->task[t].id) == at + 1 && at[1 + n] == '/')
            return t;
    }
    return 0;
}

/* Returns the rows that the data job writes. */
static double rows_of(const gnt_suite_task *t) {
    double rows = (double)t->prior_rows;
    for (int i = 0; i < GNT_ROLES; i++)
        rows += (double)t->role_rows[i];
    return rows;
}

static double update_of(const gnt_suite_task *t) {
    return 4.0 * (double)t->update_size;
}

/* Bytes of one observation of these. */
static double seen_of(const gnt_suite_task *t, const facts *f, uint32_t surface, int64_t n, int64_t batch,
                      int64_t epochs) {
    const double rows = (double)(n * (batch ? batch : 1));
    switch (surface) {
    case GNT_SURFACE_UPDATE:
        return (double)n * update_of(t) + 2 * f->size + rows * f->sample;
    case GNT_SURFACE_ENCODING:
        return rows * (double)(epochs ? epochs : 1) * 4 * (double)t->facts.features + 2 * f->size;
    default:
        return rows * 512 + 2 * f->size;
    }
}

static hook_work work_of(const gnt_suite_task *t, const facts *f) {
    return (hook_work){.gradient = f->gradient,
                       .layers = f->layers,
                       .features = (double)t->facts.features,
                       .update = (double)t->update_size,
                       .image = t->facts.kind == GNT_DATA_IMAGE};
}

static cost cost_of_train(const gnt_suite_task *t, const facts *f, const gnt_request_train *q,
                          size_t processes) {
    const gnt_request_federated *g = &q->federated;
    const double clients = fmax(1, ceil(g->participation * (double)g->clients)),
                 turns = (double)g->rounds * (g->all_train ? (double)g->clients : clients),
                 rows = (double)t->role_rows[GNT_ROLE_CLIENTS] / fmax(1, (double)g->clients),
                 batch = fmin((double)g->batch, rows), steps = fmax(1, (double)g->local_steps),
                 update = update_of(t), test = (double)t->role_rows[GNT_ROLE_TEST],
                 looks = 1 + (double)q->stages.n +
                         (q->measure_every ? (double)(g->rounds / q->measure_every) : 0);
    cost c = {.seconds = turns * steps * (batch * f->gradient + second_per_step) + turns * update / byte_rate,
              .kept = ((double)q->stages.n + 1) * f->size};
    if (g->rounds)
        c.seconds += looks * test * f->gradient / 3;
    if (processes > 1)
        c.seconds += turns * (second_per_client + second_per_entry * update / 4) *
                     (1 + (q->copies ? 1 : 0) + (double)(processes > 3 ? processes - 3 : 0) / 4);
    const hook_work work = work_of(t, f);
    for (size_t i = 0; i < q->defense.n; i++)
        c.seconds +=
            run_cost_of_training(&q->defense.at[i], &work, g, turns, (double)t->role_rows[GNT_ROLE_CLIENTS]);
    if (q->head)
        c.seconds += (double)q->head->epochs * (double)t->role_rows[GNT_ROLE_CLIENTS] * f->gradient;
    if (q->record)
        c.kept += (double)q->record->targets * (double)q->record->stages.n *
                  (update * (q->record->influence ? 2 : 1) + (double)t->facts.features * 4 * batch);
    /* the server adds up updates a few at a time, unless a hook may need all of them */
    const double updates = processes > 1 ? clients : fmin(clients, 8) + 2;
    c.memory = (double)t->role_rows[GNT_ROLE_CLIENTS] * 4 * (double)t->facts.features +
               test * 4 * (double)t->facts.features + 2 * c.kept + updates * update +
               (g->rounds ? fmax(batch, 1) * f->work + bytes_per_layer * f->layers : 0) +
               (double)processes * 4 * f->size;
    for (size_t i = 0; i < q->defense.n; i++) /* what it learnt beforehand, in each process with its hooks */
        c.memory += (double)(processes - 1) * run_memory_of_learning(&q->defense.at[i], 0, update / 4);
    return c;
}

static cost cost_of_prepare(const gnt_suite_task *t, const facts *f, const gnt_request_prepare_attack *q,
                            double shadow) {
    const int learns = (q->attacker.granted & GNT_KNOWS_SHADOW_OBS) != 0;
    const double shown = (double)t->role_rows[GNT_ROLE_SHADOW], open = (double)t->role_rows[GNT_ROLE_PUBLIC],
                 rows = learns      ? (double)t->shadow_observations
                        : shown > 0 ? shown
                                    : open;
    const int of_updates = q->observe.surface == GNT_SURFACE_UPDATE;
    const double entries = of_updates ? (double)t->update_size : (double)t->facts.features;
    const int infers = (q->attacker.goals & GNT_GOAL_ATTRIBUTE) != 0,
              reads_public = (q->attacker.granted & GNT_KNOWS_PUBLIC) != 0;
    double seconds = reads_public ? second_per_public_entry * open * (double)t->facts.features : 0;
    if (infers || learns)
        seconds = run_cost_of_learning(&q->attacker.plugin, rows, entries) +
                  (of_updates && !learns ? rows * f->gradient : 0);
    return (cost){.seconds = seconds,
                  .released = shadow / 20 + f->size,
                  .memory =
                      2 * shadow + rows * f->sample * 4 + 2 * f->size +
                      (infers || learns ? run_memory_of_learning(&q->attacker.plugin, rows, entries) : 0)};
}

/* Returns the samples whose gradients make one update. */
static double samples_behind(const gnt_suite_task *t) {
    const gnt_suite_federated *g = &t->federated;
    const int probe = t->observe.probe;
    const double batch = (double)(probe ? t->observe.batch : g->batch),
                 steps = (double)(probe ? t->observe.local_steps : g->local_steps);
    return fmax(1, batch) * fmax(1, steps);
}

static cost cost_of_attack(const gnt_suite_task *t, const facts *f, const gnt_request_attacker *a,
                           double seen) {
    const double targets = (double)t->observe.targets, samples = samples_behind(t);
    const int searches = (a->goals & GNT_GOAL_RECONSTRUCTION) && t->observe.surface == GNT_SURFACE_UPDATE;
    const hook_work work = work_of(t, f);
    const double evaluations = searches ? run_evaluations_of(a) : 0,
                 reading = run_cost_of_reading(a, &work, samples, (double)t->role_rows[GNT_ROLE_PUBLIC]),
                 one = gradients_per_evaluation * samples * f->gradient +
                       steps_per_evaluation * second_per_step;
    return (cost){.seconds = targets * (second_per_answer + evaluations * one + reading) + seen / byte_rate,
                  .kept = a->goals & GNT_GOAL_RECONSTRUCTION
                              ? targets * samples * 4 * (double)t->facts.features
                              : targets * samples * 8,
                  .memory = 2 * seen + (searches ? 8 * samples * f->work + bytes_per_layer * f->layers : 0)};
}

static double cost_of_model(const gnt_suite_model *m, const facts *f) {
    const double rows = (double)m->of.role_rows[GNT_ROLE_PUBLIC],
                 test = (double)m->of.role_rows[GNT_ROLE_TEST];
    return (double)m->epochs * rows * f->gradient + test * f->gradient / 3;
}

static double memory_of_model(const gnt_suite_model *m, const facts *f) {
    return 4 * (double)m->of.facts.features * (double)(m->of.role_rows[GNT_ROLE_PUBLIC]) +
           0.4 * (double)m->batch * f->work + bytes_per_layer * f->layers + 4 * f->size;
}

/* Returns the suite's model that this job trains. */
static size_t model_of(const gnt_suite *s, const run_job *j) {
    size_t m = 0;
    while (m + 1 < s->n_models && strcmp(j->name + strlen("model "), s->model[m].of.id) != 0)
        m++;
    return m;
}

static cost cost_of(const estimating *e, const run_job *j) {
    const gnt_suite *s = e->all.suite;
    const size_t at = task_of(s, j);
    const gnt_suite_task *t = &s->task[at];
    const facts *f = &e->of[at];
    const double seen = seen_of(t, f, t->observe.surface, t->observe.targets, t->observe.batch,
                                t->observe.epochs),
                 shadow = seen_of(t, f, t->observe.surface, t->shadow_observations, t->observe.batch,
                                  t->observe.epochs);
    const gnt_request_sides sides = gnt_request_sides_of(&j->request);
    const size_t processes =
        1 + (size_t)__builtin_popcount(sides.wanted) + (sides.wanted ? sides.server_copies : 0);
    cost c = {0};
    switch (j->request.kind) {
    case GNT_JOB_DATA:
        c = (cost){.seconds = 2e-9 * rows_of(t) * (double)t->facts.features * 40,
                   .kept = rows_of(t) * f->sample,
                   .memory = 2 * rows_of(t) * f->sample};
        break;
    case GNT_JOB_TRAIN:
        c = cost_of_train(t, f, &j->request.train, processes);
        break;
    case GNT_JOB_REPLAY:
        c.seconds = (double)t->observe.targets * (double)t->n_stages *
                    (second_per_client * 10 + second_per_entry * (double)t->update_size + 10 * f->gradient);
        c.memory = (double)processes * (4 * f->size) + (double)t->observe.targets * update_of(t) * 2;
        break;
    case GNT_JOB_OBSERVE: {
        const gnt_request_observe *o = &j->request.observe.observe;
        c.released = seen_of(t, f, o->surface, o->targets, o->batch, o->epochs);
        c.memory = 2 * c.released + (j->request.observe.probe ? 0 : (double)t->n_stages * c.released);
        c.seconds = 2 * c.released / byte_rate;
        if (j->request.observe.probe)
            c.seconds += (double)o->targets *
                         (fmax(1, (double)o->local_steps) * (double)(o->batch ? o->batch : 1) * f->gradient +
                          second_per_entry * (double)t->update_size);
        break;
    }
    case GNT_JOB_CAPTURE:
        c.released = seen + f->size;
        c.memory = 2 * c.released;
        c.seconds = 3 * c.released / byte_rate + (double)t->observe.targets *
                                                     (1 + (double)t->observe.local_steps) *
                                                     (double)t->observe.batch * f->gradient;
        break;
    case GNT_JOB_PREPARE_ATTACK:
        c = cost_of_prepare(t, f, &j->request.prepare_attack,
                            j->request.prepare_attack.attacker.granted & GNT_KNOWS_SHADOW_OBS ? shadow : 0);
        break;
    case GNT_JOB_ATTACK:
        c = cost_of_attack(t, f, &j->request.attack.attacker, seen);
        break;
    case GNT_JOB_SCORE:
        c = (cost){.seconds = 1e-4 * (double)t->observe.targets,
                   .kept = 6e3,
                   .memory = 3 * (double)(t->role_rows[GNT_ROLE_CLIENTS] + t->role_rows[GNT_ROLE_PUBLIC]) *
                             f->sample};
        break;
    case GNT_JOB_PREPARE_DEFENSE:
        c = (cost){.seconds = run_cost_of_learning(&j->request.prepare.plugin,
                                                   (double)t->role_rows[GNT_ROLE_DEFENDER_SHADOW],
                                                   (double)t->update_size),
                   .kept = f->size,
                   .memory = run_memory_of_learning(&j->request.prepare.plugin,
                                                    (double)t->role_rows[GNT_ROLE_DEFENDER_SHADOW],
                                                    (double)t->update_size)};
        break;
    case GNT_JOB_MODEL:
        c = (cost){.seconds = cost_of_model(&s->model[model_of(s, j)], &e->of[s->n_tasks + model_of(s, j)]),
                   .kept = 1e6,
                   .memory = memory_of_model(&s->model[model_of(s, j)], &e->of[s->n_tasks + model_of(s, j)])};
        break;
    default:
        c = (cost){.seconds = 0.5, .kept = f->size};
    }
    c.seconds += second_per_process * (double)processes;
    c.memory += bytes_per_process * (double)processes;
    c.kept += bytes_per_entry;
    return c;
}

static void add(estimating *e, const run_job *j, double times) {
    const cost c = cost_of(e, j);
    gnt_needs *out = e->out;
    out->jobs += times;
    out->seconds += times * c.seconds;
    out->disk += times * c.kept;
    e->released_most = fmax(e->released_most, c.released);
    if (c.memory > out->memory) {
        out->memory = c.memory;
        snprintf(out->largest, sizeof out->largest, "%s", j->name);
    }
}

/* ---- all jobs ---- */

/* A strength for each cell whose own is searched: any from its range, other ones in a bracket. */
static double strength_of(const estimating *e, const gnt_cell *c, gnt_err *err) {
    gnt_match_spec spec;
    if (c->mode != GNT_MODE_MATCHED && !c->bracket)
        return c->mode == GNT_MODE_FIXED || c->mode == GNT_MODE_SWEEP ? c->strength : NAN;
    if (gnt_suite_match_spec(e->all.suite, c->task, c->defense, NAN, NAN, &spec, err) != 0)
        return NAN;
    if (spec.n_listed > 0)
        return spec.listed[c->bracket == GNT_BRACKET_STRONGER];
    return c->bracket == GNT_BRACKET_WEAKER     ? spec.least
           : c->bracket == GNT_BRACKET_STRONGER ? spec.most
           : isfinite(spec.start)               ? spec.start
                                                : (spec.least + spec.most) / 2;
}

/* Adds the training runs of a curve but those at two strengths, which cells have. Tasks that share a training
 * share them. */
static int add_curve(estimating *e, size_t task, size_t defense, gnt_err *err) {
    const gnt_suite *s = e->all.suite;
    const gnt_suite_defense *d = &s->defense[defense];
    for (size_t i = 0; i < task; i++)
        if (strcmp(s->task[i].trained_as, s->task[task].trained_as) == 0 && d->on_task[i])
            return 0;
    for (size_t k = 2; k < d->n_curve; k++) {
        run_job *train = run_train_job(&e->all.requests, task, (int)defense, d->curve[k], s->seeds[0]);
        if (!train)
            return gnt_fail(err, "out of memory for an estimate");
        add(e, train, (double)s->n_seeds - 1);
    }
    return 0;
}

/* Adds the training runs that a search is likely to need: four strengths, and a confirmation and a half. */
static int add_searches(estimating *e, gnt_err *err) {
    const gnt_suite *s = e->all.suite;
    for (size_t t = 0; t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++) {
            gnt_match_spec spec;
            const gnt_suite_defense *of = &s->defense[d];
            if (!of->match || !of->on_task[t] || s->task[t].federated.rounds == 0)
                continue;
            if (of->n_curve) {
                if (add_curve(e, t, d, err) != 0)
                    return -1;
                continue;
            }
            if (gnt_suite_match_spec(s, t, d, NAN, NAN, &spec, err) != 0)
                return -1;
            const double n =
                fmin((double)gnt_match_most_trainings(&spec), 4.0 * spec.seeds + 1.5 * spec.confirm_seeds);
            run_job *train = run_train_job(&e->all.requests, t, (int)d, spec.most, run_search_seed(0)),
                    *data = run_data_job(&e->all.requests, t, run_search_seed(0));
            if (!train || !data)
                return gnt_fail(err, "out of memory for an estimate");
            add(e, train, n - 1);
            add(e, data, fmin(n, 4) / (double)s->n_defenses);
        }
    return 0;
}

static int make_all(estimating *e, gnt_err *err) {
    const gnt_plan *p = e->all.plan;
    for (size_t i = 0; i < p->n; i++) {
        run_cell c = {.cell = &p->cell[i]};
        if (p->cell[i].reason)
            continue;
        c.strength = strength_of(e, &p->cell[i], err);
        if (run_make_cell_jobs(&e->all, &c, err) != 0)
            return -1;
    }
    return 0;
}

int gnt_needs_of(gnt_needs *out, const gnt_suite *suite, const gnt_plan *plan, int at_once, gnt_err *err) {
    estimating e = {.all = {.suite = suite, .plan = plan}, .out = out};
    run *r = &e.all;
    *out = (gnt_needs){0};
    r->requests = (run_requests){.suite = suite, .jobs = &r->jobs};
    e.of = gnt_array(suite->n_tasks + suite->n_models, sizeof *e.of);
    int rc = e.of && run_jobs_open(&r->jobs) == 0 && run_requests_open_blank(&r->requests) == 0
                 ? 0
                 : gnt_fail(err, "out of memory for an estimate");
    for (size_t t = 0; rc == 0 && t < suite->n_tasks; t++)
        rc = find_facts(&e.of[t], &suite->task[t], err);
    for (size_t m = 0; rc == 0 && m < suite->n_models; m++)
        rc = find_facts(&e.of[suite->n_tasks + m], &suite->model[m].of, err);
    if (rc == 0)
        rc = make_all(&e, err);
    for (size_t i = 0, n = r->jobs.n; rc == 0 && i < n; i++)
        add(&e, r->jobs.at[i], 1);
    if (rc == 0)
        rc = add_searches(&e, err);
    /* observations of all seeds of a setting lie there at once, and of the jobs that run */
    out->disk_most = out->disk + e.released_most * (double)(suite->n_seeds + (size_t)at_once);
    run_jobs_free(&r->jobs);
    run_requests_close(&r->requests);
    gnt_free(e.of);
    return rc;
}

static void add_bytes(gnt_text *to, double bytes) {
    if (bytes < 1e9)
        gnt_text_add(to, "%.0f MB", bytes / 1e6);
    else
        gnt_text_add(to, "%.*f GB", bytes < 1e10, bytes / 1e9);
}

void gnt_needs_text(const gnt_needs *e, gnt_text *to) {
    if (e->seconds < 5400)
        gnt_text_add(to, "about %.0f min", fmax(1, e->seconds / 60));
    else
        gnt_text_add(to, "about %.0f h", e->seconds / 3600);
    gnt_text_add(to, " of a processor, ");
    add_bytes(to, e->disk_most);
    gnt_text_add(to, " of disk, ");
    add_bytes(to, e->memory);
    gnt_text_add(to, " of memory for the largest job (%s)\n", e->largest);
}

void gnt_needs_lacks(const gnt_needs *e, const char *folder, double disk, double memory, int at_once,
                     gnt_text *to) {
    if (e->disk_most > disk) {
        gnt_text_add(to, "%s: needs about ", folder);
        add_bytes(to, e->disk_most);
        gnt_text_add(to, " of disk, of which some may be there already, and ");
        add_bytes(to, disk);
        gnt_text_add(to,
                     " are free; fewer targets, seeds or strengths need less, or choose a folder elsewhere "
                     "(--output)\n");
    }
    if (e->memory > memory) {
        gnt_text_add(to, "the job %s needs about ", e->largest);
        add_bytes(to, e->memory);
        gnt_text_add(to, " of memory, and ");
        add_bytes(to, memory);
        gnt_text_add(to, " are there; fewer targets, shadow observations or rows need less\n");
    } else if (e->memory * at_once > memory) {
        gnt_text_add(to, "%d jobs at once may need ", at_once);
        add_bytes(to, e->memory * at_once);
        gnt_text_add(to, " of memory, and ");
        add_bytes(to, memory);
        gnt_text_add(to, " are there; --jobs %.0f fits\n", fmax(1, floor(memory / e->memory)));
    }
}
