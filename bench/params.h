/* params: a model's parameters in the file that both sides of a row read. */
#ifndef BENCH_PARAMS_H
#define BENCH_PARAMS_H

#include "nn/io/safetensors.h"
#include "nn/model/model.h"

/* Copies the tensors param.NAME of a file to the places that the model's parameters have in `to`, which has
 * gnt_model_size(m) entries. path: the file's name, for messages. */
int bench_take_params(float *to, const gnt_model *m, const gnt_st *st, const char *path, gnt_err *err);

#endif
