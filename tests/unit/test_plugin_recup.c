/* recup and the four forms of FGSM: what a client's update becomes, against Algorithm 1 and Eq. 10 to 14
 * written out in double for given linear networks; several attributes, weights and deltas; that a random
 * target reveals nothing of the true value; and that prepare makes a zoo that infers the attribute. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../plugins/attacks/gradient/defense/perturbed.c"
#include "base/random.h"
#include "plugin/model_service.h"
#include "try_plugin.h"

enum { SIZE = 23, MOST_COLUMNS = SIZE, VALUES = 3, NETS = 2, VIEWS = 64, P = 3 };

typedef struct linear {
    float weight[VALUES * MOST_COLUMNS], bias[VALUES];
} linear;

/* A zoo of linear networks for attribute 0, and one for attribute 1, as prepare would have left it. */
typedef struct zoo {
    int64_t window, columns;
    int32_t nets;
    float mean[2][MOST_COLUMNS], scale[2][MOST_COLUMNS];
    linear net[2][NETS];
    char name[VIEWS][64];
    gnt_view view[VIEWS];
    gnt_artefacts artefacts;
} zoo;

static void add(zoo *z, const char *name, int32_t rank, int64_t rows, int64_t columns, const float *data) {
    const int64_t n = z->artefacts.tensors.n++;
    assert_true(n < VIEWS);
    snprintf(z->name[n], sizeof z->name[n], "%s", name);
    z->view[n] = (gnt_view){.name = z->name[n],
                            .rank = rank,
                            .dim = {rank == 2 ? rows : columns, columns},
                            .count = rank == 2 ? rows * columns : columns,
                            .data = data};
}

static void make_zoo(zoo *z, int64_t window, int32_t nets, int attributes, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "zoo");
    *z = (zoo){.window = window, .columns = (SIZE + window - 1) / window, .nets = nets};
    z->artefacts = (gnt_artefacts){.size = sizeof z->artefacts, .tensors = {0, z->view}};
    for (int a = 0; a < attributes; a++) {
        char name[64];
        for (int64_t j = 0; j < z->columns; j++) {
            z->mean[a][j] = (float)(0.1 * gnt_random_normal(&s));
            z->scale[a][j] = j == 2 ? 0 : (float)(0.5 + gnt_random_uniform(&s)); /* column 2 never varied */
        }
        snprintf(name, sizeof name, "zoo.%d.mean", a);
        add(z, name, 1, 1, z->columns, z->mean[a]);
        snprintf(name, sizeof name, "zoo.%d.scale", a);
        add(z, name, 1, 1, z->columns, z->scale[a]);
        for (int k = 0; k < nets; k++) {
            linear *n = &z->net[a][k];
            for (int64_t i = 0; i < VALUES * z->columns; i++)
                n->weight[i] = (float)(0.2 * gnt_random_normal(&s)); /* unsure, so that no p rounds to 1 */
            for (int i = 0; i < VALUES; i++)
                n->bias[i] = (float)gnt_random_normal(&s);
            snprintf(name, sizeof name, "zoo.%d.%d.weight.0", a, k);
            add(z, name, 2, VALUES, z->columns, n->weight);
            snprintf(name, sizeof name, "zoo.%d.%d.bias.0", a, k);
            add(z, name, 1, 1, VALUES, n->bias);
        }
    }
}

/* Derivative of network k's cross entropy by the update, all SIZE entries. It passes the cut at ten
 * deviations as if there were none, so that an update that was carried beyond it still moves. */
