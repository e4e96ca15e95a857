#include "data/data.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/source.h"

static const char *const mnist_folders[] = {"mnist", "MNIST/raw", ".", NULL};
static const char *const mnist_files[] = {
    "train-images-idx3-ubyte",    "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte",
    "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte",     "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte",     "t10k-labels-idx1-ubyte.gz",  NULL};
static const char *const cifar10_folders[] = {"cifar10", "cifar10/cifar-10-batches-bin",
                                              "cifar-10-batches-bin", ".", NULL};
static const char *const cifar10_files[] = {"data_batch_1.bin",
                                            "data_batch_2.bin",
                                            "data_batch_3.bin",
                                            "data_batch_4.bin",
                                            "data_batch_5.bin",
                                            "test_batch.bin",
                                            NULL};
static const char *const cifar100_folders[] = {"cifar100", "cifar100/cifar-100-binary", "cifar-100-binary",
                                               ".", NULL};
static const char *const cifar100_files[] = {"train.bin", "test.bin", NULL};
static const char *const svhn_folders[] = {"svhn", "SVHN", ".", NULL};
static const char *const svhn_files[] = {"train_32x32.mat", "test_32x32.mat", "extra_32x32.mat", NULL};
static const char *const adult_folders[] = {"adult", ".", NULL};
static const char *const adult_files[] = {"adult.data", "adult.test", NULL};

static const data_source sources[] = {
    {"glyphs", "drawn digits, 28x28 grey, built in", {6000, 1000, 1000}, data_make_glyphs, NULL, NULL, NULL},
    {"scenes",
     "drawn landscapes, 32x32 colour, built in",
     {4000, 1000, 2000},
     data_make_scenes,
     NULL,
     NULL,
     NULL},
    {"census",
     "a table shaped like Adult, built in",
     {12000, 3000, 3000},
     data_make_census,
     NULL,
     NULL,
     NULL},
    {"mnist",
     "MNIST, IDX files, plain or .gz",
     {60000, 10000, 0},
     NULL,
     data_load_mnist,
     mnist_folders,
     mnist_files},
    {"cifar10",
     "CIFAR-10, binary version",
     {50000, 10000, 0},
     NULL,
     data_load_cifar10,
     cifar10_folders,
     cifar10_files},
    {"cifar100",
     "CIFAR-100, binary version",
     {50000, 10000, 0},
     NULL,
     data_load_cifar100,
     cifar100_folders,
     cifar100_files},
    {"svhn",
     "SVHN cropped digits, MATLAB files",
     {73257, 26032, 531131},
     NULL,
     data_load_svhn,
     svhn_folders,
     svhn_files},
    {"adult",
     "UCI Adult, adult.data and adult.test",
     {32561, 16281, 0},
     NULL,
     data_load_adult,
     adult_folders,
     adult_files},
};
enum { SOURCES = sizeof sources / sizeof sources[0] };
static const char *const names[SOURCES] = {"glyphs",  "scenes",   "census", "mnist",
                                           "cifar10", "cifar100", "svhn",   "adult"};

const char *const *gnt_data_names(size_t *n) {
    *n = SOURCES;
    return names;
}

const data_source *data_find(const char *name) {
    for (int i = 0; name && i < SOURCES; i++)
        if (!strcmp(sources[i].name, name))
            return &sources[i];
    return NULL;
}

int gnt_data_is_builtin(const char *name) {
    const data_source *source = data_find(name);
    return source && source->generate;
}

const char *gnt_data_about(const char *name) {
    const data_source *source = data_find(name);
    return source ? source->what : NULL;
}

char *data_folder_of(const data_source *source, const char *folder) {
    for (const char *const *under = source->folders; *under; under++)
        for (const char *const *file = source->files; *file; file++) {
            int here = !strcmp(*under, ".");
            char *path = gnt_format("%s%s%s/%s", folder, here ? "" : "/", here ? "" : *under, *file);
            int found = path && gnt_file_exists(path);
            gnt_free(path);
            if (found)
                return here ? gnt_strdup(folder) : gnt_format("%s/%s", folder, *under);
        }
    return NULL;
}

