#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields_impl.h"

const char gnt_no_text[1] = "";

static const gnt_field real_rows[] = {{GNT_FIELD(gnt_named_real, value, REAL), .nullable = 1}};
const gnt_fields gnt_named_real_fields = {
    .field = real_rows, .n = 1, .size = sizeof(gnt_named_real), .form = GNT_FIELDS_BARE, .open = 1};
static const gnt_field text_rows[] = {{GNT_FIELD(gnt_named_text, text, TEXT)}};
const gnt_fields gnt_named_text_fields = {
    .field = text_rows, .n = 1, .size = sizeof(gnt_named_text), .form = GNT_FIELDS_BARE, .open = 1};

static const void *pointer_at(const void *at) {
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

void gnt_field_clear(const gnt_field *f, void *member, int as_none) {
    static const size_t size[] = {[GNT_FIELD_INT] = sizeof(int64_t),
                                  [GNT_FIELD_REAL] = sizeof(double),
                                  [GNT_FIELD_FLAG] = sizeof(int),
                                  [GNT_FIELD_TEXT] = sizeof(char *),
                                  [GNT_FIELD_KEY] = 32,
                                  [GNT_FIELD_WORD] = sizeof(uint32_t),
                                  [GNT_FIELD_BITS] = sizeof(uint32_t),
                                  [GNT_FIELD_INTS] = sizeof(gnt_ints),
                                  [GNT_FIELD_REALS] = sizeof(gnt_reals),
                                  [GNT_FIELD_TEXTS] = sizeof(gnt_texts),
                                  [GNT_FIELD_GROUP] = sizeof(void *),
                                  [GNT_FIELD_LIST] = sizeof(gnt_texts),
                                  [GNT_FIELD_MAP] = sizeof(gnt_texts),
                                  [GNT_FIELD_JSON] = sizeof(char *)};
    if (f->type == GNT_FIELD_GROUP && !gnt_field_is_pointer(f)) {
        gnt_fields_clear(f->group, member);
        return;
    }
    memset(member, 0, size[f->type]);
    if (as_none && f->type == GNT_FIELD_REAL)
        *(double *)member = NAN;
    if (as_none && f->type == GNT_FIELD_INT && f->nullable)
        *(int64_t *)member = -1;
    if (as_none && f->type == GNT_FIELD_FLAG && f->late)
        *(int *)member = -1;
    if (as_none && f->type == GNT_FIELD_TEXT)
        *(const char **)member = gnt_no_text;
}

int gnt_field_is_set(const gnt_field *f, const void *member) {
    switch (f->type) {
    case GNT_FIELD_REAL:
        return !f->nullable || isfinite(*(const double *)member);
    case GNT_FIELD_INT:
        return !f->nullable || *(const int64_t *)member != -1;
    case GNT_FIELD_TEXT:
        return pointer_at(member) && pointer_at(member) != gnt_no_text;
    case GNT_FIELD_GROUP:
        if (gnt_field_is_pointer(f))
            return pointer_at(member) != NULL;
        return !f->nullable ||
               gnt_field_is_set(&f->group->field[0], (const char *)member + f->group->field[0].offset);
    case GNT_FIELD_INTS:
    case GNT_FIELD_REALS:
    case GNT_FIELD_TEXTS:
    case GNT_FIELD_LIST:
    case GNT_FIELD_MAP:
    case GNT_FIELD_JSON:
        return pointer_at(member) != NULL;
    default:
        return 1;
    }
}

void gnt_fields_clear(const gnt_fields *fields, void *of) {
    if (fields->blank)
        memcpy(of, fields->blank, fields->size);
    else
        memset(of, 0, fields->size);
    for (size_t i = 0; i < fields->n; i++)
        gnt_field_clear(&fields->field[i], (char *)of + fields->field[i].offset, fields->open);
}

const gnt_field *gnt_field_at(const gnt_fields *fields, size_t offset) {
    for (size_t i = 0; i < fields->n; i++)
        if (fields->field[i].offset == offset && !fields->field[i].old)
            return &fields->field[i];
    return NULL;
}

const char *gnt_fields_name(const gnt_fields *fields, size_t member) {
    return gnt_field_at(fields, member)->name;
}

/* Returns the index of the field whose member is at `member`. */
static size_t index_of(const gnt_fields *fields, const void *of, const void *member) {
    const size_t offset = (size_t)((const char *)member - (const char *)of);
    size_t i = 0;
    while (i < fields->n && fields->field[i].offset != offset)
        i++;
    return i;
}

void gnt_fields_mark(const gnt_fields *fields, void *of, const void *member) {
    uint64_t *there = (uint64_t *)((char *)of + fields->there - 1);
    *there |= (uint64_t)1 << index_of(fields, of, member);
}

int gnt_fields_has(const gnt_fields *fields, const void *of, const void *member) {
    const uint64_t *there = (const uint64_t *)((const char *)of + fields->there - 1);
    return *there >> index_of(fields, of, member) & 1;
}

/* ---- rounding ---- */

static void round_real(double *x) {
    char text[40];
    if (!isfinite(*x))
        return;
    snprintf(text, sizeof text, "%.9g", *x);
    *x = strtod(text, NULL);
}

static void round_list(const gnt_field *f, void *list) {
    char *at = (char *)(uintptr_t)pointer_at(list);
    size_t n;
    memcpy(&n, (const char *)list + sizeof at, sizeof n);
    for (size_t i = 0; at && i < n; i++)
        if (f->type == GNT_FIELD_REALS)
            round_real((double *)at + i);
        else
            gnt_fields_round(f->group, at + i * f->group->size);
}

void gnt_fields_round(const gnt_fields *fields, void *of) {
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        void *member = (char *)of + f->offset;
        if (f->type == GNT_FIELD_REAL)
            round_real(member);
        else if (f->type == GNT_FIELD_REALS || f->type == GNT_FIELD_LIST || f->type == GNT_FIELD_MAP)
            round_list(f, member);
        else if (f->type == GNT_FIELD_GROUP && gnt_field_is_set(f, member))
            gnt_fields_round(f->group,
                             gnt_field_is_pointer(f) ? (void *)(uintptr_t)pointer_at(member) : member);
    }
}

double gnt_fields_real(const gnt_fields *fields, const void *of, const char *name) {
    for (size_t i = 0; i < fields->n; i++)
        if (fields->field[i].type == GNT_FIELD_REAL && !strcmp(fields->field[i].name, name))
            return *(const double *)((const char *)of + fields->field[i].offset);
    return NAN;
}
