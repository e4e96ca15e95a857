/* Batches: borrowed, gathered, freed. */
#include <string.h>

#include "base/mem.h"
#include "fl/fl.h"

void gnt_batch_borrow(gnt_batch *b, const gnt_samples *samples) {
    *b = (gnt_batch){.view = *samples};
}

void gnt_batch_free(gnt_batch *b) {
    gnt_free(b->x);
    gnt_free(b->y);
    gnt_free(b->id);
    gnt_free(b->a);
    gnt_free(b->mask);
    *b = (gnt_batch){0};
}

int gnt_batch_gather(gnt_batch *b, const gnt_samples *s, const uint32_t *row, int64_t n) {
    size_t f = (size_t)s->features, c = (size_t)s->classes, a = (size_t)s->n_attributes;
    *b = (gnt_batch){.view = *s};
    b->x = gnt_array((size_t)n * f, sizeof *b->x);
    b->y = gnt_array((size_t)n * c, sizeof *b->y);
    b->id = gnt_array((size_t)n, sizeof *b->id);
    b->a = gnt_array((size_t)n * a, sizeof *b->a);
    size_t m = s->mask ? (size_t)gnt_mask_size(s) : 0;
    b->mask = gnt_array((size_t)n * m, sizeof *b->mask);
    if (!b->x || !b->y || !b->id || !b->a || !b->mask) {
        gnt_batch_free(b);
        return -1;
    }
    for (size_t i = 0; i < (size_t)n; i++) {
        memcpy(b->x + i * f, s->x + row[i] * f, f * sizeof *b->x);
        memcpy(b->y + i * c, s->y + row[i] * c, c * sizeof *b->y);
        b->id[i] = s->id ? s->id[row[i]] : (int64_t)row[i];
        if (s->a)
            memcpy(b->a + i * a, s->a + row[i] * a, a * sizeof *b->a);
        if (s->mask)
            memcpy(b->mask + i * m, s->mask + row[i] * m, m);
    }
    b->view.n = n;
    b->view.x = b->x;
    b->view.y = b->y;
    b->view.id = b->id;
    b->view.a = s->a ? b->a : NULL;
    b->view.mask = s->mask ? b->mask : NULL;
    return 0;
}
