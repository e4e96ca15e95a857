/* What each member of a list of attacks decides in the arenas that are kept in results/board, and what its
 * defenses would leak without it. */
#include "page_tables.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "judge/curve.h"
#include "judge/ranking.h"
#include "judge/shares.h"

#define BOARD "results/board"

enum { MOST_LIST = 1 << 20, MOST_LINE = 1 << 16 };

/* Tasks of a run that count by one measure, and what its attacks decide there. */
typedef struct arena {
    const gnt_results *results;
    const gnt_measure *measure;
    const char *list, *digest, *status;
    size_t pairs, trainings; /* of defense and target; of all of these together */
    /* of each attack of the results: in how many training runs it decides, the sum of how much less leaks
     * there without it, and how often which attack is then the strongest (next[a * n_attack + b]) */
    size_t *decides, *next;
    double *fall;
} arena;

/* ---- which attacks ---- */

/* Returns the entry of a list that an attack is of; NULL for others. */
static const gnt_result_list *entry_of(const gnt_results *r, const char *attack, const char *list) {
    const gnt_result_attack *a = gnt_attack_of(r, attack);
    return a && a->list && !strcmp(a->list->name, list) ? a->list : NULL;
}

/* Returns the member of "list:member". */
static const char *member_of(const char *label) {
    const char *colon = strchr(label, ':');
    return colon ? colon + 1 : label;
}

static size_t index_of(const gnt_results *r, const char *attack) {
    size_t a = 0;
    while (a < r->n_attack && strcmp(r->attack[a], attack) != 0)
        a++;
    return a;
}

static int any_of_list(const gnt_results *r, const char *list) {
    for (size_t a = 0; a < r->n_attack; a++)
        if (entry_of(r, r->attack[a], list))
            return 1;
    return 0;
}

/* Returns the measure by which a task is one of an arena; NULL: it is none. */
static const gnt_measure *measure_of(const gnt_results *r, const char *task) {
    int64_t stage[GNT_MOST_STAGES];
    const gnt_measure *lead = gnt_judged_stages(r, task, stage) ? gnt_section_lead(r, task, stage[0]) : NULL;
    return lead && gnt_is_arena(r, task) ? gnt_share_measure(lead) : NULL;
}

/* ---- what they decide ---- */

static void add_decided(arena *of, const gnt_decided *d) {
    const size_t n = of->results->n_attack, a = index_of(of->results, d->attack);
    of->trainings++;
    of->decides[a]++;
    of->fall[a] += of->measure->leak * (d->leaked - d->without);
    if (d->next)
        of->next[a * n + index_of(of->results, d->next)]++;
}

/* Adds the training runs of a defense in a task, under the attacks of the list. */
static int add_defense(arena *of, const char *task, int64_t stage, const gnt_rank_row *row) {
    const gnt_results *r = of->results;
    int64_t seed[GNT_MOST_TRAININGS];
    const size_t n_seeds = gnt_seeds(r, task, seed);
    gnt_measured *group = gnt_array(r->n_attack * GNT_MOST_STAGES + 1, sizeof *group);
    gnt_decided *decided = gnt_array(n_seeds + 1, sizeof *decided);
    int rc = group && decided ? 0 : -1;
    size_t n = 0;
    const size_t all = rc == 0 ? gnt_list_measured(group, r, task, stage, row->defense, of->measure) : 0;
    for (size_t i = 0; i < all; i++)
        if (entry_of(r, group[i].group->attack, of->list))
            group[n++] = group[i];
    if (rc == 0)
        rc = gnt_decide_trainings(decided, group, n, seed, n_seeds, of->measure, row->floor);
    for (size_t s = 0; rc == 0 && s < n_seeds; s++)
        if (decided[s].attack)
            add_decided(of, &decided[s]);
    of->pairs++;
    gnt_free(group);
    gnt_free(decided);
    return rc;
}

/* True for a defense at the target utility whose number counts. */
static int counts(gnt_rank_state state) {
    return state == GNT_RANKED || state == GNT_RANKED_UNMET || state == GNT_RANKED_AS_NONE ||
           state == GNT_UNRANKED_FEW;
}

static int add_task(arena *of, const char *task) {
    int64_t stage[GNT_MOST_STAGES];
    const size_t n = gnt_judged_stages(of->results, task, stage);
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < n; k++) {
        gnt_ranking ranking;
        rc = gnt_rank(&ranking, of->results, task, stage[k], of->measure);
        for (size_t i = 0; rc == 0 && i < ranking.n; i++)
            if (counts(ranking.row[i].state))
                rc = add_defense(of, task, stage[k], &ranking.row[i]);
        gnt_ranking_free(&ranking);
    }
    return rc;
}

/* ---- the table of an arena ---- */

/* Writes "rank1 (20 of 33)", the attack that is most often the strongest without attack a. */
static void add_next(const arena *of, size_t a, gnt_table *t) {
    const size_t n = of->results->n_attack, *next = of->next + a * n;
    size_t most = 0;
    for (size_t b = 1; b < n; b++)
        most = next[b] > next[most] ? b : most;
    if (next[most])
        gnt_table_format(t, "%s (%zu of %zu)", member_of(of->results->attack[most]), next[most],
                         of->decides[a]);
    else
        gnt_table_text(t, "–");
}

static void add_member(const arena *of, size_t a, gnt_table *t) {
    gnt_text number;
    gnt_text_init(&number, MOST_LINE);
    gnt_table_text(t, member_of(of->results->attack[a]));
    gnt_table_format(t, "%zu of %zu", of->decides[a], of->trainings);
    if (of->decides[a])
        gnt_measure_number(of->measure, of->fall[a] / (double)of->decides[a], &number);
    gnt_text_add(&number, "%s", of->decides[a] ? "" : "–");
    gnt_table_take(t, &number);
    add_next(of, a, t);
}

