/* request_fields: the kinds of job by name, each with the table of its fields. Private to the room, and used
 * by tests. */
#ifndef GNT_REQUEST_REQUEST_FIELDS_H
#define GNT_REQUEST_REQUEST_FIELDS_H

#include "request/request.h"

typedef struct gnt_request_kind {
    const char *name;
    /* Fields of the member of gnt_request's union. */
    const gnt_fields *fields;
} gnt_request_kind;

extern const gnt_request_kind gnt_request_kinds[GNT_JOB_KINDS];

#endif
