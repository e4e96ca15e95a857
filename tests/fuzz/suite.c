/* Suites: read against descriptions of plugins and data that exist here alone, then planned, as a dry run
 * does. Architectures are those of models/. */
#include <math.h>

#include "match/match.h"
#include "planned.h"

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
    for (size_t t = 0; t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++) {
            struct gnt_match_spec spec;
            if (s->defense[d].match)
                fuzz_ok(gnt_suite_match_spec(s, t, d, (double)NAN, (double)NAN, &spec, &err), &err);
        }
    gnt_free(text);
    gnt_free(json);
    gnt_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const scales[] = {NULL, "smoke"};
    for (size_t i = 0; i < (memmem(data, size, "\"scales\"", 8) ? 2 : 1); i++) {
        gnt_suite s;
        gnt_err err = {0};
        if (fuzz_ok(fuzz_suite(&s, (fuzz_bytes){data, size}, scales[i], &err), &err)) {
            plan_it(&s);
            gnt_suite_free(&s);
        }
    }
    return 0;
}