/* True if an attack of the list has a number in some task of the arena. */
static int has_number(const arena *of, size_t a) {
    const gnt_results *r = of->results;
    if (!entry_of(r, r->attack[a], of->list) || gnt_result_influence_of(r->file, r->attack[a]))
        return 0;
    for (size_t t = 0; t < r->n_task; t++) {
        int64_t stage[GNT_MOST_STAGES];
        const size_t n =
            measure_of(r, r->task[t]) == of->measure ? gnt_judged_stages(r, r->task[t], stage) : 0;
        for (size_t k = 0; k < n; k++)
            if (gnt_has_measure(r, r->task[t], stage[k], r->attack[a], of->measure->name))
                return 1;
    }
    return 0;
}

/* Writes the arena, its members by how much they decide, and appends these to `met`, a line each. */
static void write_arena(const arena *of, gnt_text *met, gnt_text *out) {
    const gnt_results *r = of->results;
    const int percent = of->measure->scale == 100;
    char *column = gnt_format("leaks less without it (%s)", percent ? "points" : of->measure->unit);
    gnt_table t;
    gnt_table_init(&t, NULL);
    GNT_TABLE_COLUMNS(&t, "member", "strongest in", column ? column : "", "then strongest");
    t.failed |= !column;
    for (size_t want = of->trainings + 1; want-- > 0;)
        for (size_t a = 0; a < r->n_attack; a++)
            if (of->decides[a] == want && has_number(of, a)) {
                add_member(of, a, &t);
                gnt_text_add(met, "%s\n", member_of(r->attack[a]));
            }
    tables_next(out);
    gnt_text_add(out, "**%s** (%s list %.12s), by %s; %zu pairs of defense and target, %zu training runs.\n",
                 r->suite, of->status, of->digest, of->measure->title, of->pairs, of->trainings);
    tables_add(&t, out);
    gnt_table_free(&t);
    gnt_free(column);
}

static int add_arena(const gnt_results *r, const gnt_measure *m, const char *list, gnt_text *met,
                     gnt_text *out) {
    arena of = {.results = r,
                .measure = m,
                .list = list,
                .decides = gnt_array(r->n_attack + 1, sizeof *of.decides),
                .next = gnt_array(r->n_attack * r->n_attack + 1, sizeof *of.next),
                .fall = gnt_array(r->n_attack + 1, sizeof *of.fall)};
    int rc = of.decides && of.next && of.fall ? 0 : -1;
    for (size_t a = 0; a < r->n_attack; a++) {
        const gnt_result_list *entry = entry_of(r, r->attack[a], list);
        of.digest = entry ? entry->digest : of.digest;
        of.status = entry ? entry->status : of.status;
    }
    for (size_t t = 0; rc == 0 && t < r->n_task; t++)
        if (measure_of(r, r->task[t]) == m)
            rc = add_task(&of, r->task[t]);
    if (rc == 0 && of.trainings)
        write_arena(&of, met, out);
    gnt_free(of.decides);
    gnt_free(of.next);
    gnt_free(of.fall);
    return rc;
}

/* Adds a run's arenas, one for each measure; nothing of a run without attacks of the list. */
static int add_run(const char *name, const char *list, gnt_text *met, gnt_text *out, gnt_err *err) {
    char *folder = gnt_format(BOARD "/%s", name);
    scores s;
    if (!folder || scores_load(&s, folder, err)) {
        gnt_free(folder);
        return -1;
    }
    const gnt_results *r = &s.results;
    int rc = 0;
    for (size_t t = 0; rc == 0 && any_of_list(r, list) && t < r->n_task; t++) {
        const gnt_measure *m = measure_of(r, r->task[t]);
        int is_first = m != NULL;
        for (size_t k = 0; k < t && is_first; k++)
            is_first = measure_of(r, r->task[k]) != m;
        rc = is_first ? add_arena(r, m, list, met, out) : 0;
    }
    scores_free(&s);
    gnt_free(folder);
    return rc == 0 ? 0 : gnt_fail(err, "out of memory");
}

/* ---- all arenas ---- */

/* Names the members of the list that have no number in any arena. */
static void write_rest(const json_t *attacks, const gnt_text *met, gnt_text *out) {
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(attacks); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(attacks, i), "id"));
        char *line = gnt_format("\n%s\n", id ? id : "");
        out->failed |= !line;
        if (id && line && !strstr(gnt_text_get(met), line)) {
            gnt_text_add(out, "%s`%s`", n++ ? ", " : "\nNo number in these arenas: ", id);
        }
        gnt_free(line);
    }
    gnt_text_add(out, "%s", n ? ".\n" : "");
}

static int is_run(const struct dirent *d) {
    return d->d_name[0] != '.';
}

int table_members(const char *name, gnt_text *out, gnt_err *err) {
    char *path = gnt_format("suites/standard/%s.json", name);
    gnt_doc list = {0};
    gnt_text met;
    struct dirent **run = NULL;
    int rc = path ? gnt_doc_load(&list, path, MOST_LIST, err) : gnt_fail(err, "out of memory");
    const int n = rc == 0 ? scandir(BOARD, &run, is_run, alphasort) : 0;
    gnt_text_init(&met, MOST_LINE);
    gnt_text_add(&met, "\n");
    for (int i = 0; i < n; i++) {
        rc = rc == 0 ? add_run(run[i]->d_name, name, &met, out, err) : rc;
        free(run[i]);
    }
    if (rc == 0 && out->size)
        write_rest(json_object_get(list.root, "attacks"), &met, out);
    out->failed |= met.failed;
    free(run);
    gnt_text_free(&met);
    gnt_doc_free(&list);
    gnt_free(path);
    return rc;
}
