#include "params.h"

#include <stdio.h>
#include <string.h>

int bench_take_params(float *to, const gnt_model *m, const gnt_st *st, const char *path, gnt_err *err) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    for (int32_t k = 0; k < n; k++) {
        char name[GNT_ST_NAME];
        snprintf(name, sizeof name, "param.%s", list[k].name);
        const gnt_st_tensor *t =
            gnt_st_need(st, path, name, GNT_ST_F32, list[k].shape.rank, list[k].shape.dim, err);
        if (!t)
            return -1;
        memcpy(to + list[k].offset, t->data, t->bytes);
    }
    return 0;
}
