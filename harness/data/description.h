/* description: what the readers of a described set have in common: its document, and the files, values and
 * attributes that it names. */
#ifndef GNT_DATA_DESCRIPTION_H
#define GNT_DATA_DESCRIPTION_H

#include "base/json.h"
#include "data/data.h"

enum { DATA_MOST_PATH = 255 };

/* A description that was read. What it names is borrowed from the document. */
typedef struct data_description {
    gnt_doc doc;
    char *folder;          /* of the description; paths in it begin there */
    const json_t *part[3]; /* "train", "test", "public" of "parts"; NULL: there is none */
    const json_t *attributes, *columns, *images;
    int layout; /* of images in arrays: DATA_NCHW … */
} data_description;

enum { DATA_NCHW, DATA_NHWC, DATA_NHW };

/* True if a path stays below the folder that it begins in. */
int data_stays_below(const char *path);

/* Returns the path of a file or folder that the description names; NULL after a sentence. The caller frees
 * it. */
char *data_described_file(const data_description *of, const char *path, const json_t *value, gnt_err *err);
/* Reads the number of values of `key`, or the list of their names, which outlives the data. */
int data_described_values(const data_description *of, const char *path, const json_t *object, const char *key,
                          int32_t *n, const char *const **names, gnt_err *err);
/* Adds the attribute called `name`. */
int data_described_attribute(const data_description *of, const char *path, const char *name, int32_t values,
                             const char *const *names, gnt_data *d, gnt_err *err);

#endif
