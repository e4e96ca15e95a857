/* Suites: read against descriptions of plugins and data that exist here alone, then planned, as a dry run does. Architectures
 * are those of models/. */
#include <math.h>

#include "fake_plugins.h"
#include "fuzz.h"
#include "match/match.h"
#include "run/shard.h"
#include "suite/plan.h"

/* Images of ten classes with one attribute, or a table, whatever the name of the set. */
static int data_facts(void *context, const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err) {
    (void)context, (void)err;
    const int table = spec->name[0] == 'c' && spec->name[1] == 'e';
    *out = (gnt_data_facts){.kind = table ? GNT_DATA_TABULAR : GNT_DATA_IMAGE,
                            .rank = table ? 1 : 3,
                            .dim = {table ? 40 : 1, 28, 28},
                            .features = table ? 40 : 28 * 28,
                            .classes = table ? 2 : 10,
                            .n_attrs = 1,
                            .attr = {{.name = "style", .values = 4}},
                            .part = {5000, 1000, 500}};
    for (int p = 0; p < 3; p++)
        if (spec->rows[p] > 0)
            out->part[p] = spec->rows[p];
    return 0;
}

static int weights_fit(void *context, const char *path, const gnt_model *model, gnt_err *err) {
    (void)context, (void)path, (void)model, (void)err;
    return 0;
}

static void plan_it(const gnt_suite *s) {
    gnt_plan plan;
    gnt_err err = {0};
    if (!fuzz_ok(gnt_plan_make(&plan, s, &err), &err))
        return;
    char *text = gnt_plan_text(&plan, s), *json = gnt_plan_json(&plan, s);
    gnt_doc doc;
    MUST(text && json);
    MUST(gnt_doc_parse(&doc, "plan.json", json, strlen(json), &err) == 0);
    gnt_doc_free(&doc);
    for (size_t i = 0; i < plan.n; i += 1 + plan.n / 16)
        MUST(gnt_plan_find(&plan, plan.cell[i].id) != NULL);
    uint8_t *wanted = gnt_array(plan.n, 1);
    MUST(wanted && gnt_shard_pick(s, &plan, 2, 3, wanted, &err) == 0);
    gnt_free(wanted);
    for (size_t t = 0; t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++) {
            struct gnt_match_spec spec;
            if (s->defense[d].match)
                fuzz_ok(gnt_suite_match_spec(s, t, d, (double)NAN, &spec, &err), &err);
        }
    gnt_free(text);
    gnt_free(json);
    gnt_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gnt_plugin_list plugins;
    static const char *const scales[] = {NULL, "smoke"};
    gnt_err err = {0};
    if (!plugins.n)
        MUST(fake_plugins(&plugins, &err) == 0);
    for (size_t i = 0; i < (memmem(data, size, "\"scales\"", 8) ? 2 : 1); i++) {
        const gnt_suite_world world = {
            .plugins = &plugins, .scale = scales[i], .data_facts = data_facts, .weights_fit = weights_fit};
        gnt_suite s;
        err.text[0] = 0;
        if (fuzz_ok(gnt_suite_parse(&s, "tests/cases/suite.json", (const char *)data, size, &world, &err),
                    &err)) {
            plan_it(&s);
            gnt_suite_free(&s);
        }
    }
    return 0;
}