static void slope(const zoo *z, int a, int k, const double *u, int label, double *g) {
    const linear *n = &z->net[a][k];
    double x[MOST_COLUMNS], p[VALUES], sum = 0;
    int64_t where[MOST_COLUMNS];
    for (int64_t j = 0; j < z->columns; j++) {
        int64_t most = j * z->window;
        for (int64_t i = most; i < SIZE && i < (j + 1) * z->window; i++)
            most = u[i] > u[most] ? i : most;
        where[j] = most;
        x[j] = (u[most] - (double)z->mean[a][j]) * (double)z->scale[a][j];
    }
    for (int c = 0; c < VALUES; c++) {
        double s = (double)n->bias[c];
        for (int64_t j = 0; j < z->columns; j++)
            s += (double)n->weight[c * z->columns + j] * fmax(-10, fmin(10, x[j]));
        sum += p[c] = exp(s);
    }
    memset(g, 0, SIZE * sizeof *g);
    for (int64_t j = 0; j < z->columns; j++)
        for (int c = 0; c < VALUES; c++)
            g[where[j]] +=
                (p[c] / sum - (c == label)) * (double)n->weight[c * z->columns + j] * (double)z->scale[a][j];
}

static double sign(double v) {
    return v > 0 ? 1 : v < 0 ? -1 : 0;
}

/* Algorithm 1 with line 23 outside the loop; bit p of `order` says which network comes first in iteration
 * p. */
static void algorithm_1(const zoo *z, int a, double epsilon, unsigned order, int label, double *u) {
    double g[SIZE], work[SIZE];
    const int q = z->nets;
    for (int p = 0; p < P; p++) {
        const int first = order >> p & 1;
        memcpy(work, u, sizeof work);
        if (q == 2) {
            slope(z, a, first, work, label, g);
            for (int i = 0; i < SIZE; i++)
                work[i] += epsilon / q * sign(g[i]);
        }
        slope(z, a, q == 2 ? 1 - first : 0, work, label, g);
        for (int i = 0; i < SIZE; i++)
            u[i] += epsilon * sign(g[i]);
    }
}

typedef struct bench {
    tried t;
    float update[SIZE], before[SIZE];
    int32_t a[2];
    float weight[2];
    gnt_err err;
} bench;

static void open_bench(bench *b, const char *id, const char *json, uint64_t seed) {
    char where[4096];
    *b = (bench){.weight = {1, 0}};
    if (try_open(&b->t, built("plugins/defenses/attribute.so", where), GNT_PLUGIN_DEFENSE, id, json, seed,
                 &b->err))
        fail_msg("%s", b->err.text);
    const gnt_key key = gnt_key_of_seed(77);
    gnt_stream s = gnt_stream_open(&key, "update");
    for (int i = 0; i < SIZE; i++)
        b->before[i] = (float)(i % 4 == 1 ? 0 : 0.1 * gnt_random_normal(&s)); /* ties within windows */
    b->before[5] = 300;                                                       /* beyond the cut */
}

static gnt_status defend(bench *b, const zoo *z, int32_t steps, const int32_t *a) {
    const gnt_attribute attribute[2] = {{.name = "first", .values = VALUES, .weight = b->weight[0]},
                                        {.name = "second", .values = VALUES, .weight = b->weight[1]}};
    const gnt_samples samples = {
        .size = sizeof samples, .n = 1, .n_attributes = 2, .attribute = attribute, .a = a};
    gnt_tensor tensor[2] = {try_tensor("w", b->update, 9), try_tensor("b", b->update + 9, SIZE - 9)};
    gnt_tensors update = {2, tensor};
    const gnt_client client = {.size = sizeof client,
                               .n_clients = 1,
                               .n_samples = 1,
                               .rate = 0.25,
                               .steps = steps,
                               .batch = 1,
                               .samples = &samples,
                               .artefacts = &z->artefacts};
    memcpy(b->update, b->before, sizeof b->update);
    gnt_instance_enter(b->t.instance, "transform_update");
    return gnt_instance_leave(b->t.instance,
                              gnt_instance_defense(b->t.instance)
                                  ->transform_update(gnt_instance_self(b->t.instance), &client, &update),
                              &b->err);
}

static void must_defend(bench *b, const zoo *z, int32_t steps) {
    if (defend(b, z, steps, b->a) != GNT_OK)
        fail_msg("%s", b->err.text);
}

