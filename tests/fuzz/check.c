/* A results.json checked against itself and the suite next to it. Input: results.json, a line "%%",
 * suite.json (none: the file lies alone). Digests of the suite and its tasks are put into the first where it
 * has them, so that what follows is reached. */
#include "planned.h"
#include "check/check.h"

static void put_digests(json_t *root, const gnt_suite *s) {
    json_t *tasks = json_object_get(root, "tasks");
    if (json_object_get(root, "suite_digest"))
        json_object_set_new(root, "suite_digest", json_string(s->digest));
    for (size_t i = 0; i < json_array_size(tasks) && i < s->n_tasks; i++)
        if (json_object_get(json_array_get(tasks, i), "digest"))
            json_object_set_new(json_array_get(tasks, i), "digest", json_string(s->task[i].digest));
}

static void put_results(fuzz_bytes text, fuzz_bytes suite) {
    json_t *root = json_loadb((const char *)text.at, text.left, JSON_REJECT_DUPLICATES, NULL);
    gnt_suite s;
    gnt_err err = {0};
    if (!root || !suite.left || fuzz_suite(&s, suite, NULL, &err) != 0) {
        json_decref(root);
        fuzz_file("results.json", text);
        return;
    }
    put_digests(root, &s);
    gnt_suite_free(&s);
    char *changed = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    MUST(changed);
    fuzz_file("results.json", (fuzz_bytes){(const uint8_t *)changed, strlen(changed)});
    free(changed);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gnt_plugin_list plugins;
    char path[512];
    fuzz_bytes all = {data, size}, results = fuzz_text(&all);
    gnt_checked t;
    gnt_err err = {0};
    if (!plugins.n)
        MUST(fake_plugins(&plugins, &err) == 0);
    const gnt_suite_env env = {.plugins = &plugins, .data_facts = fuzz_facts, .weights_fit = fuzz_fits};
    fuzz_folder();
    put_results(results, all);
    if (all.left)
        fuzz_file("suite.json", all);
    else
        fuzz_no_file("suite.json");
    if (!fuzz_ok(gnt_check(&t, fuzz_path(path, "results.json"), &env, &err), &err))
        return 0;
    MUST(t.n_cells == t.result.cells.n && t.n_unproven <= t.result.tasks.n);
    MUST(!t.planned || t.of_suite);
    gnt_checked_free(&t);
    return 0;
}
