/* Runs to groups of arenas: which tasks are of which group, what each defense leaks in them, and ranks. */
#include "board/arenas_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/curve.h"
#include "metric/compare.h"
#include "metric/stats.h"

/* ---- which tasks ---- */

static const gnt_results *first_of(const board *b, const board_contest *c) {
    return &b->run[c->run[0]].results;
}

/* Returns the list that an attack of a contest is from; NULL for none. */
static const gnt_result_list *list_of(const board *b, const board_attack *a) {
    const gnt_result_attack *of = gnt_attack_of(&b->run[a->first].results, a->label);
    return of ? of->list : NULL;
}

/* Returns the first list of attacks that the first run of a contest used. */
static const gnt_result_list *list_of_contest(const board *b, const board_contest *c) {
    for (size_t a = 0; a < c->n_attack; a++) {
        const gnt_result_list *list = c->attack[a].first == c->run[0] ? list_of(b, &c->attack[a]) : NULL;
        if (list)
            return list;
    }
    return NULL;
}

static int is_arena(const board *b, const board_contest *c) {
    return c->lead && c->is_arena && list_of_contest(b, c);
}

const char *board_goal(const board *b, const board_contest *c, const gnt_measure *m) {
    static const char *const goals[GNT_RECOVERS_KINDS] = {
        [GNT_RECOVERS_DATA] = "data",
        [GNT_RECOVERS_ATTRIBUTE] = "attribute",
        [GNT_RECOVERS_LABEL] = "label",
        [GNT_RECOVERS_CONTRIBUTION] = "contribution",
    };
    const gnt_result_task *task = gnt_task_of(first_of(b, c), c->task);
    return m->recovers == GNT_RECOVERS_DATA && task && *task->data_kind ? task->data_kind
                                                                        : goals[m->recovers];
}

/* Writes "standard-1 (draft list 0123456789ab)". */
static const char *say_list(board_group *g, const gnt_result_list *list) {
    char *text = gnt_format("%s (%s list %.12s)", list->name, list->status, list->digest);
    const char *copy = gnt_arena_text(&g->memory, text ? text : "");
    g->memory.failed |= !text;
    gnt_free(text);
    return copy;
}

static board_group *group_of(board *b, const board_contest *c) {
    const gnt_result_task *task = gnt_task_of(first_of(b, c), c->task);
    const gnt_measure *m = gnt_share_measure(c->lead);
    const char *surface = task ? task->surface : "", *goal = board_goal(b, c, m);
    for (size_t i = 0; i < b->n_group; i++)
        if (!strcmp(b->group[i].surface, surface) && !strcmp(b->group[i].goal, goal) &&
            b->group[i].measure == m)
            return &b->group[i];
    if (GNT_GROW(b->group, b->n_group) != 0)
        return NULL;
    board_group *g = &b->group[b->n_group++];
    *g = (board_group){.surface = surface, .goal = goal, .measure = m, .found = ""};
    g->list = say_list(g, list_of_contest(b, c));
    return g;
}

/* Adds a task, whose arena is that of the tasks with the same first run. */
static int add_target(board *b, board_group *g, const board_contest *c) {
    int64_t seed[GNT_MOST_TRAININGS];
    const size_t trainings = gnt_seeds(first_of(b, c), c->task, seed);
    size_t arena = g->n_arena;
    for (size_t i = 0; i < g->n_target; i++)
        if (g->target[i].contest->run[0] == c->run[0])
            arena = g->target[i].arena;
    if (GNT_GROW(g->target, g->n_target) != 0)
        return -1;
    g->target[g->n_target++] =
        (board_target){.contest = c, .task = c->task, .suite = first_of(b, c)->suite, .arena = arena};
    g->n_arena += arena == g->n_arena;
    g->trainings = trainings > g->trainings ? trainings : g->trainings;
    return 0;
}

/* ---- rankings of a task ---- */

/* A ranking of a task, with what each place leaked in its training runs. */
typedef struct ranking {
    board_contest contest; /* with the numbers of some attacks alone */
    board_place *place;
    double *value;
    size_t n;
} ranking;

