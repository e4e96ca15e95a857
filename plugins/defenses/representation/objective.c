#include "objective.h"

#include <math.h>

/* Returns the width of a layer that was published with n neurons or channels: at least 8. */
static int64_t objective_width(const objective_shape *s, int64_t n) {
    const double scaled = nearbyint(s->width * (double)n);
    const double least = n < 8 ? (double)n : 8; /* of fewer neurons with ReLU, all may be off for good */
    return (int64_t)(scaled > least ? scaled : least);
}

/* Adds an input of shape rows × dim. */
static gnt_node batch(gnt_graph *g, const char *name, int64_t rows, int32_t rank, const int64_t *dim) {
    int64_t full[4] = {rows};
    for (int32_t i = 0; i < rank; i++)
        full[i + 1] = dim[i];
    return gnt_nn_input(g, name, rank + 1, full, 0);
}

/* Adds an input for a batch of samples: rows × shape of x. */
static gnt_node objective_samples(gnt_graph *g, const objective_shape *s, const char *name) {
    return batch(g, name, s->rows, s->x_rank, s->x_dim);
}

/* Adds the inputs that every objective has: r, u, a, b. */
static void objective_inputs(gnt_graph *g, const objective_shape *s, objective *o) {
    const int64_t values = s->values;
    if (o->r < 0)
        o->r = batch(g, "r", s->rows, s->r_rank, s->r_dim);
    o->x = o->other = o->y = o->scores = -1;
    o->u = batch(g, "u", s->rows, 1, &values);
    o->a = gnt_nn_input(g, "a", 0, NULL, 0);
    o->b = gnt_nn_input(g, "b", 0, NULL, 0);
}

static gnt_node scaled(gnt_graph *g, gnt_node factor, gnt_node x) {
    static const int64_t one[] = {1, 1, 1, 1};
    const gnt_nn_shape s = gnt_nn_shape_of(g, x);
    return gnt_nn_mul(g, gnt_nn_expand(g, gnt_nn_reshape(g, factor, s.rank, one), s.rank, s.dim), x);
}

gnt_node objective_by_r(gnt_graph *g, const objective *o) {
    gnt_node hidden, kept;
    gnt_nn_vjp(g, &o->hidden, NULL, 1, &o->r, 1, &hidden);
    gnt_nn_vjp(g, &o->kept, NULL, 1, &o->r, 1, &kept);
    return gnt_nn_add(g, scaled(g, o->a, hidden), scaled(g, o->b, kept));
}

/* ---- networks ---- */

static gnt_node flat(gnt_graph *g, gnt_node x) {
    const gnt_nn_shape s = gnt_nn_shape_of(g, x);
    const int64_t dim[2] = {s.dim[0], s.dim[0] > 0 ? gnt_nn_count(&s) / s.dim[0] : 0};
    return s.rank == 2 ? x : gnt_nn_reshape(g, x, 2, dim);
}

/* Normalises x where the networks are those of the program. Each `rows` of x are a batch by themselves. */
static gnt_node normed(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x) {
    return s->of_program ? side_norm(g, p, x, gnt_nn_shape_of(g, x).dim[0] / s->rows) : x;
}

static gnt_node hidden_layers(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x,
                              const int *widths) {
    for (; *widths > 0; widths++)
        x = gnt_nn_relu(g, normed(g, s, p, side_dense(g, p, x, objective_width(s, *widths))));
    return x;
}

/* Adds the last layers of a network, which have no batch norm. */
static gnt_node last_layers(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x,
                            const int *widths, int64_t outputs) {
    objective_shape plain = *s;
    plain.of_program = 0;
    return side_dense(g, p, hidden_layers(g, &plain, p, x, widths), outputs);
}

/* Returns the channels of a convolution that was published with n: the scaled number, from 12 on rounded
 * to whole blocks of 16. Whole blocks take half the time of, say, 26 channels; the published numbers are
 * multiples of 16 already. */
static int64_t channels_of(const objective_shape *s, int64_t n) {
    enum { BLOCK = 16, LEAST = 12 };
    const int64_t scaled = objective_width(s, n);
    return scaled < LEAST ? scaled : (scaled + BLOCK / 2) / BLOCK * BLOCK;
}

/* Adds convolutions with ReLU. `channels` ends with −1; 0 is a pool, which is left out where a side has
 * one pixel. */
static gnt_node conv_layers(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x,
                            const int *channels) {
    for (; *channels >= 0; channels++) {
        const gnt_nn_shape now = gnt_nn_shape_of(g, x);
        if (*channels > 0)
            x = gnt_nn_relu(g, normed(g, s, p, side_conv(g, p, x, channels_of(s, *channels))));
        else if (now.dim[2] > 1 && now.dim[3] > 1)
            x = gnt_nn_max_pool(g, x, 2, 2, 2, 2, 0, 0, 0);
    }
    return x;
}