static int equals(const float *got, const double *expected) {
    for (int i = 0; i < SIZE; i++)
        if (fabs((double)got[i] - expected[i]) > 2e-7 * fmax(1, fabs(expected[i])))
            return 0;
    return 1;
}

/* What the update is expected to be for one order of the networks. */
typedef void (*formula)(const zoo *z, double epsilon, unsigned order, int label, double *u);

static void meta(const zoo *z, double epsilon, unsigned order, int label, double *u) {
    algorithm_1(z, 0, epsilon, order, label, u);
}

static void away(const zoo *z, double epsilon, unsigned order, int label, double *u) {
    double g[SIZE];
    slope(z, 0, (int)(order & 1), u, label, g);
    for (int i = 0; i < SIZE; i++)
        u[i] += epsilon * sign(g[i]);
}

static void average(const zoo *z, double epsilon, unsigned order, int label, double *u) {
    double g[2][SIZE];
    (void)order;
    slope(z, 0, 0, u, label, g[0]);
    slope(z, 0, 1, u, label, g[1]);
    for (int i = 0; i < SIZE; i++)
        u[i] += epsilon / 2 * (sign(g[0][i]) + sign(g[1][i]));
}

static void iterated(const zoo *z, double epsilon, unsigned order, int label, double *u) {
    away(z, epsilon / 2, order, label, u);
    away(z, epsilon / 2, order ^ 1, label, u);
}

static void momentum(const zoo *z, double epsilon, unsigned order, int label, double *u) {
    double g[SIZE], sum[SIZE] = {0};
    for (unsigned q = 0; q < 2; q++) {
        double length = 0;
        slope(z, 0, (int)((order ^ q) & 1), u, label, g);
        for (int i = 0; i < SIZE; i++)
            length += fabs(g[i]);
        for (int i = 0; i < SIZE; i++) {
            sum[i] = 0.9 * sum[i] + g[i] / length;
            u[i] += epsilon / 2 * sign(sum[i]);
        }
    }
}

static const struct {
    const char *id, *json;
    formula is;
    double reach; /* greatest change of an entry, in ε */
    unsigned orders;
} forms[] = {{"recup", "{\"epsilon\": 0.05, \"iterations\": 3, \"drawn\": 2, \"window\": %d}", meta, P, 8},
             {"fgsm-one", "{\"epsilon\": 0.05, \"window\": %d}", away, 1, 2},
             {"fgsm-avg", "{\"epsilon\": 0.05, \"drawn\": 2, \"window\": %d}", average, 1, 1},
             {"fgsm-iter", "{\"epsilon\": 0.05, \"drawn\": 2, \"window\": %d}", iterated, 1, 2},
             {"fgsm-momentum", "{\"epsilon\": 0.05, \"drawn\": 2, \"window\": %d}", momentum, 1, 2}};

/* Which of the orders of networks gives what came out; −1: none. */
static int order_of(const bench *b, const zoo *z, size_t form, double epsilon) {
    for (unsigned order = 0; order < forms[form].orders; order++) {
        double u[SIZE];
        for (int i = 0; i < SIZE; i++)
            u[i] = (double)b->before[i];
        forms[form].is(z, epsilon, order, b->a[0], u);
        if (equals(b->update, u))
            return (int)order;
    }
    return -1;
}

