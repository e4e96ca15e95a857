/* Which recorded updates depend on what their clients saved in earlier rounds: the job `replay` with and
 * without it. */
#include "recorded_rounds.h"

static const int64_t *numbers(const gnt_st *st, const char *kind, int round, int64_t j, int64_t n) {
    char name[64];
    if (j < 0)
        snprintf(name, sizeof name, "%s.%d", kind, round);
    else
        snprintf(name, sizeof name, "%s.%d.%d", kind, round, (int)j);
    const gnt_st_tensor *found = gnt_st_find(st, name);
    assert_true(found && found->type == GNT_ST_I64 && found->rank == 1 && found->dim[0] == n);
    return found->data;
}

/* An update depends on what its client saved from the second round on, where a defense carries anything; all
 * rows that the client holds are listed, of which a batch used a half. */
static void what_depends_on_earlier_rounds_is_found(void **state) {
    (void)state;
    for (int carries = 0; carries < 2; carries++) {
        trained t;
        train(&t, (setting){.steps = 1, .batch = EACH / 2, .targets = 2},
              carries ? SIDES_DEFENSES(remembers) : SIDES_DEFENSES(noise), "client");
        gnt_st out = replay_again(&t, 1);
        for (int round = 0; round < ROUNDS; round++) {
            const gnt_recorded r = recorded(&t, round);
            assert_int_equal(r.members, EACH / 2);
            for (int64_t j = 0; j < 2; j++) {
                const int64_t *rows = numbers(&out, "rows", round, j, EACH);
                assert_int_equal(numbers(&out, "depends", round, -1, 2)[j], carries && round > 0);
                for (int64_t i = 0; i < EACH; i++) {
                    assert_true(belongs(&t, r.client[j], rows[i]));
                    assert_true(i == 0 || rows[i] != rows[i - 1]);
                }
            }
        }
        gnt_st_free(&out);
        assert_replayed(&t, 0);
        forget(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_depends_on_earlier_rounds_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
