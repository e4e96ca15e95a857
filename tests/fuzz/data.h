/* data: what the harnesses of data sets share: opening a set from the folder of this process. */
#ifndef TESTS_FUZZ_DATA_H
#define TESTS_FUZZ_DATA_H

#include "data/bytes.h"
#include "data/data.h"
#include "fuzz.h"

/* Opens the set; every row of what is accepted holds labels and attributes within their ranges, and pixels or
 * finite features. */
static inline void fuzz_open_set(const char *name) {
    gnt_data *d = NULL;
    gnt_err err = {0};
    const gnt_data_spec spec = {.name = name};
    if (!fuzz_ok(gnt_data_open(&d, &spec, fuzz_folder(), &err), &err))
        return;
    float *x = gnt_array((size_t)d->features, sizeof *x);
    MUST(x && d->rows == d->part[0] + d->part[1] + d->part[2] && d->part[0] > 0 && d->part[1] > 0);
    for (int64_t i = 0; i < d->rows; i++) {
        MUST(d->label[i] >= 0 && d->label[i] < d->classes);
        for (int32_t a = 0; a < d->n_attrs; a++)
            MUST(d->attrs[i * d->n_attrs + a] >= 0 && d->attrs[i * d->n_attrs + a] < d->attr[a].values);
        gnt_data_row(d, i, x);
        for (int64_t k = 0; k < d->features; k++)
            MUST(x[k] >= 0 && x[k] <= 1);
        for (int64_t k = 0; d->has_maps && k < d->classes; k++)
            MUST(d->map[i * d->classes + k] <= 1 && d->mask[i * d->classes + k] <= 1);
    }
    gnt_free(x);
    gnt_data_free(d);
}

/* Unpacked data is no larger than was allowed, and all there. */
static inline void fuzz_unpacked(data_bytes *b, size_t most) {
    volatile uint8_t sum = 0; /* so that a sanitizer sees bytes that are not there */
    MUST(b->size <= most);
    for (size_t i = 0; i < b->size; i++)
        sum = (uint8_t)(sum + b->at[i]);
    data_bytes_free(b);
}

#endif
