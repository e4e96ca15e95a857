/* image_folders: a described set of image files whose folders are its classes. */
#ifndef GNT_DATA_IMAGE_FOLDERS_H
#define GNT_DATA_IMAGE_FOLDERS_H

#include "data/description.h"
#include "data/image_rows.h"

/* Adds the pictures of the folders of classes: root/PART/CLASS for each part of the description, root/CLASS
 * where it has none. Classes are in their order, files in that of their names' bytes. */
int data_image_folders(const data_description *of, const char *root, data_image_rows *rows, gnt_data *d,
                       gnt_err *err);
/* True for names that end as those of PNG and JPEG files do. */
int data_is_image_name(const char *name);

#endif
