/* onednn: the back-end of oneDNN's vector kernels, with all operands in blocks of channels. */
#include "nn/conv/backends.h"
#include "nn/conv/dnnl.h"

static int fits(const gnt_conv_case *q) {
    return gnt_conv_suits_blocks(q);
}

static gnt_conv_fit prepare(const gnt_conv_case *q, gnt_conv_choice *c) {
    gnt_dnnl_op *made = NULL;
    gnt_conv_fit fit = gnt_dnnl_conv(q->dnnl, q->op, &q->s, q->exact, &made, &c->scratch);
    if (fit != GNT_CONV_FITS)
        return fit;
    c->s.made = made;
    c->weights = (uint8_t)gnt_dnnl_weights(made);
    return GNT_CONV_FITS;
}

static void discard(void *made) {
    gnt_dnnl_free(made);
}

/* Computes the convolution or the derivative that `prepare` has chosen. With b channels in a block, C = c/b
 * and O = o/b: y is n × O × oh × ow × b, x is n × C × h × w × b; weights are laid out as gnt_dnnl_weights
 * says. */
static void run(void *result, const void *first, const void *second, void *scratch, const gnt_conv *s) {
    gnt_dnnl_run(s->made, result, first, second, scratch);
}

const gnt_conv_backend gnt_conv_onednn = {.name = "oneDNN",
                                          .activations = GNT_LAYOUT_BLOCKS,
                                          .weights = GNT_LAYOUT_WEIGHTS,
                                          .fits = fits,
                                          .prepare = prepare,
                                          .discard = discard,
                                          .forward = run,
                                          .dx = run,
                                          .dw = run};
