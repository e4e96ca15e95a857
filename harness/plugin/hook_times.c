#include "plugin/hook_times.h"

#include <math.h>
#include <string.h>

#include "plugin/info.h"

enum { MOST_ENTRIES = 1024 };

static json_t *entry_of(json_t *list, const char *plugin, const char *hook) {
    for (size_t k = 0; k < json_array_size(list); k++) {
        json_t *one = json_array_get(list, k);
        if (strcmp(json_string_value(json_object_get(one, "plugin")), plugin) == 0 &&
            strcmp(json_string_value(json_object_get(one, "hook")), hook) == 0)
            return one;
    }
    return NULL;
}

static void add(json_t *list, const char *plugin, const char *hook, int64_t calls, double seconds) {
    json_t *one = entry_of(list, plugin, hook);
    if (!one && json_array_size(list) < MOST_ENTRIES) {
        one = json_pack("{s:s, s:s, s:I, s:f}", "plugin", plugin, "hook", hook, "calls", (json_int_t)0,
                        "seconds", 0.0);
        if (one && json_array_append_new(list, one) != 0)
            return;
    }
    if (!one)
        return;
    json_t *n = json_object_get(one, "calls"), *s = json_object_get(one, "seconds");
    if (calls <= INT64_MAX - json_integer_value(n))
        json_integer_set(n, json_integer_value(n) + calls);
    if (isfinite(json_real_value(s) + seconds))
        json_real_set(s, json_real_value(s) + seconds);
}

void gnt_hook_times_add(json_t *list, const char *id, const gnt_instance *i) {
    const gnt_hook_time *time;
    const int32_t n = gnt_instance_times(i, &time);
    for (int32_t k = 0; k < n; k++)
        add(list, id, time[k].hook, time[k].calls, time[k].seconds);
}

void gnt_hook_times_join(json_t *list, const json_t *other) {
    for (size_t k = 0; k < json_array_size(other); k++) {
        const json_t *one = json_array_get(other, k);
        const char *plugin = json_string_value(json_object_get(one, "plugin"));
        const char *hook = json_string_value(json_object_get(one, "hook"));
        const json_t *calls = json_object_get(one, "calls"), *took = json_object_get(one, "seconds");
        const double seconds = json_number_value(took);
        if (plugin && hook && gnt_id_ok(plugin, '-') && gnt_id_ok(hook, '_') && json_is_integer(calls) &&
            json_integer_value(calls) > 0 && json_is_number(took) && isfinite(seconds) && seconds >= 0)
            add(list, plugin, hook, json_integer_value(calls), seconds);
    }
}
