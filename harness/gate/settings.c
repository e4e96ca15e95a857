/* Reads from a run's results how they are to be checked. The file may come from anywhere, so that what the
 * suite's reader has checked is checked again. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

static const gnt_field tolerance_rows[] = {
    {GNT_FIELD(gnt_named_real, value, REAL), .low = 0, .high = 1e9, .needed = 1}};
static const gnt_fields tolerance_fields = {
    .field = tolerance_rows, .n = 1, .size = sizeof(gnt_named_real), .form = GNT_FIELDS_BARE, .open = 1};
static const gnt_field check_rows[] = {
    {GNT_FIELD(gnt_gate_settings, alpha, REAL), .low = 1e-6, .high = 0.5},
    {GNT_FIELD(gnt_gate_settings, tolerance, MAP), .group = &tolerance_fields}};
static const gnt_fields check_fields = {
    .field = check_rows, .n = 2, .size = sizeof(gnt_gate_settings), .open = 1};

static int check_measures(const gnt_gate_settings *s, const char *name, gnt_err *err) {
    for (size_t i = 0; i < s->tolerance.n; i++) {
        const char *measure = s->tolerance.at[i].name;
        if (!gnt_measure_find(measure) && strcmp(measure, "utility") != 0 && strcmp(measure, "time") != 0)
            return gnt_fail(err, "%s: check.tolerance: \"%.40s\" is not a measure; docs/suites.md lists them",
                            name, measure);
    }
    return 0;
}

int gnt_gate_settings_read(gnt_gate_settings *out, const gnt_results *r, const char *name, gnt_arena *memory,
                           gnt_err *err) {
    json_t *check = json_loads(r->file->check ? r->file->check : "{}", JSON_DECODE_ANY, NULL);
    int rc = check ? gnt_fields_decode(&check_fields, out, check, memory, "check", err)
                   : gnt_fail(err, "check: out of memory");
    json_decref(check);
    if (rc != 0)
        return gnt_fail_in(err, "%s", name);
    if (isnan(out->alpha))
        out->alpha = 0.05;
    return check_measures(out, name, err);
}

double gnt_gate_tolerance(const gnt_gate_settings *s, const char *measure) {
    for (size_t i = 0; i < s->tolerance.n; i++)
        if (strcmp(s->tolerance.at[i].name, measure) == 0)
            return s->tolerance.at[i].value;
    if (strcmp(measure, "utility") == 0)
        return 0.01;
    if (strcmp(measure, "time") == 0)
        return 0.1;
    return gnt_measure_find(measure)->tolerance;
}
