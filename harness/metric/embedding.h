/* embedding: rows of many features as points of a plane that a reader can look at, and how well a linear
 * classifier predicts their values. Pure: no random numbers. */
#ifndef GNT_METRIC_EMBEDDING_H
#define GNT_METRIC_EMBEDDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { GNT_EMBEDDING_MOST = 500, GNT_EMBEDDING_LEAST = 10, GNT_TSNE_STEPS = 1000 };

/* Rows about their mean, by their products: all that follows needs no more. `product` is n × n. */
typedef struct gnt_gram {
    size_t n;
    double *product;
} gnt_gram;

/* Computes the Gram matrix of the centred rows of x, n rows of d features. Returns −1 when memory ran out
 * or an entry is not finite. */
int gnt_gram_make(gnt_gram *out, const float *x, size_t n, size_t d, gnt_err *err);
void gnt_gram_free(gnt_gram *g);

/* Computes two principal components: xy is n × 2, share[k] the part of all variance that lies along
 * component k. Signs are such that the entry of greatest magnitude is positive. Rows that are all the same
 * lie at 0. Returns −1 when memory ran out. */
int gnt_embed_pca(double *xy, double share[2], const gnt_gram *g, gnt_err *err);

/* Computes, for exact t-SNE (van der Maaten and Hinton, 2008), the joint probabilities p of neighbours (n
 * × n, sum 1), whose entropy in each row is the logarithm of `perplexity`. */
void gnt_tsne_neighbours(double *p, const gnt_gram *g, double perplexity);
/* Computes the derivative by xy (n × 2) of the divergence of p from those in the plane. weight: n × n of
 * scratch. */
void gnt_tsne_slope(double *slope, const double *p, const double *xy, size_t n, double *weight);
/* Runs GNT_TSNE_STEPS steps of gradient descent from the principal components, with the momentum, gains and
 * early exaggeration of the paper. Perplexity: 30, or a third of the rows if there are few. −1 without
 * memory. */
int gnt_embed_tsne(double *xy, const gnt_gram *g, gnt_err *err);

/* Computes the balanced accuracy of a linear classifier of these rows on rows that it did not see: ridge
 * regression onto the values, rows of rare values weighing more, in five parts of which each is predicted
 * from the other four. value: n of 0 … values − 1. NaN if fewer than two values have rows. −1 without
 * memory. */
int gnt_linear_probe(double *balanced, const gnt_gram *g, const int32_t *value, int32_t values, gnt_err *err);

#endif
