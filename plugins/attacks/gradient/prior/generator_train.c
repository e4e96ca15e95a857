/* Learning of generator.h: an encoder and the decoder together, then the distribution of the codes. */
#include <math.h>
#include <string.h>

#include "prior/generator.h"
#include "hook.h"

enum { ENCODER = GENERATOR_TENSORS, TENSORS = GENERATOR_TENSORS + 1 };

/* One way through the network for a batch: the loss and its gradients, or (step 0 alone) the codes. */
typedef struct training {
    const gnt_host *host;
    const generator_shape *shape;
    const generator_setting *setting;
    const float *x, *y;
    int64_t n, size; /* images; entries of all tensors, the encoder's last */
    float *flat, *grad, *batch_x, *batch_y, *noise;
    gnt_program *step, *encode;
    gnt_adam *adam;
} training;

/* Gets the shape of tensor i, and returns its rank. The encoder's matrix, the last, is latents × (pixels +
 * classes). */
static int32_t tensor_of(const generator_shape *s, int i, int64_t dim[4]) {
    if (i < ENCODER)
        return generator_tensor(s, i, dim);
    dim[0] = s->latents;
    dim[1] = generator_pixels(s) + s->classes;
    return 2;
}

static int64_t count_of(const generator_shape *s, int i) {
    int64_t dim[4], n = 1;
    const int32_t rank = tensor_of(s, i, dim);
    for (int32_t k = 0; k < rank; k++)
        n *= dim[k];
    return n;
}

/* Draws normal weights of variance 2/inputs (He et al. 2015); of D a hundredth of that, so that training
 * begins near the mean image, whose logits are c. A transposed convolution of stride 2 reaches each place
 * with a quarter of its kernel. */
static void start(const training *t) {
    const generator_shape *s = t->shape;
    float *at = t->flat;
    for (int i = 0; i < TENSORS; i++) {
        const int64_t n = count_of(s, i);
        int64_t dim[4], inputs = 1;
        const int32_t rank = tensor_of(s, i, dim);
        if (rank > 1) {
            inputs = rank == 2 ? dim[1] : i == 6 ? dim[1] * dim[2] * dim[3] : dim[0] * dim[2] * dim[3] / 4;
            const double deviation = sqrt(2.0 / (double)inputs) * (i == 7 || i == 6 ? 0.1 : 1);
            gnt_host_normal(t->host, "weights", n, at);
            for (int64_t k = 0; k < n; k++)
                at[k] *= (float)deviation;
        }
        at += n;
    }
    const int64_t pixels = generator_pixels(s);
    float *mean = t->flat + generator_size(s) - pixels;
    for (int64_t p = 0; p < pixels; p++) {
        double sum = 0;
        for (int64_t i = 0; i < t->n; i++)
            sum += (double)t->x[i * pixels + p];
        const double share = fmin(fmax(sum / (double)t->n, 0.01), 0.99);
        mean[p] = (float)log(share / (1 - share));
    }
}

/* Binds batch and tensors; `noise` and `tensors` after what the program has. */
static void bind(const training *t, gnt_program *p, gnt_node x, gnt_node y, gnt_node noise,
                 const gnt_node *tensor, int from) {
    const float *at = t->flat;
    gnt_program_bind(p, x, t->batch_x);
    gnt_program_bind(p, y, t->batch_y);
    if (noise >= 0)
        gnt_program_bind(p, noise, t->noise);
    for (int i = 0; i < TENSORS; i++) {
        if (i >= from)
            gnt_program_bind(p, tensor[i], at);
        at += count_of(t->shape, i);
    }
}

static gnt_node code_node(gnt_graph *g, const training *t, gnt_node x, gnt_node y, gnt_node encoder) {
    const int64_t flat[2] = {t->setting->batch, generator_pixels(t->shape)};
    const gnt_node both[2] = {gnt_nn_reshape(g, x, 2, flat), y};
    return gnt_nn_dense(g, gnt_nn_concat(g, both, 2, 1), encoder, -1);
}

