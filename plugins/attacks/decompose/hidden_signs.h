/* hidden_signs: expectation-maximisation over the hidden signs of InstaHide encodings.
 *
 * E-step: the expected sign of a pixel is tanh(|e|·p̂/σ²), p̂ = Σ w p by the current estimate, corrected by
 * neighbours in space and across channels, whose signs mostly agree. M-step: ridge regression of
 * the signed encodings on the weights. On blocks of 8 pixels the problem is small and tried from many random
 * starts; each finer level starts from the one before. */
#ifndef DECOMPOSE_HIDDEN_SIGNS_H
#define DECOMPOSE_HIDDEN_SIGNS_H

#include "gauntlet/nn.h"
#include "mix.h"

typedef struct dec_em {
    gnt_program *program;
    gnt_node p, weight, solver, noise, e;
    int64_t columns;
} dec_em;

/* Makes a program of x's sizes with `columns` columns; with `coupling` > 0 the columns are c × h × w pixels
 * and neighbours count. The caller closes it also after a failure. */
gnt_status dec_em_open(dec_em *em, const dec_mix *x, int64_t columns, double coupling);
void dec_em_close(dec_em *em);
/* The result of one step from images p (m × columns) and |e| (M × columns): the next images, the residual (M:
 * Σ over columns of the expected (e − p̂)²), and the signed encodings, all owned by the program. */
typedef struct dec_em_out {
    const float *p, *left, *signed_e;
} dec_em_out;
dec_em_out dec_em_step(dec_em *em, const dec_mix *x, const float *p, const float *e);

/* Estimates x->p on blocks of `block` pixels from `starts` random starts for each block, up to one sign for
 * all. */
gnt_status dec_first_guess(dec_mix *x, int64_t block, int32_t starts, int32_t steps);
/* Takes steps of EM at full resolution with x->p constant on blocks of `block` pixels; sets x->noise. */
gnt_status dec_em_level(dec_em *em, dec_mix *x, int64_t block, int32_t steps);

#endif
