/* Which columns of zeros an attack leaves out: those of inputs that are known to live, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/defense/granted_defense.c"
#include "../../plugins/shared/choose/choose_layers.c"
#include "../../plugins/attacks/gradient/defense/zeroed_columns.c"
#include <cmocka.h>

enum { LAYERS = 5, TENSORS = 4, ROWS = 3, INPUTS = 4, KEPT = 32 };

/* A layer "first", layers between, and "last", dense: its input has 4 entries. Layers of other widths make it
 * of images. */
typedef struct network {
    const char *first; /* type of the layer with weights: 4 outputs of a dense one, 2 maps of a conv */
    const char *between[3];
} network;

static const network dense_relu = {"dense", {"relu"}}, dense_dropout = {"dense", {"sigmoid", "dropout"}},
                     conv_sigmoid = {"conv", {"sigmoid", "max_pool", "flatten"}},
                     conv_relu = {"conv", {"relu", "max_pool", "flatten"}};

typedef struct trial {
    float first[INPUTS * 6], first_bias[INPUTS], last[ROWS * INPUTS], last_bias[ROWS];
    gnt_layer_info layer[LAYERS + 1];
    gnt_view view[TENSORS];
    gnt_views update;
    gnt_model_info info;
    gnt_model_service model;
    gnt_host host;
    gnt_observation seen;
    zeroed_columns out;
    double left_out; /* the fact */
    void *kept[KEPT];
    int n_kept;
} trial;

static void *scratch(void *context, size_t bytes) {
    trial *t = context;
    assert_true(t->n_kept < KEPT);
    t->kept[t->n_kept] = malloc(bytes);
    assert_non_null(t->kept[t->n_kept]);
    return memset(t->kept[t->n_kept++], 0x5a, bytes);
}

static void keep_fact(void *context, const char *name, double value) {
    assert_string_equal(name, "columns_left_out");
    ((trial *)context)->left_out = value;
}

static gnt_status refuse(void *context, const char *text) {
    (void)context;
    fail_msg("%s", text);
    return GNT_FAILED;
}

static void fill(float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        x[i] = 0.25f + 0.5f * (float)i;
}

static gnt_view view_of(int32_t layer, int64_t rows, int64_t columns, float *data) {
    return (gnt_view){.layer = layer,
                      .rank = columns > 1 ? 2 : 1,
                      .dim = {rows, columns},
                      .count = rows * columns,
                      .data = data};
}

/* An update with no zero in it. */
static void start(trial *t, const network *n) {
    *t = (trial){.info = {.size = sizeof t->info}, .model = {.size = sizeof t->model}};
    const int64_t made = strcmp(n->first, "conv") == 0 ? INPUTS / 2 : INPUTS;
    int32_t last = 1;
    t->layer[0] = (gnt_layer_info){.name = "first", .type = n->first, .rank = 1, .dim = {made}};
    for (int k = 0; k < 3 && n->between[k]; k++)
        t->layer[last++] = (gnt_layer_info){.name = "between", .type = n->between[k]};
    t->layer[last] = (gnt_layer_info){.name = "last", .type = "dense", .rank = 1, .dim = {ROWS}};
    fill(t->first, INPUTS * 6);
    fill(t->first_bias, INPUTS);
    fill(t->last, ROWS * INPUTS);
    fill(t->last_bias, ROWS);
    t->view[0] = view_of(0, made, 6, t->first);
    t->view[1] = view_of(0, made, 1, t->first_bias);
    t->view[2] = view_of(last, ROWS, INPUTS, t->last);
    t->view[3] = view_of(last, ROWS, 1, t->last_bias);
    t->update = (gnt_views){TENSORS, t->view};
    t->info.layer = t->layer;
    t->info.n_layers = last + 1;
    t->model.info = &t->info;
    t->host = (gnt_host){.size = sizeof t->host,
                         .context = t,
                         .scratch = scratch,
                         .fact = keep_fact,
                         .fail = refuse,
                         .model = &t->model};
    t->seen = (gnt_observation){.size = sizeof t->seen, .update = &t->update};
}

static void zero_column(trial *t, int64_t j) {
    for (int64_t r = 0; r < ROWS; r++)
        t->last[r * INPUTS + j] = 0;
}

/* Unit j of the first layer learns nothing. */
static void kill_unit(trial *t, int64_t j) {
    memset(t->first + 6 * j, 0, 6 * sizeof *t->first);
    t->first_bias[j] = 0;
}

/* Exactly the columns of `expected`, by bits, are left out; of the last layer alone. */
static void expect(trial *t, unsigned expected) {
    int64_t n = 0;
    assert_int_equal(zeroed_columns_find(&t->out, &t->host, &t->seen), GNT_OK);
    for (int64_t k = 0; k < TENSORS; k++)
        for (int64_t i = 0; i < t->view[k].count; i++) {
            const int out = k == 2 && expected >> (i % INPUTS) & 1;
            assert_int_equal(zeroed_columns_has(&t->out, &t->view[k], k, i), out);
        }
    for (int64_t j = 0; j < INPUTS; j++)
        n += expected >> j & 1;
    assert_int_equal(t->out.n, n);
    assert_true(t->left_out == (double)n);
    for (int i = 0; i < t->n_kept; i++)
        free(t->kept[i]);
    t->n_kept = 0;
}

