/* filled_fields: a struct that is described by a table of its fields (request/fields.h), filled by that
 * table. For tests that have included cmocka. */
#ifndef TESTS_FILLED_FIELDS_H
#define TESTS_FILLED_FIELDS_H

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/fields.h"

enum { FILLED_ENTRIES = 2 };

typedef struct filling {
    gnt_arena *memory;
    /* Fields that may be missing are there. */
    int optional;
    /* Makes every value another one. */
    int count;
} filling;

static inline int64_t an_int(const gnt_field *f, filling *x) {
    const int64_t most = f->least || f->most ? f->most : INT64_MAX, value = x->count++;
    return value >= f->least && value <= most ? value : f->least;
}

static inline double a_real(const gnt_field *f, filling *x) {
    const int step = x->count++;
    return f->low == 0 && f->high == 0 ? step + 0.5 : f->low + (f->high - f->low) * (step % 7 + 1) / 8;
}

static inline const char *a_text(filling *x) {
    char text[32];
    snprintf(text, sizeof text, "text %d", x->count++);
    return gnt_arena_text(x->memory, text);
}

static inline gnt_key a_key(filling *x) {
    gnt_key key;
    memset(&key, 0xab, sizeof key);
    key.b[1] = (uint8_t)x->count++;
    return key;
}

static inline size_t entries_of(const gnt_field *f) {
    return f->count                                              ? f->count
           : f->most_entries && f->most_entries < FILLED_ENTRIES ? f->most_entries
                                                                 : FILLED_ENTRIES;
}

static inline size_t size_of_entry(const gnt_field *f) {
    return f->type == GNT_FIELD_LIST ? f->group->size : 8;
}

static inline void fill(const gnt_fields *fields, void *to, filling *x);

static inline void fill_entry(const gnt_field *f, void *to, filling *x) {
    if (f->type == GNT_FIELD_INTS)
        *(int64_t *)to = an_int(f, x);
    else if (f->type == GNT_FIELD_REALS)
        *(double *)to = a_real(f, x);
    else if (f->type == GNT_FIELD_TEXTS)
        *(const char **)to = a_text(x);
    else
        fill(f->group, to, x);
}

static inline void fill_list(const gnt_field *f, void *to, filling *x) {
    const size_t n = entries_of(f), size = size_of_entry(f);
    char *at = gnt_arena_array(x->memory, n, size);
    assert_non_null(at);
    for (size_t i = 0; i < n; i++)
        fill_entry(f, at + i * size, x);
    memcpy(to, &at, sizeof at);
    memcpy((char *)to + sizeof at, &n, sizeof n);
}

static inline void fill_group(const gnt_field *f, void *to, filling *x) {
    void *group = to;
    if (f->optional) {
        group = gnt_arena_array(x->memory, 1, f->group->size);
        memcpy(to, &group, sizeof group);
    }
    fill(f->group, group, x);
}

static inline void fill_field(const gnt_field *f, void *to, filling *x) {
    switch (f->type) {
    case GNT_FIELD_INT:
        *(int64_t *)to = an_int(f, x);
        return;
    case GNT_FIELD_REAL:
        *(double *)to = a_real(f, x);
        return;
    case GNT_FIELD_FLAG:
        *(int *)to = 1;
        return;
    case GNT_FIELD_TEXT:
        *(const char **)to = a_text(x);
        return;
    case GNT_FIELD_KEY:
        *(gnt_key *)to = a_key(x);
        return;
    case GNT_FIELD_WORD:
        *(uint32_t *)to = f->words->word[(size_t)x->count++ % f->words->n].bit;
        return;
    case GNT_FIELD_BITS:
        *(uint32_t *)to = f->words->word[0].bit | f->words->word[1].bit;
        return;
    case GNT_FIELD_INTS:
    case GNT_FIELD_REALS:
    case GNT_FIELD_TEXTS:
    case GNT_FIELD_LIST:
        fill_list(f, to, x);
        return;
    case GNT_FIELD_GROUP:
        fill_group(f, to, x);
        return;
    case GNT_FIELD_MAP: /* of files alone */
    case GNT_FIELD_JSON:
        break;
    }
    fail_msg("%s is of a type that this test cannot fill", f->name);
}

static inline void fill(const gnt_fields *fields, void *to, filling *x) {
    for (size_t i = 0; i < fields->n; i++)
        if (!fields->field[i].optional || x->optional)
            fill_field(&fields->field[i], (char *)to + fields->field[i].offset, x);
}

/* A struct of these fields, whose values differ as far as their types allow; its memory is the arena's.
 * optional: what may be missing is there. */
static inline void *filled(const gnt_fields *fields, int optional, gnt_arena *memory) {
    filling x = {.memory = memory, .optional = optional, .count = 1};
    void *to = gnt_arena_array(memory, 1, fields->size);
    assert_non_null(to);
    fill(fields, to, &x);
    return to;
}

#endif
