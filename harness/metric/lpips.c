/* The networks of LPIPS v0.1 up to their last tap, as torchvision builds them: AlexNet (Krizhevsky 2014),
 * VGG-16 (Simonyan and Zisserman, without batch norm) and SqueezeNet 1.1. A tap comes after the ReLU of the
 * layer before it. */
#include <stdio.h>

#include "metric/features_impl.h"

const char *const gnt_lpips_names[GNT_LPIPS_NETS] = {"alex", "vgg", "squeeze"};
const gnt_measure_id gnt_lpips_measures[GNT_LPIPS_NETS] = {GNT_MEASURE_LPIPS_ALEX, GNT_MEASURE_LPIPS_VGG,
                                                           GNT_MEASURE_LPIPS_SQUEEZE};
const gnt_measure_id gnt_region_lpips_measures[GNT_LPIPS_NETS] = {
    GNT_MEASURE_REGION_LPIPS_ALEX, GNT_MEASURE_REGION_LPIPS_VGG, GNT_MEASURE_REGION_LPIPS_SQUEEZE};

int gnt_lpips_is_wanted(uint32_t measures, gnt_lpips_net net) {
    return (measures & (1u << gnt_lpips_measures[net] | 1u << gnt_region_lpips_measures[net])) != 0;
}
static const char *const titles[GNT_LPIPS_NETS] = {"LPIPS (AlexNet)", "LPIPS (VGG-16)",
                                                   "LPIPS (SqueezeNet 1.1)"};

/* Shift and scale of pixels in [−1, 1], by channel. */
static const double shift[3] = {-.030, -.088, -.188}, scale[3] = {.458, .448, .450};

typedef enum step_kind { END, CONV, POOL, FIRE, TAP } step_kind;

typedef struct step {
    step_kind kind;
    int number; /* the N of features.N */
    int out; /* channels; of a fire module: squeezed to, and each of its two halves expands to 4 times that */
    int kernel, stride, pad;
    int ceil; /* of a pool */
} step;

#define CONV3(number, out)                                                                                   \
    { CONV, number, out, 3, 1, 1, 0 }
#define POOL_BY(kernel, stride, ceil)                                                                        \
    { POOL, 0, 0, kernel, stride, 0, ceil }
#define FIRE_OF(number, out)                                                                                 \
    { FIRE, number, out, 0, 0, 0, 0 }
#define TAP_HERE                                                                                             \
    { TAP, 0, 0, 0, 0, 0, 0 }
#define LAST                                                                                                 \
    { END, 0, 0, 0, 0, 0, 0 }

static const step alex[] = {{CONV, 0, 64, 11, 4, 2, 0},
                            TAP_HERE,
                            POOL_BY(3, 2, 0),
                            {CONV, 3, 192, 5, 1, 2, 0},
                            TAP_HERE,
                            POOL_BY(3, 2, 0),
                            CONV3(6, 384),
                            TAP_HERE,
                            CONV3(8, 256),
                            TAP_HERE,
                            CONV3(10, 256),
                            TAP_HERE,
                            LAST};
static const step vgg[] = {CONV3(0, 64),
                           CONV3(2, 64),
                           TAP_HERE,
                           POOL_BY(2, 2, 0),
                           CONV3(5, 128),
                           CONV3(7, 128),
                           TAP_HERE,
                           POOL_BY(2, 2, 0),
                           CONV3(10, 256),
                           CONV3(12, 256),
                           CONV3(14, 256),
                           TAP_HERE,
                           POOL_BY(2, 2, 0),
                           CONV3(17, 512),
                           CONV3(19, 512),
                           CONV3(21, 512),
                           TAP_HERE,
                           POOL_BY(2, 2, 0),
                           CONV3(24, 512),
                           CONV3(26, 512),
                           CONV3(28, 512),
                           TAP_HERE,
                           LAST};
static const step squeeze[] = {{CONV, 0, 64, 3, 2, 0, 0},
                               TAP_HERE,
                               POOL_BY(3, 2, 1),
                               FIRE_OF(3, 16),
                               FIRE_OF(4, 16),
                               TAP_HERE,
                               POOL_BY(3, 2, 1),
                               FIRE_OF(6, 32),
                               FIRE_OF(7, 32),
                               TAP_HERE,
                               POOL_BY(3, 2, 1),
                               FIRE_OF(9, 48),
                               TAP_HERE,
                               FIRE_OF(10, 48),
                               TAP_HERE,
                               FIRE_OF(11, 64),
                               TAP_HERE,
                               FIRE_OF(12, 64),
                               TAP_HERE,
                               LAST};
static const step *const nets[GNT_LPIPS_NETS] = {alex, vgg, squeeze};

typedef struct builder {
    gnt_features *f;
    const gnt_st *weights;
    const char *where, *title;
    gnt_err *err;
    int taps;
} builder;

static gnt_node constant(builder *b, const char *name, const char *part, const gnt_nn_shape *shape) {
    char full[80];
    snprintf(full, sizeof full, "%s.%s", name, part);
    const gnt_st_tensor *t =
        gnt_st_need(b->weights, b->where, full, GNT_ST_F32, shape->rank, shape->dim, b->err);
    if (!t)
        return -1;
    gnt_node node = features_hold(b->f, full, shape, t->data);
    return node < 0 ? gnt_fail(b->err, "out of memory for the weights of %s", b->title) : node;
}

