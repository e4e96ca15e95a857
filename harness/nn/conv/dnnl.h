/* dnnl: convolutions and conversions of layout through oneDNN, versions 2 and 3, in float. Only dnnl.c
 * includes oneDNN; a build without the library has the same functions, and gnt_dnnl_open then gives NULL.
 *
 * Layouts are the planner's (graph.h), with blocks of gnt_dnnl_block channels. All of it runs in one
 * thread. */
#ifndef GNT_NN_DNNL_H
#define GNT_NN_DNNL_H

#include "nn/conv/conv.h"

/* The library's file, of the version whose header this is compiled with; NULL: the build has none. */
#ifdef GNT_DNNL
#include <dnnl_version.h>
#define GNT_DNNL_QUOTE(x) #x
#define GNT_DNNL_FILE_OF(version) "libdnnl.so." GNT_DNNL_QUOTE(version)
#define GNT_DNNL_FILE GNT_DNNL_FILE_OF(DNNL_VERSION_MAJOR)
#else
#define GNT_DNNL_FILE NULL
#endif

/* Shared by all operations of a plan. */
typedef struct gnt_dnnl gnt_dnnl;
/* One operation with its sizes; may be used by one thread at a time. */
typedef struct gnt_dnnl_op gnt_dnnl_op;

/* Opens the library, which is loaded by the first call; *d is NULL where convolutions go to BLAS: the
 * build has no oneDNN, the processor no vectors that it supports, or the environment GAUNTLET_CONV=blas.
 * Returns −1 with an error if the library cannot be loaded, GAUNTLET_CONV=dnnl cannot be met or has
 * another value. `needed` 0: there will be no convolution; only the value is checked, and *d is NULL. The
 * caller closes. */
int gnt_dnnl_open(gnt_dnnl **d, int needed, char *error, size_t error_size);
void gnt_dnnl_close(gnt_dnnl *d);

/* Returns the channels of a block: 16 or 8. */
int64_t gnt_dnnl_block(const gnt_dnnl *d);

/* Makes a convolution with all operands in blocks: activations GNT_LAYOUT_BLOCKS, weights as
 * gnt_dnnl_weights: GNT_LAYOUT_WEIGHTS, or for some conv_dx GNT_LAYOUT_TURNED. The algorithm depends on the
 * shape and `exact`, which allows the direct one only. Returns GNT_CONV_UNFIT if the library has no vector
 * kernel for it, GNT_CONV_FAILED if it cannot make it; *o is NULL then. `scratch` in bytes, 64-byte
 * aligned. */
gnt_conv_fit gnt_dnnl_conv(gnt_dnnl *d, int op, const gnt_conv *s, int exact, gnt_dnnl_op **o,
                           size_t *scratch);

int gnt_dnnl_weights(const gnt_dnnl_op *o);

/* Makes a copy of a tensor with these four axes from one layout to another. NULL if it cannot be made. */
gnt_dnnl_op *gnt_dnnl_copy(gnt_dnnl *d, int from, int to, const int64_t dim[4], size_t *scratch);
void gnt_dnnl_free(gnt_dnnl_op *o);

/* Computes y, the convolution of a and b, in the order of the kernel table; a copy has no b. The library
 * itself allocates and frees a few hundred bytes for the list of arguments. */
void gnt_dnnl_run(gnt_dnnl_op *o, void *y, const void *a, const void *b, void *scratch);

/* Writes "oneDNN 2.6.3 avx512", or "none", also where the library cannot be loaded: part of the numerics
 * identity, since results depend on it. */
const char *gnt_dnnl_version(char text[64]);

#endif