static void moves_by_the_formula(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int window = 1; window <= 4; window += 3) {
            unsigned seen = 0;
            for (uint64_t seed = 1; seed <= 20; seed++) {
                zoo z;
                bench b;
                char json[200];
                snprintf(json, sizeof json, forms[f].json, window);
                make_zoo(&z, window, NETS, 1, 100 + seed % 4);
                open_bench(&b, forms[f].id, json, seed);
                b.a[0] = (int32_t)(seed % VALUES);
                must_defend(&b, &z, 0);
                const int order = order_of(&b, &z, f, 0.05);
                if (order < 0)
                    fail_msg("%s, window %d, seed %d: no order of the networks gives this", forms[f].id,
                             window, (int)seed);
                seen |= 1U << order;
                for (int i = 0; i < SIZE; i++) {
                    const double moved = ((double)b.update[i] - (double)b.before[i]) / 0.025;
                    assert_true(fabs(moved) <= 2 * forms[f].reach + 1e-3 || b.before[i] == 300);
                    assert_true(fabs(moved - nearbyint(moved)) < 1e-3 || b.before[i] == 300);
                }
                try_close(&b.t);
            }
            /* it draws the network: both come up in twenty draws */
            if (forms[f].is == away)
                assert_int_equal(seen, 3);
        }
}

static int64_t sum_of(const uint8_t marks[SIZE]) {
    int64_t sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += marks[i];
    return sum;
}

/* Counts the entries that did not move and are not 0 (`still`), and those of them that are recognised as
 * such. */
static void count_unmoved(size_t form, const char *epsilon, int32_t steps, int64_t *found, int64_t *still) {
    *found = *still = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        zoo z;
        bench b;
        char json[200];
        uint8_t marks[SIZE] = {0}, *of[2] = {marks, marks + 9};
        gnt_view view[2] = {{.count = 9, .data = b.update}, {.count = SIZE - 9, .data = b.update + 9}};
        const gnt_views update = {2, view};
        const gnt_value value[] = {{.id = "epsilon", .r = strtod(epsilon, NULL)},
                                   {.id = "window", .i = seed % 2 ? 4 : 0},
                                   {.id = "inputs", .i = 6},
                                   {.id = "drawn", .i = 2},
                                   {.id = "iterations", .i = P}};
        const gnt_observation seen = {.update = &update,
                                      .steps = steps,
                                      .rate = 0.25,
                                      .defense = forms[form].id,
                                      .defense_values = value,
                                      .n_defense_values = form == 0 ? 5 : 4};
        perturbed p;
        snprintf(json, sizeof json, forms[form].json, (int)value[1].i);
        memcpy(strstr(json, "0.05"), epsilon, 4);
        snprintf(strchr(json, '}'), 20, ", \"inputs\": 6}");
        make_zoo(&z, 4, NETS, 1, seed); /* six windows of 4 are what `inputs` leaves, too */
        open_bench(&b, forms[form].id, json, seed);
        b.before[5] = 0.2f; /* no gradient is that much louder */
        b.a[0] = (int32_t)(seed % VALUES);
        must_defend(&b, &z, steps);
        assert_true(perturbed_read(&p, &seen) && p.window == 4);
        const int64_t n = perturbed_mark(&p, &update, 1, of);
        assert_int_equal(n, sum_of(marks));
        for (int i = 0; i < SIZE; i++) {
            assert_true(marks[i] || b.update[i] == b.before[i] || fabsf(b.update[i] - b.before[i]) < 1e-4f);
            *still += b.update[i] == b.before[i] && b.before[i] != 0;
            *found += !marks[i] && b.before[i] != 0;
        }
        try_close(&b.t);
    }
}

/* An attacker that knows the defense can find the entries that it left alone. None that moved is missed, but
 * for what moved back again; of windows of 4 more than a third of what did not move is recognised, and nearly
 * all of it where a step is large compared with the gradient. */
static void entries_that_may_have_moved_are_known(void **state) {
    (void)state;
    int64_t found, still;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int32_t steps = 0; steps < 2; steps++) {
            count_unmoved(f, "0.01", steps, &found, &still);
            assert_true(found * 3 > still);
            count_unmoved(f, "9.00", steps, &found, &still);
            assert_true(found * 10 > still * 9);
        }
}

