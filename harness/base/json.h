/* json: strict JSON documents, whose errors name file, line and path in the document, and one canonical way
 * to write JSON for digests.
 *
 * A document is UTF-8 without a byte order mark, has no repeated keys, no NaN, no nesting deeper than
 * GNT_DOC_DEPTH. Values are jansson's and are borrowed: they live as long as the document.
 *
 * A path is the text a person sees, "tasks[0].data.name"; "" is the whole document. jansson keeps no line
 * numbers, so a line is found by walking the text again along the path, which happens only when something is
 * wrong. */
#ifndef GNT_BASE_JSON_H
#define GNT_BASE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"

enum { GNT_DOC_DEPTH = 32, GNT_DOC_MOST = 4 << 20 };

typedef struct gnt_doc {
    char *name; /* stands for the file in sentences */
    char *text; /* terminated */
    size_t size;
    json_t *root;
} gnt_doc;

/* Reads and parses a file of at most `most` bytes (GNT_DOC_MOST for what people write). On failure *doc is
 * empty and needs no free. */
int gnt_doc_load(gnt_doc *doc, const char *path, size_t most, gnt_err *err);
/* Parses the text, of which it keeps a copy. */
int gnt_doc_parse(gnt_doc *doc, const char *name, const char *text, size_t size, gnt_err *err);
void gnt_doc_free(gnt_doc *doc);

/* ---- what readers expect ---- */

/* What a reader expects at a path: a call of a function below, also for a key that is not there. least, most:
 * limits of numbers, of entries of a list, of bytes of a text. */
typedef enum gnt_doc_kind {
    GNT_DOC_KEYS, /* an object with no other keys than n words */
    GNT_DOC_OBJECT,
    GNT_DOC_LIST,
    GNT_DOC_TEXT,
    GNT_DOC_CHOICE, /* one of n words */
    GNT_DOC_INT,
    GNT_DOC_REAL,
    GNT_DOC_BOOL
} gnt_doc_kind;
typedef struct gnt_doc_expected {
    gnt_doc_kind kind;
    double least, most;
    const char *const *words;
    size_t n;
} gnt_doc_expected;
typedef void gnt_doc_watch_fn(void *user, const gnt_doc *doc, const char *path,
                              const gnt_doc_expected *expected);
/* Calls `watch` (NULL: nothing) with all that readers expect from now on, for programs that describe a
 * format. */
void gnt_doc_watch(gnt_doc_watch_fn *watch, void *user);
/* Reports what a reader expects that does not use these functions. key: of an object at `path`; NULL: the
 * value is at `path`. doc may be NULL. */
void gnt_doc_expect(const gnt_doc *doc, const char *path, const char *key, gnt_doc_expected expected);

/* ---- paths and sentences ---- */

typedef struct gnt_path {
    char text[256]; /* cut to fit */
} gnt_path;

gnt_path gnt_path_key(const char *path, const char *key);
gnt_path gnt_path_item(const char *path, size_t index);

/* Returns the line, counted from 1, of the key or list entry that `path` names; if it does not exist, of the
 * deepest part of the path that does. */
size_t gnt_doc_line(const gnt_doc *doc, const char *path);

/* Sets "FILE:LINE: PATH: sentence" and returns −1. */
int gnt_doc_fail(gnt_err *err, const gnt_doc *doc, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A value as a sentence shows it: text in quotes (cut), a number, "a list of 3", "an object". */
typedef struct gnt_shown {
    char text[80];
} gnt_shown;
gnt_shown gnt_show(const json_t *value);
gnt_shown gnt_show_text(const char *text);

/* ---- typed reading ---- */

/* `path` names `object`; a key that is absent leaves *out as it was (its default) and is no error: call
 * gnt_doc_need first where there is no default. Failures say what was found and what was expected. */

int gnt_doc_need(const gnt_doc *doc, const char *path, const json_t *object, const char *key,
                 const char *meaning, gnt_err *err);
/* Refuses keys that are not among the n known ones and names the nearest. Fails also when value is no object.
 */
int gnt_doc_keys(const gnt_doc *doc, const char *path, const json_t *value, const char *const *keys, size_t n,
                 gnt_err *err);
int gnt_doc_int(const gnt_doc *doc, const char *path, const json_t *object, const char *key, int64_t least,
                int64_t most, int64_t *out, gnt_err *err);
int gnt_doc_real(const gnt_doc *doc, const char *path, const json_t *object, const char *key, double least,
                 double most, double *out, gnt_err *err);
int gnt_doc_bool(const gnt_doc *doc, const char *path, const json_t *object, const char *key, int *out,
                 gnt_err *err);
/* Reads a text of 1 … most bytes without control characters; *out is borrowed. */
int gnt_doc_text(const gnt_doc *doc, const char *path, const json_t *object, const char *key, size_t most,
                 const char **out, gnt_err *err);
/* Sets *out to the index of the text among `choices`. */
int gnt_doc_choice(const gnt_doc *doc, const char *path, const json_t *object, const char *key,
                   const char *const *choices, size_t n, int *out, gnt_err *err);
int gnt_doc_object(const gnt_doc *doc, const char *path, const json_t *object, const char *key,
                   const json_t **out, gnt_err *err);
int gnt_doc_list(const gnt_doc *doc, const char *path, const json_t *object, const char *key, size_t least,
                 size_t most, const json_t **out, gnt_err *err);

/* Reads one value, such as a list's entry: `path` names the value itself. An integer may be written 1e3. */
int gnt_doc_int_at(const gnt_doc *doc, const char *path, const json_t *value, int64_t least, int64_t most,
                   int64_t *out, gnt_err *err);
int gnt_doc_real_at(const gnt_doc *doc, const char *path, const json_t *value, double least, double most,
                    double *out, gnt_err *err);
int gnt_doc_text_at(const gnt_doc *doc, const char *path, const json_t *value, size_t most, const char **out,
                    gnt_err *err);
int gnt_doc_choice_at(const gnt_doc *doc, const char *path, const json_t *value, const char *const *choices,
                      size_t n, int *out, gnt_err *err);

/* Appends the n names as a sentence lists them, "a", "b" or "c", cut after `most` bytes with an ellipsis. */
void gnt_list_names(gnt_text *text, const char *const *names, size_t n, size_t most);

/* ---- writing ---- */

enum { GNT_NUMBER_SIZE = 32 };

/* Writes the shortest decimal that reads back as the same double: 1, 0.1, 1e-05, 1000000; −0 is 0. The value
 * must be finite. */
const char *gnt_number_text(double value, char out[GNT_NUMBER_SIZE]); /* returns out */
/* Appends the text in quotes with JSON's escapes. Bytes that are not UTF-8 become U+FFFD, so the output is
 * always valid. */
void gnt_json_add_text(gnt_text *out, const char *text);
/* Appends the number, or null if it is not finite. */
void gnt_json_add_real(gnt_text *out, double value);
/* Returns a new number, or a new null if the value is not finite; NULL when out of memory. */
json_t *gnt_json_real(double value);
/* Returns canonical JSON: no spaces, keys sorted by bytes, numbers by gnt_number_text (so that 1 and 1.0 are
 * the same). The caller frees it; NULL when out of memory. */
char *gnt_json_canonical(const json_t *value);
/* Returns JSON for a person to read: a line for each key, in the object's order, numbers as above. The caller
 * frees it; NULL when out of memory. */
char *gnt_json_readable(const json_t *value);

#endif
