/* Networks that PyTorch's exporter wrote (tests/golden/onnx_networks.py), imported, against PyTorch in
 * float64: outputs, loss and gradients by ‖a − b‖₂ / ‖b‖₂ per tensor, within the limits of test_golden.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "formula.h"
#include "nn/model/model.h"
#include "onnx/onnx.h"

enum { SAMPLE = 24, MOST_PARAMS = 64, BATCH = 2 };

typedef struct imported {
    const char *name;
    gnt_onnx_network network;
    gnt_st golden;
    gnt_model *m;
    const gnt_param *param;
    int32_t n_params, n_buffers;
    float *params, *buffers;
} imported;

static void must(int rc, const gnt_err *err) {
    if (rc)
        fail_msg("%s", err->text);
}

static const gnt_st_tensor *need(const imported *t, const char *kind, const char *name, gnt_st_type type) {
    char full[300];
    gnt_err err = {0};
    snprintf(full, sizeof full, "%s%s", kind, name);
    const gnt_st_tensor *found = gnt_st_need(&t->golden, t->name, full, type, -1, NULL, &err);
    if (!found)
        fail_msg("%s", err.text);
    return found;
}

static int read_network(gnt_onnx_network *out, const char *name, gnt_err *err) {
    char path[200];
    uint8_t *bytes;
    size_t size;
    snprintf(path, sizeof path, "tests/golden/onnx_%s.onnx", name);
    must(gnt_file_read(path, GNT_ONNX_MOST, &bytes, &size, err), err);
    const int rc = gnt_onnx_read(out, path, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static void open_network(imported *t, const char *name) {
    char path[200];
    gnt_err err = {0};
    *t = (imported){.name = name};
    must(read_network(&t->network, name, &err), &err);
    snprintf(path, sizeof path, "tests/golden/onnx_%s.safetensors", name);
    must(gnt_st_load(&t->golden, path, &err), &err);
    must(gnt_model_parse(&t->m, name, t->network.json, &t->network.sample, t->network.classes, NULL, NULL,
                         &err),
         &err);
    const int32_t all = gnt_model_params(t->m, &t->param);
    for (int32_t i = 0; i < all; i++)
        t->n_buffers += t->param[i].buffer;
    t->n_params = all - t->n_buffers;
    assert_in_range(all, 1, MOST_PARAMS);
    t->params = gnt_array((size_t)gnt_model_size(t->m), sizeof(float));
    t->buffers = gnt_array((size_t)gnt_model_buffer_size(t->m) + 1, sizeof(float));
    must(gnt_model_import(t->m, &t->network.weights, t->params, t->buffers, &err), &err);
}

static void close_network(imported *t) {
    gnt_free(t->params);
    gnt_free(t->buffers);
    gnt_model_free(t->m);
    gnt_st_free(&t->golden);
    gnt_onnx_free(&t->network);
}

/* Values of a program's precision. */
typedef struct values {
    int32_t precision;
    void *at;
} values;

static values new_values(int64_t n, int32_t precision) {
    values v = {precision, gnt_aligned((size_t)n + 1, (size_t)precision)};
    assert_non_null(v.at);
    return v;
}

static void put(const values *v, int64_t i, double x) {
    if (v->precision == 8)
        ((double *)v->at)[i] = x;
    else
        ((float *)v->at)[i] = (float)x;
}

