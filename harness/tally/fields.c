/* Members of a results.json as the checks ask for them, whatever the file has there; and the notes of a
 * check. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tally/tally_impl.h"

const char *tally_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double tally_number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

int tally_is_ok(const json_t *cell) {
    return strcmp(tally_text(cell, "status"), "ok") == 0;
}

const json_t *tally_task(const tally *t, const json_t *cell) {
    const char *id = tally_text(cell, "task");
    for (size_t i = 0; i < json_array_size(t->tasks); i++)
        if (strcmp(tally_text(json_array_get(t->tasks, i), "id"), id) == 0)
            return json_array_get(t->tasks, i);
    return NULL;
}

void tally_note(const tally *t, const char *format, ...) {
    gnt_err line;
    va_list args;
    va_start(args, format);
    gnt_vfail(&line, format, args);
    va_end(args);
    gnt_text_add(&t->out->notes, "%s: %s\n", t->file, line.text);
}