enum { OF_ALL, OF_LIST, OF_OTHERS, RANKINGS };

/* Ranks by the attacks of the list, by the others or by all. */
static int rank(ranking *out, const board *b, const board_contest *c, const gnt_measure *m, int which) {
    *out = (ranking){.contest = *c,
                     .place = gnt_array(c->n_row + 1, sizeof *out->place),
                     .value = gnt_array((c->n_row + 1) * c->n_run * GNT_MOST_TRAININGS, sizeof *out->value)};
    board_number *number = gnt_array(c->n_number + 1, sizeof *number);
    size_t n = 0;
    out->contest.number = number;
    if (!out->place || !out->value || !number)
        return -1;
    for (size_t i = 0; i < c->n_number; i++)
        if (which == OF_ALL || (list_of(b, &c->attack[c->number[i].attack]) != NULL) == (which == OF_LIST))
            number[n++] = c->number[i];
    out->contest.n_number = n;
    out->n = n ? board_rank_trainings(&out->contest, m, c->threat[0], out->place, out->value) : 0;
    return 0;
}

static void free_ranking(ranking *r) {
    gnt_free(r->contest.number);
    gnt_free(r->place);
    gnt_free(r->value);
}

static size_t place_of(const ranking *r, const board_row *row) {
    size_t i = 0;
    while (i < r->n && r->place[i].row != row)
        i++;
    return i;
}

/* Returns the place of no defense that has a number; r->n: none. */
static size_t undefended(const ranking *r) {
    size_t i = 0;
    while (i < r->n && (r->place[i].kind != GNT_GROUP_UNDEFENDED || !r->place[i].worst))
        i++;
    return i;
}

/* Returns what place i leaked in a training run; NAN: nothing is known. */
static double leaked(const ranking *r, size_t i, size_t training) {
    double found = NAN;
    for (size_t k = 0; i < r->n && k < r->contest.n_run; k++) {
        const double x = r->value[(i * r->contest.n_run + k) * GNT_MOST_TRAININGS + training];
        found = isnan(found) ? x : found;
    }
    return found;
}

/* ---- the shares of a task ---- */

/* Sets the shares of place i over those of no defense under the attacks of the list. Returns their mean. */
static double fill_shares(const board_group *g, const ranking *r, size_t i, const ranking *none,
                          double *share, size_t *clipped) {
    const size_t of_none = undefended(none);
    double sum = 0;
    size_t n = 0;
    *clipped = 0;
    for (size_t s = 0; s < g->trainings; s++) {
        int cut = 0;
        share[s] = of_none < none->n ? gnt_share(g->measure, leaked(r, i, s), leaked(none, of_none, s),
                                                 none->place[of_none].floor, &cut)
                                     : NAN;
        *clipped += (size_t)cut;
        n += !isnan(share[s]);
        sum += isnan(share[s]) ? 0 : share[s];
    }
    return n ? sum / (double)n : NAN;
}

static size_t count_numbers(const double *share, size_t n) {
    size_t known = 0;
    for (size_t s = 0; s < n; s++)
        known += !isnan(share[s]);
    return known;
}

/* Training runs in which the defense failed, or all if it misses the target, leak all. */
static void fill_lost(const board_group *g, const board_contest *c, board_share *out) {
    int64_t seed[GNT_MOST_TRAININGS];
    const size_t n = c->n_number ? gnt_seeds(c->number[0].results, c->task, seed) : 0;
    for (size_t s = 0; s < n && s < g->trainings; s++)
        out->share[s] = isnan(out->share[s]) ? 1 : out->share[s];
}

/* Fills the shares of a row that was measured: of the attacks of the list or of the others, under whichever
 * it leaks more on average. */
