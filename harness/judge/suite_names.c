/* The names of a run's tasks, defenses and attacks, and which defenses are of one family. */
#include <string.h>

#include "base/mem.h"
#include "judge/judge_impl.h"

/* Names of each kind, more than a suite may have. */
enum { MOST_NAMES = 1024 };
/* How often a report may look through the groups for one of a task's defenses under one of its attacks: about
 * a minute. */
static const uint64_t most_looks = (uint64_t)1 << 34;

/* The file, for sentences. */
typedef struct place {
    const char *file;
    gnt_err *err;
} place;

static int add_name(const place *at, const char *kind, const char ***names, size_t *n, const char *name) {
    for (size_t i = 0; i < *n; i++)
        if (!strcmp((*names)[i], name))
            return 0;
    if (*n == MOST_NAMES)
        return gnt_fail(at->err, "%s: has more than %d different %s; a run has fewer", at->file, MOST_NAMES,
                        kind);
    if (GNT_GROW(*names, *n) != 0)
        return gnt_fail(at->err, "%s: out of memory", at->file);
    (*names)[(*n)++] = name;
    return 0;
}

static int add_listed(gnt_results *r, const place *at) {
    const gnt_result *of = r->file;
    for (size_t i = 0; i < of->tasks.n; i++)
        if (of->tasks.at[i].id[0] && add_name(at, "tasks", &r->task, &r->n_task, of->tasks.at[i].id))
            return -1;
    for (size_t i = 0; i < of->defenses.n; i++)
        if (of->defenses.at[i].label[0] &&
            add_name(at, "defenses", &r->defense, &r->n_defense, of->defenses.at[i].label))
            return -1;
    for (size_t i = 0; i < of->attacks.n; i++)
        if (of->attacks.at[i].label[0] &&
            add_name(at, "attacks", &r->attack, &r->n_attack, of->attacks.at[i].label))
            return -1;
    return 0;
}

static int add_used(gnt_results *r, const place *at, const gnt_outcome *o, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (add_name(at, "tasks", &r->task, &r->n_task, o[i].task) ||
            add_name(at, "defenses", &r->defense, &r->n_defense, o[i].defense) ||
            add_name(at, "attacks", &r->attack, &r->n_attack, o[i].attack))
            return -1;
    return 0;
}

/* Removes a listed name that nothing uses, which would be an empty row everywhere. */
static void drop_unused(const gnt_results *r, const char **names, size_t *n, size_t offset) {
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        int used = 0;
        for (size_t k = 0; k < r->n_cell + r->n_group && !used; k++) {
            const gnt_outcome *o = k < r->n_cell ? &r->cell[k] : &r->group[k - r->n_cell];
            used = !strcmp(*(const char *const *)((const char *)o + offset), names[i]);
        }
        if (used)
            names[kept++] = names[i];
    }
    *n = kept;
}

static void describe(const gnt_results *r, const char *defense, gnt_about *about) {
    const gnt_result_defense *of = gnt_defense_of(r, defense);
    *about =
        of ? (gnt_about){.plugin = of->plugin, .strength = of->strength, .unit = of->unit, .scale = of->scale}
           : (gnt_about){.plugin = "", .strength = "", .unit = "", .scale = ""};
    for (size_t i = 0; i < r->n_cell && !about->plugin[0]; i++)
        if (!strcmp(r->cell[i].defense, defense))
            about->plugin = r->cell[i].plugin;
    if (!about->plugin[0])
        about->plugin = defense;
}

enum { ROLE_UNDEFENDED, ROLE_RUN, ROLE_SWEPT };

static int role_of(const gnt_results *r, const char *defense) {
    int swept = 0;
    for (size_t i = 0; i < r->n_group; i++) {
        if (strcmp(r->group[i].defense, defense) != 0)
            continue;
        if (r->group[i].mode == GNT_ROW_NONE)
            return ROLE_UNDEFENDED;
        if (r->group[i].mode != GNT_ROW_SWEEP)
            return ROLE_RUN;
        swept = 1;
    }
    return swept ? ROLE_SWEPT : ROLE_RUN;
}

/* Numbers families in the suite's order; "no defense" gets no number, as it is drawn in black. */
static int find_families(gnt_results *r) {
    size_t families = 0;
    int *role = gnt_array(r->n_defense + 1, sizeof *role);
    r->about = gnt_array(r->n_defense + 1, sizeof *r->about);
    for (size_t i = 0; role && r->about && i < r->n_defense; i++) {
        gnt_about *a = &r->about[i];
        describe(r, r->defense[i], a);
        role[i] = role_of(r, r->defense[i]);
        size_t k = 0;
        while (k < i && (role[k] == ROLE_UNDEFENDED || strcmp(r->about[k].plugin, a->plugin) != 0))
            k++;
        if (role[i] == ROLE_UNDEFENDED)
            continue;
        a->family = k < i ? r->about[k].family : families++;
        for (k = 0; k < i; k++)
            a->sibling += role[k] == role[i] && r->about[k].family == a->family;
    }
    int failed = !role || !r->about;
    gnt_free(role);
    return failed ? -1 : 0;
}

static int has_public_only(const gnt_results *r) {
    for (size_t i = 0; i < r->n_facts; i++)
        if (r->facts[i].n_only)
            return 1;
    return 0;
}

int results_collect_names(gnt_results *r, const char *file, gnt_err *err) {
    const place names = {file, err}, *at = &names;
    if (add_listed(r, at) || add_used(r, at, r->group, r->n_group) || add_used(r, at, r->cell, r->n_cell))
        return -1;
    drop_unused(r, r->task, &r->n_task, offsetof(gnt_outcome, task));
    drop_unused(r, r->defense, &r->n_defense, offsetof(gnt_outcome, defense));
    drop_unused(r, r->attack, &r->n_attack, offsetof(gnt_outcome, attack));
    const uint64_t looked_through = (uint64_t)r->n_group + r->n_marked + (has_public_only(r) ? r->n_cell : 0);
    if ((uint64_t)r->n_task * r->n_defense * r->n_attack * (looked_through + 1) > most_looks)
        return gnt_fail(
            at->err,
            "%s: %zu tasks, %zu defenses and %zu attacks in %zu groups are more than a report can "
            "lay out; run the suite in parts",
            at->file, r->n_task, r->n_defense, r->n_attack, r->n_group);
    return find_families(r) ? gnt_fail(at->err, "%s: out of memory", at->file) : 0;
}
