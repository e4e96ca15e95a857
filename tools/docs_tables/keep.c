/* Keeps of a run the members that tables read. One entry of a list is on one line, so
 * that a new run differs from the last in the lines that changed. */
#include "scores.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "differences.h"
#include "judge/bounds.h"
#include "judge/curve.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define AT(of, member) offsetof(gnt_##of, member)

static const size_t of_root[] = {AT(result, format), AT(result, suite), AT(result, title),
                                 AT(result, suite_digest), AT(result, scale)};
static const size_t of_task[] = {
    AT(result_task, id),           AT(result_task, digest),      AT(result_task, data),
    AT(result_task, model),        AT(result_task, utility),     AT(result_task, surface),
    AT(result_task, observe_from), AT(result_task, rounds),      AT(result_task, targets),
    AT(result_task, stages),       AT(result_task, batch),       AT(result_task, local_steps),
    AT(result_task, stages_drawn), AT(result_task, width),       AT(result_task, attribute),
    AT(result_task, weights),      AT(result_task, seed_public), AT(result_task, public_only),
    AT(result_task, adequate),     AT(result_task, data_kind)};
static const size_t of_defense[] = {AT(result_defense, label), AT(result_defense, plugin)};
static const size_t of_attack[] = {AT(result_attack, label), AT(result_attack, plugin)};
static const size_t of_member[] = {AT(result_member, id), AT(result_member, hooks),
                                   AT(result_member, families)};
static const size_t of_group[] = {AT(outcome, task),     AT(outcome, stage),   AT(outcome, defense),
                                  AT(outcome, strength), AT(outcome, mode),    AT(outcome, attack),
                                  AT(outcome, status),   AT(outcome, n_cells), AT(outcome, n_ok),
                                  AT(outcome, matched),  AT(outcome, utility)};
static const size_t of_cell[] = {AT(outcome, task),   AT(outcome, stage), AT(outcome, defense),
                                 AT(outcome, attack), AT(outcome, mode),  AT(outcome, strength),
                                 AT(outcome, seed),   AT(outcome, status)};
/* the first ones always, each of the others where a table of the suite's own shows it */
static const size_t of_stat[] = {offsetof(gnt_stat, mean),  offsetof(gnt_stat, low),
                                 offsetof(gnt_stat, high),  offsetof(gnt_stat, deviation),
                                 offsetof(gnt_stat, worst), offsetof(gnt_stat, median)};
enum { PLAIN_STATS = 3 };
static const size_t of_equal[] = {AT(result_equal, task),    AT(result_equal, stage),
                                  AT(result_equal, defense), AT(result_equal, attack),
                                  AT(result_equal, measure), AT(result_equal, leakage),
                                  AT(result_equal, utility), AT(result_equal, low),
                                  AT(result_equal, high),    AT(result_equal, strengths)};
static const gnt_measure_id measures[] = {GNT_MEASURE_PSNR, GNT_MEASURE_IDENTIFICATION,
                                          GNT_MEASURE_ATTRIBUTE_BALANCED, GNT_MEASURE_ATTRIBUTE_RELABELLED};
static const char *const facts[] = {
    "similarity_auc", "similarity_auc_visible", "assigned", "weight_correlation", "psnr_quartile_1",
    "psnr_median",    "psnr_quartile_3",        "psnr_16",  "information"};

/* The names of members in the file, by where they lie. */
#define CELL_KEY(member) gnt_fields_name(&gnt_cell_fields, AT(outcome, member))
#define LIST_KEY(member) gnt_fields_name(&gnt_result_fields, AT(result, member))

/* Adds the members of a cell that are listed to an object. */
static int add_members(json_t *to, const gnt_outcome *c, const size_t *member, size_t n) {
    json_t *found = gnt_fields_encode_members(&gnt_cell_fields, c, member, n);
    const int failed = !found || json_object_update(to, found);
    json_decref(found);
    return failed ? -1 : 0;
}

/* True if a line of a table names what is wanted, of any attack or of this one. */
static int names(const json_t *line, const char *key, const char *wanted, const char *attack) {
    const char *name = json_string_value(json_object_get(line, key));
    const char *only = json_string_value(json_object_get(line, "attack"));
    return name && !strcmp(name, wanted) && (!attack || !only || !strcmp(only, attack));
}

/* True if a table of the suite's own names a measure or a fact: all of it, a row or a column. attack: NULL
 * for cells of any. */
