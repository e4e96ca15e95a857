/* What the checks look up in a result, and the notes of a check. */
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "check/check_impl.h"

const gnt_result_task *check_task(const check *c, const gnt_outcome *cell) {
    for (size_t i = 0; i < c->of->tasks.n; i++)
        if (strcmp(c->of->tasks.at[i].id, cell->task) == 0)
            return &c->of->tasks.at[i];
    return NULL;
}

size_t check_first_of(json_t *seen, char *key, size_t index) {
    const json_t *first = key ? json_object_get(seen, key) : NULL;
    const size_t found = first ? (size_t)json_integer_value(first) : index;
    if (key && !first)
        json_object_set_new(seen, key, json_integer((json_int_t)index));
    gnt_free(key);
    return found;
}

void check_note(const check *c, const char *format, ...) {
    gnt_err line;
    va_list args;
    va_start(args, format);
    gnt_vfail(&line, format, args);
    va_end(args);
    gnt_text_add(&c->out->notes, "%s: %s\n", c->file, line.text);
}
