/* Whole networks against central differences in double, along a few directions: the loss (first order,
 * relative L2 error over the directions at most 1e-6) and the two costs of gradient matching (second order,
 * 1e-5), in input and label together, and in all weights together. Points keep away from ties of ReLU and max
 * pools (tests/golden). */
#include "matching.h"

enum { DIRECTIONS = 2, COSTS = 3 }; /* loss, cosine, l2 */

static const double step = 1e-6;
static const double tolerance[COSTS] = {1e-6, 1e-5, 1e-5};
static const char *const names[COSTS] = {"loss", "cosine", "l2"};

/* One vector that derivatives are taken in: values as bound to the program, and a program's derivatives by
 * it. */
typedef struct variable {
    double *bound; /* where the program reads it */
    int64_t count;
    const double *d[COSTS]; /* derivative of each cost */
    double scale;           /* of a direction's entries: about the values' own size */
} variable;

static double direction(int k, int64_t i, int which) {
    return formula_unit((uint64_t)(5000 + 10 * k + which), (uint64_t)i);
}

static void move(const variable *v, int n, int k, double by) {
    for (int which = 0; which < n; which++)
        for (int64_t i = 0; i < v[which].count; i++)
            v[which].bound[i] += by * v[which].scale * direction(k, i, which);
}

/* Derivatives along the directions, against (f(v + h·d) − f(v − h·d)) / 2h. */
static void check(const matching *t, matching_run *run, const variable *v, int n, const char *what) {
    double off[COSTS] = {0}, size[COSTS] = {0};
    for (int k = 0; k < DIRECTIONS; k++) {
        double up[COSTS], exact[COSTS] = {0};
        for (int which = 0; which < n; which++)
            for (int64_t i = 0; i < v[which].count; i++)
                for (int c = 0; c < COSTS; c++)
                    exact[c] += v[which].d[c][i] * v[which].scale * direction(k, i, which);
        move(v, n, k, step);
        assert_int_equal(gnt_program_run(run->p, 0), 0);
        for (int c = 0; c < COSTS; c++)
            up[c] = matching_value(run, c, 0);
        move(v, n, k, -2 * step);
        assert_int_equal(gnt_program_run(run->p, 0), 0);
        for (int c = 0; c < COSTS; c++) {
            double numeric = (up[c] - matching_value(run, c, 0)) / (2 * step);
            off[c] += (numeric - exact[c]) * (numeric - exact[c]);
            size[c] += numeric * numeric;
        }
        move(v, n, k, step);
    }
    for (int c = 0; c < COSTS; c++)
        if (!(sqrt(off[c]) <= tolerance[c] * sqrt(size[c])))
            fail_msg("%s, %s in %s: relative error %.3g above %.0e", t->spec.golden, names[c], what,
                     sqrt(off[c] / size[c]), tolerance[c]);
}

static void derivatives_meet_central_differences(void **state) {
    matching *t = matching_new(*state);
    gnt_node costs[COSTS] = {t->loss, t->cosine, t->l2};
    enum { MOST = COSTS * (MATCHING_PARAMS + 2) };
    gnt_node in[MATCHING_PARAMS + 2], out[MOST];
    int32_t n = t->n_params + 2;
    in[0] = t->x_node;
    in[1] = t->y_node;
    for (int32_t i = 0; i < t->n_params; i++)
        in[2 + i] = t->param_node[i];
    for (int c = 0; c < COSTS; c++)
        assert_int_equal(gnt_nn_vjp(t->g, &costs[c], NULL, 1, in, n, out + c * n), 0);
    matching_run d = matching_compile(t, out, COSTS * n, 8), f = matching_compile(t, costs, COSTS, 8);
    assert_int_equal(gnt_program_run(d.p, 0), 0);

    variable xy[2] = {{.bound = f.kept[0], .count = t->x_count, .scale = 0.5},
                      {.bound = f.kept[1], .count = t->y_count, .scale = 0.1}};
    variable *w = gnt_array((size_t)t->n_params, sizeof *w);
    assert_non_null(w);
    for (int32_t i = 0; i < t->n_params; i++) {
        w[i].bound = (double *)f.kept[2] + t->param[i].offset;
        w[i].count = gnt_nn_count(&t->param[i].shape);
        for (int64_t j = 0; j < w[i].count; j++)
            w[i].scale = fmax(w[i].scale, fabs(w[i].bound[j]));
    }
    for (int c = 0; c < COSTS; c++) {
        for (int i = 0; i < 2; i++)
            xy[i].d[c] = gnt_program_output(d.p, c * n + i);
        for (int32_t i = 0; i < t->n_params; i++)
            w[i].d[c] = gnt_program_output(d.p, c * n + 2 + i);
    }
    check(t, &f, xy, 2, "input and label");
    check(t, &f, w, t->n_params, "weights");
    gnt_free(w);
    matching_drop(&d);
    matching_drop(&f);
    matching_free(t);
}

#define IMAGE(c, h, w)                                                                                       \
    {                                                                                                        \
        .rank = 3, .dim = { c, h, w }                                                                        \
    }

static const matching_spec specs[] = {
    {"lenet", "lenet", IMAGE(3, 32, 32), 2, 10, 0, 1, 0, 0, 0, NULL},
    {"recup_adult", "recup_adult", {.rank = 1, .dim = {103}}, 4, 2, 0, 0, 0, 0, 0, NULL},
    {"lenet_map", "lenet", IMAGE(1, 28, 28), 2, 10, 0, 1, 0, 0, 0, "map"},
    {"convnet_eval", "convnet", IMAGE(3, 16, 16), 1, 10, 0, 0, 0, 0, 0, NULL},
    {"resnet18_train", "resnet18", IMAGE(3, 16, 16), 4, 10, 1, 0, 0, 0, 0, NULL},
};

int main(void) {
    enum { N = sizeof specs / sizeof *specs };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){specs[i].golden, derivatives_meet_central_differences, NULL, NULL,
                                       (void *)&specs[i]};
    return cmocka_run_group_tests_name("whole", tests, NULL, NULL);
}
