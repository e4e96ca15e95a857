/* image_form: how the pictures of a described set become samples: the object "images" of its description. */
#ifndef GNT_DATA_IMAGE_FORM_H
#define GNT_DATA_IMAGE_FORM_H

#include "data/description.h"
#include "data/image_rows.h"

enum { DATA_WHOLE_PICTURE, DATA_CENTRE_SQUARE, DATA_BOX_OF_ALL };

typedef struct data_image_form {
    char *folder; /* that paths of pictures begin in */
    int channels, crop, filter, resizes;
    data_box box;       /* of all pictures, with DATA_BOX_OF_ALL */
    int32_t high, wide; /* of a sample; unless it resizes, of the first picture, or 0 while none was loaded */
} data_image_form;

/* Reads the object; *form has to be freed even on failure. */
int data_image_form_read(data_image_form *form, const data_description *of, gnt_err *err);
void data_image_form_free(data_image_form *form);

/* Loads the picture of a row, so that the size of samples is known. */
int data_image_measure(data_image_form *form, const data_image_rows *rows, const data_image_row *row,
                       gnt_err *err);
/* Loads the picture of a row, and its map and mask where the set has them, into row `at` of the set. */
int data_image_put(data_image_form *form, const data_image_rows *rows, const data_image_row *row, gnt_data *d,
                   int64_t at, gnt_err *err);

#endif