static double get(const void *at, int32_t precision, int64_t i) {
    return precision == 8 ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void compare(const imported *t, const void *at, int64_t count, const char *kind, const char *name,
                    int32_t precision, double tolerance) {
    const gnt_st_tensor *g = need(t, kind, name, GNT_ST_F64);
    const double *b = g->data;
    const int64_t kept = (int64_t)(g->bytes / sizeof *b);
    double off = 0, size = 0;
    assert_int_equal(kept, count < SAMPLE ? count : SAMPLE);
    for (int64_t i = 0; i < kept; i++) {
        const double a = get(at, precision, formula_place(count, SAMPLE, i));
        off += (a - b[i]) * (a - b[i]);
        size += b[i] * b[i];
    }
    if (!(sqrt(off) <= tolerance * sqrt(size)))
        fail_msg("%s, precision %d, %s%s: relative error %.3g above %.0e", t->name, precision, kind, name,
                 sqrt(off / size), tolerance);
}

static void compare_norm(const imported *t, const void *at, int64_t count, const char *name,
                         int32_t precision, double tolerance) {
    const double b = *(const double *)need(t, "norm.", name, GNT_ST_F64)->data;
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += get(at, precision, i) * get(at, precision, i);
    if (!(fabs(sqrt(sum) - b) <= tolerance * b))
        fail_msg("%s, precision %d, norm of %s: %.17g, not %.17g", t->name, precision, name, sqrt(sum), b);
}

static void judge(const imported *t, int32_t precision) {
    const double tolerance = precision == 8 ? 1e-9 : 1e-5;
    const gnt_nn_shape s = t->network.sample;
    const int32_t classes = t->network.classes;
    const int64_t xd[4] = {BATCH, s.dim[0], s.dim[1], s.dim[2]}, yd[2] = {BATCH, classes},
                  x_count = BATCH * gnt_nn_count(&s), y_count = BATCH * classes;
    const uint64_t stream = *(const uint64_t *)need(t, "", "stream", GNT_ST_I64)->data;
    gnt_node params[MOST_PARAMS], buffers[MOST_PARAMS], outputs[MOST_PARAMS + 2];
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", s.rank + 1, xd, 0), y = gnt_nn_input(g, "y", 2, yd, 0);
    gnt_model_declare(t->m, g, params, buffers);
    outputs[0] = gnt_model_build(t->m, g, x, params, buffers, 0, NULL, NULL);
    outputs[1] = gnt_model_loss(t->m, g, outputs[0], y);
    gnt_nn_vjp(g, &outputs[1], NULL, 1, params, t->n_params, outputs + 2);
    char error[600] = "";
    gnt_program *p = gnt_program_new(g, outputs, NULL, t->n_params + 2, precision, error, sizeof error);
    if (!p)
        fail_msg("%s: %s", t->name, error);
    values xv = new_values(x_count, precision), yv = new_values(y_count, precision),
           pv = new_values(gnt_model_size(t->m), precision),
           bv = new_values(gnt_model_buffer_size(t->m), precision);
    for (int64_t i = 0; i < x_count; i++)
        put(&xv, i, formula_unit(stream, (uint64_t)i) / 2 + 0.5);
    for (int64_t i = 0; i < y_count; i++)
        put(&yv, i, (formula_unit(FORMULA_Y, (uint64_t)i) + 1) / 16);
    for (int64_t i = 0; i < gnt_model_size(t->m); i++)
        put(&pv, i, (double)t->params[i]);
    for (int64_t i = 0; i < gnt_model_buffer_size(t->m); i++)
        put(&bv, i, (double)t->buffers[i]);
    gnt_program_bind(p, x, xv.at);
    gnt_program_bind(p, y, yv.at);
    gnt_model_bind(t->m, p, params, buffers, pv.at, bv.at, precision);
    assert_int_equal(gnt_program_run(p, 0), 0);
    compare(t, gnt_program_output(p, 0), y_count, "", "logits", precision, tolerance);
    compare(t, gnt_program_output(p, 1), 1, "", "loss", precision, tolerance);
    for (int32_t i = 0; i < t->n_params; i++) {
        const int64_t count = gnt_nn_count(&t->param[i].shape);
        const void *grad = gnt_program_output(p, 2 + i);
        compare(t, grad, count, "grad.", t->param[i].name, precision, tolerance);
        compare_norm(t, grad, count, t->param[i].name, precision, tolerance);
    }
    values *all[] = {&xv, &yv, &pv, &bv};
    for (int i = 0; i < 4; i++)
        gnt_free_aligned(all[i]->at);
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* Every parameter of PyTorch's network is there, under its name, and no other. */
static void same_parameters(const imported *t) {
    int32_t gradients = 0;
    for (size_t i = 0; i < t->golden.n; i++)
        gradients += strncmp(t->golden.tensor[i].name, "grad.", 5) == 0;
    assert_int_equal(gradients, t->n_params);
}

static void agrees_with_pytorch(void **state) {
    imported t;
    open_network(&t, *state);
    same_parameters(&t);
    judge(&t, 8);
    judge(&t, 4);
    close_network(&t);
}

static void attention_is_refused(void **state) {
    (void)state;
    gnt_onnx_network network;
    gnt_err err = {0};
    assert_int_equal(read_network(&network, "attention", &err), -1);
    if (!strstr(err.text, "onnx_attention.onnx: node /qkv/MatMul (MatMul): "))
        fail_msg("%s", err.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"plain", agrees_with_pytorch, NULL, NULL, "plain"},
        {"residual", agrees_with_pytorch, NULL, NULL, "residual"},
        {"branches", agrees_with_pytorch, NULL, NULL, "branches"},
        cmocka_unit_test(attention_is_refused),
    };
    return cmocka_run_group_tests_name("onnx-golden", tests, NULL, NULL);
}
