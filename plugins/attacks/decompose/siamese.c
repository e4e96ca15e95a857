#include "siamese.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* QUICK: unit of the score's level, which has to move far at Adam's fixed step length. */
enum { HIDDEN = 16, QUICK = 20 };
static const double FLAT =
    0.1; /* mean square of a patch too flat to be compared, where that of a whole encoding is 1 */
enum { IN, ONE, DOWN2, TWO, DOWN3, THREE_A, THREE_B, UP2, TWO_A, TWO_B, UP1, ONE_A, ONE_B, OUT, LAYERS };

typedef struct layer {
    const char *name;
    int64_t out, in, side; /* 0 channels in or out: 2c, those of the image and its whitening */
    int transposed;        /* in and out are swapped in the weights */
} layer;

static const layer layers[LAYERS] = {
    {"in", 16, 0, 3, 0},     {"one", 16, 16, 3, 0},     {"down2", 32, 16, 3, 0},   {"two", 32, 32, 3, 0},
    {"down3", 64, 32, 3, 0}, {"three_a", 64, 64, 3, 0}, {"three_b", 64, 64, 3, 0}, {"up2", 32, 64, 4, 1},
    {"two_a", 32, 32, 3, 0}, {"two_b", 32, 32, 3, 0},   {"up1", 16, 32, 4, 1},     {"one_a", 16, 16, 3, 0},
    {"one_b", 16, 16, 3, 0}, {"out", 0, 16, 3, 0}};

static void plan_one(dec_net *net, const char *name, const char *what, int32_t rank, const int64_t *dim) {
    dec_param *p = &net->param[net->n++];
    snprintf(p->name, sizeof p->name, "%s.%s", name, what);
    p->rank = rank;
    p->count = 1;
    for (int32_t i = 0; i < rank; i++)
        p->count *= p->dim[i] = dim[i];
    p->at = net->size;
    net->size += p->count;
}

/* Layer i has parameters 2i (weight) and 2i + 1 (bias); then those of the function of a patch's product. */
enum { SLOPE = 2 * LAYERS, SHIFT, HEIGHT, LEVEL };

void dec_net_plan(dec_net *net, int64_t c, int64_t h, int64_t w) {
    *net = (dec_net){.c = c, .h = h, .w = w};
    for (int i = 0; i < LAYERS; i++) {
        const layer *l = &layers[i];
        int64_t in = l->in ? l->in : 2 * c, out = l->out ? l->out : 2 * c;
        int64_t dim[4] = {l->transposed ? in : out, l->transposed ? out : in, l->side, l->side};
        plan_one(net, l->name, "weight", 4, dim);
        plan_one(net, l->name, "bias", 1, &out);
    }
    plan_one(net, "patch", "slope", 2, (int64_t[]){1, HIDDEN});
    plan_one(net, "patch", "shift", 2, (int64_t[]){1, HIDDEN});
    plan_one(net, "patch", "height", 2, (int64_t[]){HIDDEN, 1});
    plan_one(net, "patch", "level", 1, (int64_t[]){1});
}

/* Draws as He et al. (2015) for the layers with a ReLU; the last layer starts at 0. A patch's d counts as Σ_k
 * relu(±d − k/2), an even function: hinges on either side. If `random`, all of this is drawn instead. */
void dec_net_start(const dec_net *net, const gnt_host *host, int random, float *flat) {
    memset(flat, 0, (size_t)net->size * sizeof *flat);
    for (int i = 0; i < (random ? LAYERS : OUT); i++) {
        const dec_param *p = &net->param[2 * i];
        double inputs = layers[i].transposed ? (double)(p->dim[0] * p->dim[2] * p->dim[3]) / 4
                                             : (double)(p->dim[1] * p->dim[2] * p->dim[3]);
        gnt_host_normal(host, "network", p->count, flat + p->at);
        for (int64_t k = 0; k < p->count; k++)
            flat[p->at + k] *= (float)sqrt(2 / inputs);
    }
    for (int64_t k = 0; random && k < net->c; k++)
        flat[net->param[2 * OUT + 1].at + k] = -1; /* 1 + gate is about 0 */
    for (int i = SLOPE; random && i < LEVEL; i++)
        gnt_host_normal(host, "network", HIDDEN, flat + net->param[i].at);
    for (int k = 0; !random && k < HIDDEN; k++) {
        flat[net->param[SLOPE].at + k] = k % 2 ? -1.0f : 1.0f;
        flat[net->param[SHIFT].at + k] = -0.5f * (float)(k / 2);
        flat[net->param[HEIGHT].at + k] = 0.05f;
    }
}

void dec_net_inputs(gnt_graph *g, const dec_net *net, gnt_node *param) {
    for (int32_t i = 0; i < net->n; i++)
        param[i] = gnt_nn_input(g, net->param[i].name, net->param[i].rank, net->param[i].dim, 0);
}

