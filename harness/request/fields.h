/* fields: structs that cross from one process to another as JSON objects, described by a table of their
 * fields.
 *
 * One table is all there is: encoding and decoding both come from it. Decoding refuses, by the field's path,
 * what is unknown, missing, of another type or out of range. Encoded objects have one canonical text
 * (gnt_json_canonical). Enumerations and bits cross as words, never as numbers.
 *
 * Ownership: texts, lists and optional groups of a decoded struct live in the arena that it was decoded into;
 * those of a struct to encode are the caller's. Encoding gives a fresh JSON value. */
#ifndef GNT_REQUEST_FIELDS_H
#define GNT_REQUEST_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "plugin/words.h"

/* Lists as they stand in a struct. */
typedef struct gnt_ints {
    const int64_t *at;
    size_t n;
} gnt_ints;

typedef struct gnt_reals {
    const double *at;
    size_t n;
} gnt_reals;

typedef struct gnt_texts {
    const char *const *at;
    size_t n;
} gnt_texts;

/* What a field of each type is in C, and in JSON. */
typedef enum gnt_field_type {
    GNT_FIELD_INT,   /* int64_t: an integer */
    GNT_FIELD_REAL,  /* double: a finite number */
    GNT_FIELD_FLAG,  /* int, 0 or 1: false or true */
    GNT_FIELD_TEXT,  /* const char *: a string. Optional: NULL where it is missing */
    GNT_FIELD_KEY,   /* gnt_key: 64 hexadecimal digits */
    GNT_FIELD_WORD,  /* an enumeration of 32 bits: one of `words` */
    GNT_FIELD_BITS,  /* uint32_t: a list of `words`, each once */
    GNT_FIELD_INTS,  /* gnt_ints: a list of integers */
    GNT_FIELD_REALS, /* gnt_reals: a list of finite numbers */
    GNT_FIELD_TEXTS, /* gnt_texts: a list of strings */
    GNT_FIELD_GROUP, /* a struct: an object. Optional: a pointer to one, NULL where it is missing */
    GNT_FIELD_LIST   /* {const STRUCT *at; size_t n;}: a list of objects */
} gnt_field_type;

struct gnt_fields;

typedef struct gnt_field {
    const char *name;
    gnt_field_type type;
    /* Of the member in its struct, in bytes. */
    size_t offset;
    /* It may be missing. Of the types above only TEXT and GROUP can. */
    int optional;
    /* It says where something lies on this machine, such as a path, and is no part of what is asked. */
    int is_place;
    /* Bounds of an INT, of each of INTS (both 0: 0 … INT64_MAX). */
    int64_t least, most;
    /* Bounds of a REAL, of each of REALS (both 0: any finite number). */
    double low, high;
    /* Entries of a list (0: any number), or greatest number of them (0: GNT_FIELD_MOST_ENTRIES). */
    size_t count, most_entries;
    const gnt_words *words;
    const struct gnt_fields *group;
} gnt_field;

typedef struct gnt_fields {
    const gnt_field *field;
    size_t n;
    /* Of the struct, in bytes. */
    size_t size;
} gnt_fields;

enum { GNT_FIELD_MOST_ENTRIES = 1 << 20, GNT_FIELD_MOST_TEXT = 16 << 20 };

typedef enum gnt_fields_part {
    GNT_FIELDS_ALL,
    GNT_FIELDS_IDENTITY /* without what is_place marks */
} gnt_fields_part;

/* NULL when out of memory. */
json_t *gnt_fields_encode(const gnt_fields *fields, const void *from, gnt_fields_part part);
/* `where` begins the paths in sentences ("the job's request"). On failure *to holds nothing that may be used.
 */
int gnt_fields_decode(const gnt_fields *fields, void *to, const json_t *json, gnt_arena *arena,
                      const char *where, gnt_err *err);

/* For tables of fields. */
#define GNT_FIELD(of, member, kind) .name = #member, .type = GNT_FIELD_##kind, .offset = offsetof(of, member)
#define GNT_FIELDS_OF(of, rows)                                                                              \
    { rows, sizeof(rows) / sizeof *(rows), sizeof(of) }

#endif
