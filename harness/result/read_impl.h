/* What the readers of results.json share. Private to this room. */
#ifndef GNT_RESULT_READ_IMPL_H
#define GNT_RESULT_READ_IMPL_H

#include <jansson.h>

#include "base/fields.h"

/* A long list of a file's text: its field, and where it is, from its opening bracket to after its closing
 * one. */
typedef struct result_list {
    const gnt_field *field;
    size_t first, end;
} result_list;

/* Finds the lists of the n fields among the members of the object that the text is, in its order. Sets
 * *n_found and returns 0, or −1 where the text is no object that can be walked. It is no check of the
 * text. */
int result_find_lists(result_list *found, size_t *n_found, const gnt_field *const *field, size_t n,
                      const char *text, size_t size);

/* Calls `take` with the JSON value of each entry of a list and its index, of one at a time. Returns −1 if
 * an entry cannot be parsed or `take` fails, and otherwise 0. */
int result_each_entry(const result_list *list, const char *text,
                      int (*take)(void *user, size_t i, const json_t *entry), void *user);

/* Returns the number of entries of a list. */
size_t result_count_entries(const result_list *list, const char *text);

#endif