static void deltas_move_by_the_rate_times_epsilon(void **state) {
    (void)state;
    zoo z;
    bench b;
    make_zoo(&z, 1, NETS, 1, 3);
    open_bench(&b, "recup", "{\"epsilon\": 0.05, \"iterations\": 3, \"drawn\": 2, \"window\": 1}", 1);
    must_defend(&b, &z, 2);
    assert_true(order_of(&b, &z, 0, 0.25 * 0.05) >= 0);
    assert_true(order_of(&b, &z, 0, 0.05) < 0);
    try_close(&b.t);
}

/* Eq. 9: Σ γ_m·(final_m − update), each from the update as computed. */
static void attributes_add_up_by_their_weights(void **state) {
    (void)state;
    static const double weights[][2] = {{1, 0}, {0, 1}, {0.25, 0.75}, {0.5, 0.5}};
    for (size_t k = 0; k < 4; k++) {
        zoo z;
        bench b;
        double expected[SIZE];
        make_zoo(&z, 2, 1, 2, 9); /* one network each, so that nothing is left to the draw */
        open_bench(&b, "recup", "{\"epsilon\": 0.05, \"iterations\": 3, \"drawn\": 1, \"window\": 2}", 1);
        b.a[0] = 2;
        b.a[1] = 1;
        b.weight[0] = (float)weights[k][0];
        b.weight[1] = (float)weights[k][1];
        must_defend(&b, &z, 0);
        for (int i = 0; i < SIZE; i++)
            expected[i] = (double)b.before[i];
        for (int m = 0; m < 2; m++) {
            double u[SIZE];
            for (int i = 0; i < SIZE; i++)
                u[i] = (double)b.before[i];
            algorithm_1(&z, m, 0.05, 0, b.a[m], u);
            for (int i = 0; i < SIZE; i++)
                expected[i] += weights[k][m] * (u[i] - (double)b.before[i]);
        }
        assert_true(equals(b.update, expected));
        try_close(&b.t);
    }
}

/* The true value enters nowhere: the same draws give the same bytes whatever it is; and every value is
 * drawn. */
static void a_random_target_reveals_nothing(void **state) {
    (void)state;
    zoo z;
    unsigned seen = 0;
    make_zoo(&z, 1, 1, 1, 9);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        float first[SIZE];
        for (int32_t truth = 0; truth < VALUES; truth++) {
            bench b;
            open_bench(&b, "recup-random-target",
                       "{\"epsilon\": 0.05, \"iterations\": 3, \"drawn\": 1, \"window\": 1}", seed);
            b.a[0] = truth;
            must_defend(&b, &z, 0);
            if (truth == 0)
                memcpy(first, b.update, sizeof first);
            assert_memory_equal(first, b.update, sizeof first);
            for (int target = 0; truth == 0 && target < VALUES; target++) {
                double u[SIZE];
                for (int i = 0; i < SIZE; i++)
                    u[i] = (double)b.before[i];
                algorithm_1(&z, 0, -0.05, 0, target, u); /* towards it */
                seen |= (unsigned)equals(b.update, u) << target;
            }
            try_close(&b.t);
        }
    }
    assert_int_equal(seen, 7);
}