/* Adds g of TAPPFL, Table 3, which computes scores of `outputs` values from r. */
static gnt_node objective_classifier(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node r,
                                     int64_t outputs) {
    static const int convs[] = {256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0, -1};
    static const int after[] = {4096, 4096, 0}, dense[] = {64, 128, 0}, of_program[] = {64, 128, 4, 0};
    objective_shape own = *s;
    if (s->g_width > 0)
        own.width = s->g_width;
    if (s->r_rank == 3)
        return last_layers(g, &own, p, flat(g, conv_layers(g, &own, p, r, convs)), after, outputs);
    r = hidden_layers(g, &own, p, flat(g, r), s->of_program ? of_program : dense);
    return side_dense(g, p, r, outputs);
}

/* ---- TAPPFL ---- */

static gnt_node twice(gnt_graph *g, gnt_node a, gnt_node b) {
    const gnt_node both[2] = {a, b};
    return gnt_nn_concat(g, both, 2, 0);
}

/* Adds h for images whose representation is an image: x goes through its first two layers and pools, then
 * r and a plane for each value of u next to it. Six pools are one more than 32 pixels have: the last is
 * left out. */
static gnt_node pair_images(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x, gnt_node r,
                            gnt_node u) {
    static const int first[] = {16, 0, 32, 0, -1};
    static const int then[] = {128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, -1};
    static const int after[] = {4096, 512, 0};
    const int64_t plane[4] = {2 * s->rows, s->values, 1, 1};
    const int64_t full[4] = {2 * s->rows, s->values, s->r_dim[1], s->r_dim[2]};
    gnt_node part[3] = {conv_layers(g, s, p, x, first), r,
                        gnt_nn_expand(g, gnt_nn_reshape(g, u, 4, plane), 4, full)};
    const gnt_nn_shape now = gnt_nn_shape_of(g, part[0]);
    if (now.dim[2] != s->r_dim[1] || now.dim[3] != s->r_dim[2])
        part[0] = gnt_nn_adaptive_avg_pool(g, part[0], s->r_dim[1], s->r_dim[2]);
    const gnt_node all = gnt_nn_concat(g, part, 3, 1);
    return side_dense(g, p, hidden_layers(g, s, p, flat(g, conv_layers(g, s, p, all, then)), after), 1);
}

static gnt_node pair_rows(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x, gnt_node r,
                          gnt_node u) {
    static const int widths[] = {16, 32, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512, 4096, 512, 0};
    const gnt_node part[3] = {flat(g, x), flat(g, r), u};
    return side_dense(g, p, hidden_layers(g, s, p, gnt_nn_concat(g, part, 3, 1), widths), 1);
}

/* Joins what a tower's second half made of x and of r, one behind the other in `both`, with the value's
 * number, as the program does. */
static gnt_node join_towers(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node both,
                            gnt_node u) {
    static const int after[] = {4096, 512, 0};
    static const int64_t one[2] = {1, 1};
    const int64_t rows = 2 * s->rows;
    gnt_node number = gnt_nn_fill(g, 2, one, 0); /* values × 1: 0, 1, 2 … */
    for (int32_t v = 1; v < s->values; v++) {
        const gnt_node more[2] = {number, gnt_nn_fill(g, 2, one, v)};
        number = gnt_nn_concat(g, more, 2, 0);
    }
    const gnt_node part[3] = {gnt_nn_slice(g, both, 0, 0, rows), gnt_nn_slice(g, both, 0, rows, 2 * rows),
                              gnt_nn_matmul(g, u, 0, number, 0)};
    return last_layers(g, s, p, gnt_nn_concat(g, part, 3, 1), after, 1);
}

/* Adds h of the program for vectors: x goes through a first half of its own, which ends as wide as r; x and r
 * through the same second half. */
static gnt_node tower_rows(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x, gnt_node r,
                           gnt_node u) {
    static const int first[] = {16, 32, 128, 0}, second[] = {256, 256, 256, 512, 512, 512, 512, 512, 512, 0};
    r = flat(g, r);
    x = hidden_layers(g, s, p, flat(g, x), first);
    x = gnt_nn_relu(g, normed(g, s, p, side_dense(g, p, x, gnt_nn_shape_of(g, r).dim[1])));
    const gnt_node both[2] = {x, r};
    return join_towers(g, s, p, hidden_layers(g, s, p, gnt_nn_concat(g, both, 2, 0), second), u);
}

/* The same for images; convolutions are all 3 × 3, and x's first half has no pool of stride 1 at its end, so
 * that it leaves as many pixels as r has. */
static gnt_node tower_images(gnt_graph *g, const objective_shape *s, side_params *p, gnt_node x, gnt_node r,
                             gnt_node u) {
    static const int first[] = {16, 0, 32, 0, 128, -1};
    static const int second[] = {256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, -1};
    x = conv_layers(g, s, p, x, first);
    x = gnt_nn_relu(g, normed(g, s, p, side_conv(g, p, x, s->r_dim[0])));
    const gnt_nn_shape now = gnt_nn_shape_of(g, x);
    if (now.dim[2] != s->r_dim[1] || now.dim[3] != s->r_dim[2])
        x = gnt_nn_adaptive_avg_pool(g, x, s->r_dim[1], s->r_dim[2]);
    const gnt_node both[2] = {x, r};
    return join_towers(g, s, p, flat(g, conv_layers(g, s, p, gnt_nn_concat(g, both, 2, 0), second)), u);
}

