/* "check": how a run is compared with a baseline run. The suite only validates it; the gate reads it from the
 * results. */
#include <string.h>

#include "metric/measure.h"
#include "suite/suite_impl.h"

int suite_read_check(suite_reader *r, const json_t *root) {
    const char *names[GNT_MEASURES + 2], *name;
    const json_t *check = NULL, *tolerance = NULL;
    json_t *value;
    double number;
    if (suite_object(r, "", root, "check", &check))
        return -1;
    if (!check)
        return 0;
    gnt_measure_names(names);
    names[GNT_MEASURES] = "utility";
    names[GNT_MEASURES + 1] = "time";
    if (suite_keys(r, "check", check, "alpha", "tolerance") ||
        suite_real(r, "check", check, "alpha", 1e-6, 0.5, &number) ||
        suite_object(r, "check", check, "tolerance", &tolerance))
        return -1;
    if (tolerance && gnt_doc_keys(r->doc, "check.tolerance", tolerance, names, GNT_MEASURES + 2, r->err))
        return -1;
    json_object_foreach((json_t *)(uintptr_t)tolerance, name, value) {
        if (suite_real(r, "check.tolerance", tolerance, name, 0, 1e9, &number))
            return -1;
    }
    r->s->check = json_dumps(check, JSON_COMPACT | JSON_SORT_KEYS);
    return r->s->check ? 0 : suite_no_memory(r);
}
