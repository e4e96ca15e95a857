#include "job/work/silence.h"

/* True if row j of a tensor, which may be missing, is there and all zero. */
static int row_is_zero(const gnt_st_tensor *t, int64_t j) {
    const float *x = t && t->type == GNT_ST_F32 && t->rank == 2 && j < t->dim[0]
                         ? (const float *)t->data + j * t->dim[1]
                         : NULL;
    for (int64_t i = 0; x && i < t->dim[1]; i++)
        if (x[i] != 0)
            return 0;
    return x != NULL;
}

int gnt_is_silent(const gnt_st *bundle, int64_t j) {
    static const char *const others[] = {"encoded_x", "representation"};
    const gnt_st_tensor *sent = gnt_st_find(bundle, "sent_buffers"),
                        *sends = gnt_st_find(bundle, "sends_buffers");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (gnt_st_find(bundle, others[i]))
            return 0;
    const int withheld = !sent || (sends && sends->type == GNT_ST_I64 && sends->rank == 1 &&
                                   j < sends->dim[0] && !((const int64_t *)sends->data)[j]);
    return row_is_zero(gnt_st_find(bundle, "update"), j) && (withheld || row_is_zero(sent, j));
}
