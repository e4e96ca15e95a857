/* The limits by which an attack is adequate: of the suite, and of a task. */
#include "suite/suite_impl.h"

static int read_limits(suite_reader *r, const char *path, const json_t *object, gnt_adequate_limits *out) {
    const json_t *limits = NULL;
    const gnt_path at = gnt_path_key(path, "adequate");
    if (suite_object(r, path, object, "adequate", &limits))
        return -1;
    if (!limits)
        return 0;
    return suite_keys(r, at.text, limits, "identified", "above_floor", "gain") ||
           suite_real(r, at.text, limits, "identified", 0, 1, &out->identified) ||
           suite_real(r, at.text, limits, "above_floor", 0, 60, &out->above_floor) ||
           suite_real(r, at.text, limits, "gain", 0, 1, &out->gain);
}

/* Reads the suite's "adequate", then the task's, which overrides it. */
int suite_read_adequate(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    t->adequate = (gnt_adequate_limits)GNT_ADEQUATE_DEFAULTS;
    return read_limits(r, "", r->doc->root, &t->adequate) || read_limits(r, path, object, &t->adequate);
}
