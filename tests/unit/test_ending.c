/* What an attack says of how its search ended, against its budget and the costs that it recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/ending.h"

typedef struct said {
    int32_t reason;
    int64_t steps, budget, costs;
    const char *why; /* NULL: it can be */
} said;

static const said cases[] = {
    {GNT_ENDED_BUDGET, 100, 100, 100, NULL},
    {GNT_ENDED_BUDGET, 100, 0, 101, NULL}, /* one cost before the first step; a budget of its own */
    {GNT_ENDED_BUDGET, 3, 5, 0, NULL},     /* a rest that two restarts cannot share */
    {GNT_ENDED_BUDGET, 2, 5, 0, "of 5 steps it took 2: expected at least half"},
    {GNT_ENDED_TOLERANCE, 1, 100, 1, NULL},
    {GNT_ENDED_TOLERANCE, 100, 100, 100, NULL}, /* in the last step */
    {GNT_ENDED_STALL, 99, 100, 9, NULL},
    {GNT_ENDED_STALL, 100, 100, 9, "stalled, but it took 100 steps of 100"},
    {GNT_ENDED_STALL, 100, 0, 9, NULL},
    {GNT_ENDED_TOLERANCE, 3, 0, 5, "took 3 steps, but recorded 5 costs"},
    {GNT_ENDED_UNKNOWN, 0, 100, 5, NULL},
    {GNT_ENDED_BUDGET, -1, 0, 0, "took -1 steps"},
    {4, 1, 0, 0, "ended by 4"},
    {-1, 1, 0, 0, "ended by -1"},
};

static void contradictions_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const said *s = &cases[i];
        gnt_ending e = {.costs = s->costs};
        gnt_err why = {""};
        gnt_ending_note(&e, s->reason, s->steps);
        if ((gnt_ending_check(&e, s->budget, &why) != 0) != (s->why != NULL) ||
            (s->why && !strstr(why.text, s->why)))
            fail_msg("case %zu: %s", i, why.text);
    }
}

static void it_is_said_once_or_not_at_all(void **state) {
    (void)state;
    gnt_ending e = {.costs = 7};
    gnt_err why = {""};
    assert_int_equal(gnt_ending_check(&e, 10, &why), 0);
    gnt_ending_note(&e, GNT_ENDED_BUDGET, 10);
    gnt_ending_note(&e, GNT_ENDED_BUDGET, 10);
    assert_int_equal(gnt_ending_check(&e, 10, &why), -1);
    assert_non_null(strstr(why.text, "says 2 times"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contradictions_are_found),
                                       cmocka_unit_test(it_is_said_once_or_not_at_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