static void measure(board_group *g, const ranking r[RANKINGS], const board_row *row, board_share *out) {
    double *others = gnt_arena_array(&g->memory, g->trainings + 1, sizeof *others);
    size_t clipped;
    if (!others)
        return;
    out->listed =
        fill_shares(g, &r[OF_LIST], place_of(&r[OF_LIST], row), &r[OF_LIST], out->share, &out->clipped);
    out->others = fill_shares(g, &r[OF_OTHERS], place_of(&r[OF_OTHERS], row), &r[OF_LIST], others, &clipped);
    if (!isnan(out->others) && !(out->others <= out->listed)) {
        memcpy(out->share, others, g->trainings * sizeof *others);
        out->clipped = clipped;
    }
}

/* Fills the share of a defense in a task from the rankings. */
static void fill_share(board_group *g, const board_contest *c, const ranking r[RANKINGS], size_t i,
                       board_share *out) {
    const board_place *p = &r[OF_ALL].place[i];
    gnt_text why;
    int lost;
    gnt_text_init(&why, BOARD_MOST_SAID);
    out->row = p->row;
    out->kind = board_share_verdict(&r[OF_ALL].contest, p, &lost, &why);
    if (out->kind == BOARD_SHARE_KNOWN && !lost) {
        measure(g, r, p->row, out);
        out->psnr = p->next ? p->next_stat.mean : NAN;
        if (p->state == GNT_UNRANKED_LACKING) {
            fill_lost(g, c, out);
            gnt_text_add(&why, "failed in a training run");
        }
        if (count_numbers(out->share, g->trainings) == 0) {
            out->kind = BOARD_SHARE_UNKNOWN;
            gnt_text_add(&why, "too few training runs");
        }
    } else if (lost) {
        fill_lost(g, c, out);
        out->listed = 1;
        out->others = r[OF_OTHERS].n ? 1 : NAN;
    }
    out->few = count_numbers(out->share, g->trainings) < GNT_METRIC_COMPARE_LEAST;
    out->leak = gnt_leak_of_trainings(out->share, g->trainings);
    out->leak.low = out->leak.low < 0 ? 0 : out->leak.low; /* NAN stays */
    out->leak.high = out->leak.high > 1 ? 1 : out->leak.high;
    out->why = gnt_arena_text(&g->memory, gnt_text_get(&why));
    g->memory.failed |= why.failed || !out->why;
    gnt_text_free(&why);
}

/* ---- the rows of a group ---- */

/* True if two rows are one defense: the same label, plugins and files, first run by the same contributor. Its
 * parameters may differ between arenas. */
static int is_same_defense(const board *b, const board_row *one, const board_row *other) {
    const board_run *a = &b->run[one->first], *z = &b->run[other->first];
    const gnt_result_defense *x = gnt_defense_of(&a->results, one->label),
                             *y = gnt_defense_of(&z->results, other->label);
    if (strcmp(one->label, other->label) != 0 || !board_is_same_contributor(b, one->first, other->first) ||
        !x != !y || (x && x->members.n != y->members.n))
        return 0;
    for (size_t i = 0; x && i < x->members.n; i++) {
        const gnt_result_member *m = &x->members.at[i], *n = &y->members.at[i];
        if (strcmp(m->id, n->id) != 0 || strcmp(m->version, n->version) != 0 ||
            strcmp(board_plugin_digest(a, m), board_plugin_digest(z, n)) != 0)
            return 0;
    }
    return 1;
}

static board_summary *row_of(const board *b, board_group *g, size_t target, const board_row *row) {
    for (size_t i = 0; i < g->n_row; i++)
        if (!g->row[i].at[target].row && is_same_defense(b, g->row[i].row, row))
            return &g->row[i];
    if (GNT_GROW(g->row, g->n_row) != 0)
        return NULL;
    board_summary *s = &g->row[g->n_row];
    *s = (board_summary){.row = row, .why = "", .listed = NAN, .others = NAN};
    s->at = gnt_arena_array(&g->memory, g->n_target, sizeof *s->at);
    double *share = gnt_arena_array(&g->memory, g->n_target * g->trainings + 1, sizeof *share);
    if (!s->at || !share)
        return NULL;
    for (size_t i = 0; i < g->n_target * g->trainings; i++)
        share[i] = NAN;
    for (size_t t = 0; t < g->n_target; t++)
        s->at[t] = (board_share){.why = "",
                                 .share = share + t * g->trainings,
                                 .leak = {NAN, NAN, NAN},
                                 .listed = NAN,
                                 .others = NAN,
                                 .psnr = NAN};
    g->n_row++;
    return s;
}

