#include "nn/conv/conv.h"

#include "nn/conv/backends.h"
#include "nn/kernels/cpu.h"

#define ROW(name) &gnt_conv_##name,
static const gnt_conv_backend *const in_float[] = {GNT_CONV_BACKENDS(ROW)};
static const gnt_conv_backend *const in_double[] = {&gnt_conv_im2col_f64};

enum { IN_FLOAT = sizeof in_float / sizeof *in_float };

const gnt_conv_table *gnt_conv_table_f32(void) {
    static const gnt_conv_table table = {
        .size = sizeof(float),
        .n = IN_FLOAT,
        .backend = in_float,
        .plain = &gnt_conv_plain_f32,
        .gram_scratch = gnt_gram_scratch_f32,
        .gram = gnt_gram_f32,
        .gram_dx = gnt_gram_dx_f32,
        .general_scratch = gnt_general_scratch_f32,
        .general = {gnt_general_conv_f32, gnt_general_conv_dx_f32, gnt_general_conv_dw_f32}};
    return &table;
}

const gnt_conv_table *gnt_conv_table_f64(void) {
    static const gnt_conv_table table = {
        .size = sizeof(double),
        .n = 1,
        .backend = in_double,
        .plain = &gnt_conv_plain_f64,
        .gram_scratch = gnt_gram_scratch_f64,
        .gram = gnt_gram_f64,
        .gram_dx = gnt_gram_dx_f64,
        .general_scratch = gnt_general_scratch_f64,
        .general = {gnt_general_conv_f64, gnt_general_conv_dx_f64, gnt_general_conv_dw_f64}};
    return &table;
}

static int is_in_rows(const gnt_conv_backend *b) {
    return b->activations == GNT_LAYOUT_ROWS && b->weights == GNT_LAYOUT_ROWS;
}

int gnt_conv_fits(const gnt_conv_backend *b, const gnt_conv_case *q) {
    return (b->vectors == 0 || b->vectors == gnt_cpu_vectors()) && b->fits(q);
}

static gnt_conv_fit try(const gnt_conv_backend *b, const gnt_conv_case *q, gnt_conv_choice *c) {
    if ((!q->any_layout && !is_in_rows(b)) || !gnt_conv_fits(b, q))
        return GNT_CONV_UNFIT;
    *c = (gnt_conv_choice){.backend = b, .op = q->op, .s = q->s, .weights = b->weights};
    return b->prepare ? b->prepare(q, c) : GNT_CONV_FITS;
}

int gnt_conv_choose(const gnt_conv_table *t, const gnt_conv_case *q, gnt_conv_choice *c) {
    gnt_conv_fit fit = GNT_CONV_UNFIT;
    int32_t row = 0;
    while (row < t->n && (fit = try(t->backend[row], q, c)) == GNT_CONV_UNFIT)
        row++;
    if (fit != GNT_CONV_FITS)
        return -1;
    const gnt_conv_backend *b = c->backend;
    int dw = q->op == GNT_OP_CONV_DW;
    if (c->weights == GNT_LAYOUT_OWN)
        c->weights = (uint8_t)(GNT_LAYOUT_OWN + 2 * row + (q->op == GNT_OP_CONV_DX));
    c->first = b->activations;
    c->second = dw ? b->activations : c->weights;
    c->result = dw ? c->weights : b->activations;
    if (b->scratch)
        c->scratch = b->scratch(q->op, &q->s);
    return 0;
}

void gnt_conv_discard(gnt_conv_choice *c) {
    if (c->s.made)
        c->backend->discard(c->s.made);
    c->s.made = NULL;
}

gnt_conv_kernel *gnt_conv_face(const gnt_conv_backend *b, int op) {
    return op == GNT_OP_CONV ? b->forward : op == GNT_OP_CONV_DX ? b->dx : b->dw;
}

int32_t gnt_conv_own_layouts(void) {
    return 2 * IN_FLOAT;
}

const gnt_conv_backend *gnt_conv_owner(int layout, int *op) {
    *op = (layout - GNT_LAYOUT_OWN) % 2 ? GNT_OP_CONV_DX : GNT_OP_CONV;
    return in_float[(layout - GNT_LAYOUT_OWN) / 2];
}
