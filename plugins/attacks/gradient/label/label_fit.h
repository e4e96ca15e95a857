/* label_fit: how well given labels explain the rows of the last dense layer's gradient. */
#ifndef GRADIENT_LABEL_FIT_H
#define GRADIENT_LABEL_FIT_H

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"

/* The layer and its gradient: g_c = Σ_i (p_ic − y_ic)/n of the bias, G_c = Σ_i (p_ic − y_ic)·r_i/n of the
 * weights, r_i the layer's input for sample i, p_i = softmax(W·r_i + b). */
typedef struct label_gradient {
    int64_t n, classes, inputs;
    const float *w, *b; /* W (classes × inputs), b; NULL where there is no bias */
    /* classes; classes × inputs. What g holds is fitted only where `exact` says that it is the bias's own */
    float *g, *rows;
    float *mean; /* inputs: of r over samples, roughly */
    int exact;
} label_gradient;

typedef struct label_fit {
    const label_gradient *of;
    int64_t *label; /* n */
    /* n × inputs each: the samples' inputs */
    float *r;
    /* classes: weight of each row, 1/(its square size) */
    float *weight;
    /* (n + 1) × classes, with room for one row of derivatives; classes and classes × inputs: what is left of
     * the rows */
    float *p, *left_b, *left;
    gnt_lbfgs *lbfgs;
} label_fit;

/* Allocates the fit: scratch of the hook, except the optimiser, which label_fit_close frees. GNT_OK, or a
 * status after host->fail. */
gnt_status label_fit_open(label_fit *f, const gnt_host *host, const label_gradient *of);
void label_fit_close(label_fit *f);

/* Returns the relative square distance that remains between the rows observed and those of the best inputs
 * r_i found for samples of which count[c] have class c. */
double label_fit_judge(label_fit *f, const int64_t *count);

#endif
