/* content_check: compares the content of a set of files with what was published, and its parts with each
 * other. Private to this room. */
#ifndef GNT_DATA_CONTENT_CHECK_H
#define GNT_DATA_CONTENT_CHECK_H

#include "data/source.h"

typedef struct data_content {
    /* 1: complete, and its content is known to be another than the published one. */
    int differs;
    /* The set that it is instead; NULL: not known. */
    const char *other;
    /* Test rows that equal a train row, label included; -1: not counted. */
    int64_t repeated;
} data_content;

/* Checks a set's content. complete: the set has as many records as were published. */
data_content data_check_content(const gnt_data *d, const data_source *source, int complete);
/* True if the content is another than the published one, or every test row is a train row. */
int data_is_unsound(const gnt_data *d, const data_content *c);

#endif
