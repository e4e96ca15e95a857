/* described: a data set of one's own. A description, a JSON file, says what its files hold: arrays
 * (described_arrays.c) or tables as text (described_table.c). docs/data.md has its keys. */
#ifndef GNT_DATA_DESCRIBED_H
#define GNT_DATA_DESCRIBED_H

#include "base/json.h"
#include "data/data.h"

/* A description that was read. The named lists are borrowed from the document. */
typedef struct data_description {
    gnt_doc doc;
    char *folder;          /* of the description; paths in it begin there */
    const json_t *part[3]; /* "train", "test", "public" of "parts"; NULL: there is none */
    const json_t *attributes, *columns;
    int layout; /* of images: DATA_NCHW … */
} data_description;

enum { DATA_NCHW, DATA_NHWC, DATA_NHW };

/* True if the description `name` is in the folder of data files. */
int data_described_present(const char *name, const char *folder);
int data_described_open(gnt_data **out, const char *name, const char *folder, gnt_err *err);

/* Returns the path of a file that the description names; NULL after a sentence. The caller frees it. */
char *data_described_file(const data_description *of, const char *path, const json_t *value, gnt_err *err);
/* Reads the number of values of `key`, or the list of their names, which outlives the data. */
int data_described_values(const data_description *of, const char *path, const json_t *object, const char *key,
                          int32_t *n, const char *const **names, gnt_err *err);
/* Adds the attribute called `name`. */
int data_described_attribute(const data_description *of, const char *path, const char *name, int32_t values,
                             const char *const *names, gnt_data *d, gnt_err *err);

/* Fill in a set whose kind the description gave; of a set of arrays, also its classes, attributes and
 * groups. */
int data_described_arrays(const data_description *of, gnt_data *d, gnt_err *err);
int data_described_table(const data_description *of, gnt_data *d, gnt_err *err);

#endif
