/* SVHN, cropped digits (ufldl.stanford.edu/housenumbers): MATLAB files with X, 32×32×3×N bytes of which rows
 * run fastest, and y, N×1 labels from 1 to 10, where 10 stands for the digit 0. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/bytes.h"
#include "data/mat.h"
#include "data/source.h"

enum { SIDE = 32, PLANE = SIDE * SIDE, CHANNELS = 3, CELLS = CHANNELS * PLANE, SPARE = 1 << 20 };

static const struct {
    const char *name;
    int64_t official;
} files[3] = {{"train_32x32.mat", 73257}, {"test_32x32.mat", 26032}, {"extra_32x32.mat", 531131}};

typedef struct svhn_file {
    char *path; /* NULL: not there */
    uint8_t *x, *y;
    int64_t rows;
} svhn_file;

static int check_labels(const svhn_file *f, gnt_err *err) {
    for (int64_t i = 0; i < f->rows; i++)
        if (f->y[i] < 1 || f->y[i] > 10)
            return gnt_fail(err, "%s: entry %lld of y is label %d; expected 1 to 10, where 10 stands for 0",
                            f->path, (long long)i + 1, f->y[i]);
    return 0;
}

static int read_file(svhn_file *f, int part, gnt_err *err) {
    const int64_t most = files[part].official;
    int64_t x_dim[4] = {SIDE, SIDE, CHANNELS, -1}, y_dim[2] = {-1, 1};
    /* labels may be doubles, and each variable has a few words before its numbers */
    if (data_mat_check(f->path, (size_t)most * (CELLS + sizeof(double)) + SPARE, err) ||
        data_mat_read(f->path, "X", 4, x_dim, most, &f->x, err) ||
        data_mat_read(f->path, "y", 2, y_dim, most, &f->y, err))
        return -1;
    if (x_dim[3] != y_dim[0])
        return gnt_fail(err, "%s: X holds %lld images but y %lld labels; expected as many", f->path,
                        (long long)x_dim[3], (long long)y_dim[0]);
    f->rows = x_dim[3];
    return check_labels(f, err);
}

/* Copies an image, the columns of each plane to rows. */
static void copy_image(uint8_t *to, const uint8_t *from) {
    for (int c = 0; c < CHANNELS; c++)
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++)
                to[c * PLANE + row * SIDE + column] = from[c * PLANE + column * SIDE + row];
}

static int find_files(svhn_file f[3], const char *folder, gnt_err *err) {
    for (int p = 0; p < 3; p++) {
        if (data_has("%s/%s", folder, files[p].name)) {
            f[p].path = gnt_format("%s/%s", folder, files[p].name);
            if (!f[p].path)
                return gnt_fail(err, "%s: out of memory", folder);
        } else if (p != GNT_PART_PUBLIC)
            return gnt_fail(err, "%s/%s: is missing; train_32x32.mat and test_32x32.mat are needed", folder,
                            files[p].name);
    }
    return 0;
}

static void shape(gnt_data *d) {
    data_shape_image(d, CHANNELS, SIDE, SIDE, 10);
    d->class_name = data_digit_names;
    data_add_attr(d, "even", 2, data_even_names);
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    svhn_file f[3] = {{0}};
    int64_t part[3], row = 0;
    int rc = -1;
    if (find_files(f, folder, err))
        goto cleanup;
    for (int p = 0; p < 3; p++)
        if (f[p].path &&
            (read_file(&f[p], p, err) || data_note(notes, f[p].path, p, f[p].rows, files[p].official, err)))
            goto cleanup;
    for (int p = 0; p < 3; p++)
        part[p] = f[p].rows;
    if (data_reserve(d, part, err))
        goto cleanup;
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < f[p].rows; i++, row++) {
            d->label[row] = f[p].y[i] % 10;
            d->attrs[row] = d->label[row] % 2 == 0;
            copy_image(d->pixels + row * CELLS, f[p].x + i * CELLS);
        }
    rc = 0;
cleanup:
    for (int p = 0; p < 3; p++) {
        gnt_free(f[p].path);
        gnt_free(f[p].x);
        gnt_free(f[p].y);
    }
    return rc;
}

const data_source data_svhn = {
    .name = "svhn",
    .about = "SVHN cropped digits, MATLAB files",
    .rows = {73257, 26032, 531131},
    .shape = shape,
    .load = load,
    .folders = (const char *const[]){"svhn", "SVHN", ".", NULL},
    .files = (const char *const[]){"train_32x32.mat", "test_32x32.mat", "extra_32x32.mat", NULL}};