/* The control moves the greatest entry of each window, P times by ε up or down, whatever the attribute. */
static void sign_noise_is_of_the_same_size(void **state) {
    (void)state;
    zoo none = {.artefacts = {.size = sizeof none.artefacts}};
    double sum = 0, squares = 0;
    int64_t moved_twice = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        bench b;
        float first[SIZE];
        open_bench(&b, "sign-noise", "{\"epsilon\": 0.01, \"iterations\": 3, \"window\": 4}", seed);
        must_defend(&b, &none, 0);
        memcpy(first, b.update, sizeof first);
        for (int from = 0; from < SIZE; from += 4) {
            double window = 0;
            for (int i = from; i < SIZE && i < from + 4; i++) {
                const double moved = ((double)b.update[i] - (double)b.before[i]) / 0.01;
                assert_true(fabs(moved - nearbyint(moved)) < 2e-3 || b.before[i] == 300);
                assert_true(fabs(moved) < 3.01);
                window += fabs(moved);
                moved_twice += fabs(moved) > 1.5;
                sum += moved;
                squares += moved * moved;
            }
            /* three moves, of which two may cancel */
            assert_true(window > 0.5 && window < 3.01);
        }
        try_close(&b.t);
        open_bench(&b, "sign-noise", "{\"epsilon\": 0.01, \"iterations\": 3, \"window\": 4}", seed);
        b.a[0] = 1;
        must_defend(&b, &none, 0);
        assert_memory_equal(first, b.update, sizeof first);
        must_defend(&b, &none, 5); /* a delta: by the rate times ε */
        for (int i = 0; i < SIZE; i++)
            assert_true(fabs((double)b.update[i] - (double)b.before[i]) < 0.25 * 0.0301);
        try_close(&b.t);
    }
    /* up as often as down: 50 runs of 6 windows of 3 moves */
    assert_true(fabs(sum) < 4 * sqrt(50 * 6 * 3));
    assert_true(squares > 50 * 6 && moved_twice > 0);
}

/* Signs drawn at random hide which entries they moved no better. */
static void entries_that_random_signs_moved_are_known(void **state) {
    (void)state;
    zoo none = {.artefacts = {.size = sizeof none.artefacts}};
    static const struct {
        const char *params;
        double epsilon, least; /* least: the share of the unmoved that must be found */
        int moves, window;
    } cases[] = {{"{\"epsilon\": 0.01, \"iterations\": 3, \"window\": 4}", 0.01, 0.33, 3, 4},
                 {"{\"epsilon\": 9, \"iterations\": 3, \"window\": 4}", 9, 0.9, 3, 4},
                 {"{\"epsilon\": 0.05, \"iterations\": 2, \"window\": 12}", 0.05, 0.6, 2, 12}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t found = 0, still = 0;
        bench b;
        perturbed p;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            uint8_t marks[SIZE] = {0}, *of[1] = {marks};
            open_bench(&b, "sign-noise", cases[c].params, seed);
            b.before[5] = 0.2f;
            must_defend(&b, &none, 0);
            const gnt_views update = {1, &(const gnt_view){.count = SIZE, .data = b.update}};
            const gnt_value value[] = {{.id = "epsilon", .r = cases[c].epsilon},
                                       {.id = "iterations", .i = cases[c].moves},
                                       {.id = "window", .i = cases[c].window},
                                       {.id = "inputs", .i = 1024}};
            const gnt_observation seen = {
                .update = &update, .defense = "sign-noise", .defense_values = value, .n_defense_values = 4};
            assert_true(perturbed_read(&p, &seen) && !perturbed_mark(&p, &update, SIZE, of)); /* few left */
            perturbed_mark(&p, &update, 1, of);
            for (int i = 0; i < SIZE; i++) {
                assert_true(marks[i] || fabsf(b.update[i] - b.before[i]) < 1e-5f);
                found += !marks[i] && b.before[i] != 0;
                still += fabsf(b.update[i] - b.before[i]) < 1e-5f && b.before[i] != 0;
            }
            try_close(&b.t);
        }
        assert_true((double)found > cases[c].least * (double)still);
    }
}

/* The cosine of `by` with the signs of the derivative of network k at u. */
static double cosine_at(const zoo *z, int k, const double *u, int label, const double *by) {
    double g[SIZE], dot = 0, moved = 0, signs = 0;
    slope(z, 0, k, u, label, g);
    for (int i = 0; i < SIZE; i++) {
        dot += by[i] * sign(g[i]);
        moved += by[i] * by[i];
        signs += sign(g[i]) != 0;
    }
    return dot / sqrt(moved * signs);
}

/* In one iteration with two networks, the step against the first is compared with that against the second
 * where the first one led, and where the iteration began. */
