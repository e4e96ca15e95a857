/* recipe: the programs in which attacks and training spend their time, for any model, with values to run them
 * on. For `gauntlet program` and the benchmarks.
 *
 *   match     the gradient of the loss by the weights, its cosine distance to an observed one plus total
 *             variation, and the gradient of that by the image; batch norm evaluates (Geiping et al.
 *             2020)
 *   dlg       the same with the squared distance, differentiated by the image and by the label's logits
 *             (Zhu et al. 2019)
 *   gradient  the loss and its gradient by the weights; batch norm in evaluation mode
 *   train     the same with batch norm in training mode; the batch's statistics are outputs too
 *   features  stage 0: the outputs of all convolutions; stage 1: the product of a vector with their
 *             Jacobian
 *   forward   the model's output; batch norm in evaluation mode */
#ifndef GNT_NN_RECIPE_H
#define GNT_NN_RECIPE_H

#include "nn/model/model.h"

typedef enum gnt_recipe_kind {
    GNT_RECIPE_MATCH,
    GNT_RECIPE_DLG,
    GNT_RECIPE_GRADIENT,
    GNT_RECIPE_TRAIN,
    GNT_RECIPE_FEATURES,
    GNT_RECIPE_FORWARD
} gnt_recipe_kind;

#define GNT_RECIPE_TV 1e-4 /* weight of total variation in `match` */

/* Vectors of `precision`-byte reals, bound to the program: change their entries, not the pointers. In match,
 * dlg, features and forward the weights, the statistics and the observed gradient are constant inputs (nn.h):
 * after the first run, call gnt_program_changed when they change. */
typedef struct gnt_recipe {
    gnt_recipe_kind kind;
    int32_t precision; /* 4 or 8 */
    int64_t n;         /* samples */
    gnt_program *program;
    int32_t n_params, n_buffers, n_features;
    int64_t x_count, y_count, n_weights, n_statistics;
    void *x, *y;            /* y: labels, one-hot or soft; logits in dlg; unused in features and forward */
    void *params, *buffers; /* flat, see gnt_model_params */
    void *seen;             /* the observed gradient, flat as params; NULL except in match and dlg */
    void **pull;            /* features: for each of them the vector of stage 1 */
    int64_t *feature_count; /* entries of each feature */
    /* Outputs; −1 where there is none. first: of the gradient (gradient, train), of features, or the
     * model's. */
    int32_t cost, dx, dy, first;
} gnt_recipe;

/* Makes a recipe; its values are zero until they are set. */
int gnt_recipe_new(gnt_recipe **out, const gnt_model *m, gnt_recipe_kind kind, int64_t n, int32_t precision,
                   gnt_err *err);
void gnt_recipe_free(gnt_recipe *r);
/* Draws initial weights, statistics near their defaults, images uniform in [0, 1], one-hot labels, and noise
 * for everything else. The same stream gives both precisions the same float values. */
int gnt_recipe_fill(gnt_recipe *r, const gnt_model *m, gnt_stream *random, gnt_err *err);
/* Runs all stages. */
int gnt_recipe_run(gnt_recipe *r);

#endif
