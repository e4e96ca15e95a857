#include "data/content_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

typedef struct row_sum {
    gnt_digest of;
    int64_t row;
} row_sum;

static int by_sum(const void *a, const void *b) {
    const row_sum *p = a, *q = b;
    const int order = memcmp(&p->of, &q->of, sizeof p->of);
    return order ? order : (p->row > q->row) - (p->row < q->row);
}

static gnt_digest digest_of_row(const gnt_data *d, int64_t row) {
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_u64(&h, (uint64_t)d->label[row]);
    if (d->pixels)
        gnt_hasher_bytes(&h, d->pixels + row * d->features, (size_t)d->features);
    else
        gnt_hasher_bytes(&h, d->table + row * d->features, (size_t)d->features * sizeof *d->table);
    return gnt_hasher_end(&h);
}

/* Counts test rows that equal a train row; -1 when out of memory. */
static int64_t count_repeated(const gnt_data *d) {
    const int64_t train = d->part[GNT_PART_TRAIN], n = train + d->part[GNT_PART_TEST];
    row_sum *of = gnt_array((size_t)n + 1, sizeof *of);
    int64_t repeated = 0;
    if (!of)
        return -1;
    for (int64_t i = 0; i < n; i++)
        of[i] = (row_sum){digest_of_row(d, i), i};
    qsort(of, (size_t)n, sizeof *of, by_sum);
    for (int64_t from = 0, to; from < n; from = to) /* train rows come first among equal ones */
        for (to = from; to < n && memcmp(&of[to].of, &of[from].of, sizeof of[to].of) == 0; to++)
            repeated += of[from].row < train && of[to].row >= train;
    gnt_free(of);
    return repeated;
}

data_content data_check_content(const gnt_data *d, const data_source *source, int complete) {
    data_content c = {.repeated = source->load ? count_repeated(d) : -1};
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(&d->digest, hex);
    c.differs = source->content && complete && strcmp(hex, source->content) != 0;
    for (const data_impostor *o = source->impostors; c.differs && o && o->name; o++)
        if (strcmp(o->content, hex) == 0)
            c.other = o->name;
    return c;
}

int data_is_unsound(const gnt_data *d, const data_content *c) {
    return c->differs || (c->repeated > 0 && c->repeated == d->part[GNT_PART_TEST]);
}
