/* Reads a suite file: its top level; and one list of attacks by itself. */
#include "suite/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "metric/embedding.h"
#include "metric/measure.h"
#include "plugin/info.h"
#include "suite/suite_impl.h"

static int read_seeds(suite_reader *r, const json_t *root) {
    const json_t *list = NULL;
    if (suite_list(r, "", root, "seeds", 1, GNT_SUITE_MOST_LIST, &list))
        return -1;
    size_t n = list ? json_array_size(list) : 1;
    uint64_t *seeds = r->s->seeds = gnt_array(n, sizeof *seeds);
    if (!seeds)
        return suite_no_memory(r);
    r->s->n_seeds = n;
    seeds[0] = 1;
    for (size_t i = 0; list && i < n; i++) {
        const gnt_path at = gnt_path_item("seeds", i);
        int64_t seed = 0;
        if (suite_int_at(r, at.text, json_array_get(list, i), 0, INT64_MAX, &seed))
            return -1;
        for (size_t j = 0; j < i; j++)
            if (seeds[j] == (uint64_t)seed)
                return suite_fail(
                    r, at.text, "is %lld, as seeds[%zu] is; a repeated seed measures nothing new: remove one",
                    (long long)seed, j);
        seeds[i] = (uint64_t)seed;
    }
    return 0;
}

/* ---- limits and measures ---- */

static int read_limits(suite_reader *r, const json_t *root) {
    const json_t *limits = NULL;
    gnt_suite *s = r->s;
    s->seconds = 600;
    s->memory_mb = 4096;
    if (suite_object(r, "", root, "limits", &limits))
        return -1;
    if (!limits)
        return 0;
    return suite_keys(r, "limits", limits, "seconds", "cpu_seconds", "memory_mb") ||
           suite_real(r, "limits", limits, "seconds", 1, 1e7, &s->seconds) ||
           suite_real(r, "limits", limits, "cpu_seconds", 1, 1e7, &s->cpu_seconds) ||
           suite_int(r, "limits", limits, "memory_mb", 64, 1 << 24, &s->memory_mb);
}

static int add_measure(suite_reader *r, const char *path, gnt_measure_id which) {
    if (r->s->measures & 1u << which)
        return suite_fail(r, path, "\"%s\" is listed twice; remove one", gnt_measure_of(which)->name);
    r->s->measures |= 1u << which;
    return 0;
}

/* Returns where to store the index of the model by which a measure compares images; NULL: it needs none. */
static size_t *judge_of(gnt_suite *s, int which) {
    return which == GNT_MEASURE_FEATURE_DISTANCE     ? &s->judge
           : which == GNT_MEASURE_REPRESENTATION_MSE ? &s->representation
                                                     : NULL;
}

static int read_judge(suite_reader *r, const char *path, int which, const json_t *value) {
    const char *id = json_string_value(value);
    const gnt_suite_model *m = id ? gnt_suite_find_model(r->s, id) : NULL;
    if (!m)
        return suite_fail(r, path,
                          "is %s; expected the id of one of the suite's \"models\", such as \"%s\": "
                          "\"judge\"",
                          gnt_show(value).text, gnt_measure_of((gnt_measure_id)which)->name);
    if (m->of.facts.rank != 3)
        return suite_fail(r, path, "is \"%s\", a model on samples that are not images", id);
    if (which == GNT_MEASURE_REPRESENTATION_MSE && !m->of.has_representation)
        return suite_fail(r, path,
                          "is \"%s\", whose representation is the sample itself; name a layer as the "
                          "model's \"representation\"",
                          id);
    *judge_of(r->s, which) = (size_t)(m - r->s->model);
    return 0;
}

/* Reads "measures": a list of names, or an object of names, each with true or, if it needs one, a model. */
static int read_measures(suite_reader *r, const json_t *root) {
    const json_t *given = json_object_get(root, "measures"), *list = NULL;
    const char *name, *names[GNT_MEASURES];
    json_t *value;
    gnt_measure_names(names);
    if (json_is_object(given)) {
        if (gnt_doc_keys(r->doc, "measures", given, names, GNT_MEASURES, r->err))
            return -1;
        json_object_foreach((json_t *)(uintptr_t)given, name, value) {
            const gnt_path at = gnt_path_key("measures", name);
            int which = 0;
            while (strcmp(names[which], name) != 0)
                which++;
            if (judge_of(r->s, which) ? read_judge(r, at.text, which, value)
                : json_is_true(value)
                    ? 0
                    : suite_fail(r, at.text, "is %s; expected true, or no such key", gnt_show(value).text))
                return -1;
            r->s->measures |= 1u << which;
        }
        return 0;
    }
    if (suite_list(r, "", root, "measures", 1, GNT_MEASURES, &list))
        return -1;
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        int which = 0;
        const gnt_path at = gnt_path_item("measures", i);
        if (suite_choice_at(r, at.text, json_array_get(list, i), names, GNT_MEASURES, &which) ||
            add_measure(r, at.text, (gnt_measure_id)which))
            return -1;
        if (judge_of(r->s, which))
            return suite_fail(r, at.text,
                              "needs a model; expected \"measures\": {\"%s\": \"MODEL\", \"psnr\": true, …}",
                              names[which]);
    }
    return 0;
}

