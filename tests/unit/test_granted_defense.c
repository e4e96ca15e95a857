/* What the grant of a defense says about noise, clip and pruning, chain by chain. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/defense/granted_defense.c"
#include "../../plugins/shared/choose/choose_layers.c"
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
#define FEDAVG(bound_) REAL("noise_multiplier", 9), REAL("clip", bound_), REAL("delta", 1e-5)
#define CLIP(bound_, mode) REAL("bound", bound_), CHOICE("clip_mode", mode)
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
        /* parameters that are pruned leave no zeros in the update */
        {"prune", {PRUNE(0.9, "update"), CHOICE("of", "parameters")}, 3, 0, NOISE_NONE, 0, 0, 0},
        {"prune+dp-gaussian", {PRUNE(0.9, "update"), GAUSSIAN}, 7, 1, NOISE_GAUSSIAN, 0, 1, 1},
        {"prune+dp-laplace", {PRUNE(0.9, "tensor"), LAPLACE}, 7, 1, NOISE_LAPLACE, 0, 1, 0},
        {"dp-gaussian+prune", {GAUSSIAN, PRUNE(0.9, "update")}, 7, 1, NOISE_GAUSSIAN, 1, 1, 1},
        {"dp-laplace+prune", {LAPLACE, PRUNE(0.9, "tensor")}, 7, 1, NOISE_LAPLACE, 1, 1, 0},
        {"none+dp-laplace", {LAPLACE}, 5, 1, NOISE_LAPLACE, 1, 0, 0},
        /* another plugin's part is unknown, wherever it is */
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

static const char *said;