static int compile(training *t, char error[GENERATOR_ERROR]) {
    const generator_shape *s = t->shape;
    const int64_t n = t->setting->batch, image[4] = {n, s->channels, s->height, s->width},
                  labels[2] = {n, s->classes}, codes[2] = {n, s->latents};
    gnt_node tensor[TENSORS], out[TENSORS + 1];
    gnt_graph *g = gnt_graph_new();
    if (!g)
        return -1;
    const gnt_node x = gnt_nn_input(g, "x", 4, image, 0), y = gnt_nn_input(g, "label", 2, labels, 0),
                   noise = gnt_nn_input(g, "noise", 2, codes, 0);
    for (int i = 0; i < TENSORS; i++) {
        int64_t dim[4];
        const int32_t rank = tensor_of(s, i, dim);
        tensor[i] = gnt_nn_input(g, "tensor", rank, dim, 0);
    }
    const gnt_node code = code_node(g, t, x, y, tensor[ENCODER]);
    const gnt_node noisy = gnt_nn_add(g, gnt_nn_standardise(g, code, 1, 1e-6), noise);
    out[0] = gnt_nn_mse(g, generator_image_node(g, s, n, noisy, y, tensor), x);
    gnt_nn_vjp(g, out, NULL, 1, tensor, TENSORS, out + 1);
    t->step = gnt_program_new(g, out, NULL, TENSORS + 1, 4, error, GENERATOR_ERROR);
    t->encode = t->step ? gnt_program_new(g, &code, NULL, 1, 4, error, GENERATOR_ERROR) : NULL;
    gnt_graph_free(g);
    if (!t->encode)
        return -1;
    bind(t, t->step, x, y, noise, tensor, 0);
    bind(t, t->encode, x, y, -1, tensor, ENCODER);
    return 0;
}

static gnt_status open_training(training *t) {
    const gnt_host *host = t->host;
    const generator_shape *s = t->shape;
    const size_t pixels = (size_t)generator_pixels(s), n = (size_t)t->setting->batch;
    char error[GENERATOR_ERROR] = "no memory for the generator: take fewer latents or features";
    t->size = generator_size(s) + count_of(s, ENCODER);
    t->flat = gnt_host_scratch(host, t->size, sizeof *t->flat);
    t->grad = gnt_host_scratch(host, t->size, sizeof *t->grad);
    t->batch_x = gnt_host_scratch(host, n * pixels, sizeof *t->batch_x);
    t->batch_y = gnt_host_scratch(host, n * (size_t)s->classes, sizeof *t->batch_y);
    t->noise = gnt_host_scratch(host, n * (size_t)s->latents, sizeof *t->noise);
    t->adam = gnt_adam_new(t->size, 0.9, 0.999, 1e-8);
    if (!t->flat || !t->grad || !t->batch_x || !t->batch_y || !t->noise || !t->adam)
        return gnt_host_fail(host, error);
    start(t);
    return compile(t, error) == 0 ? GNT_OK : gnt_host_fail(host, error);
}

static void load(const training *t, int64_t at, int64_t row) {
    const size_t pixels = (size_t)generator_pixels(t->shape), classes = (size_t)t->shape->classes;
    memcpy(t->batch_x + (size_t)at * pixels, t->x + (size_t)row * pixels, pixels * sizeof *t->x);
    for (size_t c = 0; c < classes; c++)
        t->batch_y[(size_t)at * classes + c] = t->y ? t->y[(size_t)row * classes + c] : 1;
}

static gnt_status train(training *t, double *error) {
    const gnt_host *host = t->host;
    const generator_setting *set = t->setting;
    for (int64_t step = 0; step < set->steps; step++) {
        TRY(may_go_on(host));
        for (int64_t i = 0; i < set->batch; i++)
            load(t, i, (int64_t)gnt_host_below(host, "batches", (uint64_t)t->n));
        gnt_host_normal(host, "noise", set->batch * t->shape->latents, t->noise);
        for (int64_t i = 0; i < set->batch * t->shape->latents; i++)
            t->noise[i] *= (float)set->noise;
        if (gnt_program_run(t->step, 0) != 0)
            return gnt_host_fail(host, "its generator could not be run");
        *error = (double)*(const float *)gnt_program_output(t->step, 0);
        if (!isfinite(*error))
            return gnt_host_fail(host, "its generator diverged; give a lower training_rate");
        float *grad = t->grad;
        for (int i = 0; i < TENSORS; i++) {
            const int64_t n = count_of(t->shape, i);
            memcpy(grad, gnt_program_output(t->step, i + 1), (size_t)n * sizeof *grad);
            grad += n;
        }
        gnt_adam_step(t->adam, t->flat, t->grad, gnt_rate_cosine(set->rate, step, set->steps));
        gnt_host_progress(host, (double)step + 1, (double)set->steps);
    }
    return GNT_OK;
}

/* ---- the distribution of the codes ---- */