/* Reads "facts": names of facts that the report plots; which facts a plugin reports is not known before it
 * runs. */
static int read_facts(suite_reader *r, const json_t *root) {
    const json_t *list = NULL;
    if (suite_list(r, "", root, "facts", 1, GNT_SUITE_MOST_FACTS, &list))
        return -1;
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        const gnt_path at = gnt_path_item("facts", i);
        const char *name = NULL;
        if (suite_text_at(r, at.text, json_array_get(list, i), 100, &name))
            return -1;
        if (!gnt_id_ok(name, '_'))
            return suite_fail(
                r, at.text,
                "is %s, which is not a name of a fact; expected 1 to %d of a to z, 0 to 9 and _, "
                "beginning with a letter, as plugins report them",
                gnt_show_text(name).text, GNT_PLUGIN_ID);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(name, json_string_value(json_array_get(list, k))))
                return suite_fail(r, at.text, "is \"%s\", as facts[%zu] is; remove one", name, k);
    }
    r->s->facts = list ? json_dumps(list, JSON_COMPACT) : NULL;
    return !list || r->s->facts ? 0 : suite_no_memory(r);
}

/* ---- the whole ---- */

static int read_title(suite_reader *r, const json_t *root) {
    const char *title = "";
    if (suite_text(r, "", root, "title", 200, &title))
        return -1;
    r->s->title = gnt_strdup(title);
    return r->s->title ? 0 : suite_no_memory(r);
}

static int read_lists(suite_reader *r, const json_t *root) {
    const json_t *tasks = NULL, *models = NULL, *defenses = NULL, *attacks = NULL;
    if (suite_need(r, "", root, "tasks", "a list of tasks: data, model and what is observed") ||
        suite_list(r, "", root, "tasks", 1, GNT_SUITE_MOST_TASKS, &tasks) || suite_read_tasks(r, tasks) ||
        suite_list(r, "", root, "models", 0, GNT_SUITE_MOST_MODELS, &models) ||
        suite_read_models(r, models) ||
        suite_need(r, "", root, "defenses", "a list of defenses, such as [{\"defense\": \"none\"}]") ||
        suite_list(r, "", root, "defenses", 1, GNT_SUITE_MOST_ENTRIES, &defenses) ||
        suite_read_defenses(r, defenses) ||
        suite_need(r, "", root, "attacks",
                   "a list of attacks, such as [{\"attack\": \"dlg\"}], or the name of one") ||
        suite_list(r, "", root, "attacks", 1, GNT_SUITE_MOST_ENTRIES, &attacks))
        return -1;
    return suite_check_captures(r) || suite_read_attacks(r, attacks) || suite_add_influence(r);
}

static int read_root(suite_reader *r) {
    const json_t *root = r->doc->root;
    if (!json_is_object(root))
        return suite_fail(r, "", "is %s; expected a suite, an object: {\"suite\": …, \"tasks\": […], …}",
                          gnt_show(root).text);
    return suite_keys(r, "", root, "suite", "title", "seed", "key_file", "key_for", "seeds", "tasks",
                      "models", "defenses", "attacks", "lists", "match", "limits", "measures", "facts",
                      "points", "tables", "check", "adequate") ||
           suite_read_id(r, "", root, "suite", "a name for the suite, such as \"suite\": \"quick\"",
                         &r->s->name) ||
           read_title(r, root) || suite_read_key(r, root) || read_seeds(r, root) || read_limits(r, root) ||
           read_lists(r, root) || read_measures(r, root) || read_facts(r, root) ||
           (json_object_get(root, "points") &&
            suite_int(r, "", root, "points", GNT_EMBEDDING_LEAST, GNT_EMBEDDING_MOST, &r->s->points)) ||
           suite_read_tables(r, root) || suite_read_check(r, root);
}

static char *folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? gnt_format("%.*s", (int)(slash == file ? 1 : slash - file), file) : gnt_strdup("");
}

