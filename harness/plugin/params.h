/* params: the values of a plugin's parameters, checked against its table.
 *
 * Values stand in the order of the table with defaults filled in. The canonical text is the same for the same
 * values however they were written (1 and 1.0, key order, defaults spelt out or left away), so it may enter
 * keys. */
#ifndef GNT_PLUGIN_PARAMS_H
#define GNT_PLUGIN_PARAMS_H

#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"
#include "gauntlet/plugin.h"

typedef struct gnt_params {
    gnt_value *value; /* n, owned with all they point to; `id` points into an own copy too */
    int32_t n;
} gnt_params;

/* `object`, found at `path` of `doc`, may be NULL (all defaults; doc may be NULL then too). Complaints name
 * file, line and path, and for an unknown key the nearest known one. *out is empty after a failure. The table
 * may be a descriptor's or an info's; it is not kept. */
int gnt_params_read(gnt_params *out, const gnt_parameter *table, int32_t n, const gnt_doc *doc,
                    const char *path, const json_t *object, gnt_err *err);
/* The same from text; `name` stands for it in sentences; NULL text: all defaults. */
int gnt_params_parse(gnt_params *out, const gnt_parameter *table, int32_t n, const char *name,
                     const char *json, gnt_err *err);
int gnt_params_copy(gnt_params *out, const gnt_params *from, gnt_err *err);
void gnt_params_free(gnt_params *p); /* leaves it empty */

int32_t gnt_params_strength(const gnt_parameter *table, int32_t n); /* index of THE strength, −1 for none */
/* Sets THE strength; an INT is rounded to the nearest. Out of range, or no strength in the table: an error
 * whose sentence begins with `where`. */
int gnt_params_set_strength(gnt_params *p, const gnt_parameter *table, int32_t n, double strength,
                            const char *where, gnt_err *err);
double gnt_params_get_strength(const gnt_params *p, const gnt_parameter *table, int32_t n); /* NaN for none */

/* JSON object with every parameter in the order of the table; reads back to the same values. The caller
 * frees. */
char *gnt_params_canonical(const gnt_params *p); /* NULL when out of memory */

#endif
