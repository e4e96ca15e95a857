/* draft: a description of what a folder holds, being made: its keys, and what the files do not say. */
#ifndef GNT_DATA_DRAFT_H
#define GNT_DATA_DRAFT_H

#include <jansson.h>

#include "base/text.h"
#include "data/csv.h"
#include "data/folder_names.h"

typedef struct data_draft {
    const char *folder;
    data_names in;  /* what is in the folder */
    json_t *all;    /* the description */
    gnt_text notes; /* lines, each a sentence for the user */
} data_draft;

/* What the recognisers below return: 1 where they made the description, 0 where the folder holds something
 * else, −1 on error. */
int data_draft_faces(data_draft *draft, gnt_err *err);
int data_draft_arrays(data_draft *draft, gnt_err *err);
int data_draft_table(data_draft *draft, gnt_err *err);
int data_draft_folders(data_draft *draft, gnt_err *err);

/* ---- what they have in common ---- */

void data_draft_note(data_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a key to the description, of which it takes the value. */
void data_draft_set(data_draft *draft, const char *key, json_t *value);
/* True if the folder has this name in it. */
int data_draft_has(const data_draft *draft, const char *name);
/* Returns the name in the folder that is one of `stems`, up to NULL, before one of the endings ".a .b"; NULL:
 * there is none. */
const char *data_draft_find(const data_draft *draft, const char *const *stems, const char *const *endings);
/* Returns the folder, "." or one at most two below it, that the path `file` begins in; NULL: nowhere. The
 * caller frees it. */
char *data_draft_place(const data_draft *draft, const char *file);
/* Adds "images" for pictures that lie in `place`, looking at n of them. */
int data_draft_images(data_draft *draft, const char *place, const char *const *file, size_t n, gnt_err *err);
/* Adds "split", and a note of it. */
void data_draft_split(data_draft *draft, const char *by);
/* True if a column of this name says who or what a row is of. */
int data_draft_is_group(const char *name);
/* True if it is of a property of people that is private in many data sets. */
int data_draft_is_private(const char *name);

#endif