static int read_doc(gnt_suite *out, gnt_doc *doc, const gnt_suite_env *env, gnt_err *err) {
    suite_reader r = {.doc = doc, .env = env, .s = out, .err = err, .folder = folder_of(doc->name)};
    *out = (gnt_suite){.file = gnt_strdup(doc->name), .text = gnt_strdup(doc->text)};
    int rc = r.folder && out->file && out->text
                 ? suite_apply_scale(&r, doc, env->scale) || suite_find_lists(&r, doc)
                 : suite_no_memory(&r);
    char *canonical = rc == 0 ? gnt_json_canonical(doc->root) : NULL;
    if (rc == 0 && !canonical)
        rc = suite_no_memory(&r);
    if (rc == 0) {
        const gnt_digest digest = gnt_digest_bytes(canonical, strlen(canonical));
        gnt_digest_hex(&digest, out->digest);
        rc = read_root(&r);
    }
    suite_free_lists(&r);
    gnt_free(canonical);
    gnt_free(r.folder);
    if (rc == 0)
        return 0;
    gnt_suite_free(out);
    return -1;
}

int gnt_suite_load(gnt_suite *out, const char *path, const gnt_suite_env *env, gnt_err *err) {
    gnt_doc doc;
    *out = (gnt_suite){0};
    if (gnt_doc_load(&doc, path, GNT_DOC_MOST, err) != 0)
        return -1;
    int rc = read_doc(out, &doc, env, err);
    gnt_doc_free(&doc);
    return rc;
}

int gnt_suite_parse(gnt_suite *out, const char *name, const char *text, size_t size, const gnt_suite_env *env,
                    gnt_err *err) {
    gnt_doc doc;
    *out = (gnt_suite){0};
    if (size > GNT_DOC_MOST)
        return gnt_fail(err, "%s: has %zu bytes, more than the %d allowed", name, size, GNT_DOC_MOST);
    if (gnt_doc_parse(&doc, name, text, size, err) != 0)
        return -1;
    int rc = read_doc(out, &doc, env, err);
    gnt_doc_free(&doc);
    return rc;
}

int gnt_suite_load_given(gnt_suite *out, const char *path, const gnt_suite_env *env, gnt_err *err) {
    uint8_t *text = NULL;
    size_t size = 0;
    if (!gnt_is_pipe(path))
        return gnt_suite_load(out, path, env, err);
    *out = (gnt_suite){0};
    int rc = gnt_pipe_read(path, GNT_DOC_MOST, &text, &size, err);
    if (rc == 0)
        rc = gnt_suite_parse(out, path, (const char *)text, size, env, err);
    gnt_free(text);
    return rc;
}

/* ---- one list of attacks by itself ---- */

int gnt_suite_load_list(gnt_suite *out, const char *name, const gnt_suite_env *env, gnt_err *err) {
    gnt_doc doc;
    char *text = gnt_format("{\"attacks\": [\"%s\"]}", suite_is_id(name) ? name : "");
    *out = (gnt_suite){0};
    if (!text || gnt_doc_parse(&doc, "list", text, strlen(text), err) != 0) {
        gnt_free(text);
        return gnt_fail(err, "out of memory for a list of attacks");
    }
    suite_reader r = {.doc = &doc, .env = env, .s = out, .err = err};
    int rc = suite_find_lists(&r, &doc) ? -1 : 0;
    const int is_there = rc == 0 || r.n_lists > 0;
    const char *said = rc ? strstr(err->text, "attacks[0]: ") : NULL;
    if (said) {
        const gnt_err whole = *err;
        gnt_fail(err, "%s: %s", name, whole.text + (said - err->text) + strlen("attacks[0]: "));
    }
    if (rc == 0)
        rc = suite_read_attacks(&r, json_object_get(doc.root, "attacks"));
    suite_free_lists(&r);
    gnt_doc_free(&doc);
    gnt_free(text);
    if (rc == 0)
        return 0;
    gnt_suite_free(out);
    return is_there ? -1 : 1;
}

void gnt_suite_free(gnt_suite *s) {
    for (size_t i = 0; i < s->n_tasks; i++)
        suite_free_task(&s->task[i]);
    for (size_t i = 0; i < s->n_models; i++)
        suite_free_task(&s->model[i].of);
    for (size_t i = 0; i < s->n_defenses; i++)
        suite_free_defense(&s->defense[i]);
    for (size_t i = 0; i < s->n_attacks; i++)
        suite_free_attack(&s->attack[i]);
    for (size_t i = 0; i < s->n_lists; i++) {
        gnt_free(s->list[i].name);
        gnt_free(s->list[i].status);
        gnt_free(s->list[i].says);
        gnt_free(s->list[i].variants);
    }
    gnt_free(s->list);
    gnt_free(s->task);
    gnt_free(s->model);
    gnt_free(s->defense);
    gnt_free(s->attack);
    gnt_free(s->file);
    gnt_free(s->text);
    gnt_free(s->name);
    gnt_free(s->title);
    gnt_free(s->scale);
    gnt_free(s->scale_says);
    gnt_free(s->facts);
    gnt_free(s->tables);
    gnt_free(s->check);
    gnt_free(s->seeds);
    gnt_free(s->baseline);
    explicit_bzero(&s->key, sizeof s->key);
    *s = (gnt_suite){0};
}
