/* params: the values of a plugin's parameters, checked against its table.
 *
 * Values are in the order of the table, with defaults. The canonical text only depends on the values, not on
 * how they were written (1 or 1.0, key order, omitted defaults), so it may enter keys. */
#ifndef GNT_PLUGIN_PARAMS_H
#define GNT_PLUGIN_PARAMS_H

#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"
#include "gauntlet/plugin.h"

typedef struct gnt_params {
    gnt_value *value; /* n, owned with everything they point to, including `id` */
    int32_t n;
} gnt_params;

/* Reads parameters from `object`, at `path` in `doc`; NULL: all defaults (doc may be NULL too). Errors name
 * file, line and path, and for an unknown key the nearest known one; *out is then empty. The table may be a
 * descriptor's or an info's; it is not kept. */
int gnt_params_read(gnt_params *out, const gnt_parameter *table, int32_t n, const gnt_doc *doc,
                    const char *path, const json_t *object, gnt_err *err);
/* Reads parameters as above, from text that messages call `name`; NULL text: all defaults. */
int gnt_params_parse(gnt_params *out, const gnt_parameter *table, int32_t n, const char *name,
                     const char *json, gnt_err *err);
int gnt_params_copy(gnt_params *out, const gnt_params *from, gnt_err *err);
void gnt_params_free(gnt_params *p); /* leaves it empty */

int32_t gnt_params_strength(const gnt_parameter *table, int32_t n); /* index of THE strength, −1 for none */
/* Sets THE strength, rounded for an INT. Fails, with a message that begins with `where`, if it is out of
 * range or the table has none. */
int gnt_params_set_strength(gnt_params *p, const gnt_parameter *table, int32_t n, double strength,
                            const char *where, gnt_err *err);
double gnt_params_get_strength(const gnt_params *p, const gnt_parameter *table, int32_t n); /* NaN for none */

/* Returns a JSON object of all parameters in the order of the table, which reads back to the same values. The
 * caller frees. */
char *gnt_params_canonical(const gnt_params *p); /* NULL when out of memory */

#endif
