/* What a run's results say of how they are to be checked. The file may come from anywhere, so that what the
 * suite's reader has checked is checked again. */
#include <math.h>
#include <string.h>

#include "gate/gate_impl.h"

int gnt_gate_settings_read(gnt_gate_settings *out, const gnt_results *r, const char *name, gnt_err *err) {
    const json_t *check = json_object_get(r->root, "check"), *alpha = json_object_get(check, "alpha");
    const json_t *tolerance = json_object_get(check, "tolerance");
    const char *measure;
    json_t *value;
    *out = (gnt_gate_settings){.alpha = 0.05, .tolerance = tolerance};
    if (check && !json_is_object(check))
        return gnt_fail(err, "%s: check: expected an object, as docs/suites.md describes it", name);
    if (alpha &&
        (!json_is_number(alpha) || !(json_number_value(alpha) >= 1e-6 && json_number_value(alpha) <= 0.5)))
        return gnt_fail(err, "%s: check.alpha: expected a number from 1e-06 to 0.5", name);
    if (alpha)
        out->alpha = json_number_value(alpha);
    if (tolerance && !json_is_object(tolerance))
        return gnt_fail(err, "%s: check.tolerance: expected an object of numbers by measure", name);
    json_object_foreach((json_t *)(uintptr_t)tolerance, measure, value) {
        if (!gnt_measure_find(measure) && strcmp(measure, "utility") != 0 && strcmp(measure, "time") != 0)
            return gnt_fail(err, "%s: check.tolerance: \"%.40s\" is no measure; docs/suites.md lists them",
                            name, measure);
        if (!json_is_number(value) || !(json_number_value(value) >= 0 && json_number_value(value) <= 1e9))
            return gnt_fail(err, "%s: check.tolerance.%s: expected a number from 0 to 1e9", name, measure);
    }
    return 0;
}

double gnt_gate_tolerance(const gnt_gate_settings *s, const char *measure) {
    const json_t *said = json_object_get(s->tolerance, measure);
    if (json_is_number(said))
        return json_number_value(said);
    if (strcmp(measure, "utility") == 0)
        return 0.01;
    if (strcmp(measure, "time") == 0)
        return 0.1;
    return gnt_measure_find(measure)->tolerance;
}
