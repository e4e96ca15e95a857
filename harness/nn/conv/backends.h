/* backends: the rows of the table, in the order in which they are asked. A new back-end is a file that
 * defines gnt_conv_NAME, and a row here. Back-ends are in float; in double there is im2col alone. */
#ifndef GNT_NN_BACKENDS_H
#define GNT_NN_BACKENDS_H

#include "nn/conv/conv.h"

#define GNT_CONV_BACKENDS(ROW)                                                                               \
    ROW(four)     /* 3×3 on one image of 4×4, many channels, held weights */                               \
    ROW(lanes)    /* small layers over many samples, a sample in each lane */                                \
    ROW(winograd) /* F(2×2, 3×3) in blocks of channels */                                                  \
    ROW(onednn)   /* oneDNN in blocks of channels */                                                         \
    ROW(narrow)   /* few places, many weights, in rows */                                                    \
    ROW(direct)   /* small layers in rows */                                                                 \
    ROW(im2col_f32)

#define GNT_CONV_DECLARE(name) extern const gnt_conv_backend gnt_conv_##name;
GNT_CONV_BACKENDS(GNT_CONV_DECLARE)
#undef GNT_CONV_DECLARE

extern const gnt_conv_backend gnt_conv_im2col_f64, gnt_conv_plain_f32, gnt_conv_plain_f64;

/* Of a back-end that the build or the processor lacks. */
int gnt_conv_never(const gnt_conv_case *q);

size_t gnt_gram_scratch_f32(const gnt_conv *s);
size_t gnt_gram_scratch_f64(const gnt_conv *s);
size_t gnt_general_scratch_f32(const gnt_general_conv *s);
size_t gnt_general_scratch_f64(const gnt_general_conv *s);
gnt_general_conv_kernel gnt_general_conv_f32, gnt_general_conv_f64, gnt_general_conv_dx_f32,
    gnt_general_conv_dx_f64, gnt_general_conv_dw_f32, gnt_general_conv_dw_f64;
gnt_conv_kernel gnt_gram_f32, gnt_gram_f64, gnt_gram_dx_f32, gnt_gram_dx_f64;

#endif