static void the_steps_of_an_iteration_are_compared(void **state) {
    (void)state;
    unsigned seen = 0; /* which orders fitted, and 4: the two cosines differed */
    for (uint64_t seed = 1; seed <= 20; seed++) {
        unsigned fits = 0;
        zoo z;
        bench b;
        double start[SIZE], by[2][SIZE], work[2][SIZE];
        make_zoo(&z, 4, NETS, 1, 100 + seed % 4);
        open_bench(&b, "recup",
                   "{\"epsilon\": 0.5, \"iterations\": 1, \"drawn\": 2, \"window\": 4, \"agreement\": true}",
                   seed);
        for (int i = 0; i < SIZE; i++)
            start[i] = (double)b.before[i];
        for (int first = 0; first < NETS; first++) {
            double g[SIZE];
            slope(&z, 0, first, start, b.a[0], g);
            for (int i = 0; i < SIZE; i++)
                work[first][i] = start[i] + (by[first][i] = 0.25 * sign(g[i]));
        }
        must_defend(&b, &z, 0);
        const double learnt = try_fact(&b.t, "agreement"), unlearnt = try_fact(&b.t, "agreement_unlearnt");
        for (int first = 0; first < NETS; first++)
            if (fabs(cosine_at(&z, 1 - first, work[first], b.a[0], by[first]) - learnt) < 1e-3 &&
                fabs(cosine_at(&z, 1 - first, start, b.a[0], by[first]) - unlearnt) < 1e-3)
                fits |= 1U << first | (fabs(learnt - unlearnt) > 1e-3 ? 4U : 0);
        assert_true(fits != 0);
        seen |= fits;
        try_close(&b.t);
    }
    assert_int_equal(seen, 7);
}

static void what_hides_nothing_changes_nothing(void **state) {
    (void)state;
    zoo z;
    bench b;
    make_zoo(&z, 1, NETS, 1, 3);
    open_bench(&b, "recup", "{\"window\": 1}", 1);
    b.weight[0] = 0;
    must_defend(&b, &z, 0);
    assert_memory_equal(b.update, b.before, sizeof b.before);
    assert_int_equal(defend(&b, &z, 0, NULL), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "have no attributes"));
    try_close(&b.t);
}

/* ---- prepare ---- */

enum { ROWS = 300, FEATURES = 6 };

static const char model_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

typedef struct shadow {
    float x[ROWS * FEATURES], y[ROWS * 2];
    int32_t a[ROWS];
    int64_t id[ROWS];
    gnt_attribute attribute;
    gnt_samples samples;
} shadow;

/* The attribute is feature 3. */
static void make_shadow(shadow *s, float weight) {
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream r = gnt_stream_open(&key, "shadow");
    *s = (shadow){.attribute = {.name = "hidden", .values = 2, .weight = weight}};
    for (int i = 0; i < ROWS; i++) {
        s->a[i] = (int32_t)gnt_random_below(&r, 2);
        s->id[i] = i;
        for (int k = 0; k < FEATURES; k++)
            s->x[i * FEATURES + k] = k == 3 ? (float)s->a[i] : (float)gnt_random_uniform(&r);
        s->y[2 * i + (int)gnt_random_below(&r, 2)] = 1;
    }
    s->samples = (gnt_samples){.size = sizeof s->samples,
                               .kind = GNT_KIND_TABULAR,
                               .n = ROWS,
                               .rank = 1,
                               .classes = 2,
                               .dim = {FEATURES},
                               .features = FEATURES,
                               .id = s->id,
                               .x = s->x,
                               .y = s->y,
                               .n_attributes = 1,
                               .attribute = &s->attribute,
                               .a = s->a};
}

static int tensors_kept;

static gnt_status count_tensor(void *context, const char *name, int32_t rank, const int64_t *dim,
                               const float *data) {
    (void)context, (void)rank, (void)dim, (void)data;
    assert_int_equal(strncmp(name, "zoo.0.", 6), 0);
    tensors_kept++;
    return GNT_OK;
}

