/* described: a data set of one's own. A description, a JSON file, says what its files hold: arrays
 * (described_arrays.c), tables as text (described_table.c) or pictures (described_images.c).
 * docs/own-data.md has its keys. */
#ifndef GNT_DATA_DESCRIBED_H
#define GNT_DATA_DESCRIBED_H

#include "data/description.h"

/* True if the description `name` is in the folder of data files. */
int data_described_present(const char *name, const char *folder);
int data_described_open(gnt_data **out, const char *name, const char *folder, gnt_err *err);

/* Fill in a set whose kind the description gave; of a set of arrays, also its classes, attributes and
 * groups. */
int data_described_arrays(const data_description *of, gnt_data *d, gnt_err *err);
int data_described_table(const data_description *of, gnt_data *d, gnt_err *err);
int data_described_images(const data_description *of, gnt_data *d, gnt_err *err);

#endif
