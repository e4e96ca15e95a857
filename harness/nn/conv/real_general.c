/* real_general: general convolutions, by the algorithm that suits their sizes. */
#include "nn/conv/backends.h"
#include "nn/kernels/real.h"

size_t NAME(general_scratch)(const gnt_general_conv *s) {
    return gnt_is_depthwise(s) ? NAME(depthwise_scratch)(s) : NAME(columns_scratch)(s);
}

void NAME(general_conv)(void *y, const void *x, const void *w, void *scratch, const gnt_general_conv *s) {
    (gnt_is_depthwise(s) ? NAME(depthwise_conv) : NAME(columns_conv))(y, x, w, scratch, s);
}

void NAME(general_conv_dx)(void *dx, const void *dy, const void *w, void *scratch,
                           const gnt_general_conv *s) {
    (gnt_is_depthwise(s) ? NAME(depthwise_conv_dx) : NAME(columns_conv_dx))(dx, dy, w, scratch, s);
}

void NAME(general_conv_dw)(void *dw, const void *x, const void *dy, void *scratch,
                           const gnt_general_conv *s) {
    (gnt_is_depthwise(s) ? NAME(depthwise_conv_dw) : NAME(columns_conv_dw))(dw, x, dy, scratch, s);
}
