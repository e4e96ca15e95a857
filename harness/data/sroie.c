/* sroie64, sroie128: tiles of the receipts of SROIE (Huang et al. 2019), with a key field in them and, in
 * most, a spliced stretch of text. To be found is the splice; sensitive are the key fields. A row depends on
 * its receipt alone.
 *
 * A receipt is a group. The files have no test part: of each five receipts that are there, by number, the
 * fourth is public and the fifth is for tests. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/sroie.h"
#include "data/source.h"

enum { NUMBERS = 1000, FIVE = 5 };

static const char *const tampered_names[2] = {"genuine", "tampered"};

typedef struct receipts {
    sroie_receipt at[NUMBERS];
    int n;
} receipts;

static int part_of(int i) {
    return i % FIVE == FIVE - 1 ? GNT_PART_TEST : i % FIVE == FIVE - 2 ? GNT_PART_PUBLIC : GNT_PART_TRAIN;
}

static int read_all(receipts *all, const char *folder, gnt_err *err) {
    for (int number = 0; number < NUMBERS; number++) {
        char *path = sroie_path(folder, "img", number);
        const int there = path && gnt_file_exists(path);
        if (!path)
            return gnt_fail(err, "%s: out of memory", folder);
        gnt_free(path);
        if (there && sroie_read(&all->at[all->n++], folder, number, err))
            return -1;
    }
    return all->n >= FIVE
               ? 0
               : gnt_fail(err, "%s: data/img/NNN.jpg are %d receipts; expected %d or more, for all parts",
                          folder, all->n, FIVE);
}

static int64_t count_tiles(const sroie_receipt *r, int side) {
    uint8_t mask[SROIE_MOST_SIDE * SROIE_MOST_SIDE];
    int64_t n = 0;
    int field;
    for (int y = 0; y * side < r->high; y++)
        for (int x = 0; x * side < r->wide; x++)
            n += sroie_mask(r, side, x, y, mask, &field);
    return n;
}

/* Puts the tiles of one receipt into rows, from *row on. */
static void put_tiles(gnt_data *d, int64_t *row, const sroie_receipt *r, const data_bitmap *scan,
                      const gnt_key *key) {
    const int side = (int)d->dim[1];
    for (int y = 0; y * side < r->high; y++)
        for (int x = 0; x * side < r->wide; x++) {
            char name[64];
            uint8_t mask[SROIE_MOST_SIDE * SROIE_MOST_SIDE];
            sroie_tile tile = {.pixels = d->pixels + *row * d->features, .map = d->map + *row * d->features};
            if (!sroie_mask(r, side, x, y, mask, &tile.field))
                continue;
            snprintf(name, sizeof name, "receipt %d, %d across, %d down", r->number, x, y);
            gnt_stream s = gnt_stream_open(key, name);
            sroie_draw(r, scan, side, x, y, &tile, &s);
            memcpy(d->mask + *row * d->features, mask, (size_t)d->features);
            d->attrs[2 * *row] = tile.field;
            d->attrs[2 * *row + 1] = tile.tampered;
            d->group[*row] = r->number;
            d->label[*row] = 0;
            ++*row;
        }
}

static int put_receipt(gnt_data *d, int64_t *row, const sroie_receipt *r, const char *folder,
                       const gnt_key *key, gnt_err *err) {
    data_bitmap scan = {.wide = 0};
    char *path = sroie_path(folder, "img", r->number);
    int rc = path ? data_jpeg_read(&scan, path, err) : gnt_fail(err, "%s: out of memory", folder);
    if (rc == 0)
        rc = sroie_fits(r, &scan, path, err);
    if (rc == 0)
        put_tiles(d, row, r, &scan, key);
    data_bitmap_free(&scan);
    gnt_free(path);
    return rc;
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    static const int64_t official[3] = {376, 125, 125};
    const data_row_keys keys = data_keys(d->name, 0);
    int64_t part[3] = {0}, receipts_of[3] = {0}, row[3] = {0};
    receipts *all = gnt_alloc(sizeof *all);
    int rc = all ? read_all(all, folder, err) : gnt_fail(err, "%s: out of memory", folder);
    for (int i = 0; rc == 0 && i < all->n; i++) {
        part[part_of(i)] += count_tiles(&all->at[i], (int)d->dim[1]);
        receipts_of[part_of(i)]++;
    }
    for (int p = 0; rc == 0 && p < 3; p++)
        if (part[p] == 0)
            rc = gnt_fail(
                err,
                "%s: no text of data/box is one of the key fields of data/key in %lld receipts; expected "
                "some in each part",
                folder, (long long)receipts_of[p]);
    for (int p = 0; rc == 0 && p < 3; p++)
        rc = data_note(notes, folder, p, receipts_of[p], official[p], err);
    if (rc == 0)
        rc = data_reserve(d, part, err);
    row[1] = part[0];
    row[2] = part[0] + part[1];
    for (int i = 0; rc == 0 && i < all->n; i++)
        rc = put_receipt(d, &row[part_of(i)], &all->at[i], folder, &keys.part[0], err);
    gnt_free(all);
    return rc;
}

/* ---- the two sets ---- */

static const int small = 64, large = SROIE_MOST_SIDE; /* pixels along the side of a tile */

static void shape(gnt_data *d) {
    const int side = *(const int *)d->variant;
    data_shape_image(d, 1, side, side, side * side);
    d->has_maps = 1;
    d->group_name = "receipt";
    data_add_attr(d, "field", SROIE_FIELDS, sroie_field_names);
    data_add_attr(d, "tampered", 2, tampered_names);
}

static const char *const folders[] = {"sroie", "SROIE", "ICDAR-2019-SROIE", ".", NULL};
static const char *const files[] = {"data/key", "data/box", NULL};

/* Rows: what the 626 published receipts make, judging by 100 of them. */
const data_source data_sroie64 = {.name = "sroie64",
                                  .about = "SROIE, 64x64 tiles of receipts, spliced here, JPEG files",
                                  .rows = {3700, 1200, 1200},
                                  .rows_vary = 1,
                                  .shape = shape,
                                  .variant = &small,
                                  .load = load,
                                  .folders = folders,
                                  .files = files};
const data_source data_sroie128 = {.name = "sroie128",
                                   .about = "SROIE, 128x128 tiles of receipts, spliced here, JPEG files",
                                   .rows = {1250, 430, 375},
                                   .rows_vary = 1,
                                   .shape = shape,
                                   .variant = &large,
                                   .load = load,
                                   .folders = folders,
                                   .files = files};
