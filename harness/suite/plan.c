/* Expansion of a suite to cells, and the number of training runs they may need. */
#include "suite/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "match/match.h"
#include "suite/plan_fit.h"

const char *const gnt_bracket_names[] = {"", "weaker", "stronger"};
const char gnt_baseline_name[] = "baseline";
const char *const gnt_mode_names[] = {"none", "fixed", "sweep", "matched", "as-is"};

/* ---- strengths of a defense ---- */

typedef struct setting {
    gnt_cell_mode mode;
    double strength;
    gnt_bracket bracket;
    int at_baseline;
} setting;

/* True if clients share what they computed. */
static int is_undefended(const gnt_suite_defense *d) {
    size_t i = 0;
    while (i < d->n_members && strcmp(d->member[i].info->id, "none") == 0)
        i++;
    return i == d->n_members;
}

/* Returns the number of strengths that a search finds: the matched one and its bracket; of a curve the two
 * between which the target lies, of which the weaker is called matched. */
static size_t searched_of(const gnt_suite_task *t, const gnt_suite_defense *d) {
    return !d->match ? 0 : d->n_curve ? 2 : t->match.bracket ? 3 : 1;
}

static size_t settings_of(const gnt_suite *s, size_t task, size_t defense) {
    const gnt_suite_defense *d = &s->defense[defense];
    const size_t of_baseline = !isnan(gnt_suite_baseline_of(s, task, defense));
    return d->match || d->n_sweep ? searched_of(&s->task[task], d) + d->n_sweep + of_baseline : 1;
}

/* Returns the i-th setting: matched, then its bracket, then the sweep in the file's order, then the
 * baseline's. */
static setting setting_at(const gnt_suite *s, size_t task, size_t defense, size_t i) {
    const gnt_suite_defense *d = &s->defense[defense];
    const size_t searched = searched_of(&s->task[task], d);
    if (d->match && i == 0)
        return (setting){GNT_MODE_MATCHED, 0, GNT_BRACKET_NONE, 0};
    if (i < searched)
        return (setting){GNT_MODE_SWEEP, NAN,
                         i == 1 && !d->n_curve ? GNT_BRACKET_WEAKER : GNT_BRACKET_STRONGER, 0};
    if (i < searched + d->n_sweep)
        return (setting){GNT_MODE_SWEEP, d->sweep[i - searched], GNT_BRACKET_NONE, 0};
    if (d->match)
        return (setting){GNT_MODE_SWEEP, gnt_suite_baseline_of(s, task, defense), GNT_BRACKET_NONE, 1};
    if (d->has_fixed)
        return (setting){GNT_MODE_FIXED, d->fixed, GNT_BRACKET_NONE, 0};
    return (setting){is_undefended(d) ? GNT_MODE_NONE : GNT_MODE_AS_IS, 0, GNT_BRACKET_NONE, 0};
}

/* ---- counting ---- */

/* Counts cells, up to the first task past the limit: 256 tasks × 4096 stages × 1024 × 4097 strengths × 1024
 * attacks × 4096 seeds could overflow. */
static int64_t count_cells(const gnt_suite *s) {
    int64_t n = 0;
    for (size_t t = 0; t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++)
            for (size_t a = 0; s->defense[d].on_task[t] && a < s->n_attacks; a++) {
                if (!gnt_suite_is_attacked(s, t, d, a))
                    continue;
                n += (int64_t)(settings_of(s, t, d) * s->task[t].n_stages * s->n_seeds);
                if (n > (int64_t)1 << 40)
                    return n;
            }
    return n;
}

/* ---- expansion ---- */

static char *cell_id(const gnt_suite *s, const gnt_cell *c) {
    char number[GNT_NUMBER_SIZE];
    const char *strength = c->mode == GNT_MODE_MATCHED                             ? "matched"
                           : c->mode == GNT_MODE_NONE || c->mode == GNT_MODE_AS_IS ? "none"
                           : c->bracket     ? gnt_bracket_names[c->bracket]
                           : c->at_baseline ? gnt_baseline_name
                                            : gnt_number_text(c->strength, number);
    return gnt_format("%s/%c%lld/%s@%s/%s/s%llu", s->task[c->task].id, s->task[c->task].drawn ? 'd' : 'r',
                      (long long)c->stage, s->defense[c->defense].label, strength, s->attack[c->attack].label,
                      (unsigned long long)c->seed);
}

static int add_cell(gnt_plan *p, const gnt_suite *s, const gnt_cell *at) {
    gnt_cell *c = &p->cell[p->n++];
    *c = *at;
    c->id = cell_id(s, c);
    if (!c->id || plan_fit(s, c) != 0)
        return -1;
    p->n_na += c->reason != NULL;
    return 0;
}

/* Marks the cell whose observations are plotted: all attacks see the same, so the first that infers the
 * attribute, at the first seed. */
static void choose_points(gnt_plan *p, const gnt_suite *s, size_t from) {
    for (size_t i = from; s->points && i < p->n; i++) {
        gnt_cell *c = &p->cell[i];
        if (!c->reason && c->surface == GNT_SURFACE_REPRESENTATION && (c->goals & GNT_GOAL_ATTRIBUTE)) {
            c->draws_points = 1;
            return;
        }
    }
}