/* Says of a task whose attacks are not adequate what they find undefended, and what they would have to. */
static void say_inadequate(const board *b, const board_group *g, const board_contest *c, const ranking *r,
                           gnt_text *found) {
    const size_t i = undefended(r);
    gnt_text_add(found,
                 "%s%s has no part in the shares: no attack of the list recovers enough without a defense (",
                 found->size ? " " : "", c->task);
    if (i < r->n) {
        gnt_text_add(found, "%s ", g->measure->title);
        gnt_measure_write(g->measure, &r->place[i].measured, found);
    } else
        gnt_text_add(found, "no number");
    gnt_text_add(found, "; enough is ");
    gnt_adequacy_write(first_of(b, c), c->task, g->measure, found);
    gnt_text_add(found, ").");
}

/* Fills the shares of all defenses in a task. *adequate: its attacks are. */
static int fill_target(const board *b, board_group *g, size_t target, int *adequate, gnt_text *found) {
    const board_contest *c = g->target[target].contest;
    ranking r[RANKINGS] = {{.n = 0}};
    int rc = 0;
    for (int i = 0; rc == 0 && i < RANKINGS; i++)
        rc = rank(&r[i], b, c, g->measure, i);
    *adequate = rc == 0 && board_is_adequate(&r[OF_LIST].contest, g->measure, c->threat[0]);
    if (rc == 0 && !*adequate)
        say_inadequate(b, g, c, &r[OF_LIST], found);
    for (size_t i = 0; rc == 0 && *adequate && i < r[OF_ALL].n; i++) {
        board_summary *s = r[OF_ALL].place[i].kind == GNT_GROUP_UNDEFENDED
                               ? NULL
                               : row_of(b, g, target, r[OF_ALL].place[i].row);
        if (s)
            fill_share(g, c, r, i, &s->at[target]);
        rc = s || r[OF_ALL].place[i].kind == GNT_GROUP_UNDEFENDED ? 0 : -1;
    }
    for (int i = 0; i < RANKINGS; i++)
        free_ranking(&r[i]);
    return rc;
}

/* Drops the target, whose attacks are not adequate: all shares of it are absent. */
static void drop_target(board_group *g, size_t target) {
    memmove(&g->target[target], &g->target[target + 1], (--g->n_target - target) * sizeof *g->target);
    g->n_arena = 0;
    for (size_t i = 0; i < g->n_target; i++) { /* numbers the arenas again */
        g->target[i].arena = g->n_arena;
        for (size_t k = 0; k < i; k++)
            if (g->target[k].contest->run[0] == g->target[i].contest->run[0])
                g->target[i].arena = g->target[k].arena;
        g->n_arena += g->target[i].arena == g->n_arena;
    }
}

static int fill_targets(const board *b, board_group *g, gnt_text *found) {
    for (size_t t = 0; t < g->n_target;) {
        int adequate;
        if (fill_target(b, g, t, &adequate, found) != 0)
            return -1;
        if (adequate)
            t++;
        else
            drop_target(g, t);
    }
    return 0;
}

/* ---- means ---- */

/* Fills a row's shares of an arena's training runs, means over its targets; NAN where a target has none. */
static void fill_arena(const board_group *g, const board_summary *s, size_t arena, double *share) {
    for (size_t i = 0; i < g->trainings; i++) {
        double sum = 0;
        size_t n = 0;
        for (size_t t = 0; t < g->n_target; t++)
            if (g->target[t].arena == arena) {
                sum += s->at[t].kind == BOARD_SHARE_KNOWN ? s->at[t].share[i] : NAN;
                n++;
            }
        share[i] = n ? sum / (double)n : NAN;
    }
}

