/* train: a model's loss, gradient and logits as ready programs over batches of one size. The gradient is the
 * one that clients share; everything here works on flat weight vectors (layout: gnt_model_params). */
#ifndef GNT_NN_TRAIN_H
#define GNT_NN_TRAIN_H

#include "nn/model/model.h"

typedef struct gnt_trainer gnt_trainer;

/* Batches of n samples; `training`: batch norm uses the statistics of the batch. */
int gnt_trainer_new(gnt_trainer **out, const gnt_model *m, int64_t n, int training, gnt_err *err);
void gnt_trainer_free(gnt_trainer *t);
const gnt_program *gnt_trainer_program(const gnt_trainer *t); /* to see what it costs; the trainer's own */
/* The task's mean loss over the batch in *loss, its gradient in grad (flat, gnt_model_size entries). x: n ×
 * sample, y: n × classes. stats (may be NULL): in training mode the batch's statistics laid out as the
 * buffers (mean, unbiased variance), else untouched. */
int gnt_trainer_gradient(gnt_trainer *t, const float *params, const float *buffers, const float *x,
                         const float *y, float *grad, double *loss, float *stats, gnt_err *err);

typedef struct gnt_evaluator gnt_evaluator;

enum { GNT_EVALUATE_OUTPUT = -1 };

/* What `layer` gives, or the model's outputs (GNT_EVALUATE_OUTPUT: N×classes), in batches of n; batch norm
 * evaluating. */
int gnt_evaluator_new(gnt_evaluator **out, const gnt_model *m, int32_t layer, int64_t n, gnt_err *err);
int64_t gnt_evaluator_width(const gnt_evaluator *e); /* entries for each sample */
void gnt_evaluator_free(gnt_evaluator *e);
/* Any count of samples; the last batch is filled up by repetition. values: count × width. */
int gnt_evaluator_run(gnt_evaluator *e, const float *params, const float *buffers, const float *x,
                      int64_t count, float *values, gnt_err *err);

#endif
