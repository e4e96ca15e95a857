/* receipts, receipts32: drawn receipts, some of them tampered with, 1×64×64 and 1×32×32. To be found is
 * where; sensitive is the total. One drawing at two sizes; the sets have no shop in common, nor have their
 * parts.
 *
 * A row belongs to a merchant (its group), who fixes format, printer, paper and what is sold. Every RUN rows
 * of a part are of SHOPS shops, some often and some seldom as `receipts_of` says, in drawn order: so a row
 * does not depend on how many are drawn, and each format is of as many rows as another. */
#include <stdio.h>
#include <string.h>

#include "data/receipt.h"
#include "data/source.h"

enum { RUN = 200, OF_FORMAT = 5, SHOPS = RECEIPT_FORMATS * OF_FORMAT };

/* Receipts of a run's shops of one format, RUN / RECEIPT_FORMATS in all. */
static const int receipts_of[OF_FORMAT] = {18, 13, 9, 6, 4};
static const double tampered = 0.7;

static const char *const format_names[RECEIPT_FORMATS] = {"foot", "head", "ruled", "column"};
static const char *const tampered_names[2] = {"genuine", "tampered"};

typedef struct run {
    receipt_shop shop[SHOPS];
    uint32_t of_row[RUN]; /* which of them */
} run;

static void draw_run(run *r, const gnt_key *part, int64_t number) {
    char name[40];
    snprintf(name, sizeof name, "run %lld", (long long)number);
    gnt_stream s = gnt_stream_open(part, name);
    int row = 0;
    for (uint32_t k = 0; k < SHOPS; k++) {
        r->shop[k] = receipt_draw_shop(&s, (int)k % RECEIPT_FORMATS);
        for (int i = 0; i < receipts_of[k / RECEIPT_FORMATS]; i++)
            r->of_row[row++] = k;
    }
    gnt_random_shuffle(&s, r->of_row, RUN);
}

static void fill(uint8_t *plane, int side, receipt_box box) {
    memset(plane, 0, (size_t)side * (size_t)side);
    for (int y = box.y0; y < box.y1; y++)
        for (int x = box.x0; x < box.x1; x++)
            plane[y * side + x] = 1;
}

static void put_row(gnt_data *d, int64_t row, const receipt_shop *shop, gnt_stream *s) {
    const int unit = *(const int *)d->variant, side = RECEIPT_DOTS * unit;
    uint8_t *pixels = d->pixels + row * d->features;
    int32_t *a = d->attrs + row * d->n_attrs;
    receipt_box changed = {.x0 = 0};
    receipt_page page = receipt_draw_page(shop, (int)gnt_random_below(s, 10), s);
    receipt_print(&page, unit, pixels, s);
    a[0] = shop->format;
    a[1] = draw_chance(s, tampered);
    fill(d->mask + row * d->classes, side, receipt_key(&page, unit));
    if (a[1])
        changed = receipt_splice(&page, unit, pixels, s);
    fill(d->map + row * d->classes, side, changed);
    a[2] = receipt_digit(&page); /* as it is to be read */
    d->label[row] = 0;
}

static int generate(gnt_data *d, const gnt_data_spec *spec, gnt_err *err) {
    if (data_reserve(d, spec->rows, err))
        return -1;
    data_row_keys keys = data_keys(d->name, spec->seed);
    run r;
    int64_t row = 0;
    for (int part = 0; part < 3; part++)
        for (int64_t i = 0; i < d->part[part]; i++, row++) {
            if (i % RUN == 0)
                draw_run(&r, &keys.part[part], i / RUN);
            gnt_stream s = data_row_stream(&keys, part, i);
            const uint32_t k = r.of_row[i % RUN];
            d->group[row] = (int32_t)(3 * (i / RUN * SHOPS + k) + part); /* no shop is in two parts */
            put_row(d, row, &r.shop[k], &s);
        }
    return 0;
}

/* ---- the two sets ---- */

static void shape(gnt_data *d) {
    const int side = RECEIPT_DOTS * *(const int *)d->variant;
    data_shape_image(d, 1, side, side, side * side);
    d->has_maps = 1;
    d->group_name = "merchant";
    data_add_attr(d, "format", RECEIPT_FORMATS, format_names);
    data_add_attr(d, "tampered", 2, tampered_names);
    data_add_attr(d, "digit", 10, data_digit_names);
}

static const int small = 1, large = 2; /* pixels along the side of a dot */

const data_source data_receipts = {.name = "receipts",
                                   .about =
                                       "drawn receipts, 64x64 grey, where they are tampered with, built in",
                                   .rows = {4000, 1000, 1000},
                                   .shape = shape,
                                   .generate = generate,
                                   .variant = &large};
const data_source data_receipts32 = {.name = "receipts32",
                                     .about =
                                         "drawn receipts, 32x32 grey, where they are tampered with, built in",
                                     .rows = {4000, 1000, 1000},
                                     .shape = shape,
                                     .generate = generate,
                                     .variant = &small};
