/* What the files of fields share. */
#ifndef GNT_BASE_FIELDS_IMPL_H
#define GNT_BASE_FIELDS_IMPL_H

#include "base/fields.h"

/* 1 when the member is a pointer to a struct, 0 when it is the struct. */
static inline int gnt_field_is_pointer(const gnt_field *f) {
    return f->type == GNT_FIELD_GROUP && f->optional && !f->inside;
}

/* Sets a field to no value; as_none 0: to zeros, as closed tables leave what is missing. */
void gnt_field_clear(const gnt_field *f, void *member, int as_none);
/* 1 when a field has a value: 0 is null or, where it may be missing, nothing. */
int gnt_field_is_set(const gnt_field *f, const void *member);
/* 1 when the member is no part of the encoded object. */
int gnt_field_is_missing(const gnt_fields *fields, const gnt_field *f, const void *of);
/* The JSON of one member. */
json_t *gnt_field_encode(const gnt_field *f, const void *member);

#endif
