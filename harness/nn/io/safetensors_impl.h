/* Shared by safetensors.c, the set, and safetensors_io.c, which reads and writes its bytes. */
#ifndef GNT_NN_SAFETENSORS_IMPL_H
#define GNT_NN_SAFETENSORS_IMPL_H

#include "nn/io/safetensors.h"

/* The key of the header that is not a tensor. */
#define GNT_ST_METADATA_KEY "__metadata__"

/* Checks a name: 1 … GNT_ST_NAME−1 bytes of UTF-8 without control characters, and not GNT_ST_METADATA_KEY. */
int gnt_st_check_name(const char *name, gnt_err *err);
/* Adds a tensor of zeros; the name must be new. */
int gnt_st_append(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                  gnt_st_tensor **out, gnt_err *err);
const char *gnt_st_type_name(gnt_st_type type);

#endif