static int too_small(const builder *b) {
    return gnt_fail(b->err, "images of %lld×%lld are too small for %s", (long long)b->f->shape.height,
                    (long long)b->f->shape.width, b->title);
}

/* Adds a convolution, its bias and ReLU; −1 after a sentence. */
static gnt_node conv(builder *b, gnt_node x, const char *name, int out, int kernel, int stride, int pad) {
    gnt_graph *g = b->f->graph;
    const gnt_nn_shape in = gnt_nn_shape_of(g, x);
    const gnt_nn_shape weight = {.rank = 4, .dim = {out, in.dim[1], kernel, kernel}},
                       bias = {.rank = 1, .dim = {out}};
    if (in.dim[2] + 2 * pad < kernel || in.dim[3] + 2 * pad < kernel)
        return too_small(b);
    gnt_node w = constant(b, name, "weight", &weight), v = w < 0 ? -1 : constant(b, name, "bias", &bias);
    return v < 0 ? -1 : gnt_nn_relu(g, gnt_nn_bias(g, gnt_nn_conv(g, x, w, stride, pad), v));
}

/* Adds a fire module (Iandola et al.): squeezed by 1×1, then expanded by 1×1 and 3×3 in parallel. */
static gnt_node fire(builder *b, gnt_node x, const char *name, int out) {
    char part[64];
    gnt_node side[2];
    snprintf(part, sizeof part, "%s.squeeze", name);
    x = conv(b, x, part, out, 1, 1, 0);
    for (int i = 0; i < 2 && x >= 0; i++) {
        snprintf(part, sizeof part, "%s.expand%dx%d", name, 1 + 2 * i, 1 + 2 * i);
        side[i] = conv(b, x, part, 4 * out, 1 + 2 * i, 1, i);
        if (side[i] < 0)
            return -1;
    }
    return x < 0 ? -1 : gnt_nn_concat(b->f->graph, side, 2, 1);
}

static gnt_node tap(builder *b, gnt_node x) {
    const gnt_nn_shape s = gnt_nn_shape_of(b->f->graph, x), one = {.rank = 4, .dim = {1, s.dim[1], 1, 1}};
    char name[64];
    snprintf(name, sizeof name, "lin%d.model.1.weight", b->taps++);
    const gnt_st_tensor *t = gnt_st_need(b->weights, b->where, name, GNT_ST_F32, 4, one.dim, b->err);
    if (!t)
        return -1;
    for (int64_t c = 0; c < s.dim[1]; c++)
        if (!(((const float *)t->data)[c] >= 0))
            return gnt_fail(
                b->err,
                "%s: tensor %s: entry %lld is negative or no number, which no weight of a distance is",
                b->where, name, (long long)c);
    features_tap(b->f, x, t->data, 0, 0);
    return x;
}

static gnt_node one_step(builder *b, gnt_node x, const step *s) {
    char name[32];
    const gnt_nn_shape in = gnt_nn_shape_of(b->f->graph, x);
    snprintf(name, sizeof name, "features.%d", s->number);
    switch (s->kind) {
    case CONV:
        return conv(b, x, name, s->out, s->kernel, s->stride, s->pad);
    case FIRE:
        return fire(b, x, name, s->out);
    case TAP:
        return tap(b, x);
    case POOL:
        if (in.dim[2] < s->kernel || in.dim[3] < s->kernel)
            return too_small(b);
        return gnt_nn_max_pool(b->f->graph, x, s->kernel, s->kernel, s->stride, s->stride, 0, 0, s->ceil);
    case END:
        break;
    }
    return x;
}

/* Scales the input: 2x − 1, grey as three channels, less the shift and over the scale. */
static gnt_node scaled(gnt_features *f) {
    gnt_graph *g = f->graph;
    const int64_t all[4] = {2, 3, f->shape.height, f->shape.width}, one[4] = {1, 3, 1, 1};
    gnt_node x = gnt_nn_affine(g, f->pair, 2, -1);
    if (f->shape.channels == 1)
        x = gnt_nn_expand(g, x, 4, all);
    x = gnt_nn_sub(g, x, gnt_nn_expand(g, gnt_nn_data(g, 4, one, shift), 4, all));
    return gnt_nn_div(g, x, gnt_nn_expand(g, gnt_nn_data(g, 4, one, scale), 4, all));
}

int gnt_lpips_new(gnt_features **out, gnt_lpips_net net, const gnt_st *weights, const char *where,
                  gnt_metric_shape shape, int32_t precision, gnt_err *err) {
    if (shape.channels != 1 && shape.channels != 3)
        return gnt_fail(err, "%s compares images of 1 or 3 channels, and these have %lld", titles[net],
                        (long long)shape.channels);
    gnt_features *f = features_begin(shape, precision, err);
    if (!f)
        return -1;
    builder b = {.f = f, .weights = weights, .where = where, .title = titles[net], .err = err};
    gnt_node x = scaled(f);
    for (const step *s = nets[net]; s->kind != END && x >= 0; s++)
        x = one_step(&b, x, s);
    if (x < 0) {
        if (gnt_graph_error(f->graph))
            gnt_fail(err, "%s: %s", titles[net], gnt_graph_error(f->graph));
        gnt_features_free(f);
        return -1;
    }
    return features_end(out, f, titles[net], err);
}
