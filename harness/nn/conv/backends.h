/* backends: the rows of the table, in order of preference. A new back-end is a file that defines
 * gnt_conv_NAME, and a row here. Back-ends are in float; in double there is im2col only. */
#ifndef GNT_NN_BACKENDS_H
#define GNT_NN_BACKENDS_H

#include "nn/conv/conv.h"

/* A row for each instruction set for which the file is compiled; one of them at most fits. */
#ifdef __x86_64__
#define GNT_CONV_SIMD(ROW, name) ROW(name##_avx512) ROW(name##_avx2)
#else
#define GNT_CONV_SIMD(ROW, name)
#endif

#define GNT_CONV_BACKENDS(ROW)                                                                               \
    GNT_CONV_SIMD(ROW, four)     /* 3×3 on one image of 4×4, many channels, constant weights */            \
    GNT_CONV_SIMD(ROW, lanes)    /* small layers over many samples, a sample in each lane */                 \
    GNT_CONV_SIMD(ROW, pairs)    /* 5×5 on a few samples at once, two columns a product */                  \
    GNT_CONV_SIMD(ROW, winograd) /* F(2×2, 3×3) in blocks of channels */                                   \
    ROW(onednn)                  /* oneDNN in blocks of channels */                                          \
    GNT_CONV_SIMD(ROW, narrow)   /* few places, many weights, in rows */                                     \
    GNT_CONV_SIMD(ROW, direct)   /* small layers in rows */                                                  \
    ROW(im2col_f32)

#define GNT_CONV_DECLARE(name) extern const gnt_conv_backend gnt_conv_##name;
GNT_CONV_BACKENDS(GNT_CONV_DECLARE)
#undef GNT_CONV_DECLARE

extern const gnt_conv_backend gnt_conv_im2col_f64, gnt_conv_plain_f32, gnt_conv_plain_f64;

size_t gnt_gram_scratch_f32(const gnt_conv *s);
size_t gnt_gram_scratch_f64(const gnt_conv *s);
/* Declares general convolutions of any kind, those by columns and matrix products, and depthwise ones
 * (gnt_is_depthwise). */
#define GNT_GENERAL_DECLARE(kind, real)                                                                      \
    size_t gnt_##kind##_scratch_##real(const gnt_general_conv *s);                                           \
    gnt_general_conv_kernel gnt_##kind##_conv_##real, gnt_##kind##_conv_dx_##real,                           \
        gnt_##kind##_conv_dw_##real;
GNT_GENERAL_DECLARE(general, f32)
GNT_GENERAL_DECLARE(general, f64)
GNT_GENERAL_DECLARE(columns, f32)
GNT_GENERAL_DECLARE(columns, f64)
GNT_GENERAL_DECLARE(depthwise, f32)
GNT_GENERAL_DECLARE(depthwise, f64)
#undef GNT_GENERAL_DECLARE

/* True for groups of one channel each, a stride of one pixel, and no more padding than keeps a tap on the
 * image. */
static inline int gnt_is_depthwise(const gnt_general_conv *s) {
    return s->c == s->groups && s->sh == 1 && s->sw == 1 && s->ph <= (s->kh - 1) * s->dh &&
           s->pw <= (s->kw - 1) * s->dw;
}

gnt_conv_kernel gnt_gram_f32, gnt_gram_f64, gnt_gram_dx_f32, gnt_gram_dx_f64;

#endif