/* Computes the codes of all images (n × latents), each entry with mean 0 and variance 1 over them. */
static gnt_status encode(const training *t, double *code) {
    const gnt_host *host = t->host;
    const int64_t d = t->shape->latents;
    for (int64_t from = 0; from < t->n; from += t->setting->batch) {
        const int64_t rows = t->n - from < t->setting->batch ? t->n - from : t->setting->batch;
        for (int64_t i = 0; i < t->setting->batch; i++)
            load(t, i, from + (i < rows ? i : 0));
        TRY(may_go_on(host));
        if (gnt_program_run(t->encode, 0) != 0)
            return gnt_host_fail(host, "its encoder could not be run");
        const float *out = gnt_program_output(t->encode, 0);
        for (int64_t k = 0; k < rows * d; k++)
            code[from * d + k] = (double)out[k];
    }
    for (int64_t j = 0; j < d; j++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < t->n; i++)
            sum += code[i * d + j];
        for (int64_t i = 0; i < t->n; i++) {
            code[i * d + j] -= sum / (double)t->n;
            squares += code[i * d + j] * code[i * d + j];
        }
        const double deviation = sqrt(squares / (double)t->n + 1e-6);
        for (int64_t i = 0; i < t->n; i++)
            code[i * d + j] /= deviation;
    }
    return GNT_OK;
}

static int64_t class_of(const training *t, int64_t row) {
    const int64_t classes = t->shape->classes;
    return t->y ? hook_argmax(t->y + row * classes, classes) : 0;
}

/* Fits a mean for each class, 0 (that of all) if it has no image, and one covariance within classes, whose
 * off-diagonal entries are shrunk by d/(n + d) to keep it definite. factor: its Cholesky factor L. */
static int fit(const training *t, double *code, double *square, double *middle, float *mean, float *factor) {
    const int64_t d = t->shape->latents, classes = t->shape->classes;
    for (int64_t c = 0; c < classes; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < t->n; i++)
            if (class_of(t, i) == c) {
                n++;
                for (int64_t j = 0; j < d; j++)
                    middle[c * d + j] += code[i * d + j];
            }
        for (int64_t j = 0; j < d; j++)
            mean[c * d + j] = (float)(middle[c * d + j] /= (double)(n ? n : 1));
    }
    for (int64_t i = 0; i < t->n; i++) {
        double *row = code + i * d;
        const double *of = middle + class_of(t, i) * d;
        for (int64_t j = 0; j < d; j++)
            row[j] -= of[j];
        for (int64_t j = 0; j < d; j++)
            for (int64_t k = 0; k <= j; k++)
                square[j * d + k] += row[j] * row[k] / (double)t->n;
    }
    const double kept = (double)t->n / (double)(t->n + d);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k <= j; k++)
            square[j * d + k] = k < j ? kept * square[j * d + k] : square[j * d + k] + 1e-4;
    if (gnt_cholesky(square, d) != 0)
        return -1;
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k <= j; k++)
            factor[j * d + k] = (float)square[j * d + k];
    return 0;
}

static gnt_status learn_codes(const training *t, float *mean, float *factor) {
    const gnt_host *host = t->host;
    const size_t d = (size_t)t->shape->latents, classes = (size_t)t->shape->classes;
    double *code = gnt_host_scratch(host, (size_t)t->n * d, sizeof *code);
    double *square = gnt_host_scratch(host, d * d, sizeof *square);
    double *middle = gnt_host_scratch(host, classes * d, sizeof *middle);
    TRY(have_memory(host, code && square && middle,
                    "no memory for the codes of public images: take fewer latents"));
    TRY(encode(t, code));
    if (fit(t, code, square, middle, mean, factor) != 0)
        return gnt_host_fail(host, "the codes of public images have no covariance");
    return GNT_OK;
}

gnt_status generator_train(const gnt_host *host, const generator_shape *s, const generator_setting *setting,
                           const float *x, const float *y, int64_t n, float *weights, float *mean,
                           float *factor, double *error) {
    training t = {.host = host, .shape = s, .setting = setting, .x = x, .y = y, .n = n};
    *error = NAN;
    gnt_status status = open_training(&t);
    if (status == GNT_OK)
        status = train(&t, error);
    if (status == GNT_OK)
        status = learn_codes(&t, mean, factor);
    if (status == GNT_OK)
        memcpy(weights, t.flat, (size_t)generator_size(s) * sizeof *weights);
    gnt_adam_free(t.adam);
    gnt_program_free(t.step);
    gnt_program_free(t.encode);
    return status;
}
