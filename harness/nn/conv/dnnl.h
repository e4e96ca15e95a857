/* dnnl: convolutions and changes of layout through oneDNN, versions 2 and 3, in float. All of it that
 * knows oneDNN is dnnl.c; a build without the library has the same functions, and gnt_dnnl_open says that
 * there is none.
 *
 * Layouts are the planner's (graph.h), with blocks of gnt_dnnl_block channels. All of it runs in one
 * thread. */
#ifndef GNT_NN_DNNL_H
#define GNT_NN_DNNL_H

#include "nn/conv/conv.h"

/* What all operations of a plan share. */
typedef struct gnt_dnnl gnt_dnnl;
/* One operation with its sizes; may be used by one thread at a time. */
typedef struct gnt_dnnl_op gnt_dnnl_op;

/* Sets *d to NULL where convolutions go to BLAS: the library was not built in, the processor has no
 * vectors that it has kernels for, or the environment says GAUNTLET_CONV=blas. −1 with a sentence when
 * GAUNTLET_CONV=dnnl asks for what is not there, or for anything else. The caller closes. */
int gnt_dnnl_open(gnt_dnnl **d, char *error, size_t error_size);
void gnt_dnnl_close(gnt_dnnl *d);

/* Channels of a block: 16 or 8. */
int64_t gnt_dnnl_block(const gnt_dnnl *d);

/* A convolution with all of its operands in blocks: activations GNT_LAYOUT_BLOCKS, weights as
 * gnt_dnnl_weights says: GNT_LAYOUT_WEIGHTS, or for some conv_dx GNT_LAYOUT_TURNED. Which algorithm it is
 * follows from the shape and `exact`, which leaves the direct one. GNT_CONV_UNFIT where the library has no
 * vector kernel for it, GNT_CONV_FAILED where it has one and cannot make it; *o is NULL then. `scratch` in
 * bytes, 64-byte aligned. */
gnt_conv_fit gnt_dnnl_conv(gnt_dnnl *d, int op, const gnt_conv *s, int exact, gnt_dnnl_op **o,
                           size_t *scratch);

int gnt_dnnl_weights(const gnt_dnnl_op *o);

/* A copy from one layout to another of a tensor with these four axes. NULL when it cannot be made. */
gnt_dnnl_op *gnt_dnnl_copy(gnt_dnnl *d, int from, int to, const int64_t dim[4], size_t *scratch);
void gnt_dnnl_free(gnt_dnnl_op *o);

/* y = the convolution of a and b, in the order of the kernel table; a copy has no b. The library itself
 * takes and gives back a few hundred bytes for the list of arguments. */
void gnt_dnnl_run(gnt_dnnl_op *o, void *y, const void *a, const void *b, void *scratch);

/* "oneDNN 2.6.3 avx512", or "none": what results depend on, and part of the numerics identity. */
const char *gnt_dnnl_version(char text[64]);

#endif
