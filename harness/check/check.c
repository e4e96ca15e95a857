#include "check/check.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "check/check_impl.h"
#include "derive/derive.h"

enum { MOST_NOTES = 1 << 20 };
/* How often cells may be looked through for a verdict: far more than a suite may make. */
static const uint64_t most_looks = (uint64_t)1 << 32;

static int check_sizes(const check *c) {
    const size_t searches = c->of->matches.n + c->of->baseline.n;
    if ((uint64_t)searches * c->of->cells.n <= most_looks)
        return 0;
    return gnt_fail(c->err,
                    "%s: matches, baseline: %zu entries for %zu cells are more than a suite can request",
                    c->file, searches, c->of->cells.n);
}

static int check_all(const check *c) {
    return (c->suite && check_plan(c)) || check_cells(c) || check_guesses(c) || check_utilities(c) ||
                   check_matches(c) || check_groups(c)
               ? -1
               : 0;
}

/* ---- the suite next to it ---- */

typedef struct facts_from {
    const gnt_suite_env *world;
    json_t *assumed;
} facts_from;

/* Finds the facts of a data set; if its files are not here, as it was published. Files that are here need not
 * be as many as the run had. */
static int find_facts(void *context, const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err) {
    const facts_from *f = context;
    const char *folder = f->world->data_folder;
    if (!gnt_data_is_builtin(spec->name))
        json_object_set_new(f->assumed, spec->name, json_true());
    if (gnt_data_is_builtin(spec->name) || (folder && gnt_data_present(spec->name, folder)))
        return gnt_suite_data_facts(spec, folder, out, err);
    return gnt_suite_published_facts(spec, out, err);
}

/* True if a run observed drawn rounds, and all its training runs the same. */
static int draws_once(const gnt_result *of) {
    int drawn = 0;
    for (size_t i = 0; i < of->tasks.n; i++)
        drawn |= of->tasks.at[i].stages_drawn > 0;
    for (size_t i = 0; drawn && i < of->cells.n; i++)
        drawn &= of->cells.at[i].round < 0;
    return drawn;
}

/* Returns the round of a run that draws once for a task, or −1. */
static int64_t round_of_all(const gnt_result *of, const char *task, int64_t stage) {
    for (size_t i = 0; i < of->tasks.n; i++)
        if (strcmp(of->tasks.at[i].id, task) == 0 && (size_t)stage <= of->tasks.at[i].stages.n)
            return of->tasks.at[i].stages.at[stage - 1];
    return -1;
}

/* Returns the round that the first such cell of the file has, or −1. */
static int64_t find_round(void *context, const char *task, uint64_t seed, int64_t stage) {
    const gnt_result *of = context;
    if (draws_once(of))
        return round_of_all(of, task, stage);
    for (size_t i = 0; i < of->cells.n; i++) {
        const gnt_outcome *c = &of->cells.at[i];
        if ((uint64_t)c->seed == seed && c->stage == stage && strcmp(c->task, task) == 0)
            return c->round;
    }
    return -1;
}

/* What the suite of a run says, read with substitutes for plugins that are not here. */
typedef struct suite_of {
    struct check_plugins plugins;
    gnt_suite suite;
    gnt_plan plan;
    gnt_result should;
    facts_from facts;
} suite_of;

static int read_suite(const check *c, const char *path, suite_of *s, gnt_err *why) {
    gnt_suite_env mine = *s->facts.world;
    if (check_plugins_make(&s->plugins, mine.plugins, c->of, why) != 0)
        return -1;
    mine.plugins = &s->plugins.all;
    mine.scale = c->of->scale && *c->of->scale->name ? c->of->scale->name : NULL;
    if (!mine.data_facts) {
        mine.context = &s->facts;
        mine.data_facts = find_facts;
    }
    mine.files_may_lack = 1;
    mine.draws_once = draws_once(c->of);
    mine.round = find_round;
    mine.round_context = (void *)(uintptr_t)c->of;
    return gnt_suite_load(&s->suite, path, &mine, why) != 0 ||
                   gnt_derive_add_baseline(&s->suite, c->file, &c->of->baseline, why) != 0 ||
                   gnt_plan_make(&s->plan, &s->suite, why) != 0 ||
                   gnt_derive_suite(&s->should, &s->suite, &s->should.memory, why) != 0
               ? -1
               : 0;
}