static int is_shown(const json_t *tables, const char *key, const char *wanted, const char *attack) {
    static const char *const parts[] = {"rows", "columns"};
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *table = json_array_get(tables, i);
        if (names(table, key, wanted, attack))
            return 1;
        for (size_t part = 0; part < COUNT(parts); part++) {
            const json_t *lines = json_object_get(table, parts[part]);
            for (size_t k = 0; k < json_array_size(lines); k++)
                if (names(json_array_get(lines, k), key, wanted, attack))
                    return 1;
        }
    }
    return 0;
}

static int is_kept(const json_t *tables, const char *measure) {
    for (size_t i = 0; i < COUNT(measures); i++)
        if (!strcmp(measure, gnt_measure_of(measures[i])->name))
            return 1;
    return is_shown(tables, "measure", measure, NULL);
}

/* Returns what is kept of a measure's numbers over targets; NULL when out of memory. */
static json_t *keep_stat(const json_t *tables, const gnt_stat *stat) {
    size_t shown[COUNT(of_stat)], n = 0;
    for (size_t i = 0; i < COUNT(of_stat); i++)
        if (i < PLAIN_STATS || is_shown(tables, "show", gnt_fields_name(&gnt_stat_fields, of_stat[i]), NULL))
            shown[n++] = of_stat[i];
    return gnt_fields_encode_members(&gnt_stat_fields, stat, shown, n);
}

static int keep_stats(const json_t *tables, const gnt_outcome *group, json_t *to) {
    int failed = 0;
    for (size_t i = 0; i < group->measures.n; i++) {
        const gnt_named_stat *m = &group->measures.at[i];
        if (is_kept(tables, m->measure))
            failed |= json_object_set_new(to, m->measure, keep_stat(tables, &m->stat));
    }
    return failed;
}

/* Keeps the baselines and chance of the measures that are kept. */
static int keep_guesses(const gnt_outcome *group, const json_t *stats, json_t *floors, json_t *chance) {
    int failed = 0;
    for (size_t i = 0; i < group->floors.n; i++) {
        const gnt_named_floor *f = &group->floors.at[i];
        if (json_object_get(stats, f->measure))
            failed |= json_object_set_new(floors, f->measure,
                                          gnt_fields_encode(&gnt_floor_fields, f, GNT_FIELDS_ALL));
    }
    for (size_t i = 0; i < group->chance.n; i++)
        if (json_object_get(stats, group->chance.at[i].name))
            failed |= json_object_set_new(chance, group->chance.at[i].name,
                                          gnt_json_real(group->chance.at[i].value));
    return failed;
}

static int keep_group(const json_t *tables, const gnt_outcome *group, json_t *to) {
    json_t *stats = json_object(), *floors = json_object(), *chance = json_object();
    const int failed = json_object_set_new(to, CELL_KEY(measures), stats) |
                       json_object_set_new(to, CELL_KEY(floors), floors) |
                       json_object_set_new(to, CELL_KEY(chance), chance);
    return failed || keep_stats(tables, group, stats) || keep_guesses(group, stats, floors, chance) ? -1 : 0;
}

/* ---- cells: most are joined in their group, and left out ---- */

/* True if a cell is the first of its training run, whose utility is compared with that of public data
 * alone. */
static int is_first_of_training(const gnt_results *r, size_t at) {
    const gnt_outcome *c = &r->cell[at];
    if (c->mode == GNT_ROW_SWEEP || c->mode == GNT_ROW_FIXED || isnan(c->utility.value))
        return 0;
    for (size_t i = 0; i < at; i++) {
        const gnt_outcome *o = &r->cell[i];
        if (o->seed == c->seed && o->mode == c->mode && !isnan(o->utility.value) &&
            !strcmp(o->task, c->task) && !strcmp(o->defense, c->defense))
            return 0;
    }
    return 1;
}

static const gnt_stat *stat_of(const gnt_outcome *c, gnt_measure_id id) {
    for (size_t i = 0; i < c->measures.n; i++)
        if (!strcmp(c->measures.at[i].measure, gnt_measure_of(id)->name))
            return &c->measures.at[i].stat;
    return NULL;
}

static size_t score_at(size_t measure) {
    return AT(target, score) + gnt_measure_id_of(gnt_measure_at(measure)) * sizeof(double);
}