static gnt_model *model;
static gnt_service *service;

static gnt_status prepare(tried *t, const gnt_samples *samples, int32_t steps, int64_t batch, gnt_err *err) {
    const gnt_nn_shape sample = {1, {FEATURES}};
    const float weights[FEATURES * 2 + 2] = {0.3F, -0.2F, 0.1F, 0.4F};
    char where[4096];
    if (gnt_model_parse(&model, "test", model_json, &sample, 2, NULL, NULL, err))
        fail_msg("%s", err->text);
    const gnt_service_spec of = {.model = model, .name = "test"};
    assert_int_equal(gnt_service_new(&service, &of, err), 0);
    if (try_load(t, built("plugins/defenses/attribute.so", where), GNT_PLUGIN_DEFENSE, "recup",
                 "{\"zoo\": 3, \"widest\": 128, \"epochs\": 20}", err) ||
        try_start(t, 1, (gnt_instance_spec){.model = service}, err))
        fail_msg("%s", err->text);
    const gnt_defense_prepare in = {.size = sizeof in,
                                    .stage = -1,
                                    .shadow_data = samples,
                                    .weights = weights,
                                    .n_clients = 10,
                                    .steps = steps,
                                    .batch = batch,
                                    .rate = 0.1};
    const gnt_sink sink = {.size = sizeof sink, .tensor = count_tensor};
    tensors_kept = 0;
    gnt_instance_enter(t->instance, "prepare");
    return gnt_instance_leave(
        t->instance, gnt_instance_defense(t->instance)->prepare(gnt_instance_self(t->instance), &in, &sink),
        err);
}

/* The instance gives back what it prepared of the model before the model goes. */
static void close_prepared(tried *t) {
    try_close(t);
    gnt_service_free(service);
    gnt_model_free(model);
}

static void prepare_makes_a_zoo_that_infers(void **state) {
    (void)state;
    static const struct {
        int32_t steps;
        int64_t batch;
    } computed[] = {{0, 1}, {0, 4}, {2, 1}};
    shadow s;
    make_shadow(&s, 0.5F);
    for (size_t k = 0; k < 3; k++) {
        tried t;
        gnt_err err = {0};
        if (prepare(&t, &s.samples, computed[k].steps, computed[k].batch, &err) != GNT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(tensors_kept, 2 + 3 * 2 * 4); /* mean, scale, three networks of four layers */
        assert_true(try_fact(&t, "zoo_validation_accuracy") > 0.95);
        close_prepared(&t);
    }
}

static void prepare_refuses_in_words(void **state) {
    (void)state;
    shadow s;
    tried t;
    gnt_err err = {0};
    make_shadow(&s, 0);
    assert_int_equal(prepare(&t, &s.samples, 0, 1, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "`hide`"));
    close_prepared(&t);
    assert_int_equal(prepare(&t, NULL, 0, 1, &err), GNT_UNSUPPORTED);
    close_prepared(&t);
    make_shadow(&s, 1);
    s.samples.n = 8;
    assert_int_equal(prepare(&t, &s.samples, 0, 1, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "needs at least 10"));
    close_prepared(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_by_the_formula),
        cmocka_unit_test(entries_that_may_have_moved_are_known),
        cmocka_unit_test(deltas_move_by_the_rate_times_epsilon),
        cmocka_unit_test(attributes_add_up_by_their_weights),
        cmocka_unit_test(a_random_target_reveals_nothing),
        cmocka_unit_test(sign_noise_is_of_the_same_size),
        cmocka_unit_test(entries_that_random_signs_moved_are_known),
        cmocka_unit_test(the_steps_of_an_iteration_are_compared),
        cmocka_unit_test(what_hides_nothing_changes_nothing),
        cmocka_unit_test(prepare_makes_a_zoo_that_infers),
        cmocka_unit_test(prepare_refuses_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
