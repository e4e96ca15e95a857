/* dense_head: the dense layers with ReLU between them that end a classifier, from one of its layers on,
 * and how the client's steps change them, in double precision.
 *
 * A sample adds δ = s·(∂z/∂h)ᵀ(y − p) to the update, h being the first layer's outputs, z the
 * last one's, p softmax(z) with cross entropy and z itself with squares, and s > 0 the same for all
 * samples of a step. So the features f of a sample reveal its label, and whether the weights are those
 * that its step began with: the first layer's update has that δ in its columns. */
#ifndef GRADIENT_DENSE_HEAD_H
#define GRADIENT_DENSE_HEAD_H

#include "gauntlet/plugin.h"
#include "linear/update_columns.h"

enum { HEAD_LAYERS = 8 };

typedef struct head_layer {
    int32_t at;                   /* the model's layer */
    const float *from_w, *from_b; /* as broadcast */
    int64_t units, inputs;
    double *w, *b;       /* units × inputs, units */
    double *v_w, *v_b;   /* what momentum keeps of earlier steps, of the same shapes */
    double *input, *out; /* inputs, units: of the last sample; out before ReLU */
    double *back;        /* units: what the sample adds to out */
} head_layer;

typedef struct dense_head {
    head_layer layer[HEAD_LAYERS];
    int n; /* 0: other layers follow, or the model has no classes */
    int is_squared;
    int64_t classes;
    double momentum;
    double *p, *jacobian; /* classes; classes × units of the first layer: ∂z/∂h of the last sample */
    double *delta;        /* units of the first layer: of the last sample, with s = 1 */
} dense_head;

/* What follows from the features of a sample. */
typedef struct head_fit {
    int64_t label; /* that explains them best */
    double apart;  /* what the update does not have of the squares of δ */
    double scale;  /* s, above 0; 1 where the columns do not have δ */
} head_fit;

/* Takes the layers from model layer `first`, a dense one, with the broadcast weights. Memory is scratch of
 * the hook. GNT_OK, or a status after host->fail. */
gnt_status dense_head_open(dense_head *h, const gnt_host *host, const gnt_observation *seen, int32_t first);

/* Fits a label to the sample with these features, at the present weights, to the columns of the first layer's
 * update, or if delta is not NULL to that δ alone. */
head_fit dense_head_fit(dense_head *h, const float *f, update_columns *c, const double *delta);

/* Adds what the sample gave to the gradient of its step: scale·(y − p) from the last layer back to the
 * first. Sets h->delta. */
void dense_head_add(dense_head *h, const float *f, int64_t label, double scale);

/* Ends a step of that rate, to the weights of the next one; what was added since the last is its
 * gradient. With a rate of 1 and no momentum it is the step itself. */
void dense_head_step(dense_head *h, double rate);

/* Returns the share of the squares of the observed update of the layers after the first that the steps so
 * far leave; 0 without such layers. */
double dense_head_left(const dense_head *h, const gnt_observation *seen);

#endif
