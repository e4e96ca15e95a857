/* MNIST in IDX files (yann.lecun.com/exdb/mnist): big-endian magic 0x00000803 or 0x00000801, one 32-bit size
 * for each axis, then the bytes. */
#include <string.h>

#include "base/mem.h"
#include "data/bytes.h"
#include "data/source.h"

enum { SIDE = 28, CELLS = SIDE * SIDE, IMAGES_HEAD = 16, LABELS_HEAD = 8 };
enum { MAGIC_LABELS = 0x801, MAGIC_IMAGES = 0x803 };

typedef struct idx_pair {
    data_bytes images, labels;
    int64_t rows;
} idx_pair;

static uint32_t big_endian(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Checks a header and the size that it states; returns the number of records, or −1. */
static int64_t records_of(const data_bytes *b, uint32_t magic, size_t head, size_t record, int64_t official,
                          gnt_err *err) {
    if (b->size < head)
        return gnt_fail(err, "%s: offset %zu: the file ends inside its header; expected %zu bytes of it",
                        b->path, b->size, head);
    if (big_endian(b->at) != magic)
        return gnt_fail(err, "%s: offset 0: the magic number is 0x%08x; an IDX file of %s starts with 0x%08x",
                        b->path, big_endian(b->at), magic == MAGIC_IMAGES ? "images" : "labels", magic);
    for (size_t axis = 8; axis < head; axis += 4)
        if (big_endian(b->at + axis) != SIDE)
            return gnt_fail(err, "%s: offset %zu: the images are %u pixels %s; expected %d", b->path, axis,
                            big_endian(b->at + axis), axis == 8 ? "high" : "wide", SIDE);
    uint64_t promised = big_endian(b->at + 4), whole = (b->size - head) / record,
             rest = (b->size - head) % record;
    if (promised > (uint64_t)official)
        return gnt_fail(err, "%s: offset 4: the header promises %llu records; the published file has %lld",
                        b->path, (unsigned long long)promised, (long long)official);
    if (promised == 0)
        return gnt_fail(err, "%s: offset 4: the header promises no records; expected 1 to %lld", b->path,
                        (long long)official);
    if (whole < promised)
        return gnt_fail(
            err,
            "%s: offset %zu: the file ends here, in record %llu of the %llu that its header promises; "
            "expected %llu bytes; fetch it again",
            b->path, b->size, (unsigned long long)(whole + 1), (unsigned long long)promised,
            (unsigned long long)(head + promised * record));
    if (whole > promised || rest)
        return gnt_fail(
            err, "%s: offset %llu: %llu bytes after the %llu records that the header promises; expected none",
            b->path, (unsigned long long)(head + promised * record),
            (unsigned long long)(b->size - head - promised * record), (unsigned long long)promised);
    return (int64_t)promised;
}

/* Opens a file such as train-images-idx3-ubyte; Kaggle's copy has a dot in place of the second dash. */
static int open_one(data_bytes *b, const char *folder, const char *which, const char *what, const char *kind,
                    size_t most, gnt_err *err) {
    const int dotted = data_has("%s/%s-%s.%s-ubyte", folder, which, what, kind);
    char *name = gnt_format("%s-%s%s%s-ubyte", which, what, dotted ? "." : "-", kind);
    int rc = name ? data_bytes_open(b, folder, name, most, err) : gnt_fail(err, "%s: out of memory", which);
    gnt_free(name);
    return rc;
}

static int open_pair(idx_pair *p, const char *folder, const char *which, int part, int64_t official,
                     data_notes *notes, gnt_err *err) {
    if (open_one(&p->images, folder, which, "images", "idx3", IMAGES_HEAD + (size_t)official * CELLS, err) ||
        open_one(&p->labels, folder, which, "labels", "idx1", LABELS_HEAD + (size_t)official, err))
        return -1;
    int64_t n_images = records_of(&p->images, MAGIC_IMAGES, IMAGES_HEAD, CELLS, official, err);
    int64_t n_labels =
        n_images < 0 ? -1 : records_of(&p->labels, MAGIC_LABELS, LABELS_HEAD, 1, official, err);
    if (n_labels < 0)
        return -1;
    if (n_images != n_labels)
        return gnt_fail(err, "%s: offset 4: %lld labels for the %lld images of %s; expected as many",
                        p->labels.path, (long long)n_labels, (long long)n_images, p->images.path);
    for (int64_t i = 0; i < n_labels; i++)
        if (p->labels.at[LABELS_HEAD + i] > 9)
            return gnt_fail(err, "%s: offset %lld: label %d; expected 0 to 9", p->labels.path,
                            (long long)(LABELS_HEAD + i), p->labels.at[LABELS_HEAD + i]);
    p->rows = n_images;
    return data_note(notes, p->images.path, part, n_images, official, err) ||
                   data_note(notes, p->labels.path, part, n_labels, official, err)
               ? -1
               : 0;
}

static void shape(gnt_data *d) {
    data_shape_image(d, 1, SIDE, SIDE, 10);
    d->class_name = data_digit_names;
    data_add_attr(d, "even", 2, data_even_names);
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    static const char *const which[2] = {"train", "t10k"};
    static const int64_t official[2] = {60000, 10000};
    idx_pair pair[2];
    memset(pair, 0, sizeof pair);
    int rc = -1;
    for (int p = 0; p < 2; p++)
        if (open_pair(&pair[p], folder, which[p], p, official[p], notes, err))
            goto cleanup;
    int64_t part[3] = {pair[0].rows, pair[1].rows, 0}, row = 0;
    if (data_reserve(d, part, err))
        goto cleanup;
    for (int p = 0; p < 2; p++) {
        memcpy(d->pixels + row * CELLS, pair[p].images.at + IMAGES_HEAD, (size_t)part[p] * CELLS);
        for (int64_t i = 0; i < part[p]; i++, row++) {
            d->label[row] = pair[p].labels.at[LABELS_HEAD + i];
            d->attrs[row] = d->label[row] % 2 == 0;
        }
    }
    rc = 0;
cleanup:
    for (int p = 0; p < 2; p++) {
        data_bytes_free(&pair[p].images);
        data_bytes_free(&pair[p].labels);
    }
    return rc;
}

static const char *const files[] = {"train-images-idx3-ubyte",
                                    "train-images-idx3-ubyte.gz",
                                    "train-labels-idx1-ubyte",
                                    "train-labels-idx1-ubyte.gz",
                                    "t10k-images-idx3-ubyte",
                                    "t10k-images-idx3-ubyte.gz",
                                    "t10k-labels-idx1-ubyte",
                                    "t10k-labels-idx1-ubyte.gz",
                                    "train-images.idx3-ubyte",
                                    "train-labels.idx1-ubyte",
                                    "t10k-images.idx3-ubyte",
                                    "t10k-labels.idx1-ubyte",
                                    NULL};

static const data_impostor impostors[] = {
    {"Fashion-MNIST", "86658d074fd1e05db41b15427f3686be4383b0f37706632e4ba8e43b96628e0e"}, {NULL, NULL}};

const data_source data_mnist = {.name = "mnist",
                                .about = "MNIST, IDX files, plain or .gz",
                                .rows = {60000, 10000, 0},
                                .shape = shape,
                                .load = load,
                                .content = "a7a5849f0433d49534487b0c8dffbfc2139bfb91e7a158348d13d89b22725859",
                                .impostors = impostors,
                                .folders = (const char *const[]){"mnist", "MNIST/raw", ".", NULL},
                                .files = files};
