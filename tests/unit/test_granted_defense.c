/* What the grant of a defense tells of noise, clip and pruning, chain by chain. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/granted_defense.c"
#include <cmocka.h>

#define REAL(name, value)                                                                                    \
    { .id = name, .type = GNT_TYPE_REAL, .r = value }
#define CHOICE(name, value)                                                                                  \
    { .id = name, .type = GNT_TYPE_CHOICE, .text = value }
/* Parameters as the plugins list them. */
#define PRUNE(amount, of) REAL("p", amount), CHOICE("scope", of)
#define GAUSSIAN                                                                                             \
    REAL("sigma", 0.125), REAL("clip", 3), CHOICE("clip_mode", "global"), REAL("mu", 0.5), REAL("delta", 0)
#define LAPLACE                                                                                              \
    REAL("b", 0.25), REAL("clip", 7), CHOICE("clip_mode", "per_tensor"), REAL("mu", 0.5), CHOICE("norm", "l1")
#define SOTERIA(amount, of)                                                                                  \
    REAL("p", amount), {.id = "layer", .type = GNT_TYPE_TEXT, .text = of}, CHOICE("ranking", "paper")
/* Another plugin's parameters, which share names with those of members that are known. */
#define OTHER REAL("sigma", 77), REAL("mu", 77), REAL("clip", 77), CHOICE("scope", "update")

enum { MOST = 10 };

typedef struct chain {
    const char *ids;
    gnt_value value[MOST];
    int n; /* values */
    int is_complete, kind, is_first, pruned, together;
} chain;

static granted_defense read_chain(const chain *c) {
    const gnt_observation seen = {.size = sizeof seen,
                                  .granted = GNT_KNOWS_DEFENSE,
                                  .defense = c->ids,
                                  .defense_values = c->value,
                                  .n_defense_values = c->n};
    return granted_defense_of(&seen);
}