/* Keeps the MSE of each target where targets are counted; its id and numbers where differences need them. */
static int keep_targets(const gnt_outcome *c, const differences *w, int counted, json_t *to) {
    const gnt_stat *labels = stat_of(c, GNT_MEASURE_LABEL_ACCURACY);
    size_t member[2 + GNT_MEASURES], n = 0;
    json_t *list = json_array();
    int failed = json_object_set_new(to, CELL_KEY(targets), list);
    if (counted)
        member[n++] = AT(target, score[GNT_MEASURE_MSE]);
    if (w->measures)
        member[n++] = AT(target, id);
    for (size_t m = 0; m < GNT_MEASURES; m++)
        if (w->measure[m])
            member[n++] = score_at(m);
    for (size_t i = 0; i < c->targets.n; i++)
        failed |= json_array_append_new(
            list, gnt_fields_encode_members(&gnt_target_fields, &c->targets.at[i], member, n));
    if (counted && labels)
        failed |= json_object_set_new(
            to, CELL_KEY(measures),
            json_pack("{s:o}", gnt_measure_of(GNT_MEASURE_LABEL_ACCURACY)->name,
                      gnt_fields_encode_members(&gnt_stat_fields, labels, of_stat, PLAIN_STATS)));
    return failed ? -1 : 0;
}

/* Keeps one target that stands for all: its numbers are their means. */
static int keep_mean_target(const gnt_outcome *c, const differences *w, json_t *to) {
    size_t member[1 + GNT_MEASURES] = {AT(target, id)}, n = 1;
    gnt_target one;
    gnt_fields_clear(&gnt_target_fields, &one);
    for (size_t m = 0; m < GNT_MEASURES; m++) {
        const gnt_measure_id id = gnt_measure_id_of(gnt_measure_at(m));
        double sum = 0;
        if (!w->measure[m])
            continue;
        for (size_t i = 0; i < c->targets.n; i++)
            sum += isnan(c->targets.at[i].score[id]) ? 0 : c->targets.at[i].score[id];
        one.score[id] = sum / (double)c->targets.n;
        gnt_fields_mark(&gnt_target_fields, &one, &one.score[id]);
        member[n++] = score_at(m);
    }
    return json_object_set_new(
        to, CELL_KEY(targets),
        json_pack("[o]", gnt_fields_encode_members(&gnt_target_fields, &one, member, n)));
}

/* Keeps the whole utility of a training run's first cell; else the number, and what bounds and differences
 * need in addition. */
static int keep_utility(const gnt_outcome *c, const differences *w, int first, int bounds, json_t *to) {
    static const size_t whole[] = {AT(outcome, utility)};
    size_t member[4] = {AT(utility, measure), AT(utility, value)}, n = 2;
    if (first)
        return add_members(to, c, whole, 1);
    if (bounds)
        member[n++] = AT(utility, by_value);
    if (w->other)
        member[n++] = AT(utility, others);
    return json_object_set_new(
        to, CELL_KEY(utility),
        *c->utility.measure ? gnt_fields_encode_members(&gnt_cell_utility_fields, &c->utility, member, n)
                            : json_object());
}

/* True if a cell is on the curve of a matched defense, by which it is read at the target utility. */
static int is_on_curve(const gnt_results *r, const gnt_outcome *c) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, c->task) && !strcmp(r->match[i].defense, c->defense))
            return gnt_on_curve(c);
    return 0;
}

/* True if rankings use the cell: they compare defenses by the means of their training runs, under attacks
 * that may know them. */
static int is_ranked(const gnt_results *r, const gnt_outcome *c) {
    return (c->mode != GNT_ROW_SWEEP || is_on_curve(r, c)) && c->status == GNT_CELL_OK && c->n_score > 0;
}

static int keep_means(const gnt_outcome *c, json_t *to) {
    static const size_t grants[] = {AT(outcome, grants)};
    json_t *all = json_object_get(to, CELL_KEY(measures));
    int failed = !all && json_object_set_new(to, CELL_KEY(measures), json_object());
    all = json_object_get(to, CELL_KEY(measures));
    for (size_t i = 0; i < c->measures.n; i++) {
        const gnt_named_stat *m = &c->measures.at[i];
        if (is_kept(NULL, m->measure) && !json_object_get(all, m->measure))
            failed |= json_object_set_new(all, m->measure,
                                          gnt_fields_encode_members(&gnt_stat_fields, &m->stat, of_stat, 1));
    }
    if (c->grants.n > 0)
        failed |= add_members(to, c, grants, 1);
    return failed ? -1 : 0;
}