static void grant(trial *t, const char *defense, const gnt_value *values, int64_t n) {
    t->seen.granted = GNT_KNOWS_DEFENSE;
    t->seen.defense = defense;
    t->seen.defense_values = values;
    t->seen.n_defense_values = n;
}

#define SOTERIA(of)                                                                                          \
    {.id = "p", .type = GNT_TYPE_REAL, .r = 0.5}, {.id = "layer", .type = GNT_TYPE_TEXT, .text = of}, {      \
        .id = "ranking", .type = GNT_TYPE_CHOICE, .text = "paper"                                            \
    }
static const gnt_value last_one[] = {SOTERIA("")}, first_one[] = {SOTERIA("first")},
                       pruning[] = {{.id = "p", .type = GNT_TYPE_REAL, .r = 0.5},
                                    {.id = "scope", .type = GNT_TYPE_CHOICE, .text = "tensor"}};

static void an_update_without_zeros_is_matched_whole(void **state) {
    (void)state;
    static const network *const all[] = {&dense_relu, &dense_dropout, &conv_sigmoid, &conv_relu};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        trial t;
        start(&t, all[k]);
        expect(&t, 0);
        grant(&t, "soteria", last_one, 3);
        expect(&t, 0);
    }
}

/* For a ReLU, whose units die, and for a sigmoid behind dropout. */
static void a_unit_that_learns_separates_a_zeroed_column_from_a_dead_one(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        trial t;
        start(&t, which ? &dense_dropout : &dense_relu);
        zero_column(&t, 1);
        zero_column(&t, 2);
        expect(&t, 0x6);
        kill_unit(&t, 1);
        t.left_out = 0;
        expect(&t, 0x4);
        kill_unit(&t, 2);
        t.left_out = 0;
        expect(&t, 0);
    }
}

static void a_sigmoid_is_never_zero(void **state) {
    (void)state;
    trial t;
    start(&t, &conv_sigmoid);
    zero_column(&t, 0);
    zero_column(&t, 3);
    expect(&t, 0x9);
    for (int64_t j = 0; j < INPUTS; j++) /* p = 1: the bias alone is left */
        zero_column(&t, j);
    expect(&t, 0xf);
}

/* One place of a map may be dead where the map is not. Who is granted the defense knows better, but for what
 * is known to be dead. */
static void what_the_update_does_not_reveal_the_grant_does(void **state) {
    (void)state;
    trial t;
    start(&t, &conv_relu);
    zero_column(&t, 1);
    expect(&t, 0);
    grant(&t, "soteria", first_one, 3);
    expect(&t, 0);
    grant(&t, "soteria", last_one, 3);
    expect(&t, 0x2);
    start(&t, &dense_relu);
    zero_column(&t, 1);
    zero_column(&t, 2);
    kill_unit(&t, 1);
    grant(&t, "soteria", last_one, 3);
    expect(&t, 0x4);
}

/* A grant that names all that was done, without such a defense, settles it. */
static void a_grant_of_another_defense_settles_it_too(void **state) {
    (void)state;
    trial t;
    start(&t, &conv_sigmoid);
    zero_column(&t, 1);
    grant(&t, "prune", pruning, 2);
    expect(&t, 0);
    grant(&t, "other", NULL, 0);
    expect(&t, 0x2);
}

static void black_pixels_are_matched(void **state) {
    (void)state;
    static const network flat = {"flatten", {NULL}};
    trial t;
    start(&t, &flat);
    zero_column(&t, 2);
    expect(&t, 0);
}

/* Pruning by magnitude empties columns too. It leaves others with some of their entries, or single zeros
 * elsewhere. */
static void small_entries_are_no_zeroed_columns(void **state) {
    (void)state;
    trial t;
    start(&t, &conv_sigmoid);
    zero_column(&t, 1);
    t.last[INPUTS + 2] = 0;
    expect(&t, 0);
    start(&t, &conv_sigmoid); /* what is left of strong pruning may be a part of one row */
    zero_column(&t, 1);
    for (int64_t i = 0; i < 2 * INPUTS; i++)
        t.last[i] = 0;
    expect(&t, 0);
    start(&t, &conv_sigmoid);
    for (int64_t j = 0; j < INPUTS; j++)
        zero_column(&t, j);
    t.last_bias[1] = 0;
    expect(&t, 0);
    start(&t, &conv_sigmoid);
    zero_column(&t, 1);
    t.first[1] = 0;
    expect(&t, 0);
    grant(&t, "prune+soteria", (gnt_value[]){pruning[0], pruning[1], SOTERIA("")}, 5);
    expect(&t, 0x2);
}

/* What a part of a residual layer reads need not be the layer before it. */
static void parts_of_residual_layers_are_left_alone(void **state) {
    (void)state;
    trial t;
    start(&t, &conv_sigmoid);
    zero_column(&t, 1);
    t.layer[t.info.n_layers++] = (gnt_layer_info){.name = "sum", .type = "residual"};
    expect(&t, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_without_zeros_is_matched_whole),
        cmocka_unit_test(a_unit_that_learns_separates_a_zeroed_column_from_a_dead_one),
        cmocka_unit_test(a_sigmoid_is_never_zero),
        cmocka_unit_test(what_the_update_does_not_reveal_the_grant_does),
        cmocka_unit_test(a_grant_of_another_defense_settles_it_too),
        cmocka_unit_test(black_pixels_are_matched),
        cmocka_unit_test(small_entries_are_no_zeroed_columns),
        cmocka_unit_test(parts_of_residual_layers_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
