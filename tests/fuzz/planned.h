/* planned: suites read against descriptions of plugins and data that exist here alone. Architectures are
 * those of models/. */
#ifndef TESTS_FUZZ_PLANNED_H
#define TESTS_FUZZ_PLANNED_H

#include "fake_plugins.h"
#include "fuzz.h"
#include "suite/plan.h"

/* Images of ten classes with one attribute, or a table, whatever the name of the set. */
static inline int fuzz_facts(void *context, const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err) {
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

static inline int fuzz_fits(void *context, const char *path, const gnt_model *model, gnt_err *err) {
    (void)context, (void)path, (void)model, (void)err;
    return 0;
}

static inline int fuzz_suite(gnt_suite *s, fuzz_bytes text, const char *scale, gnt_err *err) {
    static gnt_plugin_list plugins;
    if (!plugins.n)
        MUST(fake_plugins(&plugins, err) == 0);
    const gnt_suite_env env = {
        .plugins = &plugins, .scale = scale, .data_facts = fuzz_facts, .weights_fit = fuzz_fits};
    return gnt_suite_parse(s, "tests/cases/suite.json", (const char *)text.at, text.left, &env, err);
}

/* A small suite of two cells that differ in their seed, and its plan: made once. */
static gnt_suite fuzz_small_suite;
static gnt_plan fuzz_small_plan;

static inline void fuzz_small(void) {
    static const char text[] =
        "{\"suite\": \"small\", \"seeds\": [1, 2], \"tasks\": [{\"id\": \"a\", \"data\": "
        "{\"name\": \"glyphs\"}, \"model\": \"mlp_small\"}], \"defenses\": [{\"defense\": "
        "\"none\"}], \"attacks\": [{\"attack\": \"dlg\"}]}";
    gnt_err err = {0};
    if (fuzz_small_plan.n)
        return;
    MUST(fuzz_suite(&fuzz_small_suite, (fuzz_bytes){(const uint8_t *)text, sizeof text - 1}, NULL, &err) ==
         0);
    MUST(gnt_plan_make(&fuzz_small_plan, &fuzz_small_suite, &err) == 0);
    MUST(fuzz_small_plan.n == 2);
}

#endif