/* Notes lists of attacks that are not those that are here under their names. */
static void note_lists(const check *c, const gnt_suite *suite, const gnt_suite_env *world) {
    for (size_t i = 0; world->plugins && i < suite->n_lists; i++) {
        const gnt_suite_list *is = &suite->list[i];
        gnt_suite here;
        gnt_err why = {""};
        const int rc = gnt_suite_load_list(&here, is->name, world, &why);
        if (rc != 0)
            check_note(c, "attacks %s:…: the list %s could not be compared with that of this build: %s",
                       is->name, is->name, rc > 0 ? "it has none of that name" : why.text);
        else if (strcmp(here.list->digest, is->digest) != 0)
            check_note(c,
                       "attacks %s:…: the list %s or its plugins are not those of this build: the digest is "
                       "%s, here "
                       "it is %s",
                       is->name, is->name, is->digest, here.list->digest);
        gnt_suite_free(&here);
    }
}

static void mark_all_unproven(const check *c) {
    for (size_t i = 0; i < c->of->tasks.n; i++)
        c->out->unproven[c->out->n_unproven++] = c->of->tasks.at[i].id;
}

/* Returns "…/suite.json" next to "…/results.json", and "" for a file by another name, which was taken out of
 * its folder. The caller frees. */
static char *suite_path(const char *path) {
    const char *slash = strrchr(path, '/');
    if (strcmp(slash ? slash + 1 : path, "results.json") != 0)
        return gnt_strdup("");
    return gnt_format("%.*ssuite.json", slash ? (int)(slash - path + 1) : 0, path);
}

/* Opens the suite; what cannot be read is a note. */
static int open_suite(check *c, const char *path, suite_of *s) {
    gnt_err why = {""};
    char *at = suite_path(path);
    const int rc = at && s->facts.assumed ? 0 : gnt_fail(c->err, "%s: out of memory", path);
    if (rc == 0 && (!*at || !gnt_file_exists(at)))
        check_note(c, "there is no suite.json beside it: the plan, the tasks and their digests could not be "
                      "checked");
    else if (rc == 0 && read_suite(c, at, s, &why) != 0)
        check_note(c, "the plan, the tasks and their digests could not be checked: %s", why.text);
    else if (rc == 0) {
        c->suite = &s->suite;
        c->plan = &s->plan;
        c->should = &s->should;
        c->assumed = s->facts.assumed;
        note_lists(c, c->suite, s->facts.world);
    }
    gnt_free(at);
    return rc;
}

static int check_with_suite(check *c, const char *path, const gnt_suite_env *world) {
    static const gnt_suite_env nothing;
    suite_of s = {.facts = {world ? world : &nothing, json_object()}};
    gnt_result_clear(&s.should);
    int rc = open_suite(c, path, &s);
    if (rc == 0) {
        if (!c->suite)
            mark_all_unproven(c);
        /* the digest depends on the file alone, whatever else is here */
        c->out->of_suite = c->suite && strcmp(c->of->suite_digest, c->suite->digest) == 0;
        c->out->planned = c->suite != NULL;
        rc = check_all(c);
    }
    gnt_plan_free(&s.plan);
    gnt_suite_free(&s.suite);
    check_plugins_free(&s.plugins);
    gnt_result_free(&s.should);
    json_decref(s.facts.assumed);
    return rc;
}

static void note_unknown(const check *c) {
    if (c->of->n_unknown == 1)
        check_note(c, "%s is a key that this build does not know: it was not checked", c->of->unknown.text);
    else if (c->of->n_unknown > 1)
        check_note(c, "%s and %zu more are keys that this build does not know: they were not checked",
                   c->of->unknown.text, c->of->n_unknown - 1);
}

int gnt_check(gnt_checked *out, const char *path, const gnt_suite_env *world, gnt_err *err) {
    *out = (gnt_checked){0};
    gnt_text_init(&out->notes, MOST_NOTES);
    if (gnt_result_load(&out->result, path, err) != 0)
        return -1;
    check c = {.of = &out->result, .file = path, .out = out, .err = err};
    out->n_cells = out->result.cells.n;
    out->na_shown = gnt_array(out->n_cells + 1, 1);
    out->unproven = gnt_array(out->result.tasks.n + 1, sizeof *out->unproven);
    int rc = out->na_shown && out->unproven ? check_sizes(&c) : gnt_fail(err, "%s: out of memory", path);
    if (rc == 0)
        rc = check_with_suite(&c, path, world);
    if (rc == 0)
        note_unknown(&c);
    if (rc != 0)
        gnt_checked_free(out);
    return rc;
}

void gnt_checked_free(gnt_checked *c) {
    gnt_free(c->na_shown);
    gnt_free(c->unproven);
    gnt_result_free(&c->result);
    gnt_text_free(&c->notes);
    *c = (gnt_checked){0};
}
