#include "tally/tally.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "tally/tally_impl.h"

enum { MOST_BYTES = 256 << 20, MOST_NOTES = 1 << 20, MOST_ROWS = 1 << 18, MOST_NAMES = 1024 };
/* How often cells may be looked through for a verdict: far more than a suite may make. */
static const uint64_t most_looks = (uint64_t)1 << 32;

/* ---- what the file is made of ---- */

static int check_lists(tally *t) {
    const json_t *defenses, *attacks, *baseline;
    struct {
        const char *name;
        const json_t **to;
        int needed;
        size_t most;
    } lists[] = {{"tasks", &t->tasks, 0, MOST_NAMES},  {"defenses", &defenses, 0, MOST_NAMES},
                 {"attacks", &attacks, 0, MOST_NAMES}, {"cells", &t->cells, 1, MOST_ROWS},
                 {"groups", &t->groups, 1, MOST_ROWS}, {"matches", &t->matches, 0, MOST_ROWS},
                 {"baseline", &baseline, 0, MOST_ROWS}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const json_t *list = *lists[k].to = json_object_get(t->root, lists[k].name);
        if ((list || lists[k].needed) && !json_is_array(list))
            return gnt_fail(t->err, "%s: %s: expected a list; is this the results.json of a run?", t->file,
                            lists[k].name);
        if (json_array_size(list) > lists[k].most)
            return gnt_fail(t->err, "%s: %s: %zu entries are more than the %zu allowed", t->file,
                            lists[k].name, json_array_size(list), lists[k].most);
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!json_is_object(json_array_get(list, i)))
                return gnt_fail(t->err, "%s: %s is %s; expected an object", t->file,
                                gnt_path_item(lists[k].name, i).text, gnt_show(json_array_get(list, i)).text);
    }
    const size_t searches = json_array_size(t->matches) + json_array_size(baseline);
    if ((uint64_t)searches * json_array_size(t->cells) > most_looks)
        return gnt_fail(t->err,
                        "%s: matches, baseline: %zu entries for %zu cells are more than a suite can ask for",
                        t->file, searches, json_array_size(t->cells));
    return 0;
}

static int check_all(const tally *t) {
    if (t->suite ? tally_check_plan(t) : 0)
        return -1;
    return tally_check_cells(t) || tally_check_floors(t) || tally_check_trainings(t) ||
                   tally_check_matches(t) || tally_check_groups(t)
               ? -1
               : 0;
}

/* ---- the suite beside it ---- */

typedef struct facts_from {
    const gnt_suite_env *world;
    json_t *assumed;
} facts_from;

/* Of a set whose files are not here: as it was published. Those that are here need not be as many as the run
 * had. */
static int find_facts(void *context, const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err) {
    const facts_from *f = context;
    const char *folder = f->world->data_folder;
    if (!gnt_data_is_builtin(spec->name))
        json_object_set_new(f->assumed, spec->name, json_true());
    if (gnt_data_is_builtin(spec->name) || (folder && gnt_data_present(spec->name, folder)))
        return gnt_suite_data_facts(spec, folder, out, err);
    return gnt_suite_published_facts(spec, out, err);
}

static int read_suite(tally *t, const char *path, const gnt_suite_env *world, struct tally_plugins *plugins,
                      facts_from *facts, gnt_suite *suite, gnt_plan *plan, gnt_err *why) {
    const char *scale = tally_text(json_object_get(t->root, "scale"), "name");
    gnt_suite_env mine = *world;
    if (tally_plugins_make(plugins, world->plugins, t->root, why) != 0)
        return -1;
    mine.plugins = &plugins->all;
    mine.scale = *scale ? scale : NULL;
    if (!mine.data_facts) {
        mine.context = facts;
        mine.data_facts = find_facts;
    }
    mine.files_may_lack = 1;
    if (gnt_suite_load(suite, path, &mine, why) != 0 ||
        gnt_suite_add_baseline(suite, t->file, json_object_get(t->root, "baseline"), why) != 0 ||
        gnt_plan_make(plan, suite, why) != 0)
        return -1;
    t->suite = suite;
    t->plan = plan;
    return 0;
}

/* The digest hangs on the file alone, whatever else is here. */
static void compare_digest(const tally *t) {
    if (t->suite)
        t->out->of_suite = strcmp(tally_text(t->root, "suite_digest"), t->suite->digest) == 0;
}

static void mark_all_unproven(const tally *t) {
    for (size_t i = 0; i < json_array_size(t->tasks); i++)
        t->out->unproven[t->out->n_unproven++] = tally_text(json_array_get(t->tasks, i), "id");
}

/* "…/suite.json" beside "…/results.json"; a file by another name was taken out of its folder. The caller
 * frees. */
static char *suite_beside(const char *path) {
    const char *slash = strrchr(path, '/');
    if (strcmp(slash ? slash + 1 : path, "results.json") != 0)
        return gnt_strdup("");
    return gnt_format("%.*ssuite.json", slash ? (int)(slash - path + 1) : 0, path);
}

static int check_with_suite(tally *t, const char *path, const gnt_suite_env *world) {
    static const gnt_suite_env nothing;
    struct tally_plugins plugins = {0};
    facts_from facts = {world ? world : &nothing, json_object()};
    gnt_suite suite = {0};
    gnt_plan plan = {0};
    gnt_err why = {""};
    char *beside = suite_beside(path);
    int rc = beside && facts.assumed ? 0 : gnt_fail(t->err, "%s: out of memory", path);
    t->assumed = facts.assumed;
    if (rc == 0 && (!*beside || !gnt_file_exists(beside)))
        tally_note(t, "there is no suite.json beside it: the plan, the tasks and their digests could not be "
                      "checked");
    else if (rc == 0 && read_suite(t, beside, facts.world, &plugins, &facts, &suite, &plan, &why) != 0)
        tally_note(t, "the plan, the tasks and their digests could not be checked: %s", why.text);
    if (rc == 0) {
        if (!t->suite)
            mark_all_unproven(t);
        compare_digest(t);
        rc = check_all(t);
        t->out->planned = t->suite != NULL;
    }
    gnt_plan_free(&plan);
    gnt_suite_free(&suite);
    tally_plugins_free(&plugins);
    json_decref(facts.assumed);
    gnt_free(beside);
    return rc;
}

int gnt_tally_check(gnt_tally *out, const char *path, const gnt_suite_env *world, gnt_err *err) {
    gnt_doc doc;
    *out = (gnt_tally){0};
    gnt_text_init(&out->notes, MOST_NOTES);
    if (gnt_doc_load(&doc, path, MOST_BYTES, err) != 0)
        return -1;
    out->root = json_incref(doc.root);
    gnt_doc_free(&doc);
    tally t = {.root = out->root, .file = path, .out = out, .err = err};
    int rc = check_lists(&t);
    if (rc == 0) {
        out->n_cells = json_array_size(t.cells);
        out->na_shown = gnt_array(out->n_cells + 1, 1);
        out->unproven = gnt_array(json_array_size(t.tasks) + 1, sizeof *out->unproven);
        rc = out->na_shown && out->unproven ? check_with_suite(&t, path, world)
                                            : gnt_fail(err, "%s: out of memory", path);
    }
    if (rc != 0)
        gnt_tally_free(out);
    return rc;
}

void gnt_tally_free(gnt_tally *t) {
    gnt_free(t->na_shown);
    gnt_free(t->unproven);
    json_decref(t->root);
    gnt_text_free(&t->notes);
    *t = (gnt_tally){0};
}
