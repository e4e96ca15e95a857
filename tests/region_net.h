/* region_net: a two-layer network of small images, and its gradient and the gradient's derivative by the
 * image written out in double. For tests of the defenses of sensitive regions, which have included cmocka.
 *
 *   z = A·x + a,  h = tanh z,  s = B·h + b,  p = softmax s,  loss = −Σ y log p
 *   ∂B = (p − y)·hᵀ, ∂b = p − y;  e = (Bᵀ(p − y)) ∘ (1 − h²),  ∂A = e·xᵀ, ∂a = e
 */
#ifndef TESTS_REGION_NET_H
#define TESTS_REGION_NET_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "plain_host.h"
#include "plugin/model_service.h"

enum {
    NET_SIDE = 4,
    NET_PIXELS = NET_SIDE * NET_SIDE,
    NET_MOST_IN = 2 * NET_PIXELS,
    NET_HIDDEN = 5,
    NET_CLASSES = 3,
    NET_ROWS = 20,
    NET_LAYERS = 2,
    NET_TENSORS = 4, /* of the two-layer network */
    NET_MOST_TENSORS = 8,
    NET_MOST = NET_HIDDEN * (NET_MOST_IN + 1) + NET_CLASSES * (NET_HIDDEN + 1)
};

static const char net_json[] =
    "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"one\", \"out\": 5},"
    " {\"type\": \"tanh\"}, {\"type\": \"dense\", \"name\": \"two\", \"out\": \"classes\"}]}";

typedef struct net {
    gnt_model *model;
    gnt_service *service;
    int in; /* entries of an image */
    int64_t params;
    float weights[NET_MOST], update[NET_MOST];
    float x[NET_ROWS * NET_MOST_IN], y[NET_ROWS * NET_CLASSES];
    uint8_t mask[NET_ROWS * NET_PIXELS];
    int64_t id[NET_ROWS], row[NET_ROWS];
    gnt_samples samples; /* all rows, with masks */
    gnt_tensor tensor[NET_MOST_TENSORS];
    gnt_tensors tensors; /* over `update` */
} net;

static inline void net_samples(net *n, int channels, gnt_stream *r) {
    for (int i = 0; i < NET_ROWS; i++) {
        n->id[i] = n->row[i] = i;
        n->y[i * NET_CLASSES + (int)gnt_random_below(r, NET_CLASSES)] = 1;
        for (int k = 0; k < n->in; k++)
            n->x[i * n->in + k] = (float)gnt_random_uniform(r);
        for (int p = 0; p < NET_PIXELS; p++)
            n->mask[i * NET_PIXELS + p] = p == i % NET_PIXELS || gnt_random_below(r, 3) == 0;
    }
    n->samples = (gnt_samples){.size = sizeof n->samples,
                               .kind = GNT_KIND_IMAGE,
                               .n = NET_ROWS,
                               .rank = 3,
                               .classes = NET_CLASSES,
                               .dim = {channels, NET_SIDE, NET_SIDE},
                               .features = n->in,
                               .id = n->id,
                               .x = n->x,
                               .y = n->y,
                               .mask = n->mask};
}

static inline void net_open(net *n, const char *json, int channels, uint64_t seed) {
    const gnt_nn_shape sample = {3, {channels, NET_SIDE, NET_SIDE}};
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream r = gnt_stream_open(&key, "net");
    gnt_err err = {0};
    *n = (net){.in = channels * NET_PIXELS};
    if (gnt_model_parse(&n->model, "test", json, &sample, NET_CLASSES, NULL, NULL, &err))
        fail_msg("%s", err.text);
    const gnt_service_spec of = {.model = n->model, .name = "test"};
    assert_int_equal(gnt_service_new(&n->service, &of, &err), 0);
    const gnt_model_info *info = gnt_service_table(n->service)->info;
    n->params = info->n_params;
    assert_true(n->params <= NET_MOST && info->params.n <= NET_MOST_TENSORS);
    for (int64_t i = 0; i < n->params; i++)
        n->weights[i] = (float)(0.5 * gnt_random_normal(&r));
    net_samples(n, channels, &r);
    n->tensors = (gnt_tensors){.n = info->params.n, .tensor = n->tensor};
    for (int64_t k = 0, at = 0; k < info->params.n; at += info->params.view[k++].count) {
        const gnt_view *v = &info->params.view[k];
        n->tensor[k] = (gnt_tensor){
            .name = v->name, .rank = v->rank, .layer = v->layer, .count = v->count, .data = n->update + at};
        memcpy(n->tensor[k].dim, v->dim, sizeof v->dim);
    }
}