static int is_kept_fact(const gnt_outcome *c, const json_t *tables, const char *name) {
    for (size_t i = 0; i < COUNT(facts); i++)
        if (!strcmp(name, facts[i]))
            return 1;
    return is_shown(tables, "fact", name, c->attack);
}

/* Keeps the facts of a cell that tables show; NULL when memory ran out. */
static json_t *keep_facts(const gnt_outcome *c, const json_t *tables) {
    json_t *found = json_object();
    for (size_t i = 0; found && i < c->facts.n; i++) {
        const gnt_named_real *f = &c->facts.at[i];
        if (is_kept_fact(c, tables, f->name) &&
            json_object_set_new(found, f->name, gnt_json_real(f->value))) {
            json_decref(found);
            found = NULL;
        }
    }
    return found;
}

/* Appends what is kept of a cell, if anything is. */
static int keep_cell(const gnt_results *r, size_t at, const json_t *tables, int by_means, json_t *list) {
    static const size_t marks[] = {AT(outcome, marks)};
    const gnt_outcome *c = &r->cell[at];
    json_t *found = keep_facts(c, tables),
           *to = gnt_fields_encode_members(&gnt_cell_fields, c, of_cell, COUNT(of_cell));
    const int first = is_first_of_training(r, at), counted = scores_is_counted(r, c);
    const int has_facts = json_object_size(found) > 0, ranked = is_ranked(r, c),
              bounds = gnt_bounds_uses_cell(r, at);
    const differences w = differences_of(r, c);
    int failed = !found || !to;
    if (!failed && c->matched)
        failed |= json_object_set_new(to, CELL_KEY(matched), json_true());
    if (!failed && (first || bounds || w.utility || (ranked && is_on_curve(r, c))))
        failed |= keep_utility(c, &w, first, bounds, to);
    if (!failed && has_facts)
        failed |= json_object_set(to, CELL_KEY(facts), found);
    if (!failed && c->marks.n > 0)
        failed |= add_members(to, c, marks, 1);
    if (!failed && w.measures && by_means && !counted)
        failed |= keep_mean_target(c, &w, to);
    else if (!failed && (counted || w.measures))
        failed |= keep_targets(c, &w, counted, to);
    if (!failed && ranked)
        failed |= keep_means(c, to);
    if (!failed &&
        (first || bounds || has_facts || c->marks.n > 0 || counted || w.measures || w.utility || ranked))
        failed |= json_array_append(list, to);
    json_decref(found);
    json_decref(to);
    return failed ? -1 : 0;
}

/* ---- the file ---- */

static int add_line(gnt_text *out, const char *end, const json_t *value) {
    char *line = gnt_json_canonical(value);
    if (line)
        gnt_text_add(out, "%s%s", line, end);
    gnt_free(line);
    return line ? 0 : -1;
}

/* Writes "NAME" and a list with one entry on each line; frees the list. */
static int add_list(gnt_text *out, const char *name, json_t *list, int failed) {
    gnt_text_add(out, ",\n\"%s\": [", name);
    for (size_t i = 0; !failed && i < json_array_size(list); i++) {
        gnt_text_add(out, i ? ",\n" : "\n");
        failed |= add_line(out, "", json_array_get(list, i));
    }
    gnt_text_add(out, "]");
    json_decref(list);
    return failed;
}

/* Writes a list of structs, each with the listed members, or with all if member is NULL. */
static int add_some(gnt_text *out, const char *name, const gnt_fields *fields, const void *at, size_t n,
                    const size_t *member, size_t n_member) {
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < n; i++) {
        const void *one = (const char *)at + i * fields->size;
        failed |=
            json_array_append_new(list, member ? gnt_fields_encode_members(fields, one, member, n_member)
                                               : gnt_fields_encode(fields, one, GNT_FIELDS_ALL));
    }
    return add_list(out, name, list, failed);
}

/* Appends a defense or an attack: its labels, and of each member what a ranking needs. */
static int append_plugin(json_t *list, json_t *labels, const char *name, const gnt_result_members *members) {
    json_t *kept = json_array();
    int failed = !labels || json_object_set_new(labels, name, kept);
    for (size_t i = 0; !failed && i < members->n; i++)
        failed |= json_array_append_new(kept, gnt_fields_encode_members(&gnt_member_fields, &members->at[i],
                                                                        of_member, COUNT(of_member)));
    return json_array_append_new(list, labels) || failed;
}