static void each_chain_is_read(void **state) {
    (void)state;
    static const chain chains[] = {
        {"none", {{0}}, 0, 1, NOISE_NONE, 0, 0, 0},
        {"dp-gaussian", {GAUSSIAN}, 5, 1, NOISE_GAUSSIAN, 1, 0, 0},
        {"dp-laplace", {LAPLACE}, 5, 1, NOISE_LAPLACE, 1, 0, 0},
        {"prune", {PRUNE(0.9, "update")}, 2, 1, NOISE_NONE, 0, 1, 1},
        {"prune", {PRUNE(0.9, "tensor")}, 2, 1, NOISE_NONE, 0, 1, 0},
        {"prune", {PRUNE(0, "update")}, 2, 1, NOISE_NONE, 0, 0, 1},
        {"prune+dp-gaussian", {PRUNE(0.9, "update"), GAUSSIAN}, 7, 1, NOISE_GAUSSIAN, 0, 1, 1},
        {"prune+dp-laplace", {PRUNE(0.9, "tensor"), LAPLACE}, 7, 1, NOISE_LAPLACE, 0, 1, 0},
        {"dp-gaussian+prune", {GAUSSIAN, PRUNE(0.9, "update")}, 7, 1, NOISE_GAUSSIAN, 1, 1, 1},
        {"dp-laplace+prune", {LAPLACE, PRUNE(0.9, "tensor")}, 7, 1, NOISE_LAPLACE, 1, 1, 0},
        {"none+dp-laplace", {LAPLACE}, 5, 1, NOISE_LAPLACE, 1, 0, 0},
        /* another plugin's part is unknown, wherever it stands */
        {"other", {OTHER}, 4, 0, NOISE_NONE, 0, 0, 0},
        {"other+dp-gaussian", {OTHER, GAUSSIAN}, 9, 0, NOISE_GAUSSIAN, 0, 0, 0},
        {"other+dp-laplace", {OTHER, LAPLACE}, 9, 0, NOISE_LAPLACE, 0, 0, 0},
        {"dp-gaussian+other", {GAUSSIAN, OTHER}, 9, 0, NOISE_GAUSSIAN, 1, 0, 0},
        {"other+prune", {OTHER, PRUNE(0.9, "tensor")}, 6, 0, NOISE_NONE, 0, 1, 0},
        {"dp-laplacex", {LAPLACE}, 5, 0, NOISE_NONE, 0, 0, 0},
        {"dp-gaussia", {GAUSSIAN}, 5, 0, NOISE_NONE, 0, 0, 0},
        {"pruned", {PRUNE(0.9, "update")}, 2, 0, NOISE_NONE, 0, 0, 0},
        /* the sum of two laws is neither */
        {"dp-gaussian+dp-laplace", {GAUSSIAN, LAPLACE}, 10, 0, NOISE_NONE, 0, 0, 0},
        {"dp-laplace+dp-gaussian", {LAPLACE, GAUSSIAN}, 10, 0, NOISE_NONE, 0, 0, 0},
        /* members without their parameters */
        {"dp-gaussian", {LAPLACE}, 5, 0, NOISE_NONE, 0, 0, 0},
        {"dp-laplace", {LAPLACE}, 2, 0, NOISE_NONE, 0, 0, 0},
        {"prune", {{0}}, 0, 0, NOISE_NONE, 0, 0, 0},
        {NULL, {{0}}, 0, 0, NOISE_NONE, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const chain *c = &chains[i];
        const granted_defense g = read_chain(c);
        if (g.is_complete != c->is_complete || g.noise.kind != c->kind || g.noise_is_first != c->is_first ||
            g.pruned != c->pruned || g.pruned_together != c->together)
            fail_msg("row %zu, %s: complete %d, law %d, first %d, pruned %d, together %d", i,
                     c->ids ? c->ids : "not granted", g.is_complete, g.noise.kind, g.noise_is_first, g.pruned,
                     g.pruned_together);
        if (c->kind == NOISE_GAUSSIAN)
            assert_true(g.noise.scale == 0.125 && g.noise.clip == 3 && g.noise.mean == 0.5 &&
                        g.noise.clip_mode == NOISE_CLIP_GLOBAL && !g.noise.l1);
        if (c->kind == NOISE_LAPLACE)
            assert_true(g.noise.scale == 0.25 && g.noise.clip == 7 && g.noise.mean == 0.5 &&
                        g.noise.clip_mode == NOISE_CLIP_PER_TENSOR && g.noise.l1);
    }
}

/* Noise alone bounds nothing; Laplace's norm is what it says; no scale is no law. */
static void the_parameters_are_taken_as_they_are(void **state) {
    (void)state;
    chain c = {.ids = "dp-laplace", .value = {LAPLACE}, .n = 5};
    c.value[2].text = "none";
    c.value[4].text = "l2";
    granted_defense g = read_chain(&c);
    assert_int_equal(g.noise.clip_mode, NOISE_CLIP_NONE);
    assert_false(g.noise.l1);
    c.value[0].r = 0;
    g = read_chain(&c);
    assert_true(g.noise.kind == NOISE_NONE && g.noise.scale == 0 && g.noise.clip_mode == NOISE_CLIP_NONE);
    assert_false(g.is_complete);
}

/* Its p is not prune's, and the layer is the one that it was told. What else it does to an update is not in
 * the grant, so that the chain is never complete. */
static void soteria_tells_its_layer(void **state) {
    (void)state;
    static const struct {
        chain chain;
        const char *defended;
    } cases[] = {
        {{"soteria", {SOTERIA(0.8, "")}, 3, 0, NOISE_NONE, 0, 0, 0}, ""},
        {{"soteria", {SOTERIA(0.8, "fc1")}, 3, 0, NOISE_NONE, 0, 0, 0}, "fc1"},
        {{"soteria", {SOTERIA(0, "fc1")}, 3, 0, NOISE_NONE, 0, 0, 0}, NULL},
        {{"prune+soteria", {PRUNE(0.9, "update"), SOTERIA(0.8, "fc1")}, 5, 0, NOISE_NONE, 0, 1, 1}, "fc1"},
        {{"soteria+prune", {SOTERIA(0.8, "fc1"), PRUNE(0.9, "tensor")}, 5, 0, NOISE_NONE, 0, 1, 0}, "fc1"},
        {{"soteria+dp-gaussian", {SOTERIA(0.8, ""), GAUSSIAN}, 8, 0, NOISE_GAUSSIAN, 0, 0, 0}, ""},
        {{"prune", {PRUNE(0.9, "update")}, 2, 1, NOISE_NONE, 0, 1, 1}, NULL},
        {{"other", {SOTERIA(0.8, "")}, 3, 0, NOISE_NONE, 0, 0, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const chain *c = &cases[i].chain;
        const granted_defense g = read_chain(c);
        assert_int_equal(g.is_complete, c->is_complete);
        assert_int_equal(g.noise.kind, c->kind);
        assert_int_equal(g.noise_is_first, c->is_first);
        assert_int_equal(g.pruned, c->pruned);
        assert_int_equal(g.pruned_together, c->together);
        if (cases[i].defended)
            assert_string_equal(g.defended, cases[i].defended);
        else
            assert_null(g.defended);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chain_is_read),
        cmocka_unit_test(the_parameters_are_taken_as_they_are),
        cmocka_unit_test(soteria_tells_its_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
