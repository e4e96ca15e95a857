/* invert-gradients where a granted clip shortened the update: inside its cosine, where that sees it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../attacked.h"

/* Brings every tensor of what is seen to this length, and grants the clip that does. */
static void clip_tensors(attacked *a, double bound) {
    const gnt_views *u = a->seen.update;
    for (int64_t t = 0; t < u->n; t++) {
        double squares = 0;
        for (int64_t i = 0; i < u->view[t].count; i++)
            squares += (double)u->view[t].data[i] * (double)u->view[t].data[i];
        for (int64_t i = 0; i < u->view[t].count && sqrt(squares) > bound; i++)
            a->entry[ROUNDS][t][i] = (float)((double)u->view[t].data[i] * bound / sqrt(squares));
    }
}

static void grant_clip(attacked *a, double bound, const char *mode) {
    a->value[0] = (gnt_value){.id = "bound", .type = GNT_TYPE_REAL, .r = bound};
    a->value[1] = (gnt_value){.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = mode};
    a->seen.defense = "clip";
    a->seen.defense_values = a->value;
    a->seen.n_defense_values = 2;
    a->seen.granted |= GNT_KNOWS_DEFENSE;
}

/* A clip of each tensor turns the update: the image comes back to who knows of it. */
static void a_clip_of_tensors_is_inside_the_cosine(void **state) {
    (void)state;
    attacked a;
    open_client(&a, mlp_json, 9, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    clip_tensors(&a, 1e-3);
    assert_int_equal(attack(&a, "{\"steps\": 300, \"tv\": 0}"), GNT_OK);
    const double unknown = psnr(&a);
    assert_true(isnan(fact_of(&a, "clip_inside")));
    grant_clip(&a, 1e-3, "per_tensor");
    assert_int_equal(attack(&a, "{\"steps\": 300, \"tv\": 0}"), GNT_OK);
    print_message("%.2f dB, known %.2f dB\n", unknown, psnr(&a));
    assert_true(psnr(&a) > 20 && psnr(&a) > unknown + 5);
    assert_true(fact_of(&a, "clip_inside") == 1);
    forget(&a);
}

/* If the whole update is clipped, or nothing reached the bound, the cosine neither knows nor needs the bound:
 * byte for byte what it does without the grant. */
static void what_a_cosine_does_not_see_changes_nothing(void **state) {
    (void)state;
    static const struct {
        double bound;
        const char *mode;
    } clips[] = {{1e-3, "global"}, {1e3, "per_tensor"}, {1e3, "global"}};
    attacked a;
    float plain[FEATURES];
    open_client(&a, mlp_json, 9, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    assert_int_equal(attack(&a, "{\"steps\": 30}"), GNT_OK);
    memcpy(plain, a.found, sizeof plain);
    for (size_t k = 0; k < sizeof clips / sizeof *clips; k++) {
        grant_clip(&a, clips[k].bound, clips[k].mode);
        assert_int_equal(attack(&a, "{\"steps\": 30}"), GNT_OK);
        assert_memory_equal(plain, a.found, sizeof plain);
    }
    forget(&a);
}

/* A distance that takes the clip's factor for a difference of images is no answer to who knows of it. */
static void distances_that_see_the_clip_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *cost, *mode;
        int is_taken;
    } cases[] = {{"l2", "global", 0},         {"l1", "global", 0},
                 {"scale_free", "global", 1}, {"scale_free", "per_tensor", 0},
                 {"l2", "per_tensor", 0},     {"cosine", "per_tensor", 1}};
    attacked a;
    open_client(&a, mlp_json, 9, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char json[96];
        grant_clip(&a, 1e-3, cases[k].mode);
        snprintf(json, sizeof json, "{\"steps\": 2, \"cost\": \"%s\"}", cases[k].cost);
        const gnt_status status = attack(&a, json);
        assert_int_equal(status, cases[k].is_taken ? GNT_OK : GNT_UNSUPPORTED);
        assert_true(cases[k].is_taken || strstr(a.err.text, "takes the granted clip's factors"));
    }
    forget(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clip_of_tensors_is_inside_the_cosine),
        cmocka_unit_test(what_a_cosine_does_not_see_changes_nothing),
        cmocka_unit_test(distances_that_see_the_clip_are_refused),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
