#include "finished/pictures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "nn/io/safetensors.h"

enum { MOST_FILE = 64 << 20 };
/* Private and recovered images are each rounded to 1/255: so far may the root of the MSE be off. */
static const double rounding = 1.0 / 255 + 1e-6;

/* Returns [k, C, H, W] bytes with a row for each of at most n targets; NULL: there is no such tensor. */
static const gnt_st_tensor *find_images(const gnt_st *st, const char *name, size_t n) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    return t && t->type == GNT_ST_U8 && t->rank == 4 && t->dim[0] >= 1 && (size_t)t->dim[0] <= n ? t : NULL;
}

static double root_mse(const uint8_t *a, const uint8_t *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]) / (255.0 * 255.0);
    return sqrt(sum / (double)n);
}

static int compare(const gnt_st *st, const gnt_targets *targets, gnt_err *err) {
    const gnt_st_tensor *private = find_images(st, "private", targets->n),
                        *recovered = find_images(st, "recovered", targets->n);
    if (!private || !recovered || private->bytes != recovered->bytes || private->dim[0] != recovered->dim[0])
        return gnt_fail(err, "expected \"private\" and \"recovered\" images of its targets");
    const size_t k = (size_t) private->dim[0], n = private->bytes / k;
    for (size_t i = 0; i < k; i++) {
        const gnt_target *t = &targets->at[i];
        const double mse = t->score[GNT_MEASURE_MSE];
        if (t->missing || t->broken || !isfinite(mse) || n == 0)
            continue;
        const double shown =
            root_mse((const uint8_t *)private->data + i * n, (const uint8_t *)recovered->data + i * n, n);
        if (fabs(shown - sqrt(mse)) > rounding)
            return gnt_fail(err, "image %zu shows an MSE of %.4g, but targets[%zu].mse is %.4g", i,
                            shown * shown, i, mse);
    }
    return 0;
}

int gnt_picture_fits(const char *folder, size_t index, const gnt_outcome *cell, gnt_err *err) {
    gnt_st st;
    struct stat of;
    char name[64];
    if (!*cell->images)
        return 0;
    snprintf(name, sizeof name, "images/cell-%05zu.safetensors", index);
    if (strcmp(cell->images, name) != 0)
        return gnt_fail(err, "expected %s", name);
    char *path = gnt_format("%s/%s", folder, name);
    if (!path)
        return gnt_fail(err, "out of memory");
    gnt_st_init(&st);
    int rc = lstat(path, &of) == 0 && S_ISREG(of.st_mode) && of.st_size <= MOST_FILE
                 ? gnt_st_load(&st, path, err)
                 : gnt_fail(err, "expected a plain file of at most 64 MiB");
    gnt_free(path);
    if (rc == 0)
        rc = compare(&st, &cell->targets, err);
    gnt_st_free(&st);
    return rc;
}
