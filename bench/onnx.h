/* onnx: ONNX Runtime's side of a row: the network that PyTorch's side exported, by the C interface of the
 * library that npm's onnxruntime-node brings. One thread. It speaks the words of side.c. */
#ifndef GNT_BENCH_ONNX_H
#define GNT_BENCH_ONNX_H

#include "base/err.h"

/* Names a folder with node_modules/onnxruntime-node in it, or the library itself. */
#define BENCH_ONNX_PLACE "GAUNTLET_ONNXRUNTIME"

/* Returns the library's path, to be freed; NULL, with the reason, where there is none. */
char *bench_onnx_library(gnt_err *err);
/* Runs the process of a row. Returns 0, or 2 with a sentence on the standard error. */
int bench_onnx_side(const char *problem, const char *network);

#endif