/* Marks the cell in which an attack shows whether its budget was enough: of an attack whose schedule depends
 * on the budget the first undefended cell that runs, or where there is none the first that runs. No search is
 * shorter than one of a single step. */
static void choose_quarter(gnt_plan *p, const gnt_suite *s, size_t from, size_t attack) {
    const gnt_suite_attack *a = &s->attack[attack];
    gnt_cell *chosen = NULL;
    if (!(a->member.info->flags & GNT_FLAG_BUDGET_SCHEDULE) || a->budget == 1 || gnt_suite_is_of_captures(s))
        return;
    for (size_t i = from; i < p->n; i++) {
        gnt_cell *c = &p->cell[i];
        const int better = !chosen || (c->mode == GNT_MODE_NONE && chosen->mode != GNT_MODE_NONE);
        if (c->attack == attack && !c->reason && better)
            chosen = c;
    }
    if (chosen)
        chosen->tries_quarter = 1;
}

static int same_observe(const gnt_suite_observe *a, const gnt_suite_observe *b) {
    return a->probe == b->probe && a->surface == b->surface && a->batch == b->batch &&
           a->local_steps == b->local_steps && a->targets == b->targets;
}

static int has_stage(const gnt_suite_task *t, int64_t stage) {
    for (size_t i = 0; i < t->n_stages; i++)
        if (t->stages[i] == stage)
            return 1;
    return 0;
}

/* True if an earlier task that shares the cell's training observes the same. */
static int is_observed_before(const gnt_suite *s, const gnt_cell *c) {
    const gnt_suite_task *t = &s->task[c->task];
    for (size_t i = 0; i < c->task; i++)
        if (strcmp(s->task[i].trained_as, t->trained_as) == 0 && s->defense[c->defense].on_task[i] &&
            same_observe(&s->task[i].observe, &t->observe) && s->task[i].stages_drawn == t->stages_drawn &&
            has_stage(&s->task[i], c->stage))
            return 1;
    return 0;
}

/* Adds the bytes of the observations of one setting, whose cells begin at `from`: one observation for each
 * seed. */
static void count_update_bytes(gnt_plan *p, const gnt_suite *s, size_t from) {
    if (from == p->n || is_observed_before(s, &p->cell[from]))
        return;
    const gnt_suite_task *t = &s->task[p->cell[from].task];
    int seen = 0, shadows = 0;
    for (size_t i = from; i < p->n; i++)
        if (!p->cell[i].reason && p->cell[i].surface == GNT_SURFACE_UPDATE) {
            seen = 1;
            shadows |= (p->cell[i].grants & GNT_KNOWS_SHADOW_OBS) != 0;
        }
    const int64_t updates = seen * t->observe.targets + shadows * t->shadow_observations;
    p->update_bytes += (double)updates * (double)t->update_size * (double)sizeof(float) * (double)s->n_seeds;
}

/* Adds the cells of all attacks and seeds of one task, stage, defense and strength. */
static int add_attacks(gnt_plan *p, const gnt_suite *s, gnt_cell *at, size_t stage) {
    const size_t from = p->n;
    for (at->attack = 0; at->attack < s->n_attacks; at->attack++) {
        if (!gnt_suite_is_attacked(s, at->task, at->defense, at->attack))
            continue;
        for (size_t i = 0; i < s->n_seeds; i++) {
            at->seed = s->seeds[i];
            at->round = gnt_suite_rounds(s, &s->task[at->task], at->seed)[stage];
            if (add_cell(p, s, at) != 0)
                return -1;
        }
    }
    choose_points(p, s, from);
    count_update_bytes(p, s, from);
    return 0;
}

static int add_task(gnt_plan *p, const gnt_suite *s, size_t task) {
    const gnt_suite_task *t = &s->task[task];
    gnt_cell at = {.task = task};
    for (size_t stage = 0; stage < t->n_stages; stage++) {
        const size_t from = p->n;
        for (at.defense = 0; at.defense < s->n_defenses; at.defense++) {
            const gnt_suite_defense *d = &s->defense[at.defense];
            at.stage = t->stages[stage];
            for (size_t i = 0; d->on_task[task] && i < settings_of(s, task, at.defense); i++) {
                setting now = setting_at(s, task, at.defense, i);
                at.mode = now.mode;
                at.bracket = now.bracket;
                at.strength = now.strength;
                at.at_baseline = now.at_baseline;
                if (add_attacks(p, s, &at, stage) != 0)
                    return -1;
            }
        }
        for (size_t i = 0; i < s->n_attacks; i++)
            choose_quarter(p, s, from, i);
    }
    return 0;
}

/* ---- training runs ---- */

static int is_baseline(const gnt_suite_defense *d) {
    return d->n_members == 1 && strcmp(d->member[0].info->id, "none") == 0;
}

