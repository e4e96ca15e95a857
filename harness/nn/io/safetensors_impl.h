/* What safetensors_io.c, which makes a set from bytes, knows of the set itself (safetensors.c). */
#ifndef GNT_NN_SAFETENSORS_IMPL_H
#define GNT_NN_SAFETENSORS_IMPL_H

#include "nn/io/safetensors.h"

/* The line of the header that is no tensor. */
#define GNT_ST_METADATA_KEY "__metadata__"

/* A name is 1 … GNT_ST_NAME−1 bytes of UTF-8 without control characters, and not GNT_ST_METADATA_KEY. */
int gnt_st_check_name(const char *name, gnt_err *err);
/* Room for one more tensor of zeros, whose name is known to be new. */
int gnt_st_append(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                  gnt_st_tensor **out, gnt_err *err);
const char *gnt_st_type_name(gnt_st_type type);

#endif