static gnt_status keep_sentence(void *context, const char *text) {
    (void)context;
    said = text;
    return GNT_FAILED;
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

/* Its p is not prune's, and the layer is the one of its parameter. What else it does to an update is not in
 * the grant, so that the chain is never complete. */
static void soteria_names_its_layer(void **state) {
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

/* Alone, before noise that has no clip of its own, and among others: which bound it is, of whose norm, and
 * whether anything follows. */
static void a_clip_is_read_where_it_is(void **state) {
    (void)state;
    static const struct {
        chain chain;
        double bound; /* 0: none is known */
        int mode, is_last, is_unread;
    } cases[] = {
        {{"clip", {CLIP(5, "global")}, 2, 1, NOISE_NONE, 1, 0, 0}, 5, NOISE_CLIP_GLOBAL, 1, 0},
        /* its noise is the server's: of an update it is a clip */
        {{"dp-fedavg", {FEDAVG(5)}, 3, 1, NOISE_NONE, 1, 0, 0}, 5, NOISE_CLIP_GLOBAL, 1, 0},
        {{"prune+dp-fedavg", {PRUNE(0.9, "update"), FEDAVG(5)}, 5, 1, NOISE_NONE, 0, 1, 1},
         5,
         NOISE_CLIP_GLOBAL,
         1,
         0},
        {{"clip+dp-fedavg", {CLIP(4, "global"), FEDAVG(5)}, 5, 1, NOISE_NONE, 1, 0, 0},
         4,
         NOISE_CLIP_GLOBAL,
         1,
         0},
        {{"dp-gaussian+dp-fedavg", {GAUSSIAN, FEDAVG(5)}, 8, 0, NOISE_GAUSSIAN, 1, 0, 0},
         3,
         NOISE_CLIP_GLOBAL,
         0,
         1},
        {{"dp-fedavg", {OTHER}, 4, 0, NOISE_NONE, 0, 0, 0}, 0, NOISE_CLIP_NONE, 0, 1},
        {{"none+clip", {CLIP(5, "per_tensor")}, 2, 1, NOISE_NONE, 1, 0, 0}, 5, NOISE_CLIP_PER_TENSOR, 1, 0},
        {{"clip+none", {CLIP(5, "per_tensor")}, 2, 1, NOISE_NONE, 1, 0, 0}, 5, NOISE_CLIP_PER_TENSOR, 1, 0},
        {{"clip+prune", {CLIP(5, "per_tensor"), PRUNE(0.9, "update")}, 4, 1, NOISE_NONE, 1, 1, 1},
         5,
         NOISE_CLIP_PER_TENSOR,
         0,
         0},
        {{"prune+clip", {PRUNE(0.9, "update"), CLIP(5, "global")}, 4, 1, NOISE_NONE, 0, 1, 1},
         5,
         NOISE_CLIP_GLOBAL,
         1,
         0},
        /* one threshold before it is another in each tensor behind it */
        {{"prune+clip", {PRUNE(0.9, "update"), CLIP(5, "per_tensor")}, 4, 1, NOISE_NONE, 0, 1, 0},
         5,
         NOISE_CLIP_PER_TENSOR,
         1,
         0},
        {{"soteria+clip", {SOTERIA(0.8, "fc1"), CLIP(5, "global")}, 5, 0, NOISE_NONE, 0, 0, 0},
         5,
         NOISE_CLIP_GLOBAL,
         1,
         0},
        {{"other+clip", {OTHER, CLIP(5, "global")}, 6, 0, NOISE_NONE, 0, 0, 0}, 5, NOISE_CLIP_GLOBAL, 1, 0},
        {{"clip+other", {CLIP(5, "global"), OTHER}, 6, 0, NOISE_NONE, 1, 0, 0}, 5, NOISE_CLIP_GLOBAL, 0, 0},
        {{"clip+dp-gaussian", {CLIP(5, "global"), GAUSSIAN}, 7, 1, NOISE_GAUSSIAN, 1, 0, 0},
         3,
         NOISE_CLIP_GLOBAL,
         0,
         0},
        {{"clip+dp-gaussian", {CLIP(2, "global"), GAUSSIAN}, 7, 1, NOISE_GAUSSIAN, 1, 0, 0},
         2,
         NOISE_CLIP_GLOBAL,
         0,
         0},
        {{"clip+dp-gaussian", {CLIP(5, "per_tensor"), GAUSSIAN}, 7, 0, NOISE_GAUSSIAN, 0, 0, 0},
         3,
         NOISE_CLIP_GLOBAL,
         0,
         1},
        /* its own bounds another norm */
        {{"clip+dp-laplace", {CLIP(5, "per_tensor"), LAPLACE}, 7, 0, NOISE_LAPLACE, 0, 0, 0},
         7,
         NOISE_CLIP_PER_TENSOR,
         0,
         1},
        {{"clip+prune+dp-gaussian",
          {CLIP(5, "global"), PRUNE(0.9, "update"), GAUSSIAN},
          9,
          0,
          NOISE_GAUSSIAN,
          0,
          1,
          1},
         3,
         NOISE_CLIP_GLOBAL,
         0,
         1},
        {{"dp-gaussian+clip", {GAUSSIAN, CLIP(5, "global")}, 7, 0, NOISE_GAUSSIAN, 1, 0, 0},
         3,
         NOISE_CLIP_GLOBAL,
         0,
         1},
        {{"clip+clip", {CLIP(5, "global"), CLIP(4, "global")}, 4, 1, NOISE_NONE, 1, 0, 0},
         4,
         NOISE_CLIP_GLOBAL,
         1,
         0},
        {{"clip+clip", {CLIP(5, "global"), CLIP(4, "per_tensor")}, 4, 0, NOISE_NONE, 0, 0, 0},
         4,
         NOISE_CLIP_PER_TENSOR,
         1,
         1},
        {{"clip", {CLIP(0, "global")}, 2, 0, NOISE_NONE, 0, 0, 0}, 0, NOISE_CLIP_NONE, 0, 1},
        {{"clip", {OTHER}, 4, 0, NOISE_NONE, 0, 0, 0}, 0, NOISE_CLIP_NONE, 0, 1},
        {{"prune", {PRUNE(0.9, "update")}, 2, 1, NOISE_NONE, 0, 1, 1}, 0, NOISE_CLIP_NONE, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const chain *c = &cases[i].chain;
        const granted_defense g = read_chain(c);
        if (g.is_complete != c->is_complete || g.noise.kind != c->kind || g.noise_is_first != c->is_first ||
            g.pruned != c->pruned || g.pruned_together != c->together || g.noise.clip != cases[i].bound ||
            g.noise.clip_mode != cases[i].mode || g.clip_is_last != cases[i].is_last ||
            g.clip_is_unread != cases[i].is_unread)
            fail_msg("row %zu, %s: complete %d, law %d, first %d, pruned %d, together %d, clip %g, mode %d, "
                     "last %d, unread %d",
                     i, c->ids, g.is_complete, g.noise.kind, g.noise_is_first, g.pruned, g.pruned_together,
                     g.noise.clip, g.noise.clip_mode, g.clip_is_last, g.clip_is_unread);
    }
}

/* An attack that is granted it but cannot reckon with it does not count as knowing it. */
static void a_clip_that_is_not_read_is_refused(void **state) {
    (void)state;
    const gnt_host host = {.size = sizeof host, .fail = keep_sentence};
    granted_defense g = {.is_complete = 1};
    assert_int_equal(granted_defense_check(&host, &g), GNT_OK);
    g.clip_is_unread = 1;
    assert_int_equal(granted_defense_check(&host, &g), GNT_UNSUPPORTED);
    assert_non_null(strstr(said, "a clip behind noise"));
}

/* Noise in some layers alone is no law of the whole update, and with another member nothing is known. */
static void noise_in_some_layers_is_of_these(void **state) {
    (void)state;
    const gnt_host host = {.size = sizeof host, .fail = keep_sentence};
    for (int named = 0; named < 2; named++) {
        chain c = {.ids = "dp-gaussian", .value = {GAUSSIAN}, .n = 6};
        c.value[5] = (gnt_value){.id = "layers", .type = GNT_TYPE_TEXT, .text = named ? "fc1" : ""};
        granted_defense g = read_chain(&c);
        assert_true(named ? strcmp(g.layers, "fc1") == 0 : !g.layers);
        assert_int_equal(g.is_complete, !named);
        assert_int_equal(g.noise.kind, named ? NOISE_NONE : NOISE_GAUSSIAN);
        assert_int_equal(g.of_layers.kind, named ? NOISE_GAUSSIAN : NOISE_NONE);
        assert_int_equal(granted_defense_check(&host, &g), GNT_OK);
        c.ids = "dp-gaussian+lrp";
        g = read_chain(&c);
        assert_int_equal(granted_defense_check(&host, &g), named ? GNT_UNSUPPORTED : GNT_OK);
    }
    assert_non_null(strstr(said, "some layers alone"));
}

/* Noise without a clip of its own behind one: the law of both. */
static void noise_behind_a_clip_is_one_law(void **state) {
    (void)state;
    chain c = {.ids = "clip+dp-laplace", .value = {CLIP(5, "per_tensor"), LAPLACE}, .n = 7};
    c.value[4].text = "none";
    const granted_defense g = read_chain(&c);
    assert_true(g.is_complete && g.noise_is_first && !g.clip_is_last);
    assert_true(g.noise.kind == NOISE_LAPLACE && g.noise.scale == 0.25 && g.noise.mean == 0.5);
    assert_true(g.noise.clip == 5 && g.noise.clip_mode == NOISE_CLIP_PER_TENSOR && !g.noise.l1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chain_is_read),
        cmocka_unit_test(the_parameters_are_taken_as_they_are),
        cmocka_unit_test(soteria_names_its_layer),
        cmocka_unit_test(a_clip_is_read_where_it_is),
        cmocka_unit_test(noise_behind_a_clip_is_one_law),
        cmocka_unit_test(a_clip_that_is_not_read_is_refused),
        cmocka_unit_test(noise_in_some_layers_is_of_these),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
