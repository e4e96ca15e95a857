/* fields: structs that are written as JSON and read back, described by a table of their fields.
 *
 * Encoding and decoding both come from the table. Decoding refuses, by the field's path, what is missing, of
 * another type or out of range, and in a closed table what is unknown. Encoded objects have their keys in the
 * order of the table and one canonical text (gnt_json_canonical). Enumerations and bits are written as words,
 * never as numbers.
 *
 * Closed tables (requests between processes) have every field. Open ones (files that live longer than a
 * build) skip keys that they do not know; a field that is missing or null has no value there, unless it is
 * `needed`: NAN, gnt_no_text, NULL, an empty list, 0, and −1 for an integer that may be null.
 *
 * Ownership: texts, lists and optional groups of a decoded struct live in the arena that it was decoded into;
 * those of a struct to encode are the caller's. Encoding gives a fresh JSON value. */
#ifndef GNT_BASE_FIELDS_H
#define GNT_BASE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/words.h"

/* Lists of a struct. at NULL: there is none, as opposed to an empty one. */
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

/* A number by name, for maps. */
typedef struct gnt_named_real {
    const char *name;
    double value;
} gnt_named_real;

typedef struct gnt_named_reals {
    const gnt_named_real *at;
    size_t n;
} gnt_named_reals;

typedef struct gnt_named_text {
    const char *name, *text;
} gnt_named_text;

typedef struct gnt_named_texts {
    const gnt_named_text *at;
    size_t n;
} gnt_named_texts;

/* The text of a field that has none: empty, and known by its address. */
extern const char gnt_no_text[1];

/* The C type and the JSON of a field of each type. */
typedef enum gnt_field_type {
    GNT_FIELD_INT,   /* int64_t: an integer. Nullable: −1 is null */
    GNT_FIELD_REAL,  /* double: a finite number. Nullable: NAN is null */
    GNT_FIELD_FLAG,  /* int, 0 or 1: false or true. Late: −1 if it is missing */
    GNT_FIELD_TEXT,  /* const char *: a string. Nullable, optional: NULL and gnt_no_text are none */
    GNT_FIELD_KEY,   /* gnt_key: 64 hexadecimal digits */
    GNT_FIELD_WORD,  /* an enumeration of 32 bits: one of `words` */
    GNT_FIELD_BITS,  /* uint32_t: a list of `words`, each once */
    GNT_FIELD_INTS,  /* gnt_ints: a list of integers */
    GNT_FIELD_REALS, /* gnt_reals: a list of finite numbers. Nullable: each may be null */
    GNT_FIELD_TEXTS, /* gnt_texts: a list of strings */
    /* A struct: an object. Optional: a pointer to one, NULL where it is missing. Nullable: the struct itself,
     * null where its first field has no value. */
    GNT_FIELD_GROUP,
    GNT_FIELD_LIST, /* {const STRUCT *at; size_t n;}: a list of objects */
    /* The same, of structs that begin with `const char *name`: an object with an entry for each name, in the
     * order of the list. */
    GNT_FIELD_MAP,
    GNT_FIELD_JSON /* const char *: the text of a JSON value, of a format that is not known here */
} gnt_field_type;

struct gnt_fields;

typedef struct gnt_field {
    const char *name;
    gnt_field_type type;
    /* offset of the member in its struct, in bytes */
    size_t offset;
    /* It may be missing. Without `there` only TEXT, JSON, GROUP and lists can be, by a NULL pointer. */
    int optional;
    /* The struct of an optional GROUP lies in this one, in a table with `there`. */
    int inside;
    /* Null stands for no value. A list at NULL is written as null. */
    int nullable;
    /* It must be there, in an open table too. */
    int needed;
    /* A key of other builds, which is read and never written. */
    int old;
    /* Files of older builds lack it: where it has no value, it is not compared. */
    int late;
    /* One value is written in place of REALS of one. */
    int single;
    /* It says where something lies on this machine, such as a path, and is no part of what is requested. */
    int is_place;
    /* Bounds of an INT, of each of INTS (both 0: 0 … INT64_MAX). */
    int64_t least, most;
    /* Bounds of a REAL, of each of REALS (both 0: any finite number). */
    double low, high;
    /* Entries of a list (0: any number), or greatest number of them (0: GNT_FIELD_MOST_ENTRIES). */
    size_t count, most_entries;
    const gnt_words *words;
    const struct gnt_fields *group;
    /* How far two values of a REAL or REALS may be apart and be the same, as a share of the larger (0: as far
     * as gnt_likeness says). */
    double tolerance;
    /* For tables of documentation. */
    const char *unit, *help;
} gnt_field;

