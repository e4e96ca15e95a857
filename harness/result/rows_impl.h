/* How the tables of results.json are written. Private to this room. */
#ifndef GNT_RESULT_ROWS_IMPL_H
#define GNT_RESULT_ROWS_IMPL_H

#include "base/fields.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* A row whose key is not the member's name. */
#define GNT_FIELD_AS(key, of, member, kind)                                                                  \
    .name = key, .type = GNT_FIELD_##kind, .offset = offsetof(of, member)

#define ANY_INT .least = INT64_MIN, .most = INT64_MAX

#define GNT_OPEN(of, rows)                                                                                   \
    { .field = rows, .n = COUNT(rows), .size = sizeof(of), .open = 1 }
#define GNT_OPEN_WITH_THERE(of, rows)                                                                        \
    { .field = rows, .n = COUNT(rows), .size = sizeof(of), .open = 1, .there = 1 + offsetof(of, there) }

#endif
