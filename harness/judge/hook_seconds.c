#include "judge/hook_seconds.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 4096, MOST_NAME = 256 };

static const char *name_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text && *text && strlen(text) <= MOST_NAME ? text : NULL;
}

/* Reads plugin, hook, calls and seconds of an entry, for a defense or an attack; false if one is missing. */
static int read_count(const json_t *entry, gnt_hook_row *out) {
    const json_t *calls = json_object_get(entry, "calls"), *seconds = json_object_get(entry, "seconds");
    out->plugin = name_of(entry, "plugin");
    out->hook = name_of(entry, "hook");
    out->calls = json_integer_value(calls);
    out->seconds = json_number_value(seconds);
    return out->plugin && out->hook && json_is_integer(calls) && out->calls > 0 && json_is_number(seconds) &&
           isfinite(out->seconds) && out->seconds >= 0;
}

int gnt_hook_row_read(const json_t *entry, gnt_hook_row *out) {
    const char *defense = name_of(entry, "defense"), *attack = name_of(entry, "attack");
    out->label = attack ? attack : defense;
    out->of_attack = attack != NULL;
    return out->label && read_count(entry, out);
}

static int same(const gnt_hook_row *a, const gnt_hook_row *b) {
    return a->of_attack == b->of_attack && !strcmp(a->label, b->label) && !strcmp(a->plugin, b->plugin) &&
           !strcmp(a->hook, b->hook);
}

static int add(json_t *list, const gnt_hook_row *row) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *known = json_array_get(list, i);
        gnt_hook_row there;
        if (!gnt_hook_row_read(known, &there) || !same(&there, row))
            continue;
        if (row->calls > INT64_MAX - there.calls || !isfinite(there.seconds + row->seconds))
            return 0;
        json_integer_set(json_object_get(known, "calls"), there.calls + row->calls);
        json_real_set(json_object_get(known, "seconds"), there.seconds + row->seconds);
        return 0;
    }
    if (json_array_size(list) == MOST_ROWS)
        return 0;
    return json_array_append_new(list,
                                 json_pack("{s:s, s:s, s:s, s:I, s:f}", row->of_attack ? "attack" : "defense",
                                           row->label, "plugin", row->plugin, "hook", row->hook, "calls",
                                           (json_int_t)row->calls, "seconds", row->seconds));
}

json_t *gnt_hook_seconds(const json_t *host) {
    const json_t *jobs = json_object_get(host, "jobs");
    json_t *list = json_array();
    for (size_t j = 0; list && j < json_array_size(jobs); j++) {
        const json_t *job = json_array_get(jobs, j), *hooks = json_object_get(job, "hooks");
        const char *defense = name_of(job, "defense"), *attack = name_of(job, "attack");
        gnt_hook_row row = {.label = attack ? attack : defense, .of_attack = attack != NULL};
        for (size_t h = 0; row.label && h < json_array_size(hooks); h++)
            if (read_count(json_array_get(hooks, h), &row) && add(list, &row) != 0) {
                json_decref(list);
                return NULL;
            }
    }
    return list;
}
