/* face_lists: the lists that CelebA and LFW are published with, as tables with a header line and tabs between
 * the fields. A row is on the line that it has in the published list. */
#ifndef GNT_DATA_FACE_LISTS_H
#define GNT_DATA_FACE_LISTS_H

#include "data/bytes.h"

/* CelebA (Liu et al. 2015): list_attr_celeba.txt as published, with a line that has the number of rows and
 * one that names the attributes, or as a CSV file with a header line. The table has the columns file, the
 * attributes by their names (1 or -1), with `partition` part (0 train, 1 validation, 2 test) and with
 * `identity` identity; both are paths, NULL where they are not wanted. */
int data_celeba_table(data_bytes *out, const char *attributes, const char *partition, const char *identity,
                      gnt_err *err);
/* LFW (Huang et al. 2007) with the scores of Kumar et al. 2009: lfw_attributes.txt. The table has the columns
 * file, person, imagenum, and the scores by their names. Pictures are in folders of persons, unless they are
 * `flat`: PERSON/PERSON_0001.jpg, with underscores for spaces. */
int data_lfw_table(data_bytes *out, const char *attributes, int flat, gnt_err *err);

#endif
