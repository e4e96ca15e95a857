/* The built-in searches and the costs that they cannot lessen: why they say that they ended. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "attacked.h"

/* LeNet of the DLG paper, with fewer channels. */
static const char lenet_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

/* With few steps the budget ends a search; dlg ends by its tolerance where it matches the update, and L-BFGS
 * stalls where rounding lets its cost fall no further. */
static void attacks_say_why_they_ended(void **state) {
    (void)state;
    static const struct {
        const char *id, *json;
        int64_t budget;
        int32_t reason;
    } cases[] = {
        {"dlg", NULL, 2, GNT_ENDED_BUDGET},
        {"dlg", NULL, 100, GNT_ENDED_TOLERANCE},
        {"idlg", NULL, 100, GNT_ENDED_TOLERANCE},
        {"idlg", "{\"mode\": \"reference\"}", 100, GNT_ENDED_TOLERANCE},
        {"dlg-whitened", NULL, 2000, GNT_ENDED_STALL},
        {"invert-gradients", NULL, 3, GNT_ENDED_BUDGET},
        {"invert-gradients", "{\"restarts\": 2}", 5, GNT_ENDED_BUDGET},
        {"lrp-search", NULL, 3, GNT_ENDED_BUDGET},
        {"dlg-whitened", NULL, 3, GNT_ENDED_BUDGET},
        {"dlg-whitened", NULL, 9, GNT_ENDED_BUDGET},
        {"linear-layer", NULL, 3, GNT_ENDED_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attacked a;
        open_client(&a, strcmp(cases[i].id, "linear-layer") == 0 ? mlp_json : lenet_json, 26, 1);
        observe(&a, &a.seen, 0, a.x, a.y, 1, 0);
        a.id = cases[i].id;
        a.seen.budget = cases[i].budget;
        assert_int_equal(attack(&a, cases[i].json), GNT_OK);
        if (a.ending.reason != cases[i].reason || gnt_ending_check(&a.ending, a.seen.budget, &a.err) != 0)
            fail_msg("case %zu: %s ended by %d after %lld steps: %s", i, cases[i].id, (int)a.ending.reason,
                     (long long)a.ending.steps, a.err.text);
        forget(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(attacks_say_why_they_ended)};
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