static int add_defenses(gnt_text *out, const gnt_result *of) {
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < of->defenses.n; i++) {
        const gnt_result_defense *d = &of->defenses.at[i];
        failed |= append_plugin(
            list, gnt_fields_encode_members(&gnt_defense_fields, d, of_defense, COUNT(of_defense)),
            gnt_fields_name(&gnt_defense_fields, AT(result_defense, members)), &d->members);
    }
    return add_list(out, LIST_KEY(defenses), list, failed);
}

static int add_attacks(gnt_text *out, const gnt_result *of) {
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < of->attacks.n; i++) {
        const gnt_result_attack *a = &of->attacks.at[i];
        failed |=
            append_plugin(list, gnt_fields_encode_members(&gnt_attack_fields, a, of_attack, COUNT(of_attack)),
                          gnt_fields_name(&gnt_attack_fields, AT(result_attack, members)), &a->members);
    }
    return add_list(out, LIST_KEY(attacks), list, failed);
}

static int add_groups(gnt_text *out, const gnt_result *of, const json_t *tables) {
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < of->groups.n; i++) {
        const gnt_outcome *group = &of->groups.at[i];
        json_t *to = gnt_fields_encode_members(&gnt_group_fields, group, of_group, COUNT(of_group));
        failed |= !to || keep_group(tables, group, to) | json_array_append(list, to);
        json_decref(to);
    }
    return add_list(out, LIST_KEY(groups), list, failed);
}

/* Adds what defenses leave at the leakages that a suite lists. */
static int add_equal(gnt_text *out, const gnt_results *r) {
    const gnt_result_equals *from = &r->file->equal_leakage;
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < from->n; i++)
        if (scores_compares_leakages(r, i))
            failed |=
                json_array_append_new(list, gnt_fields_encode_members(&gnt_equal_leakage_fields, &from->at[i],
                                                                      of_equal, COUNT(of_equal)));
    if (!failed && json_array_size(list) == 0) {
        json_decref(list);
        return 0;
    }
    return add_list(out, LIST_KEY(equal_leakage), list, failed);
}

static int add_cells(gnt_text *out, const gnt_results *r, const json_t *tables) {
    const int by_means = differences_need_means(r);
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < r->n_cell; i++)
        failed |= keep_cell(r, i, tables, by_means, list);
    return add_list(out, LIST_KEY(cells), list, failed);
}

/* Adds the keys of the run as a whole, a line each. */
static int add_head(gnt_text *out, const scores *s) {
    json_t *head = gnt_fields_encode_members(&gnt_result_fields, s->results.file, of_root, COUNT(of_root));
    int failed = !head || json_object_set(head, "host", s->host);
    size_t n = 0;
    const char *name;
    json_t *value;
    json_object_foreach(head, name, value) {
        gnt_text_add(out, "%s\"%s\": ", n++ ? ",\n" : "{\n", name);
        failed |= add_line(out, "", value);
    }
    json_decref(head);
    return failed;
}

int scores_keep(const scores *s, gnt_text *out, gnt_err *err) {
    const gnt_result *of = s->results.file;
    json_t *tables = of->tables ? json_loads(of->tables, 0, NULL) : NULL;
    int failed = add_head(out, s);
    failed |=
        add_some(out, LIST_KEY(tasks), &gnt_task_fields, of->tasks.at, of->tasks.n, of_task, COUNT(of_task));
    failed |= add_some(out, LIST_KEY(models), &gnt_model_fields, of->models.at, of->models.n, NULL, 0);
    failed |= add_defenses(out, of) | add_attacks(out, of);
    failed |= add_list(out, LIST_KEY(tables), tables ? json_incref(tables) : json_array(), 0);
    failed |= add_some(out, LIST_KEY(matches), &gnt_match_fields, of->matches.at, of->matches.n, NULL, 0);
    failed |= add_equal(out, &s->results) | add_groups(out, of, tables) | add_cells(out, &s->results, tables);
    gnt_text_add(out, "\n}\n");
    json_decref(tables);
    return failed || out->failed ? gnt_fail(err, "out of memory for what is kept of a run") : 0;
}
