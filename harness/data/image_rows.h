/* image_rows: the rows of a described set of image files, before its pictures are read: which file, and what
 * the folder or the list says of it. */
#ifndef GNT_DATA_IMAGE_ROWS_H
#define GNT_DATA_IMAGE_ROWS_H

#include "data/bitmap.h"
#include "data/csv.h"
#include "data/data.h"

typedef struct data_image_row {
    /* Paths from the folder of pictures; no map and mask: of no bytes. */
    data_field file, map, mask;
    data_field group; /* as the list has it; at NULL where rows have none */
    data_box box;     /* to be cut out first; 0 wide: none */
    int32_t part;     /* GNT_PART_TRAIN …; −1: the row is not used */
    int32_t label, attr[GNT_DATA_ATTRS], group_number;
    int32_t list, line; /* where it is written: number of the list, and line from 1; line 0: in no list */
} data_image_row;

typedef struct data_image_rows {
    data_image_row *at;
    size_t n;
    /* What the fields of rows point into: the lists, and texts that were made. */
    data_bytes list[3];
    char **text;
    size_t n_texts;
} data_image_rows;

/* Adds a row of zeros; NULL when out of memory. It is valid until the next one is added. */
data_image_row *data_image_rows_add(data_image_rows *rows, const char *name, gnt_err *err);
/* Keeps a text, which it takes, until the rows are freed. NULL stands for a text that could not be made. */
int data_image_rows_keep(data_image_rows *rows, char *text, const char *name, gnt_err *err);
void data_image_rows_free(data_image_rows *rows);

/* Numbers the groups: by the whole numbers that the list has, or, where one of them is none, by the order of
 * the texts' bytes, from 0. */
int data_image_rows_number(data_image_rows *rows, const char *name, gnt_err *err);
/* Deals rows to parts so that about these shares of them are test and public rows. What a row's group is
 * called, or its file where there is no group, decides alone. */
void data_image_rows_split(data_image_rows *rows, double test, double public);

#endif
