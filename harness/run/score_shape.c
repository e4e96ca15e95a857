/* Checks the metadata of a score, which come from a store that anybody may have written: what results.json
 * takes over has the shape that docs/results.md promises, or the cell has no score. */
#include <string.h>

#include "metric/estimate.h"
#include "run/run_impl.h"

static int is_number(const json_t *value) {
    return json_is_number(value) || json_is_null(value);
}

static int is_table(const json_t *value) { /* numbers by name */
    const char *name;
    json_t *number;
    if (!json_is_object(value))
        return json_is_null(value);
    json_object_foreach((json_t *)(uintptr_t)value, name, number) if (!is_number(number)) return 0;
    return 1;
}

static int is_count(const json_t *value) {
    return json_is_integer(value) || json_is_null(value);
}

/* True for the name of what an interval is over. */
static int is_over(const json_t *value) {
    for (int i = 0; json_is_string(value) && i < GNT_INTERVALS; i++)
        if (!strcmp(json_string_value(value), gnt_interval_over_name((gnt_interval_over)i)))
            return 1;
    return json_is_null(value);
}

static int is_statistics(const json_t *value) {
    const char *name;
    json_t *one;
    if (!json_is_object(value))
        return json_is_null(value);
    json_object_foreach((json_t *)(uintptr_t)value, name, one) {
        const int counts = !strcmp(name, "n") || !strcmp(name, "trainings");
        if (counts ? !is_count(one) : !strcmp(name, "interval") ? !is_over(one) : !is_number(one))
            return 0;
    }
    return 1;
}

static int is_object(const json_t *value) { /* what is in it is read value by value */
    return json_is_object(value);
}

static int is_text(const json_t *value) {
    return json_is_string(value);
}

/* True for values, or what was made of some rows. */
static int is_points(const json_t *value) {
    return json_is_array(value) || json_is_object(value);
}

typedef struct part {
    const char *name;
    int is_list;
    int (*each)(const json_t *value);
} part;

static int part_holds(const json_t *value, const part *p) {
    const char *name;
    json_t *one;
    size_t i;
    if (!value || json_is_null(value))
        return 1;
    if (p->is_list ? !json_is_array(value) : !json_is_object(value))
        return 0;
    json_array_foreach(value, i, one) if (!p->each(one)) return 0;
    json_object_foreach((json_t *)(uintptr_t)value, name, one) if (!p->each(one)) return 0;
    return 1;
}

int run_score_is_valid(const json_t *score) {
    static const part parts[] = {{"measures", 0, is_statistics}, {"floors", 0, is_table},
                                 {"chance", 0, is_number},       {"facts", 0, is_number},
                                 {"targets", 1, is_object},      {"convergence", 1, is_object},
                                 {"unmeasured", 0, is_text},     {"points", 0, is_points}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!part_holds(json_object_get(score, parts[i].name), &parts[i]))
            return 0;
    return json_is_object(score);
}