/* Returns the weight of a target in a mean over arenas. */
static double weight_of(const board_group *g, size_t target) {
    size_t n = 0;
    for (size_t t = 0; t < g->n_target; t++)
        n += g->target[t].arena == g->target[target].arena;
    return 1 / (double)(n * g->n_arena);
}

/* Joins what a row has in the targets; writes why it has no mean. */
static void join(board_group *g, board_summary *s) {
    const char *why = "";
    double listed = 0, others = 0;
    int few = 0;
    for (size_t t = 0; t < g->n_target; t++) {
        const board_share *x = &s->at[t];
        why = *why                             ? why
              : x->kind == BOARD_SHARE_ABSENT  ? "not run in all arenas"
              : x->kind == BOARD_SHARE_UNFIT   ? "does not apply in all arenas"
              : x->kind == BOARD_SHARE_UNKNOWN ? "no verdict in an arena"
                                               : "";
        few |= x->few;
        listed += x->listed * weight_of(g, t);
        others += x->others * weight_of(g, t);
        s->clipped += x->clipped;
        s->place.guest |= x->row && x->row->guest;
    }
    s->listed = *why ? NAN : listed;
    s->others = *why ? NAN : others;
    s->state = *why ? GNT_UNRANKED_LACKING : few ? GNT_UNRANKED_FEW : GNT_RANKED;
    s->why = few && !*why ? "a rank takes 5 training runs" : why;
}

static gnt_shares shares_of(const board_group *g) {
    return (gnt_shares){g->share, g->n_row, g->n_arena, g->trainings};
}

static int fill_means(board_group *g) {
    const size_t width = g->n_arena * g->trainings;
    char *stream = gnt_format("%s %s", g->surface, g->goal);
    int rc = stream ? 0 : -1;
    g->share = gnt_array((g->n_row + 1) * width + 1, sizeof *g->share);
    for (size_t i = 0; rc == 0 && g->share && i < g->n_row; i++) {
        for (size_t a = 0; a < g->n_arena; a++)
            fill_arena(g, &g->row[i], a, g->share + i * width + a * g->trainings);
        join(g, &g->row[i]);
        const gnt_shares s = shares_of(g);
        rc = gnt_share_mean(&g->row[i].place.leak, &s, i, stream);
        if (g->row[i].state != GNT_RANKED && g->row[i].state != GNT_UNRANKED_FEW)
            g->row[i].place.leak = (gnt_leak){NAN, NAN, NAN};
    }
    gnt_free(stream);
    return rc == 0 && g->share ? 0 : -1;
}

/* ---- ranks ---- */

static int comes_before(const board_summary *a, const board_summary *b) {
    if (a->state != b->state)
        return a->state < b->state;
    return a->place.leak.mean < b->place.leak.mean; /* NAN: no */
}

/* Sorts by insertion; the shares of a row move with it. */
static void sort(board_group *g, size_t n) {
    const size_t width = g->n_arena * g->trainings;
    double *share = g->share + g->n_row * width; /* room for one more */
    for (size_t i = 1; i < n; i++) {
        const board_summary s = g->row[i];
        size_t at = i;
        memcpy(share, g->share + i * width, width * sizeof *share);
        for (; at > 0 && comes_before(&s, &g->row[at - 1]); at--) {
            g->row[at] = g->row[at - 1];
            memcpy(g->share + at * width, g->share + (at - 1) * width, width * sizeof *share);
        }
        g->row[at] = s;
        memcpy(g->share + at * width, share, width * sizeof *share);
    }
}

