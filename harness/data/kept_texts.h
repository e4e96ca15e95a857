/* kept_texts: names that outlive the data sets that gave them. Names of classes, values and groups are
 * constants of built-in sets, and are borrowed as such everywhere; those of described sets are kept until
 * the process ends, each list once. One thread. */
#ifndef GNT_DATA_KEPT_TEXTS_H
#define GNT_DATA_KEPT_TEXTS_H

#include <stddef.h>

/* Returns a copy of n texts; NULL when out of memory. */
const char *const *data_keep_texts(const char *const *text, size_t n);
const char *data_keep_text(const char *text);

#endif