void dec_net_bind(gnt_program *p, const dec_net *net, const gnt_node *param, const float *flat) {
    for (int32_t i = 0; i < net->n; i++)
        gnt_program_bind(p, param[i], flat + net->param[i].at);
}

static gnt_node conv(gnt_graph *g, const gnt_node *param, int i, gnt_node x, int32_t stride) {
    return gnt_nn_bias(g, gnt_nn_conv(g, x, param[2 * i], stride, 1), param[2 * i + 1]);
}

static gnt_node up(gnt_graph *g, const gnt_node *param, int i, gnt_node x) {
    gnt_nn_shape s = gnt_nn_shape_of(g, x);
    gnt_node y = gnt_nn_conv_dx(g, x, param[2 * i], 2 * s.dim[2], 2 * s.dim[3], 2, 1);
    return gnt_nn_bias(g, y, param[2 * i + 1]);
}

/* Returns x + conv(relu(conv(x))), layers i and i + 1. */
static gnt_node residual(gnt_graph *g, const gnt_node *param, int i, gnt_node x) {
    return gnt_nn_add(g, x, conv(g, param, i + 1, gnt_nn_relu(g, conv(g, param, i, x, 1)), 1));
}

gnt_node dec_net_embed(gnt_graph *g, const dec_net *net, const gnt_node *param, gnt_node e, gnt_node white) {
    gnt_node both[2] = {gnt_nn_affine(g, e, 4, -1), white};
    gnt_node one = gnt_nn_relu(g, conv(g, param, IN, gnt_nn_concat(g, both, 2, 1), 1));
    one = gnt_nn_relu(g, conv(g, param, ONE, one, 1));
    gnt_node two = gnt_nn_relu(g, conv(g, param, DOWN2, one, 2));
    two = gnt_nn_relu(g, conv(g, param, TWO, two, 1));
    gnt_node three = gnt_nn_relu(g, conv(g, param, DOWN3, two, 2));
    three = gnt_nn_relu(g, conv(g, param, THREE_A, three, 1));
    three = gnt_nn_relu(g, conv(g, param, THREE_B, three, 1));
    two = gnt_nn_relu(g, gnt_nn_add(g, two, up(g, param, UP2, three)));
    two = residual(g, param, TWO_A, two);
    one = gnt_nn_relu(g, gnt_nn_add(g, one, up(g, param, UP1, two)));
    one = gnt_nn_relu(g, residual(g, param, ONE_A, one));
    gnt_node out = conv(g, param, OUT, one, 1);
    gnt_node gate = gnt_nn_affine(g, gnt_nn_slice(g, out, 1, 0, net->c), 1, 1);
    return gnt_nn_add(g, gnt_nn_mul(g, white, gate), gnt_nn_slice(g, out, 1, net->c, 2 * net->c));
}

enum { GRIDS = 2, HALF = DEC_PATCH / 2 };

/* Returns the number of patches of grid 0, or of grid 1, which is shifted by half a patch down and right. */
static int64_t patches_of(const dec_net *net, int grid) {
    return (net->h / DEC_PATCH - grid) * (net->w / DEC_PATCH - grid);
}

/* Rearranges N × c × h × w to patches × N × (c·64) as one matrix of patches·N rows. */
static gnt_node in_patches(gnt_graph *g, const dec_net *net, int grid, gnt_node z) {
    int64_t n = gnt_nn_shape_of(g, z).dim[0], cut = grid ? HALF : 0;
    int64_t down = net->h / DEC_PATCH - grid, along = net->w / DEC_PATCH - grid;
    if (grid)
        z = gnt_nn_slice(g, gnt_nn_slice(g, z, 2, cut, net->h - cut), 3, cut, net->w - cut);
    z = gnt_nn_reshape(g, z, 6, (int64_t[]){n, net->c, down, DEC_PATCH, along, DEC_PATCH});
    z = gnt_nn_permute(g, z, (int32_t[]){2, 4, 0, 1, 3, 5});
    return gnt_nn_reshape(g, z, 2, (int64_t[]){down * along * n, net->c * DEC_PATCH * DEC_PATCH});
}

/* Scales rows to a mean square of 1, nearly flat ones to less: the product of two rows is then their cosine ·
 * entries. */
static gnt_node alike(gnt_graph *g, gnt_node rows) {
    gnt_nn_shape s = gnt_nn_shape_of(g, rows);
    gnt_node mean = gnt_nn_affine(g, gnt_nn_sum(g, gnt_nn_square(g, rows), 1u << 1), 1 / (double)s.dim[1], 0);
    return gnt_nn_div(g, rows, gnt_nn_expand(g, gnt_nn_sqrt(g, mean, FLAT), 2, s.dim));
}