int gnt_data_present(const char *name, const char *folder) {
    const data_source *source = data_find(name);
    if (!source || source->generate || !folder)
        return source && source->generate;
    char *found = data_folder_of(source, folder);
    gnt_free(found);
    return found != NULL;
}

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
    size_t rows = (size_t)d->rows, cell = d->kind == GNT_DATA_TABULAR ? sizeof(float) : 1;
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
    if ((!d->table && !d->pixels) || !d->label || !d->attrs)
        return gnt_fail(err, "%s: out of memory for %zu rows of %lld features", d->name, rows,
                        (long long)d->features);
    return 0;
}

data_row_keys data_keys(const char *name, uint64_t seed) {
    static const char *const part_name[3] = {"train", "test", "public"};
    gnt_key of_seed = gnt_key_of_seed(seed), of_set = gnt_key_derive(&of_seed, name);
    data_row_keys keys;
    for (int p = 0; p < 3; p++)
        keys.part[p] = gnt_key_derive(&of_set, part_name[p]);
    return keys;
}

gnt_stream data_row_stream(const data_row_keys *keys, int part, int64_t row_in_part) {
    char name[32];
    snprintf(name, sizeof name, "row %lld", (long long)row_in_part);
    return gnt_stream_open(&keys->part[part], name);
}

/* Numbers go in little-endian, so that the digest of a set is the same on every machine. */
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

static gnt_digest content_digest(const gnt_data *d) {
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
    return gnt_hasher_end(&h);
}

int gnt_data_default_rows(const char *name, int64_t rows[3]) {
    const data_source *source = data_find(name);
    if (source)
        memcpy(rows, source->rows, sizeof source->rows);
    return source ? 0 : -1;
}

/* 0 in the spec asks for the default number of rows. */
static int generate(gnt_data *d, const data_source *source, const gnt_data_spec *spec, gnt_err *err) {
    gnt_data_spec full = *spec;
    for (int p = 0; p < 3; p++) {
        if (spec->rows[p] < 0)
            return gnt_fail(err, "%s: %lld rows asked for; give 0 (the default) or more", spec->name,
                            (long long)spec->rows[p]);
        if (full.rows[p] == 0)
            full.rows[p] = source->rows[p];
    }
    return source->generate(d, &full, err);
}

int data_open_noted(gnt_data **out, const gnt_data_spec *spec, const char *folder, data_notes *notes,
                    gnt_err *err) {
    const data_source *source = data_find(spec->name);
    const char *word = spec->name ? spec->name : "";
    *out = NULL;
    if (!source) {
        const char *near = gnt_nearest(word, names, SOURCES);
        return gnt_fail(err, "no data set is called \"%s\"%s%s%s; `gauntlet data list` shows them all", word,
                        near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "");
    }
    gnt_data *d = gnt_alloc(sizeof *d);
    if (!d)
        return gnt_fail(err, "%s: out of memory", source->name);
    snprintf(d->name, sizeof d->name, "%s", source->name);
    int rc;
    char *found = NULL;
    if (source->generate)
        rc = generate(d, source, spec, err);
    else if (!folder || !*folder)
        rc = gnt_fail(err, "%s is read from files: name their folder with --data DIR or GAUNTLET_DATA",
                      source->name);
    else if (!(found = data_folder_of(source, folder)))
        rc = gnt_fail(err, "%s: no file of this set in %s/%s or in %s itself; expected %s, among others",
                      source->name, folder, source->folders[0], folder, source->files[0]);
    else
        rc = source->load(d, found, notes, err);
    gnt_free(found);
    if (rc != 0) {
        gnt_data_free(d);
        return -1;
    }
    d->digest = content_digest(d);
    *out = d;
    return 0;
}

int gnt_data_open(gnt_data **out, const gnt_data_spec *spec, const char *folder, gnt_err *err) {
    return data_open_noted(out, spec, folder, NULL, err);
}

void gnt_data_free(gnt_data *d) {
    if (!d)
        return;
    gnt_free(d->pixels);
    gnt_free(d->table);
    gnt_free(d->label);
    gnt_free(d->attrs);
    gnt_free(d);
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