/* Ranks the rows with a mean as a section's rows are ranked; no defense leaks a share of 1 everywhere. */
static int fill_ranks(board_group *g) {
    const size_t width = g->n_arena * g->trainings;
    sort(g, g->n_row);
    size_t n = 0;
    while (n < g->n_row && g->row[n].state == GNT_RANKED)
        n++;
    if (n == 0)
        return 0;
    struct entry {
        gnt_rank_state state;
        gnt_leak_place place;
    } *entry = gnt_array(n + 1, sizeof *entry);
    double *value = gnt_array((n + 1) * width, sizeof *value);
    int *less = gnt_array(n * n, sizeof *less), rc = entry && value && less ? 0 : -1;
    for (int again = 0; rc == 0 && again < 2; again++) {
        for (size_t i = 0; i < n; i++)
            entry[i] = (struct entry){g->row[i].state, g->row[i].place};
        entry[n] = (struct entry){GNT_UNRANKED_UNDEFENDED, {.leak = {1, 1, 1}}};
        memcpy(value, g->share, n * width * sizeof *value);
        for (size_t i = 0; i < width; i++)
            value[n * width + i] = 1;
        const gnt_rank_list list = {.state = &entry[0].state,
                                    .place = &entry[0].place,
                                    .stride = sizeof *entry,
                                    .n = n + 1,
                                    .value = value,
                                    .trainings = width,
                                    .measure = gnt_measure_of(GNT_MEASURE_IDENTIFICATION)};
        rc = again ? gnt_rank_places(&list, less) : gnt_rank_settle_last(&list, n);
        for (size_t i = 0; rc == 0 && i < n; i++) {
            g->row[i].state = entry[i].state;
            g->row[i].place = entry[i].place;
        }
        if (!again)
            sort(g, n);
    }
    gnt_free(entry);
    gnt_free(value);
    gnt_free(less);
    return rc;
}

static int fill_pairs(board_group *g) {
    const gnt_shares s = shares_of(g);
    g->n_pair = g->n_row ? g->n_row * (g->n_row - 1) / 2 : 0;
    g->pair = gnt_array(g->n_pair + 1, sizeof *g->pair);
    return g->pair ? gnt_share_pairs(g->pair, &s) : -1;
}

/* ---- all groups ---- */

/* Names the arenas of other contributors, which are in no group. */
static void say_other_arenas(const board *b, gnt_text *found) {
    size_t n = 0;
    for (size_t i = 0; i < b->n_contest; i++)
        if (is_arena(b, &b->contest[i]) && !board_is_same_contributor(b, 0, b->contest[i].run[0]))
            gnt_text_add(found, "%s%s of %s",
                         n++ ? ", " : "Not an arena of this board's first contributor, so left out: ",
                         b->contest[i].task, b->run[b->contest[i].run[0]].contributor);
    gnt_text_add(found, "%s", n ? "." : "");
}

static int fill_group(const board *b, board_group *g) {
    gnt_text found;
    gnt_text_init(&found, BOARD_MOST_SAID);
    int rc = fill_targets(b, g, &found);
    gnt_text_add(&found, "%s", found.size ? " " : "");
    say_other_arenas(b, &found);
    g->found = gnt_arena_text(&g->memory, gnt_text_get(&found));
    rc = rc || found.failed || !g->found || fill_means(g) || fill_ranks(g) || fill_pairs(g) ||
         g->memory.failed;
    gnt_text_free(&found);
    return rc ? -1 : 0;
}

int board_gather_groups(board *b, gnt_err *err) {
    int failed = 0;
    for (size_t i = 0; !failed && i < b->n_contest; i++) {
        const board_contest *c = &b->contest[i];
        if (!is_arena(b, c) || !board_is_same_contributor(b, 0, c->run[0]))
            continue;
        board_group *g = group_of(b, c);
        failed = !g || add_target(b, g, c) != 0;
    }
    for (size_t i = 0; !failed && i < b->n_group; i++)
        failed = fill_group(b, &b->group[i]) != 0;
    return failed ? gnt_fail(err, "leaderboard: out of memory") : 0;
}

void board_free_groups(board *b) {
    for (size_t i = 0; i < b->n_group; i++) {
        gnt_free(b->group[i].target);
        gnt_free(b->group[i].row);
        gnt_free(b->group[i].share);
        gnt_free(b->group[i].pair);
        gnt_free(b->group[i].picture);
        gnt_arena_free(&b->group[i].memory);
    }
    gnt_free(b->group);
}
