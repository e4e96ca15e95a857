#include "data/image_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"

enum { MOST_ROWS = 1 << 20, MOST_DIGITS = 9 };

data_image_row *data_image_rows_add(data_image_rows *rows, const char *name, gnt_err *err) {
    if (rows->n >= MOST_ROWS) {
        gnt_fail(err, "%s: more than %d pictures; expected at most so many", name, MOST_ROWS);
        return NULL;
    }
    if (GNT_GROW(rows->at, rows->n)) {
        gnt_fail(err, "%s: out of memory for %zu rows", name, rows->n);
        return NULL;
    }
    data_image_row *row = &rows->at[rows->n++];
    memset(row, 0, sizeof *row);
    return row;
}

int data_image_rows_keep(data_image_rows *rows, char *text, const char *name, gnt_err *err) {
    if (!text || GNT_GROW(rows->text, rows->n_texts)) {
        gnt_free(text);
        return gnt_fail(err, "%s: out of memory", name);
    }
    rows->text[rows->n_texts++] = text;
    return 0;
}

void data_image_rows_free(data_image_rows *rows) {
    for (size_t i = 0; i < rows->n_texts; i++)
        gnt_free(rows->text[i]);
    for (int i = 0; i < 3; i++)
        data_bytes_free(&rows->list[i]);
    gnt_free(rows->text);
    gnt_free(rows->at);
    *rows = (data_image_rows){.n = 0};
}

/* Reads the group as a whole number of at most nine digits; −1: it is none. */
static int32_t whole(data_field f) {
    int32_t v = 0;
    if (f.n < 1 || f.n > MOST_DIGITS)
        return -1;
    for (size_t i = 0; i < f.n; i++) {
        if (f.at[i] < '0' || f.at[i] > '9')
            return -1;
        v = 10 * v + (f.at[i] - '0');
    }
    return v;
}

static int by_group(const void *a, const void *b) {
    const data_field x = (*(data_image_row *const *)a)->group, y = (*(data_image_row *const *)b)->group;
    const int order = memcmp(x.at, y.at, x.n < y.n ? x.n : y.n);
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

int data_image_rows_number(data_image_rows *rows, const char *name, gnt_err *err) {
    int all = 1;
    for (size_t i = 0; i < rows->n; i++) {
        rows->at[i].group_number = whole(rows->at[i].group);
        all &= rows->at[i].group_number >= 0;
    }
    if (all)
        return 0;
    data_image_row **sorted = gnt_array(rows->n, sizeof *sorted);
    if (!sorted)
        return gnt_fail(err, "%s: out of memory for %zu rows", name, rows->n);
    for (size_t i = 0; i < rows->n; i++)
        sorted[i] = &rows->at[i];
    qsort(sorted, rows->n, sizeof *sorted, by_group);
    for (size_t i = 0, group = 0; i < rows->n; i++) {
        group += i > 0 && by_group(&sorted[i - 1], &sorted[i]) != 0;
        sorted[i]->group_number = (int32_t)group;
    }
    gnt_free(sorted);
    return 0;
}

void data_image_rows_split(data_image_rows *rows, double test, double public) {
    for (size_t i = 0; i < rows->n; i++) {
        data_image_row *row = &rows->at[i];
        const data_field by = row->group.at ? row->group : row->file;
        gnt_hasher h;
        uint64_t bits = 0;
        gnt_hasher_init(&h);
        gnt_hasher_text(&h, "part of a described set");
        gnt_hasher_bytes(&h, by.at, by.n);
        const gnt_digest digest = gnt_hasher_end(&h);
        for (int k = 0; k < 6; k++)
            bits = bits << 8 | digest.b[k];
        const double share = (double)bits / (double)(UINT64_C(1) << 48);
        row->part = share < test ? GNT_PART_TEST : share < test + public ? GNT_PART_PUBLIC : GNT_PART_TRAIN;
    }
}
