/* net: with a target it learns maps, known ones to a small error, keeps the epoch of the least error, and
 * says how much of the target it misses; and a forward pass of many vectors gives what one of single ones
 * does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/shared/attribute/attr_net.c"

#include <cmocka.h>

#include "plain_host.h"

enum { ROWS = 300, TRAIN = 240, COLUMNS = 5, OUTPUTS = 3, WIDE = 64, MOST_WEIGHTS = 65536 };

typedef struct bench {
    plain_host host;
    float x[ROWS * COLUMNS], y[ROWS * OUTPUTS], flat[MOST_WEIGHTS];
    int32_t row[ROWS];
    attr_table t;
    attr_recipe recipe;
} bench;

static bench b;

static const float map[OUTPUTS][COLUMNS] = {{1, -2, 0, 0.5F, 0}, {0, 0, 3, 0, -1}, {-1, 1, 1, 1, 1}};

/* y = map·x + noise. Rows of the training part are not the first. */
static void fill(double noise) {
    const gnt_key key = gnt_key_of_seed(7);
    gnt_stream s = gnt_stream_open(&key, "rows");
    b = (bench){0};
    for (int i = 0; i < ROWS; i++) {
        b.row[i] = (i + 100) % ROWS;
        for (int k = 0; k < COLUMNS; k++)
            b.x[i * COLUMNS + k] = (float)gnt_random_normal(&s);
        for (int o = 0; o < OUTPUTS; o++) {
            double sum = noise * gnt_random_normal(&s);
            for (int k = 0; k < COLUMNS; k++)
                sum += (double)map[o][k] * (double)b.x[i * COLUMNS + k];
            b.y[i * OUTPUTS + o] = (float)sum;
        }
    }
    b.t = (attr_table){.n = ROWS,
                       .columns = COLUMNS,
                       .values = OUTPUTS,
                       .x = b.x,
                       .row = b.row,
                       .n_train = TRAIN,
                       .target = b.y};
    b.recipe =
        (attr_recipe){.host = plain_open(&b.host, 1), .epochs = 60, .batch = 32, .rate = 0.05, .adam = 1};
}

static attr_trained learn(void) {
    attr_trained out;
    if (attr_train(&out, b.flat, &b.recipe, &b.t) != GNT_OK)
        fail_msg("%s", b.host.said);
    assert_true(isnan(out.accuracy));
    return out;
}

/* Squared error over the target's squares, by the definition. */
static double missed(const attr_net *net) {
    double loss = 0, squares = 0;
    for (int i = TRAIN; i < ROWS; i++) {
        float room[2 * WIDE], z[OUTPUTS];
        attr_forward(net, b.x + b.row[i] * COLUMNS, room, z);
        for (int o = 0; o < OUTPUTS; o++) {
            const double y = (double)b.y[b.row[i] * OUTPUTS + o];
            loss += ((double)z[o] - y) * ((double)z[o] - y);
            squares += y * y;
        }
    }
    return loss / squares;
}

static void learns_a_linear_map(void **state) {
    (void)state;
    fill(0);
    const attr_trained net = learn();
    for (int o = 0; o < OUTPUTS; o++) {
        assert_true(fabsf(net.net.bias[0][o]) < 0.005F);
        for (int k = 0; k < COLUMNS; k++)
            assert_true(fabsf(net.net.weight[0][o * COLUMNS + k] - map[o][k]) < 0.005F);
    }
    assert_true(net.unexplained < 1e-5);
    assert_true(fabs(net.unexplained - missed(&net.net)) < 1e-7);
    plain_close(&b.host);
}

/* Noise of ten times the map's size cannot be inferred for rows that it does not learn from. */
static void keeps_the_epoch_of_the_least_error(void **state) {
    (void)state;
    fill(20);
    b.recipe.n_hidden = 1;
    b.recipe.hidden[0] = WIDE;
    const attr_trained net = learn();
    assert_true(net.kept_epoch < b.recipe.epochs);
    assert_true(net.unexplained > 0.8);
    assert_true(fabs(net.unexplained - missed(&net.net)) < 1e-5);
    plain_close(&b.host);
    fill(20);
    b.recipe.n_hidden = 1;
    b.recipe.hidden[0] = WIDE;
    b.t.n_train = ROWS;
    const attr_trained last = learn();
    assert_int_equal(last.kept_epoch, b.recipe.epochs);
    assert_true(isnan(last.unexplained));
    plain_close(&b.host);
}

static void starts_again_where_it_diverges(void **state) {
    (void)state;
    for (int adam = 0; adam < 2; adam++) {
        fill(0);
        b.recipe.adam = adam;
        b.recipe.rate = adam ? 1e30 : 10;
        b.recipe.epochs = adam ? 3 : 60;
        attr_trained out;
        const gnt_status status = attr_train(&out, b.flat, &b.recipe, &b.t);
        if (adam) { /* no quarter of a quarter is low enough */
            assert_int_equal(status, GNT_FAILED);
            assert_non_null(strstr(b.host.said, "diverged"));
        } else {
            assert_int_equal(status, GNT_OK);
            assert_true(out.rate < 10 && out.unexplained < 1e-3);
        }
        plain_close(&b.host);
    }
}

static void forwards_many_vectors_as_single_ones(void **state) {
    (void)state;
    static const int64_t counts[] = {1, 63, 64, 129};
    fill(1);
    b.recipe.n_hidden = 2;
    b.recipe.hidden[0] = b.recipe.hidden[1] = WIDE;
    b.recipe.epochs = 2;
    const attr_trained net = learn();
    for (int c = 0; c < 4; c++) {
        float all[129 * OUTPUTS + 1], room[2 * WIDE], z[OUTPUTS];
        all[counts[c] * OUTPUTS] = 77;
        assert_int_equal(attr_forward_all(&net.net, b.recipe.host, b.x, counts[c], all), GNT_OK);
        assert_true(all[counts[c] * OUTPUTS] == 77);
        for (int64_t i = 0; i < counts[c]; i++) {
            attr_forward(&net.net, b.x + i * COLUMNS, room, z);
            for (int o = 0; o < OUTPUTS; o++)
                assert_true(fabsf(all[i * OUTPUTS + o] - z[o]) < 1e-5F);
        }
    }
    plain_close(&b.host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learns_a_linear_map),
        cmocka_unit_test(keeps_the_epoch_of_the_least_error),
        cmocka_unit_test(starts_again_where_it_diverges),
        cmocka_unit_test(forwards_many_vectors_as_single_ones),
    };
    return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