static int same_match(const gnt_suite_match *a, const gnt_suite_match *b) {
    return a->kind == b->kind && a->target == b->target && a->tolerance == b->tolerance &&
           a->max_strengths == b->max_strengths && a->seeds == b->seeds && a->most_seeds == b->most_seeds &&
           a->confirm_seeds == b->confirm_seeds && a->confirmations == b->confirmations &&
           a->bracket == b->bracket && a->paired == b->paired;
}

/* Training runs of a task that were counted with an earlier task that shares its training. */
typedef struct counted {
    int none, defense, search;
} counted;

static counted counted_before(const gnt_suite *s, const uint8_t *runs, size_t task, size_t defense) {
    const gnt_suite_task *t = &s->task[task];
    counted c = {0};
    for (size_t i = 0; i < task; i++) {
        const uint8_t *run = runs + i * s->n_defenses;
        if (strcmp(s->task[i].trained_as, t->trained_as) != 0)
            continue;
        c.none |= memchr(run, 1, s->n_defenses) != NULL;
        c.defense |= run[defense];
        c.search |= run[defense] && (s->defense[defense].n_curve || same_match(&s->task[i].match, &t->match));
    }
    return c;
}

/* Counts the training runs of a plan. `none` is trained once a seed on every task even if it is not listed,
 * since utilities are compared with its. */
static int count_trainings(gnt_plan *p, const gnt_suite *s, const uint8_t *runs, gnt_err *err) {
    for (size_t t = 0; t < s->n_tasks; t++) {
        int any = 0, paired = 0;
        for (size_t d = 0; d < s->n_defenses && s->task[t].federated.rounds > 0; d++) {
            const gnt_suite_defense *entry = &s->defense[d];
            gnt_match_spec spec;
            if (!runs[t * s->n_defenses + d])
                continue;
            const counted before = counted_before(s, runs, t, d);
            any |= !before.none;
            if (!is_baseline(entry) && !before.defense)
                p->trainings +=
                    (int64_t)((settings_of(s, t, d) - searched_of(&s->task[t], entry)) * s->n_seeds);
            if (!entry->match || before.search)
                continue;
            if (gnt_suite_match_spec(s, t, d, NAN, NAN, &spec, err) != 0)
                return -1;
            p->match_trainings += gnt_match_most_trainings(&spec);
            if (entry->n_curve) /* its cells are among these training runs, and so are their seeds */
                continue;
            p->match_trainings += (int64_t)(searched_of(&s->task[t], entry) * s->n_seeds);
            if (s->task[t].match.paired)
                paired = gnt_match_most_seeds(&spec); /* undefended runs, shared by all defenses */
        }
        p->trainings += any ? (int64_t)s->n_seeds : 0;
        p->match_trainings += paired;
    }
    return 0;
}

/* Counts over all pairs; runs[task × n_defenses + defense]: some cell of the pair will run. */
static int count_all_trainings(gnt_plan *p, const gnt_suite *s, gnt_err *err) {
    uint8_t *runs = gnt_array(s->n_tasks * s->n_defenses, 1);
    if (!runs)
        return gnt_fail(err, "%s: out of memory for a plan", s->file);
    for (size_t i = 0; i < p->n; i++)
        runs[p->cell[i].task * s->n_defenses + p->cell[i].defense] |= !p->cell[i].reason;
    int rc = count_trainings(p, s, runs, err);
    gnt_free(runs);
    return rc;
}

/* ---- the whole ---- */

int gnt_plan_make(gnt_plan *out, const gnt_suite *s, gnt_err *err) {
    int64_t n = count_cells(s);
    *out = (gnt_plan){0};
    if (n > GNT_SUITE_MOST_CELLS)
        return gnt_fail(
            err,
            "%s: expands to %s%lld cells, more than %d (tasks × stages × strengths × attacks × seeds); "
            "use fewer seeds, stages or strengths, or split it into several suites",
            s->file, n > (int64_t)1 << 40 ? "more than " : "", (long long)n, GNT_SUITE_MOST_CELLS);
    if (n == 0)
        return gnt_fail(
            err,
            "%s: expands to no cell: no task has both a defense and an attack; look at their \"tasks\" lists",
            s->file);
    out->cell = gnt_array((size_t)n, sizeof *out->cell);
    if (!out->cell)
        return gnt_fail(err, "%s: out of memory for a plan of %lld cells", s->file, (long long)n);
    for (size_t t = 0; t < s->n_tasks; t++)
        if (add_task(out, s, t) != 0) {
            gnt_plan_free(out);
            return gnt_fail(err, "%s: out of memory for a plan of %lld cells", s->file, (long long)n);
        }
    if (count_all_trainings(out, s, err) != 0) {
        gnt_plan_free(out);
        return -1;
    }
    return 0;
}

void gnt_plan_free(gnt_plan *p) {
    for (size_t i = 0; i < p->n; i++) {
        gnt_free(p->cell[i].id);
        gnt_free(p->cell[i].reason);
    }
    gnt_free(p->cell);
    *p = (gnt_plan){0};
}

const gnt_cell *gnt_plan_find(const gnt_plan *p, const char *id) {
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->cell[i].id, id) == 0)
            return &p->cell[i];
    return NULL;
}
