/* An answer's tensors, and tables of rows, as the files of the score job read them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "job/score/score.h"

const float *score_answer(const score *s, const char *kind, int64_t j, int64_t columns, int64_t *rows) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId64, kind, j);
    const gnt_st_tensor *t = gnt_st_find(&s->answer, name);
    if (!t || t->type != GNT_ST_F32 || t->rank != 2 || t->dim[1] != columns || t->dim[0] < 1)
        return NULL;
    *rows = t->dim[0];
    return t->data;
}

static void read_row(const void *context, size_t row, float *x) {
    const score_table *t = context;
    memcpy(x, t->x + row * t->features, t->features * sizeof *x);
}

gnt_metric_rows score_rows(const score_table *table, size_t n) {
    return (gnt_metric_rows){.read = read_row, .context = table, .n = n, .features = table->features};
}
