/* One set in memory: its shape, its rows, the digest of its content, and the streams that
 * its rows are drawn from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/source.h"

void data_shape_image(gnt_data *d, int64_t channels, int64_t height, int64_t width, int32_t classes) {
    d->kind = GNT_DATA_IMAGE;
    d->rank = 3;
    d->dim[0] = channels;
    d->dim[1] = height;
    d->dim[2] = width;
    d->features = channels * height * width;
    d->classes = classes;
}

void data_shape_table(gnt_data *d, int64_t features, int32_t classes) {
    d->kind = GNT_DATA_TABULAR;
    d->rank = 1;
    d->dim[0] = d->features = features;
    d->classes = classes;
}

void data_add_attr(gnt_data *d, const char *name, int32_t values, const char *const *value_name) {
    gnt_data_attr *a = &d->attr[d->n_attrs++];
    snprintf(a->name, sizeof a->name, "%s", name);
    a->values = values;
    a->value_name = value_name;
}

int data_reserve(gnt_data *d, const int64_t part[3], gnt_err *err) {
    enum { MOST_ROWS = 1 << 22 };
    const size_t most_bytes = (size_t)4 << 30;
    d->rows = 0;
    for (int p = 0; p < 3; p++) {
        if (part[p] < 0 || part[p] > MOST_ROWS)
            return gnt_fail(err, "%s: %lld rows in one part; from 0 to %d are possible", d->name,
                            (long long)part[p], MOST_ROWS);
        d->part[p] = part[p];
        d->rows += part[p];
    }
    size_t rows = (size_t)d->rows, cell = d->kind == GNT_DATA_TABULAR ? sizeof(float) : d->has_maps ? 3 : 1;
    if (rows > most_bytes / cell / (size_t)d->features)
        return gnt_fail(err, "%s: %zu rows of %lld features are more than the %zu MiB that one set may take",
                        d->name, rows, (long long)d->features, most_bytes >> 20);
    size_t cells = rows * (size_t)d->features;
    if (d->kind == GNT_DATA_TABULAR)
        d->table = gnt_array(cells, sizeof *d->table);
    else
        d->pixels = gnt_array(cells, 1);
    d->label = gnt_array(rows, sizeof *d->label);
    d->attrs = gnt_array(rows * (size_t)d->n_attrs, sizeof *d->attrs);
    if (d->group_name)
        d->group = gnt_array(rows, sizeof *d->group);
    if (d->has_maps) {
        d->map = gnt_array(rows * (size_t)d->classes, 1);
        d->mask = gnt_array(rows * (size_t)d->classes, 1);
    }
    if ((!d->table && !d->pixels) || !d->label || !d->attrs || (d->group_name && !d->group) ||
        (d->has_maps && (!d->map || !d->mask)))
        return gnt_fail(err, "%s: out of memory for %zu rows of %lld features", d->name, rows,
                        (long long)d->features);
    return 0;
}

data_row_keys data_keys(const char *name, uint64_t seed) {
    gnt_key of_seed = gnt_key_of_seed(seed), of_set = gnt_key_derive(&of_seed, name);
    data_row_keys keys;
    for (int p = 0; p < 3; p++)
        keys.part[p] = gnt_key_derive(&of_set, data_part_names[p]);
    return keys;
}

gnt_stream data_row_stream(const data_row_keys *keys, int part, int64_t row_in_part) {
    char name[32];
    snprintf(name, sizeof name, "row %lld", (long long)row_in_part);
    return gnt_stream_open(&keys->part[part], name);
}

/* Adds numbers to a digest in little-endian order, so that the digest of a set is the same on every
 * machine. */
static void hash_i32(gnt_hasher *h, const int32_t *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        gnt_hasher_u64(h, (uint64_t)(int64_t)values[i]);
}

static void hash_floats(gnt_hasher *h, const float *values, size_t n) {
    uint8_t block[4096];
    while (n) {
        size_t take = n < sizeof block / 4 ? n : sizeof block / 4;
        for (size_t i = 0; i < take; i++) {
            uint32_t bits;
            memcpy(&bits, values + i, 4);
            for (int b = 0; b < 4; b++)
                block[4 * i + (size_t)b] = (uint8_t)(bits >> (8 * b));
        }
        gnt_hasher_bytes(h, block, 4 * take);
        values += take;
        n -= take;
    }
}

gnt_digest data_content_digest(const gnt_data *d) {
    gnt_hasher h;
    size_t rows = (size_t)d->rows, cells = rows * (size_t)d->features;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, d->name);
    gnt_hasher_u64(&h, (uint64_t)d->kind);
    for (int i = 0; i < d->rank; i++)
        gnt_hasher_u64(&h, (uint64_t)d->dim[i]);
    gnt_hasher_u64(&h, (uint64_t)d->classes);
    for (int a = 0; a < d->n_attrs; a++) {
        gnt_hasher_text(&h, d->attr[a].name);
        gnt_hasher_u64(&h, (uint64_t)d->attr[a].values);
    }
    for (int p = 0; p < 3; p++)
        gnt_hasher_u64(&h, (uint64_t)d->part[p]);
    if (d->pixels)
        gnt_hasher_bytes(&h, d->pixels, cells);
    else
        hash_floats(&h, d->table, cells);
    hash_i32(&h, d->label, rows);
    hash_i32(&h, d->attrs, rows * (size_t)d->n_attrs);
    if (d->group) {
        gnt_hasher_text(&h, d->group_name);
        hash_i32(&h, d->group, rows);
    }
    if (d->has_maps) {
        gnt_hasher_text(&h, "maps");
        gnt_hasher_bytes(&h, d->map, rows * (size_t)d->classes);
        gnt_hasher_bytes(&h, d->mask, rows * (size_t)d->classes);
    }
    return gnt_hasher_end(&h);
}

void gnt_data_free(gnt_data *d) {
    if (!d)
        return;
    gnt_free(d->pixels);
    gnt_free(d->table);
    gnt_free(d->label);
    gnt_free(d->attrs);
    gnt_free(d->group);
    gnt_free(d->map);
    gnt_free(d->mask);
    gnt_free(d);
}

static int by_number(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int64_t gnt_data_groups(const gnt_data *d, int part) {
    const size_t n = d->group ? (size_t)d->part[part] : 0;
    int64_t from = 0, groups = 0;
    int32_t *sorted = n ? gnt_array(n, sizeof *sorted) : NULL;
    if (!sorted)
        return n ? -1 : 0;
    for (int p = 0; p < part; p++)
        from += d->part[p];
    memcpy(sorted, d->group + from, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_number);
    for (size_t i = 0; i < n; i++)
        groups += i == 0 || sorted[i] != sorted[i - 1];
    gnt_free(sorted);
    return groups;
}

void gnt_data_row(const gnt_data *d, int64_t row, float *x) {
    size_t n = (size_t)d->features, from = (size_t)row * n;
    if (d->table) {
        memcpy(x, d->table + from, n * sizeof *x);
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (float)d->pixels[from + i] / 255.0f;
}
