/* CIFAR-10 and CIFAR-100, binary version (cs.toronto.edu/~kriz/cifar.html): records without a header, one
 * label byte (CIFAR-100: coarse, then fine) and 3072 bytes, red plane first, rows from the top. The count is
 * the file's size over the record's. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/bytes.h"
#include "data/source.h"

enum { SIDE = 32, CELLS = 3 * SIDE * SIDE, MOST_FILES = 6 };

static const char *const classes_10[10] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                           "dog",      "frog",       "horse", "ship", "truck"};
static const char *const animal_names[2] = {"vehicle", "animal"};

typedef struct cifar_file {
    const char *name;
    int part;
    int64_t official;
} cifar_file;

/* One of the two sets: its files (the first of the training part, the last of the test part), and the label
 * bytes of a record with the number of their values. */
typedef struct cifar_set {
    cifar_file file[MOST_FILES];
    int n, labels, values[2];
} cifar_set;

static const cifar_set set_10 = {{{"data_batch_1.bin", GNT_PART_TRAIN, 10000},
                                  {"data_batch_2.bin", GNT_PART_TRAIN, 10000},
                                  {"data_batch_3.bin", GNT_PART_TRAIN, 10000},
                                  {"data_batch_4.bin", GNT_PART_TRAIN, 10000},
                                  {"data_batch_5.bin", GNT_PART_TRAIN, 10000},
                                  {"test_batch.bin", GNT_PART_TEST, 10000}},
                                 6,
                                 1,
                                 {10}};
static const cifar_set set_100 = {
    {{"train.bin", GNT_PART_TRAIN, 50000}, {"test.bin", GNT_PART_TEST, 10000}}, 2, 2, {20, 100}};

static int is_animal(int label) {
    return label >= 2 && label <= 7;
}

static int64_t records_of(const data_bytes *b, const cifar_set *set, gnt_err *err) {
    const size_t record = (size_t)(set->labels + CELLS), n = b->size / record;
    if (b->size % record)
        return gnt_fail(
            err,
            "%s: offset %zu: the file ends inside record %zu; expected a multiple of %zu bytes (%d label "
            "and %d pixel bytes); fetch it again",
            b->path, b->size, n + 1, record, set->labels, CELLS);
    if (!n)
        return gnt_fail(err, "%s: offset 0: the file is empty; expected records of %zu bytes", b->path,
                        record);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < set->labels; k++)
            if (b->at[i * record + (size_t)k] >= set->values[k])
                return gnt_fail(err, "%s: offset %zu: record %zu has label %d; expected 0 to %d", b->path,
                                i * record + (size_t)k, i + 1, b->at[i * record + (size_t)k],
                                set->values[k] - 1);
    return (int64_t)n;
}

/* Opens every file of the list that is there; one of each part has to be. */
static int open_all(data_bytes *b, int64_t *rows, const char *folder, const cifar_set *set, data_notes *notes,
                    gnt_err *err) {
    const cifar_file *file = set->file;
    int64_t part_rows[2] = {0, 0};
    for (int i = 0; i < set->n; i++) {
        if (!data_has("%s/%s", folder, file[i].name))
            continue;
        if (data_bytes_open(&b[i], folder, file[i].name,
                            (size_t)file[i].official * (size_t)(set->labels + CELLS), err))
            return -1;
        rows[i] = records_of(&b[i], set, err);
        if (rows[i] < 0 || data_note(notes, b[i].path, file[i].part, rows[i], file[i].official, err))
            return -1;
        part_rows[file[i].part] += rows[i];
    }
    for (int p = 0; p < 2; p++)
        if (!part_rows[p])
            return gnt_fail(err, "%s/%s: is missing; a %s file is needed", folder,
                            p ? file[set->n - 1].name : file[0].name, p ? "test" : "training");
    return 0;
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    const cifar_set *set = d->variant;
    data_bytes b[MOST_FILES];
    int64_t rows[MOST_FILES] = {0}, part[3] = {0, 0, 0}, row = 0;
    memset(b, 0, sizeof b);
    int rc = -1;
    if (open_all(b, rows, folder, set, notes, err))
        goto cleanup;
    for (int i = 0; i < set->n; i++)
        part[set->file[i].part] += rows[i];
    if (data_reserve(d, part, err))
        goto cleanup;
    for (int i = 0; i < set->n; i++)
        for (int64_t r = 0; r < rows[i]; r++, row++) {
            const uint8_t *record = b[i].at + r * (set->labels + CELLS);
            d->label[row] = record[set->labels - 1];
            d->attrs[row] = set->labels == 2 ? record[0] : is_animal(record[0]);
            memcpy(d->pixels + row * CELLS, record + set->labels, CELLS);
        }
    rc = 0;
cleanup:
    for (int i = 0; i < set->n; i++)
        data_bytes_free(&b[i]);
    return rc;
}

/* ---- CIFAR-10 ---- */

static void shape_10(gnt_data *d) {
    data_shape_image(d, 3, SIDE, SIDE, 10);
    d->class_name = classes_10;
    data_add_attr(d, "animal", 2, animal_names);
}

const data_source data_cifar10 = {
    .name = "cifar10",
    .about = "CIFAR-10, binary version",
    .rows = {50000, 10000, 0},
    .shape = shape_10,
    .load = load,
    .variant = &set_10,
    .folders =
        (const char *const[]){"cifar10", "cifar10/cifar-10-batches-bin", "cifar-10-batches-bin", ".", NULL},
    .files = (const char *const[]){"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                   "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin", NULL}};

/* ---- CIFAR-100 ---- */

static void shape_100(gnt_data *d) {
    data_shape_image(d, 3, SIDE, SIDE, 100);
    data_add_attr(d, "coarse", 20, NULL);
}

const data_source data_cifar100 = {
    .name = "cifar100",
    .about = "CIFAR-100, binary version",
    .rows = {50000, 10000, 0},
    .shape = shape_100,
    .load = load,
    .variant = &set_100,
    .folders = (const char *const[]){"cifar100", "cifar100/cifar-100-binary", "cifar-100-binary", ".", NULL},
    .files = (const char *const[]){"train.bin", "test.bin", NULL}};
