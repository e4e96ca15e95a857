/* train: programs for a model's loss, gradient and logits over batches of one size. The gradient is the one
 * that clients share; weights are flat vectors (layout: gnt_model_params). */
#ifndef GNT_NN_TRAIN_H
#define GNT_NN_TRAIN_H

#include "nn/model/model.h"

typedef struct gnt_trainer gnt_trainer;

/* Makes a trainer for batches of n samples; `training`: batch norm uses the statistics of the batch. */
int gnt_trainer_new(gnt_trainer **out, const gnt_model *m, int64_t n, int training, gnt_err *err);
void gnt_trainer_free(gnt_trainer *t);
const gnt_program *gnt_trainer_program(const gnt_trainer *t); /* for its cost; owned by the trainer */
/* Computes the mean loss over the batch and its gradient (flat, gnt_model_size entries). x: n × sample, y: n
 * × classes. stats (may be NULL): in training mode the batch's statistics laid out as the buffers (mean,
 * unbiased variance), else untouched. grad may be NULL: the trainer keeps it for gnt_trainer_descend. */
int gnt_trainer_gradient(gnt_trainer *t, const float *params, const float *buffers, const float *x,
                         const float *y, float *grad, double *loss, float *stats, gnt_err *err);

/* Takes a step of gradient descent (gnt_sgd_step) along the gradient that was computed last. */
void gnt_trainer_descend(const gnt_trainer *t, float *params, float *velocity, double rate, double momentum,
                         double decay);

typedef struct gnt_evaluator gnt_evaluator;

enum { GNT_EVALUATE_OUTPUT = -1 };

/* Makes an evaluator of the output of `layer`, or of the model (GNT_EVALUATE_OUTPUT: N×classes), in batches
 * of n; batch norm in evaluation mode. */
int gnt_evaluator_new(gnt_evaluator **out, const gnt_model *m, int32_t layer, int64_t n, gnt_err *err);
int64_t gnt_evaluator_width(const gnt_evaluator *e); /* entries for each sample */
void gnt_evaluator_free(gnt_evaluator *e);
/* Evaluates any number of samples; the last batch is filled by repetition. values: count × width. */
int gnt_evaluator_run(gnt_evaluator *e, const float *params, const float *buffers, const float *x,
                      int64_t count, float *values, gnt_err *err);

#endif