/* Returns Σ over the patches of a grid of relu(slope·d + shift), d = cosine·√entries of all pairs, N(0, 1)
 * for dissimilar pairs: HIDDEN × a·b. */
static gnt_node hinges(gnt_graph *g, const dec_net *net, const gnt_node *param, int grid, gnt_node za,
                       gnt_node zb) {
    int64_t a = gnt_nn_shape_of(g, za).dim[0], b = gnt_nn_shape_of(g, zb).dim[0];
    int64_t wide[2] = {HIDDEN, a * b};
    gnt_node pa = alike(g, in_patches(g, net, grid, za)), pb = alike(g, in_patches(g, net, grid, zb));
    gnt_node sum = -1;
    gnt_node slope = gnt_nn_reshape(g, param[SLOPE], 2, (int64_t[]){HIDDEN, 1});
    gnt_node shift = gnt_nn_reshape(g, param[SHIFT], 2, (int64_t[]){HIDDEN, 1});
    double scale = 1 / sqrt((double)(net->c * DEC_PATCH * DEC_PATCH));
    for (int64_t p = 0; p < patches_of(net, grid); p++) {
        gnt_node d = gnt_nn_matmul(g, gnt_nn_slice(g, pa, 0, p * a, (p + 1) * a), 0,
                                   gnt_nn_slice(g, pb, 0, p * b, (p + 1) * b), 1);
        d = gnt_nn_reshape(g, gnt_nn_affine(g, d, scale, 0), 2, (int64_t[]){1, a * b});
        gnt_node h = gnt_nn_mul(g, gnt_nn_expand(g, d, 2, wide), gnt_nn_expand(g, slope, 2, wide));
        h = gnt_nn_relu(g, gnt_nn_add(g, h, gnt_nn_expand(g, shift, 2, wide)));
        sum = p == 0 ? h : gnt_nn_add(g, sum, h);
    }
    return sum;
}

gnt_node dec_net_pairs(gnt_graph *g, const dec_net *net, const gnt_node *param, gnt_node za, gnt_node zb) {
    int64_t a = gnt_nn_shape_of(g, za).dim[0], b = gnt_nn_shape_of(g, zb).dim[0];
    gnt_node sum = gnt_nn_add(g, hinges(g, net, param, 0, za, zb), hinges(g, net, param, 1, za, zb));
    double share = (double)patches_of(net, 0) / (double)(patches_of(net, 0) + patches_of(net, 1));
    gnt_node score = gnt_nn_matmul(g, param[HEIGHT], 1, gnt_nn_affine(g, sum, share, 0), 0); /* 1 × a·b */
    gnt_node level = gnt_nn_affine(g, gnt_nn_reshape(g, param[LEVEL], 2, (int64_t[]){1, 1}), QUICK, 0);
    score = gnt_nn_add(g, score, gnt_nn_expand(g, level, 2, (int64_t[]){1, a * b}));
    return gnt_nn_reshape(g, score, 2, (int64_t[]){a, b});
}

/* Takes the better sign in closed form: the minimum over s = ±1 of ‖z − s·mix‖² is
 * ‖z‖² + ‖mix‖² − 2·|z·mix|. */
gnt_node dec_net_miss(gnt_graph *g, const dec_net *net, gnt_node z, gnt_node mix) {
    gnt_node sum = -1;
    for (int grid = 0; grid < GRIDS; grid++) {
        gnt_node a = in_patches(g, net, grid, z), b = in_patches(g, net, grid, mix);
        gnt_nn_shape s = gnt_nn_shape_of(g, a);
        gnt_node both = gnt_nn_abs(g, gnt_nn_sum(g, gnt_nn_mul(g, a, b), 1u << 1));
        gnt_node squares = gnt_nn_sum_all(g, gnt_nn_add(g, gnt_nn_square(g, a), gnt_nn_square(g, b)));
        gnt_node miss = gnt_nn_sub(g, squares, gnt_nn_affine(g, gnt_nn_sum_all(g, both), 2, 0));
        miss = gnt_nn_affine(g, miss, 1 / ((double)s.dim[0] * (double)s.dim[1] * GRIDS), 0);
        sum = grid == 0 ? miss : gnt_nn_add(g, sum, miss);
    }
    return sum;
}

gnt_node dec_net_loss(gnt_graph *g, gnt_node score, gnt_node share) {
    gnt_nn_shape s = gnt_nn_shape_of(g, score);
    int64_t n = s.dim[0];
    double off[DEC_PAIR_BATCH * DEC_PAIR_BATCH];
    for (int64_t i = 0; i < n * n; i++)
        off[i] = i / n == i % n ? 0 : 1 / (double)(n * (n - 1));
    gnt_node each = gnt_nn_sub(g, gnt_nn_softplus(g, score), gnt_nn_mul(g, share, score));
    return gnt_nn_dot(g, each, gnt_nn_data(g, 2, s.dim, off));
}
