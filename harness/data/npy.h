/* npy: arrays as numpy writes them, .npy files and the .npz archives of these, read into the set of
 * tensors that safetensors has. Integers of 8 and 16 bits become I32, unsigned ones of 32 and 64 bits I64,
 * bytes and truth values U8. Other types, other byte orders and Fortran's order are refused, with the
 * numpy call that converts them. */
#ifndef GNT_DATA_NPY_H
#define GNT_DATA_NPY_H

#include "nn/io/safetensors.h"

enum { DATA_NPY_MOST = 0x7fffffff }; /* bytes of one array */

/* Adds the array in `bytes` as a tensor; `path` is for sentences. */
int data_npy_add(gnt_st *st, const char *name, const char *path, const uint8_t *bytes, size_t size,
                 gnt_err *err);
/* Adds the array of a .npy file. */
int data_npy_load(gnt_st *st, const char *name, const char *path, gnt_err *err);
/* Adds all arrays of a .npz file, by their names. */
int data_npz_load(gnt_st *st, const char *path, gnt_err *err);

#endif
