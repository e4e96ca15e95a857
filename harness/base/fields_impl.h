/* What the files of fields share. */
#ifndef GNT_BASE_FIELDS_IMPL_H
#define GNT_BASE_FIELDS_IMPL_H

#include "base/fields.h"

/* True if the member is a pointer to a struct, false if it is the struct itself. */
static inline int gnt_field_is_pointer(const gnt_field *f) {
    return f->type == GNT_FIELD_GROUP && f->optional && !f->inside;
}

/* Returns the field whose member is at an offset, of two the one that is not `old`; NULL for none. */
const gnt_field *gnt_field_at(const gnt_fields *fields, size_t offset);
/* Sets a field to no value; as_none 0: to zeros, as closed tables leave what is missing. */
void gnt_field_clear(const gnt_field *f, void *member, int as_none);
/* True if a field has a value: 0 means null or, if the field may be missing, absent. */
int gnt_field_is_set(const gnt_field *f, const void *member);
/* True if the member is left out of the encoded object. */
int gnt_field_is_missing(const gnt_fields *fields, const gnt_field *f, const void *of);
/* Returns the JSON of one member. */
json_t *gnt_field_encode(const gnt_field *f, const void *member);

#endif