/* Builds TAPPFL's objective, where −I^JSD = E softplus(−h(x, r, u)) + E softplus(h(x̄, r, u)); h sees both
 * halves in one batch. */
void tappfl_objective(gnt_graph *g, const objective_shape *s, objective *o) {
    objective_inputs(g, s, o);
    o->x = objective_samples(g, s, "x");
    o->other = objective_samples(g, s, "other");
    o->scores = objective_classifier(g, s, &o->side, o->r, s->values);
    o->g_tensors = o->side.n;
    o->hidden = gnt_nn_cross_entropy(g, o->scores, o->u);
    const gnt_node x = twice(g, o->x, o->other), r = twice(g, o->r, o->r), u = twice(g, o->u, o->u);
    const int images = s->x_rank == 3 && s->r_rank == 3;
    const gnt_node score = s->of_program ? (images ? tower_images : tower_rows)(g, s, &o->side, x, r, u)
                           : images      ? pair_images(g, s, &o->side, x, r, u)
                                         : pair_rows(g, s, &o->side, x, r, u);
    const gnt_node own = gnt_nn_slice(g, score, 0, 0, s->rows);
    const gnt_node others = gnt_nn_slice(g, score, 0, s->rows, 2 * s->rows);
    o->kept = gnt_nn_add(g, gnt_nn_mean_all(g, gnt_nn_softplus(g, gnt_nn_affine(g, own, -1, 0))),
                         gnt_nn_mean_all(g, gnt_nn_softplus(g, others)));
    o->own = gnt_nn_add(g, o->hidden, o->kept);
}

/* ---- with the task's labels ---- */

/* Sets `kept` to the cross entropy of a classifier of the task that reads r. */
static void keep_the_task(gnt_graph *g, const objective_shape *s, objective *o) {
    const int64_t classes = s->classes;
    o->y = batch(g, "y", s->rows, 1, &classes);
    o->kept = gnt_nn_cross_entropy(g, objective_classifier(g, s, &o->side, o->r, s->classes), o->y);
}

void adversarial_objective(gnt_graph *g, const objective_shape *s, objective *o) {
    objective_inputs(g, s, o);
    o->scores = objective_classifier(g, s, &o->side, o->r, s->values);
    o->g_tensors = o->side.n;
    o->hidden = gnt_nn_cross_entropy(g, o->scores, o->u);
    keep_the_task(g, s, o);
    o->own = gnt_nn_add(g, o->hidden, o->kept);
}

/* Computes log(Σ w·x²/Σ w − (Σ w·x/Σ w)² + least) for each column of w: columns of w × columns of x. A
 * column of zeros has variance 0. */
static gnt_node log_variance(gnt_graph *g, gnt_node w, gnt_node x) {
    const double least = 1e-3;
    const gnt_nn_shape shape = gnt_nn_shape_of(g, x), weights = gnt_nn_shape_of(g, w);
    const int64_t full[2] = {weights.dim[1], shape.dim[1]}, upright[2] = {weights.dim[1], 1};
    const gnt_node count = gnt_nn_reshape(g, gnt_nn_sum(g, w, 1), 2, upright);
    const gnt_node above = gnt_nn_relu(g, gnt_nn_affine(g, count, 1, -1));
    const gnt_node n = gnt_nn_expand(g, gnt_nn_affine(g, above, 1, 1), 2, full); /* max(1, count) */
    const gnt_node mean = gnt_nn_div(g, gnt_nn_matmul(g, w, 1, x, 0), n);
    const gnt_node square = gnt_nn_div(g, gnt_nn_matmul(g, w, 1, gnt_nn_square(g, x), 0), n);
    const gnt_node variance = gnt_nn_relu(g, gnt_nn_sub(g, square, gnt_nn_square(g, mean)));
    return gnt_nn_log(g, gnt_nn_affine(g, variance, 1, least));
}

void dpfe_objective(gnt_graph *g, const objective_shape *s, objective *o) {
    objective_inputs(g, s, o);
    const gnt_node r = flat(g, o->r);
    const gnt_nn_shape shape = gnt_nn_shape_of(g, r);
    const int64_t one[2] = {s->rows, 1}, full[2] = {s->values, shape.dim[1]}, upright[2] = {s->values, 1};
    const gnt_node all = log_variance(g, gnt_nn_fill(g, 2, one, 1), r);
    const gnt_node share = gnt_nn_affine(g, gnt_nn_sum(g, o->u, 1), 1 / (double)s->rows, 0);
    const gnt_node weight = gnt_nn_expand(g, gnt_nn_reshape(g, share, 2, upright), 2, full);
    const gnt_node within = gnt_nn_sum(g, gnt_nn_mul(g, weight, log_variance(g, o->u, r)), 1);
    o->hidden = gnt_nn_affine(g, gnt_nn_mean_all(g, gnt_nn_sub(g, all, within)), 0.5, 0);
    keep_the_task(g, s, o);
    o->own = o->kept;
}
