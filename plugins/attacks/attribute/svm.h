/* svm: support vector machines with the kernel K(a, b) = exp(−γ‖a − b‖²), one against one: a machine for each
 * pair of the values in its training data, in the order (0, 1), (0, 2) … (1, 2) … of these values. The
 * machine of (a, b) decides by Σ_i coefficient_i·K(vector_i, x) − ρ: above 0 for a, else for b.
 *
 * libsvm (Chang and Lin 2011) finds the coefficients (svm_train.c) from kernel values that are computed here,
 * so that training and answering use the same ones, and the long part of the work can be stopped. */
#ifndef ATTRIBUTE_SVM_H
#define ATTRIBUTE_SVM_H

#include "classic.h"

typedef struct svm_recipe {
    double cost, gamma; /* C; γ, 0: 1/columns */
    int64_t rows;       /* most training rows */
} svm_recipe;

typedef struct svm_machine {
    int64_t columns, vectors;
    int32_t values; /* of the attribute */
    int32_t seen;   /* of these, in its training data */
    double gamma;
    const float *present;     /* values: 1 if in its training data, else 0 */
    const float *vector;      /* vectors × columns */
    const float *coefficient; /* pairs × vectors */
    const float *rho;         /* pairs */
    double *room;             /* vectors + 2·values: scratch of svm_scores */
} svm_machine;

double svm_gamma(const svm_recipe *recipe, int64_t columns);
double svm_kernel(const float *a, const float *b, int64_t columns, double gamma);
/* Counts the votes of the pairs; equal ones are ranked by the sum of the margins m in favour of a value, as
 * m/(3(|m| + 1)), which is less than half a vote. A value that was not in the training data has −1. */
void svm_scores(const void *machine, const float *x, float *scores);

/* Trains on the training part of a table. All memory is scratch of the hook. */
gnt_status svm_train_machine(svm_machine *m, const classic *c, const svm_recipe *recipe, const attr_table *t);

/* Allocates the scratch of svm_scores. */
gnt_status svm_open(svm_machine *m, const gnt_host *host);
gnt_status svm_write(const svm_machine *m, const gnt_sink *out);
/* Reads a machine for these from the artefacts, which keep its tensors. Returns −1 if they have none. */
int svm_read(svm_machine *m, const svm_recipe *recipe, const gnt_artefacts *own, int64_t columns,
             int32_t values);

#endif
