/* image_list: a described set of image files that a list names: a CSV file, or the lists of CelebA or LFW
 * (face_lists.h). */
#ifndef GNT_DATA_IMAGE_LIST_H
#define GNT_DATA_IMAGE_LIST_H

#include "data/description.h"
#include "data/image_rows.h"

/* Adds the rows of the lists, and sets the classes, attributes and groups of the set. */
int data_image_list(const data_description *of, data_image_rows *rows, gnt_data *d, gnt_err *err);

#endif
