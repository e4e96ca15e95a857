/* source: what a data set consists of, and what its file takes from the others. Private to this room.
 *
 * `generate` and `load` are called with a gnt_data that `shape` has filled in. They call data_reserve
 * once they know how many rows each part has, then fill the rows. On failure they may leave anything
 * behind: gnt_data_open frees it. */
#ifndef GNT_DATA_SOURCE_H
#define GNT_DATA_SOURCE_H

#include "base/text.h"
#include "data/data.h"

/* What a loader found, for `gauntlet data check`. */
typedef struct data_file_note {
    char *path;
    int part;
    int64_t records, official; /* official: how many records the published file has */
} data_file_note;

enum { DATA_NOTES = 16 };

typedef struct data_notes {
    data_file_note file[DATA_NOTES];
    int n;
} data_notes;

int data_note(data_notes *notes, const char *path, int part, int64_t records, int64_t official, gnt_err *err);
void data_notes_free(data_notes *notes);

/* The content digest of another set that has the same files, names and numbers of records. */
typedef struct data_impostor {
    const char *name, *content;
} data_impostor;

typedef struct data_source {
    const char *name;
    /* One line for a list. */
    const char *about;
    /* Default parts of a generated set; else those of the published files. */
    int64_t rows[3];
    /* 1: `rows` are about what the published files make, since each makes as many as it does; what the loader
     * notes are groups, and these show whether all is there. */
    int rows_vary;
    /* Sets what all its rows have in common: sizes, classes, attributes, what a group is. */
    void (*shape)(gnt_data *d);
    /* One of the three. Built-in sets: draws one row from its own stream, or all rows. Sets of files: reads
     * all rows from the folder that has them. */
    void (*draw)(gnt_data *d, int64_t row, gnt_stream *s);
    int (*generate)(gnt_data *d, const gnt_data_spec *spec, gnt_err *err);
    int (*load)(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err);
    /* Becomes gnt_data's: distinguishes the sets of one file. */
    const void *variant;
    /* Where under --data the files may lie, ended by NULL. */
    const char *const *folders;
    /* Content digest of the published files, in hex; NULL: not known. */
    const char *content;
    /* Other sets that are published as files of these names, ended by one without a name; NULL: none. */
    const data_impostor *impostors;
    /* Any one of these says that the set is there, ended by NULL. */
    const char *const *files;
} data_source;

/* Opens a set as gnt_data_open does, and takes notes (NULL: none). */
int data_open_noted(gnt_data **out, const gnt_data_spec *spec, const char *folder, data_notes *notes,
                    gnt_err *err);

const data_source *data_find(const char *name);

void data_shape_image(gnt_data *d, int64_t channels, int64_t height, int64_t width, int32_t classes);
void data_shape_table(gnt_data *d, int64_t features, int32_t classes);
void data_add_attr(gnt_data *d, const char *name, int32_t values, const char *const *value_name);
int data_reserve(gnt_data *d, const int64_t part[3], gnt_err *err);

/* Returns what lies in the folder in a form that is not read, and what to do about it, as a sentence for this
 * set; NULL: no such file. The caller frees. */
char *data_other_form(const data_source *source, const char *folder);

/* Digests all of gnt_data but the names of classes and values. Groups count only where there are some. */
gnt_digest data_content_digest(const gnt_data *d);

/* The stream of one generated row: the same however many rows are drawn. */
typedef struct data_row_keys {
    gnt_key part[3];
} data_row_keys;
data_row_keys data_keys(const char *name, uint64_t seed);
gnt_stream data_row_stream(const data_row_keys *keys, int part, int64_t row_in_part);

/* "train", "test" and "public" */
extern const char *const data_part_names[3];
extern const char *const data_digit_names[10], *const data_even_names[2];

#endif