static inline void net_close(net *n) {
    gnt_service_free(n->service);
    gnt_model_free(n->model);
}

/* Fills `update` with normal entries of that deviation. */
static inline void net_fill(net *n, uint64_t seed, double deviation) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream r = gnt_stream_open(&key, "update");
    for (int64_t i = 0; i < n->params; i++)
        n->update[i] = (float)(deviation * gnt_random_normal(&r));
}

/* What one sample's loss is made of, and how much that moves with entry `by` of the image (−1: nothing). */
typedef struct net_pass {
    double h[NET_HIDDEN], q[NET_CLASSES], e[NET_HIDDEN]; /* q = p − y */
    double dh[NET_HIDDEN], dq[NET_CLASSES], de[NET_HIDDEN];
} net_pass;

static inline net_pass net_run(const net *n, const double *w, int sample, int by) {
    const double *a = w + NET_HIDDEN * n->in, *second = a + NET_HIDDEN,
                 *b = second + NET_CLASSES * NET_HIDDEN;
    const float *x = n->x + sample * n->in, *y = n->y + sample * NET_CLASSES;
    net_pass t = {.h = {0}};
    double p[NET_CLASSES], ds[NET_CLASSES], sum = 0, mean = 0;
    for (int o = 0; o < NET_HIDDEN; o++) {
        double z = a[o];
        for (int i = 0; i < n->in; i++)
            z += w[o * n->in + i] * (double)x[i];
        t.h[o] = tanh(z);
        t.dh[o] = by < 0 ? 0 : (1 - t.h[o] * t.h[o]) * w[o * n->in + by];
    }
    for (int c = 0; c < NET_CLASSES; c++) {
        double s = b[c];
        ds[c] = 0;
        for (int o = 0; o < NET_HIDDEN; o++) {
            s += second[c * NET_HIDDEN + o] * t.h[o];
            ds[c] += second[c * NET_HIDDEN + o] * t.dh[o];
        }
        sum += p[c] = exp(s);
    }
    for (int c = 0; c < NET_CLASSES; c++)
        mean += (p[c] /= sum) * ds[c];
    for (int c = 0; c < NET_CLASSES; c++) {
        t.q[c] = p[c] - (double)y[c];
        t.dq[c] = p[c] * (ds[c] - mean);
    }
    for (int o = 0; o < NET_HIDDEN; o++) {
        double back = 0, dback = 0;
        for (int c = 0; c < NET_CLASSES; c++) {
            back += second[c * NET_HIDDEN + o] * t.q[c];
            dback += second[c * NET_HIDDEN + o] * t.dq[c];
        }
        t.e[o] = back * (1 - t.h[o] * t.h[o]);
        t.de[o] = dback * (1 - t.h[o] * t.h[o]) - 2 * back * t.h[o] * t.dh[o];
    }
    return t;
}

/* The loss's gradient by all weights, of one sample. */
static inline void net_gradient(const net *n, const double *w, int sample, double *out) {
    const net_pass t = net_run(n, w, sample, -1);
    for (int o = 0; o < NET_HIDDEN; o++)
        for (int i = 0; i < n->in; i++)
            *out++ = t.e[o] * (double)n->x[sample * n->in + i];
    for (int o = 0; o < NET_HIDDEN; o++)
        *out++ = t.e[o];
    for (int c = 0; c < NET_CLASSES; c++)
        for (int o = 0; o < NET_HIDDEN; o++)
            *out++ = t.q[c] * t.h[o];
    for (int c = 0; c < NET_CLASSES; c++)
        *out++ = t.q[c];
}

/* Σ of squares of the derivatives of each layer's gradient by one entry of the image. */
static inline void net_squares(const net *n, const double *w, int sample, int by, double out[NET_LAYERS]) {
    const net_pass t = net_run(n, w, sample, by);
    out[0] = out[1] = 0;
    for (int o = 0; o < NET_HIDDEN; o++) {
        out[0] += t.de[o] * t.de[o];
        for (int i = 0; i < n->in; i++) {
            const double d = t.de[o] * (double)n->x[sample * n->in + i] + (i == by ? t.e[o] : 0);
            out[0] += d * d;
        }
    }
    for (int c = 0; c < NET_CLASSES; c++) {
        out[1] += t.dq[c] * t.dq[c];
        for (int o = 0; o < NET_HIDDEN; o++) {
            const double d = t.dq[c] * t.h[o] + t.q[c] * t.dh[o];
            out[1] += d * d;
        }
    }
}

#endif