typedef enum gnt_fields_form {
    GNT_FIELDS_OBJECT,
    GNT_FIELDS_TUPLE, /* a list of the values, in the table's order */
    GNT_FIELDS_BARE   /* the value of the only field */
} gnt_fields_form;

typedef struct gnt_fields {
    const gnt_field *field;
    size_t n;
    /* size of the struct, in bytes */
    size_t size;
    gnt_fields_form form;
    int open;
    /* Null stands for a struct whose first field has no value. */
    int nullable;
    /* A text stands for an object that has the first field alone. */
    int named;
    /* Gives the members that no field names their values; NULL: zeros. */
    const void *blank;
    /* 1 + the offset of a uint64_t whose bit i says that optional field i is there; 0: none. */
    size_t there;
} gnt_fields;

enum { GNT_FIELD_MOST_ENTRIES = 1 << 20, GNT_FIELD_MOST_TEXT = 16 << 20 };

typedef enum gnt_fields_part {
    GNT_FIELDS_ALL,
    GNT_FIELDS_IDENTITY /* without what is_place marks */
} gnt_fields_part;

/* Returns a new JSON value; NULL when out of memory, or if a number that may not be null is not finite. */
json_t *gnt_fields_encode(const gnt_fields *fields, const void *from, gnt_fields_part part);
/* Encodes as above, but an object of the n members at these offsets alone, in their order, without those
 * that the table does not have. */
json_t *gnt_fields_encode_members(const gnt_fields *fields, const void *from, const size_t *member, size_t n);
/* Fills *to from JSON. `where` begins the paths in error sentences ("the job's request"; "": none). On
 * failure nothing in *to may be used. */
int gnt_fields_decode(const gnt_fields *fields, void *to, const json_t *json, gnt_arena *arena,
                      const char *where, gnt_err *err);

/* Counts the keys of a decoded value that no row names, which open tables skip. path: of the value. *first:
 * the path of the first one, if there is one. is_own: keys of other builds, which are read and never
 * written, count, too. */
size_t gnt_fields_unknown(const gnt_fields *fields, const json_t *json, const char *path, int is_own,
                          gnt_path *first);
/* Returns the name of the field whose member is at an offset. The table has it. */
const char *gnt_fields_name(const gnt_fields *fields, size_t member);

/* Sets every field to no value, as an open table decodes an empty object. */
void gnt_fields_clear(const gnt_fields *fields, void *of);
/* Marks the optional field whose member is at `member` as present, and returns 1 if it is. The table has
 * `there`. */
void gnt_fields_mark(const gnt_fields *fields, void *of, const void *member);
int gnt_fields_has(const gnt_fields *fields, const void *of, const void *member);
/* Returns the value of the REAL field of that name; NAN where the table has none. */
double gnt_fields_real(const gnt_fields *fields, const void *of, const char *name);
/* Rounds every number to the nine digits that a reader of the file sees. Lists are changed where they lie. */
void gnt_fields_round(const gnt_fields *fields, void *of);

/* ---- two structs compared ---- */

typedef struct gnt_likeness {
    /* How far numbers may be apart: as a share of the larger of the two, and in addition to that. */
    double share, slack;
    /* Maps and JSON objects of `is` may have entries that `should` lacks. */
    int may_have_more;
} gnt_likeness;

/* The first difference: where, and both values. */
typedef struct gnt_difference {
    gnt_path path;
    gnt_shown is, should;
} gnt_difference;

/* Compares two structs field by field; null and what is missing are the same. path: of the structs. 0: they
 * are alike; −1: *out says where not. */
int gnt_fields_same(const gnt_fields *fields, const char *path, const void *is, const void *should,
                    const gnt_likeness *how, gnt_difference *out);
/* Compares the n members at these offsets alone, as above. */
int gnt_fields_same_members(const gnt_fields *fields, const char *path, const void *is, const void *should,
                            const size_t *member, size_t n, const gnt_likeness *how, gnt_difference *out);
int gnt_is_close(double a, double b, double share, double slack);

/* For tables of fields. */
#define GNT_FIELD(of, member, kind) .name = #member, .type = GNT_FIELD_##kind, .offset = offsetof(of, member)
#define GNT_FIELDS_OF(of, rows)                                                                              \
    { .field = rows, .n = sizeof(rows) / sizeof *(rows), .size = sizeof(of) }

/* Tables of named numbers and texts, of maps. */
extern const gnt_fields gnt_named_real_fields, gnt_named_text_fields;

#endif
